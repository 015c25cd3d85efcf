/**
 * A moment in the viewer's zone; the exact time with its zone on hover, focus and touch. ExactTime { at, as?, inTable? }
 *   at       milliseconds since the epoch; null shows `orElse` ("Never" unless said)
 *   as       "age" (3 minutes ago, in 4 days; the default) | "day" | "day-time" | "moment" (with seconds) | "time" |
 *            "utc-day" (of what is typed as a day; all of it in UTC)
 *   isStop   whether Tab stops at it; true unless said. In long lists whose rows open, false keeps the keyboard's way short, and the
 *            exact time is the browser's own tooltip.
 */
import { Text, Tooltip } from "@mantine/core";
import { useEffect, useState } from "react";
import { serverNow } from "../client/server-clock.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import {
  sayAge,
  sayDay,
  sayDayAndTime,
  sayExactly,
  sayMoment,
  sayTime,
  sayUtcDay,
  sayUtcExactly,
} from "./time-words.ts";

export interface ExactTimeProps {
  readonly at: number | null;
  readonly as?: "age" | keyof typeof WORDS;
  readonly isStop?: boolean;
  readonly orElse?: string;
}

const WORDS = {
  day: sayDay,
  "day-time": sayDayAndTime,
  moment: sayMoment,
  time: sayTime,
  "utc-day": sayUtcDay,
} as const;

export function ExactTime({ at, as = "age", isStop = true, orElse = COMMON_TEXTS.never }: ExactTimeProps) {
  const now = useMinute(as === "age" && at !== null);
  if (at === null) {
    return (
      <Text span inherit c="dimmed">
        {orElse}
      </Text>
    );
  }
  const words = as === "age" ? sayAge(at, now) : WORDS[as](at);
  const exactly = as === "utc-day" ? sayUtcExactly(at) : sayExactly(at);
  const time = { dateTime: new Date(at).toISOString(), style: { whiteSpace: "nowrap" } } as const;
  // In a long list a hundred tooltips would cost more than the rows they belong to.
  if (!isStop) {
    return (
      <time {...time} title={exactly}>
        {words}
      </time>
    );
  }
  return (
    <Tooltip label={exactly}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time must be reachable by keyboard. */}
      <time {...time} tabIndex={0}>
        {words}
      </time>
    </Tooltip>
  );
}

const TURN_MS = 30_000;

/** Ages grow while they are looked at, and what changes meanwhile is as old as it is by then. */
function useMinute(isNeeded: boolean): number {
  const [, setTurn] = useState(0);
  useEffect(() => {
    if (!isNeeded) return;
    const timer = setInterval(() => setTurn((turn) => turn + 1), TURN_MS);
    return () => clearInterval(timer);
  }, [isNeeded]);
  return serverNow();
}
