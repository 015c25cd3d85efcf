import { Tooltip } from "@mantine/core";
import { KEYS_TEXTS } from "../texts/key-texts.ts";
import { Sparkline } from "../ui/bar-series.tsx";
import { sayNumber } from "../ui/number-words.ts";

/** Requests of the last hours as small bars; the label says in words what the bars show. */
export function RecentHours({ hours }: { readonly hours: readonly number[] }) {
  const label = describeHours(hours);
  return (
    <Tooltip label={label}>
      <span>
        <Sparkline values={hours} label={label} />
      </span>
    </Tooltip>
  );
}

function describeHours(hours: readonly number[]): string {
  const total = hours.reduce((sum, each) => sum + each, 0);
  if (total === 0) return KEYS_TEXTS.recentNone(hours.length);
  const most = sayNumber(Math.max(...hours));
  return KEYS_TEXTS.recentSome(sayNumber(total), most, sayNumber(hours.at(-1) ?? 0), hours.length);
}
