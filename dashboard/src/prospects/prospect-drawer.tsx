/** One prospect, opened: all that is known, what can be done, and what was done. */
import type { Prospect } from "@lineup/api/prospects";
import { Badge, Button, Drawer, Group, NativeSelect, Stack, Text, Title } from "@mantine/core";
import { IconMessage, IconPencil, IconSignature, IconTrash, IconUserOff } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { serverNow } from "../client/server-clock.ts";
import { useOrganization } from "../client/session.ts";
import { nameCountry } from "../records/country-names.ts";
import { DeleteRecordDialog } from "../records/delete-record-dialog.tsx";
import { nameTeam } from "../records/name-team.ts";
import { PairSection } from "../records/pair-section.tsx";
import { EXTERNAL_IDS } from "../records/pairs.ts";
import { RecordHistory } from "../records/record-history.tsx";
import { useRecordWrite } from "../records/use-record-write.ts";
import { useRecords } from "../records/use-records.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { BOARD_TEXTS, STAGE_NAMES, PROSPECT_TEXTS as TEXTS } from "../texts/prospect-texts.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { FactList } from "../ui/fact-list.tsx";
import { TextLink } from "../ui/links.tsx";
import { LinesSkeleton } from "../ui/skeletons.tsx";
import { useOnTop } from "../ui/use-on-top.ts";
import { EditProspectDialog } from "./prospect-form-dialog.tsx";
import { PriorityWord, Rating, StageBadge } from "./prospect-looks.tsx";
import { daysInStage, STAGES } from "./prospects-search.ts";
import type { MoveToStage } from "./use-stage-move.ts";

export interface ProspectDrawerProps {
  /** Undefined while none is open. */
  readonly id: string | undefined;
  readonly prospect: Prospect | undefined;
  /** Whether one that is not known does not exist. */
  readonly isComplete: boolean;
  /** Undefined for those who may only look. Moving to *signed* asks first. */
  readonly onMove: MoveToStage | undefined;
  readonly onClose: () => void;
}

type Shown = "edit" | "delete" | null;

export function ProspectDrawer({ id, prospect, isComplete, onMove, onClose }: ProspectDrawerProps) {
  const [shown, setShown] = useState<Shown>(null);
  const isOnTop = useOnTop(id !== undefined);
  const close = () => setShown(null);
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
            {prospect?.ign ?? TEXTS.prospect}
          </Text>
        }
        closeButtonProps={{ "aria-label": COMMON_TEXTS.close }}
      >
        {prospect !== undefined ? (
          <OpenProspect key={prospect.id} prospect={prospect} onMove={onMove} onShow={setShown} />
        ) : isComplete ? (
          <EmptyState icon={<IconUserOff size={22} />} title={TEXTS.missingTitle}>
            {TEXTS.missingBody}
          </EmptyState>
        ) : (
          <LinesSkeleton lines={8} />
        )}
      </Drawer>
      {shown === "edit" && prospect !== undefined && <EditProspectDialog prospect={prospect} onClose={close} />}
      {shown === "delete" && prospect !== undefined && (
        <DeleteRecordDialog kind="prospect" record={prospect} name={prospect.ign} onClose={close} onDeleted={onClose} />
      )}
    </>
  );
}

interface OpenProspectProps {
  readonly prospect: Prospect;
  readonly onMove: MoveToStage | undefined;
  readonly onShow: (shown: Shown) => void;
}

function OpenProspect({ prospect, onMove, onShow }: OpenProspectProps) {
  return (
    <Stack gap="md">
      {onMove !== undefined && <ProspectActions prospect={prospect} onMove={onMove} onShow={onShow} />}
      <ProspectFacts prospect={prospect} onMove={onMove} />
      <Section title={TEXTS.notes}>
        {prospect.notes ? (
          <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
            {prospect.notes}
          </Text>
        ) : (
          <Text size="sm" c="dimmed">
            {TEXTS.noNotes}
          </Text>
        )}
      </Section>
      <PairSection
        update="updateProspect"
        record={prospect}
        field={EXTERNAL_IDS}
        mayManage={onMove !== undefined}
        heading={3}
      />
      <Section title={TEXTS.history}>
        <RecordHistory recordId={prospect.id} />
      </Section>
    </Stack>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <Title order={3} mb={6}>
        {title}
      </Title>
      {children}
    </section>
  );
}

