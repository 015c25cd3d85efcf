import { Group, RingProgress, Text, Tooltip } from "@mantine/core";
import { useEffect, useState } from "react";
import { serverNow } from "../client/server-clock.ts";
import { KEY_TEXTS as TEXTS } from "../texts/key-texts.ts";
import { TONE_COLORS, type Tone } from "../theme.ts";
import { sayNumber } from "../ui/number-words.ts";
import { sayAge, sayExactly } from "../ui/time-words.ts";

export interface WindowGaugeProps {
  readonly name: string;
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAt: number | null;
}

const TIGHT = 0.8;
const MINUTE_MS = 60_000;

/** One rolling window: how much of it is used, and when it begins to free up. */
export function WindowGauge({ name, limit, remaining, resetsAt }: WindowGaugeProps) {
  const used = Math.max(0, limit - remaining);
  const share = limit === 0 ? 0 : used / limit;
  return (
    <Group gap="md" wrap="nowrap">
      {/* biome-ignore lint/a11y/useSemanticElements: the element of this role cannot be a ring. */}
      <div
        role="meter"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={used}
        aria-valuetext={TEXTS.used(sayNumber(used), sayNumber(limit))}
      >
        <RingProgress
          size={88}
          thickness={9}
          roundCaps={share > 0.02}
          rootColor="var(--lineup-edge)"
          sections={[{ value: share * 100, color: `${TONE_COLORS[toneOf(share)]}.6` }]}
          label={
            <Text ta="center" fw={650} size="sm" className="figures">
              {sayShare(share)}
            </Text>
          }
        />
      </div>
      <div>
        <Text fw={600} size="sm">
          {name}
        </Text>
        <Text size="sm" className="figures">
          {TEXTS.used(sayNumber(used), sayNumber(limit))}
        </Text>
        <Text size="sm" c="dimmed" component="div" className="figures">
          {remaining <= 0 && <span>{TEXTS.full} </span>}
          <ResetTime at={resetsAt} />
        </Text>
      </div>
    </Group>
  );
}

/** What is used at all never reads as nothing, and what is left at all never as full. */
function sayShare(share: number): string {
  if (share > 0 && share < 0.01) return "< 1 %";
  return `${share < 1 ? Math.floor(share * 100) : 100} %`;
}

function toneOf(share: number): Tone {
  if (share >= 1) return "bad";
  return share >= TIGHT ? "warn" : "info";
}

/** Counts down by the second where it matters; the exact time on hover and focus. */
function ResetTime({ at }: { readonly at: number | null }) {
  const now = useSecond();
  if (at === null || at <= now) return <>{TEXTS.free}</>;
  const left = at - now;
  const words = left < MINUTE_MS ? TEXTS.inSeconds(Math.ceil(left / 1000)) : sayAge(at, now);
  return (
    <Tooltip label={sayExactly(at)}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time must be reachable by keyboard. */}
      <time dateTime={new Date(at).toISOString()} tabIndex={0}>
        {TEXTS.frees(words)}
      </time>
    </Tooltip>
  );
}

function useSecond(): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
