/** Four figures at a glance. HomeFigures { home }, undefined while it loads. */
import { SimpleGrid } from "@mantine/core";
import { HOME_TEXTS } from "../texts/home-texts.ts";
import { sayNumber } from "../ui/number-words.ts";
import { StatCard } from "../ui/stat-card.tsx";
import type { HomeView } from "./home-view.ts";

const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

export function HomeFigures({ home }: { readonly home: HomeView | undefined }) {
  const requests = sum(home, ({ answered, refused, failed }) => answered + refused + failed);
  const errors = sum(home, ({ refused, failed }) => refused + failed);
  const keys = home?.keysNeedingAttention;
  const contracts = home?.endingContracts.filter(({ daysRemaining }) => (daysRemaining ?? 91) <= 30).length;
  const hasErrors = requests !== undefined && errors !== undefined && errors > 0;
  return (
    <SimpleGrid cols={{ base: 2, md: keys === null ? 3 : 4 }} spacing="md">
      <StatCard label={HOME_TEXTS.requests} value={say(requests)} note={HOME_TEXTS.requestsNote} />
      <StatCard
        label={HOME_TEXTS.errors}
        value={say(errors)}
        note={hasErrors ? HOME_TEXTS.errorsNote(percent.format(errors / requests)) : HOME_TEXTS.errorsNone}
      />
      {keys !== null && (
        <StatCard
          label={HOME_TEXTS.attention}
          value={say(keys?.length)}
          note={keys?.length === 0 ? HOME_TEXTS.attentionNone : HOME_TEXTS.attentionNote}
        />
      )}
      <StatCard label={HOME_TEXTS.contracts} value={say(contracts)} note={HOME_TEXTS.contractsNote} />
    </SimpleGrid>
  );
}

function sum(home: HomeView | undefined, of: (hour: HomeView["hours"][number]) => number): number | undefined {
  return home?.hours.reduce((total, hour) => total + of(hour), 0);
}

function say(value: number | undefined): string | undefined {
  return value === undefined ? undefined : sayNumber(value);
}