function ProspectActions({ prospect, onMove, onShow }: OpenProspectProps & { readonly onMove: MoveToStage }) {
  const { id: orgId } = useOrganization();
  const note = useRecordWrite("updateProspect", { says: TEXTS.contacted, undo: "fields" });
  const noteContact = () =>
    note.mutate({
      path: { orgId, recordId: prospect.id },
      body: { lastContactAt: serverNow(), updatedAt: prospect.updatedAt },
    });
  return (
    <Group gap="xs">
      {prospect.playerId === null && (
        <Button leftSection={<IconSignature size={16} aria-hidden />} onClick={() => onMove(prospect, "signed")}>
          {TEXTS.sign}
        </Button>
      )}
      <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={() => onShow("edit")}>
        {TEXTS.edit}
      </Button>
      <Button
        variant="default"
        leftSection={<IconMessage size={16} aria-hidden />}
        onClick={noteContact}
        loading={note.isPending}
      >
        {TEXTS.contactedNow}
      </Button>
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

function ProspectFacts({ prospect, onMove }: Pick<OpenProspectProps, "prospect" | "onMove">) {
  const { id: orgId } = useOrganization();
  const teams = useRecords("team");
  const { facts } = TEXTS;
  const orUnknown = (text: string | null | undefined) => text || TEXTS.unknown;
  return (
    <FactList
      facts={[
        {
          name: TEXTS.stage,
          value:
            onMove === undefined ? (
              <StageBadge stage={prospect.stage} />
            ) : (
              <StageSelect prospect={prospect} onMove={onMove} />
            ),
        },
        { name: TEXTS.sinceDays, value: BOARD_TEXTS.days(daysInStage(prospect, serverNow())) },
        ...(prospect.playerId === null
          ? []
          : [
              {
                name: TEXTS.player,
                value: (
                  <TextLink
                    inherit
                    to="/orgs/$orgId/data/players/$playerId"
                    params={{ orgId, playerId: prospect.playerId }}
                  >
                    {TEXTS.toPlayer}
                  </TextLink>
                ),
              },
            ]),
        { name: facts.realName, value: orUnknown(prospect.realName) },
        { name: facts.game, value: prospect.game },
        { name: facts.role, value: orUnknown(prospect.role) },
        { name: facts.priority, value: <PriorityWord priority={prospect.priority} /> },
        { name: facts.rating, value: <Rating rating={prospect.rating} /> },
        { name: facts.assignedTo, value: prospect.assignedTo || TEXTS.nobody },
        { name: facts.lastContactAt, value: <ExactTime at={prospect.lastContactAt} as="utc-day" /> },
        { name: facts.currentTeam, value: orUnknown(prospect.currentTeam) },
        {
          name: facts.contractEndDate,
          value: <ExactTime at={prospect.contractEndDate} as="utc-day" orElse={TEXTS.unknown} />,
        },
        { name: facts.targetTeamId, value: nameTeam(teams.byId, prospect.targetTeamId, TEXTS.noTeam) },
        { name: facts.nationality, value: orUnknown(prospect.nationality && nameCountry(prospect.nationality)) },
        { name: facts.region, value: orUnknown(prospect.region) },
        { name: facts.source, value: orUnknown(prospect.source) },
        { name: TEXTS.tags, value: <Tags tags={prospect.tags} /> },
      ]}
    />
  );
}

function Tags({ tags }: Pick<Prospect, "tags">) {
  if (tags.length === 0) return TEXTS.none;
  return (
    <Group gap={6}>
      {tags.map((tag) => (
        <Badge key={tag} variant="light" color="gray" tt="none" fw={500} maw="100%">
          {tag}
        </Badge>
      ))}
    </Group>
  );
}

function StageSelect({ prospect, onMove }: { readonly prospect: Prospect; readonly onMove: MoveToStage }) {
  return (
    <NativeSelect
      aria-label={TEXTS.stage}
      size="xs"
      w={180}
      data={STAGES.map((stage) => ({ value: stage, label: STAGE_NAMES[stage] }))}
      value={prospect.stage}
      onChange={(event) => {
        const stage = STAGES.find((each) => each === event.currentTarget.value);
        if (stage !== undefined && stage !== prospect.stage) onMove(prospect, stage);
      }}
    />
  );
}
