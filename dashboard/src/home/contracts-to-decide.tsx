/** Contracts that need a decision within 30, 60 or 90 days, the most urgent first. Each leads to its contract. */
import { Button, SegmentedControl, Text } from "@mantine/core";
import { IconContract } from "@tabler/icons-react";
import { useState } from "react";
import { serverNow } from "../client/server-clock.ts";
import { useOrganization } from "../client/session.ts";
import { ALERT_DAYS, type ContractDecision, listDecisions } from "../contracts/contract-decisions.ts";
import { CONTRACT_KIND_NAMES, HOME_TEXTS } from "../texts/home-texts.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { TextLink } from "../ui/links.tsx";
import { SectionCard } from "../ui/section-card.tsx";
import { LinesSkeleton } from "../ui/skeletons.tsx";
import { sayDaysUntil, sayUtcDay } from "../ui/time-words.ts";
import classes from "./home-page.module.css";
import type { HomeView } from "./home-view.ts";

/** More are shown when asked for. */
const SHOWN_AT_FIRST = 8;

export function ContractsToDecide({ contracts }: { readonly contracts: HomeView["contracts"] | undefined }) {
  const [span, setSpan] = useState("90");
  const [showsAll, setShowsAll] = useState(false);
  const now = serverNow();
  const shown =
    contracts && listDecisions(contracts, now).filter(({ alert }) => alert === null || alert <= Number(span));
  return (
    <SectionCard
      title={HOME_TEXTS.contractsTitle}
      actions={
        <SegmentedControl
          size="xs"
          value={span}
          onChange={setSpan}
          aria-label={HOME_TEXTS.withinLabel}
          data={ALERT_DAYS.map((days) => ({ value: String(days), label: HOME_TEXTS.within(days) }))}
        />
      }
    >
      {shown === undefined && <LinesSkeleton lines={5} />}
      {shown?.length === 0 && (
        <EmptyState icon={<IconContract size={22} />} title={HOME_TEXTS.contractsNone(Number(span))} heading={3}>
          {HOME_TEXTS.contractsNoneBody}
        </EmptyState>
      )}
      {shown !== undefined && shown.length > 0 && (
        <ul className={classes.rows}>
          {shown.slice(0, showsAll ? undefined : SHOWN_AT_FIRST).map((decision) => (
            <DecisionRow key={decision.contract.id} decision={decision} now={now} />
          ))}
        </ul>
      )}
      {shown !== undefined && shown.length > SHOWN_AT_FIRST && !showsAll && (
        <Button variant="subtle" size="xs" mt="xs" onClick={() => setShowsAll(true)}>
          {HOME_TEXTS.showAll(shown.length)}
        </Button>
      )}
    </SectionCard>
  );
}

function DecisionRow({ decision, now }: { readonly decision: ContractDecision; readonly now: number }) {
  const { id: orgId } = useOrganization();
  const { contract, about } = decision;
  const at = about === "end" ? contract.endDate : contract.startDate;
  return (
    <li className={classes.row}>
      <div className={classes.grow}>
        <TextLink to="/orgs/$orgId/data/contracts" params={{ orgId }} search={{ open: contract.id }} fw={600}>
          {contract.playerIgn}
        </TextLink>
        <Text size="sm" c="dimmed">
          {sayTerms(decision)}
        </Text>
      </div>
      <Text component="div" ta="right" className="figures">
        <Text fw={600} component="div">
          <ExactTime at={at} as="utc-day" />
        </Text>
        {at !== null && (
          <Text size="sm" c="dimmed">
            {about === "end" ? HOME_TEXTS.endsIn(sayDaysUntil(at, now)) : HOME_TEXTS.unsigned}
          </Text>
        )}
      </Text>
    </li>
  );
}

function sayTerms({ contract, about, dueAt }: ContractDecision): string {
  const parts: string[] = [CONTRACT_KIND_NAMES[contract.kind]];
  if (contract.autoRenew) parts.push(HOME_TEXTS.renews);
  if (about === "end" && dueAt !== contract.endDate) parts.push(HOME_TEXTS.noticeUntil(sayUtcDay(dueAt)));
  return parts.join(" · ");
}
