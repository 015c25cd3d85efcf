/** One contract, opened: its terms, what can be done with it, and what was done. */
import type { Contract } from "@lineup/api/contracts";
import { Anchor, Button, Drawer, Group, Stack, Text, Title } from "@mantine/core";
import { IconBan, IconFileOff, IconPencil, IconRefresh, IconSignature, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { useOrganization } from "../client/session.ts";
import { DeleteRecordDialog } from "../records/delete-record-dialog.tsx";
import { nameTeam } from "../records/name-team.ts";
import { PairSection } from "../records/pair-section.tsx";
import { EXTERNAL_IDS } from "../records/pairs.ts";
import { RecordHistory } from "../records/record-history.tsx";
import { useRecords } from "../records/use-records.ts";
import { CONTRACTS_TEXTS, CONTRACT_TEXTS as TEXTS } from "../texts/contract-texts.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { CONTRACT_KIND_NAMES } from "../texts/home-texts.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { FactList } from "../ui/fact-list.tsx";
import { TextLink } from "../ui/links.tsx";
import { LinesSkeleton } from "../ui/skeletons.tsx";
import { useOnTop } from "../ui/use-on-top.ts";
import { type ContractDecision, findNextContract, noticeDeadlineOf, statusAt } from "./contract-decisions.ts";
import { EditContractDialog } from "./contract-form-dialog.tsx";
import { ContractStatusBadge, DecisionNote } from "./contract-looks.tsx";
import { RenewContractDialog, SignContractDialog, TerminateContractDialog } from "./contract-step-dialogs.tsx";
import { sayNext } from "./contract-words.ts";

export interface ContractDrawerProps {
  /** Undefined while none is open. */
  readonly id: string | undefined;
  readonly contract: Contract | undefined;
  readonly decision: ContractDecision | undefined;
  /** Whether one that is not known does not exist. */
  readonly isComplete: boolean;
  readonly mayManage: boolean;
  readonly now: number;
  readonly onOpen: (contract: Contract) => void;
  readonly onClose: () => void;
}

type Shown = "edit" | "sign" | "renew" | "terminate" | "delete" | null;

export function ContractDrawer(props: ContractDrawerProps) {
  const { id, contract, isComplete, onClose } = props;
  const [shown, setShown] = useState<Shown>(null);
  const isOnTop = useOnTop(id !== undefined);
  return (
    <>
      <Drawer
        opened={id !== undefined}
        onClose={onClose}
        position="right"
        size="lg"
        closeOnEscape={isOnTop}
        title={
          <Text span fw={650} fz="lg">
            {contract === undefined ? TEXTS.contract : TEXTS.title(contract.playerIgn)}
          </Text>
        }
        closeButtonProps={{ "aria-label": COMMON_TEXTS.close }}
      >
        {contract !== undefined ? (
          <OpenContract {...props} contract={contract} onShow={setShown} />
        ) : isComplete ? (
          <EmptyState icon={<IconFileOff size={22} />} title={TEXTS.missingTitle}>
            {TEXTS.missingBody}
          </EmptyState>
        ) : (
          <LinesSkeleton lines={8} />
        )}
      </Drawer>
      {contract !== undefined && (
        <ContractDialogs contract={contract} shown={shown} onClose={() => setShown(null)} onDeleted={onClose} />
      )}
    </>
  );
}

interface ContractDialogsProps {
  readonly contract: Contract;
  readonly shown: Shown;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

function ContractDialogs({ contract, shown, onClose, onDeleted }: ContractDialogsProps) {
  const one = { contract, onClose };
  if (shown === "edit") return <EditContractDialog {...one} />;
  if (shown === "sign") return <SignContractDialog {...one} />;
  if (shown === "renew") return <RenewContractDialog {...one} />;
  if (shown === "terminate") return <TerminateContractDialog {...one} />;
  if (shown !== "delete") return null;
  const name = TEXTS.title(contract.playerIgn);
  return <DeleteRecordDialog kind="contract" record={contract} name={name} onClose={onClose} onDeleted={onDeleted} />;
}

interface OpenContractProps extends ContractDrawerProps {
  readonly contract: Contract;
  readonly onShow: (shown: Shown) => void;
}

function OpenContract({ contract, decision, mayManage, now, onOpen, onShow }: OpenContractProps) {
  return (
    <Stack gap="md" key={contract.id}>
      {decision !== undefined && <DecisionNote decision={decision} now={now} />}
      {mayManage && <ContractActions contract={contract} now={now} onShow={onShow} />}
      <ContractFacts contract={contract} now={now} onOpen={onOpen} />
      <PairSection update="updateContract" record={contract} field={EXTERNAL_IDS} mayManage={mayManage} heading={3} />
      <section>
        <Title order={3} mb={6}>
          {TEXTS.history}
        </Title>
        <RecordHistory recordId={contract.id} />
      </section>
    </Stack>
  );
}

/** What makes sense of a contract as it stands. */
function ContractActions({ contract, now, onShow }: Pick<OpenContractProps, "contract" | "now" | "onShow">) {
  const status = statusAt(contract, now);
  const mayRenew = (status === "active" || status === "expired") && contract.endDate !== null;
  // What has not begun cannot be over: it is deleted, or its start edited.
  const mayTerminate = (status === "active" || status === "pending") && contract.startDate <= now;
  return (
    <Group gap="xs">
      {(status === "draft" || status === "pending") && (
        <Button leftSection={<IconSignature size={16} aria-hidden />} onClick={() => onShow("sign")}>
          {TEXTS.sign}
        </Button>
      )}
      {mayRenew && (
        <Button leftSection={<IconRefresh size={16} aria-hidden />} onClick={() => onShow("renew")}>
          {TEXTS.renew}
        </Button>
      )}
      <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={() => onShow("edit")}>
        {TEXTS.edit}
      </Button>
      {mayTerminate && (
        <Button variant="default" leftSection={<IconBan size={16} aria-hidden />} onClick={() => onShow("terminate")}>
          {TEXTS.terminate}
        </Button>
      )}
      <Button
        variant="light"
        color="red"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => onShow("delete")}
      >
        {TEXTS.delete}
      </Button>
    </Group>
  );
}

function ContractFacts({ contract, now, onOpen }: Pick<OpenContractProps, "contract" | "now" | "onOpen">) {
  const { id: orgId } = useOrganization();
  const teams = useRecords("team");
  const next = findNextContract(contract, useRecords("contract").all ?? []);
  const { facts } = TEXTS;
  const { playerId, playerIgn, teamId, kind, startDate, endDate, noticePeriodDays, autoRenew } = contract;
  return (
    <FactList
      facts={[
        {
          name: facts.player,
          value: (
            <TextLink inherit to="/orgs/$orgId/data/players/$playerId" params={{ orgId, playerId }}>
              {playerIgn}
            </TextLink>
          ),
        },
        { name: facts.status, value: <ContractStatusBadge contract={contract} now={now} /> },
        { name: facts.kind, value: CONTRACT_KIND_NAMES[kind] },
        { name: facts.team, value: nameTeam(teams.byId, teamId, TEXTS.noTeam) },
        { name: facts.startDate, value: <ExactTime at={startDate} as="utc-day" /> },
        { name: facts.endDate, value: <ExactTime at={endDate} as="utc-day" orElse={CONTRACTS_TEXTS.openEnd} /> },
        ...(next === undefined
          ? []
          : [
              {
                name: facts.next,
                value: (
                  <Anchor component="button" type="button" inherit onClick={() => onOpen(next)}>
                    {sayNext(next, now)}
                  </Anchor>
                ),
              },
            ]),
        {
          name: facts.noticePeriodDays,
          value: noticePeriodDays === null ? TEXTS.noDate : TEXTS.noticeDays(noticePeriodDays),
        },
        {
          name: facts.noticeBy,
          value: <ExactTime at={noticeDeadlineOf(contract)} as="utc-day" orElse={TEXTS.noDate} />,
        },
        { name: facts.autoRenew, value: autoRenew ? CONTRACTS_TEXTS.yes : CONTRACTS_TEXTS.no },
        { name: facts.signedAt, value: <ExactTime at={contract.signedAt} as="utc-day" orElse={TEXTS.noDate} /> },
        {
          name: facts.terminatedAt,
          value: <ExactTime at={contract.terminatedAt} as="utc-day" orElse={TEXTS.noDate} />,
        },
      ]}
    />
  );
}
