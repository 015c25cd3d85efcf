/** Active contracts that end within 30, 60 or 90 days, soonest first. */
import { Button, SegmentedControl, Text } from "@mantine/core";
import { IconFileText } from "@tabler/icons-react";
import { useState } from "react";
import { serverNow } from "../client/server-clock.ts";
import { CONTRACT_KIND_NAMES, HOME_TEXTS } from "../texts/home-texts.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { SectionCard } from "../ui/section-card.tsx";
import { LinesSkeleton } from "../ui/skeletons.tsx";
import { sayDaysUntil } from "../ui/time-words.ts";
import classes from "./home-page.module.css";
import type { HomeView } from "./home-view.ts";

const SPANS = [30, 60, 90] as const;
/** More are shown when asked for. */
const SHOWN_AT_FIRST = 8;

export function EndingContracts({ contracts }: { readonly contracts: HomeView["endingContracts"] | undefined }) {
  const [span, setSpan] = useState("30");
  const [showsAll, setShowsAll] = useState(false);
  const shown = contracts?.filter(({ daysRemaining }) => daysRemaining !== null && daysRemaining <= Number(span));
  return (
    <SectionCard
      title={HOME_TEXTS.contractsTitle}
      actions={
        <SegmentedControl
          size="xs"
          value={span}
          onChange={setSpan}
          aria-label={HOME_TEXTS.withinLabel}
          data={SPANS.map((days) => ({
            value: String(days),
            label: HOME_TEXTS.within(days),
          }))}
        />
      }
    >
      {shown === undefined && <LinesSkeleton lines={5} />}
      {shown?.length === 0 && (
        <EmptyState icon={<IconFileText size={22} />} title={HOME_TEXTS.contractsNone(Number(span))} heading={3}>
          {HOME_TEXTS.contractsNoneBody}
        </EmptyState>
      )}
      {shown !== undefined && shown.length > 0 && (
        <ul className={classes.rows}>
          {shown.slice(0, showsAll ? undefined : SHOWN_AT_FIRST).map((contract) => (
            <li key={contract.id} className={classes.row}>
              <div className={classes.grow}>
                <Text fw={600}>{contract.playerIgn}</Text>
                <Text size="sm" c="dimmed">
                  {sayTerms(contract)}
                </Text>
              </div>
              <Text component="div" ta="right" className="figures">
                <Text fw={600} component="div">
                  <ExactTime at={contract.endDate} as="day" />
                </Text>
                {contract.endDate !== null && (
                  <Text size="sm" c="dimmed">
                    {sayDaysUntil(contract.endDate, serverNow())}
                  </Text>
                )}
              </Text>
            </li>
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

function sayTerms(contract: HomeView["endingContracts"][number]): string {
  const parts: string[] = [CONTRACT_KIND_NAMES[contract.kind]];
  if (contract.autoRenew) parts.push(HOME_TEXTS.renews);
  if (contract.noticePeriodDays !== null) {
    parts.push(`${HOME_TEXTS.notice} ${HOME_TEXTS.noticeDays(contract.noticePeriodDays)}`);
  }
  return parts.join(" · ");
}
