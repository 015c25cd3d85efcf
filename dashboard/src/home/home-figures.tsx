/** Figures of the morning at a glance. HomeFigures { home }, undefined while it loads. */
import { SimpleGrid } from "@mantine/core";
import { serverNow } from "../client/server-clock.ts";
import { listDecisions } from "../contracts/contract-decisions.ts";
import { HOME_TEXTS } from "../texts/home-texts.ts";
import { sayNumber } from "../ui/number-words.ts";
import { StatCard } from "../ui/stat-card.tsx";
import type { HomeView } from "./home-view.ts";
import { findWeek } from "./home-week.ts";

const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

export function HomeFigures({ home }: { readonly home: HomeView | undefined }) {
  const now = serverNow();
  const week = home && findWeek(home.events, now);
  const decisions = home && listDecisions(home.contracts, now);
  const soon = decisions?.filter(({ alert }) => alert === null || alert === 30).length;
  const keys = home?.keysNeedingAttention;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
      <StatCard
        label={HOME_TEXTS.eventsToday}
        value={say(week?.filter(({ isToday }) => isToday).length)}
        note={week && HOME_TEXTS.eventsNote(week.filter(({ isToday }) => !isToday).length)}
      />
      <StatCard
        label={HOME_TEXTS.contracts}
        value={say(decisions?.length)}
        note={soon === undefined ? undefined : HOME_TEXTS.contractsNote(soon)}
      />
      {keys !== null ? (
        <StatCard
          label={HOME_TEXTS.attention}
          value={say(keys?.length)}
          note={keys && (keys.length === 0 ? HOME_TEXTS.attentionNone : HOME_TEXTS.attentionNote)}
        />
      ) : (
        <StatCard
          label={HOME_TEXTS.prospects}
          value={say(home?.waitingProspects.length)}
          note={HOME_TEXTS.prospectsNote}
        />
      )}
      <RequestFigure home={home} />
    </SimpleGrid>
  );
}

function RequestFigure({ home }: { readonly home: HomeView | undefined }) {
  const requests = sum(home, ({ answered, refused, failed }) => answered + refused + failed);
  const errors = sum(home, ({ refused, failed }) => refused + failed);
  const hasErrors = requests !== undefined && errors !== undefined && errors > 0;
  const note = hasErrors ? HOME_TEXTS.errorsNote(percent.format(errors / requests)) : HOME_TEXTS.requestsNote;
  return (
    <StatCard label={HOME_TEXTS.requests} value={say(requests)} note={requests === undefined ? undefined : note} />
  );
}

function sum(home: HomeView | undefined, of: (hour: HomeView["hours"][number]) => number): number | undefined {
  return home?.hours.reduce((total, hour) => total + of(hour), 0);
}

function say(value: number | undefined): string | undefined {
  return value === undefined ? undefined : sayNumber(value);
}
