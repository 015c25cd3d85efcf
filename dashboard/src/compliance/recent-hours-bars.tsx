import { Tooltip } from "@mantine/core";
import { KEYS_TEXTS } from "../texts/key-texts.ts";
import classes from "./recent-hours-bars.module.css";

const STEP = 4;
const BAR = 3;
const HEIGHT = 24;

/** Requests of the last hours as small bars. The label says in words what the bars show. */
export function RecentHoursBars({ hours }: { readonly hours: readonly number[] }) {
  const label = describeHours(hours);
  const most = Math.max(...hours, 1);
  const width = hours.length * STEP;
  return (
    <Tooltip label={label} openDelay={300}>
      <svg
        className={classes.bars}
        role="img"
        aria-label={label}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        width={width}
        height={HEIGHT}
      >
        {hours.map((requests, index) => {
          const height = requests === 0 ? 1 : Math.max(2, Math.round((requests / most) * HEIGHT));
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: an hour has no identity but its place.
              key={index}
              className={requests === 0 ? classes.none : classes.some}
              x={index * STEP}
              y={HEIGHT - height}
              width={BAR}
              height={height}
              rx={requests === 0 ? 0 : 1}
            />
          );
        })}
      </svg>
    </Tooltip>
  );
}

export function describeHours(hours: readonly number[]): string {
  const total = hours.reduce((sum, each) => sum + each, 0);
  if (total === 0) return KEYS_TEXTS.recentNone(hours.length);
  const [all, most, now] = [total, Math.max(...hours), hours.at(-1) ?? 0].map((each) => each.toLocaleString());
  return KEYS_TEXTS.recentSome(all ?? "", most ?? "", now ?? "", hours.length);
}
