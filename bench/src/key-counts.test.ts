import { TIERS } from "@lineup/api/tiers";
import { expect, it } from "vitest";
import { SETTLING_MS } from "./entrant.ts";
import { countReadingKeys } from "./key-counts.ts";

const READS_PER_SECOND = 80_000;

/** The most that one contender is loaded within any minute, turn after turn, found by going through them. */
function worstMinuteMs(contenders: number, rounds: number, roundMs: number): number {
  const turns: { readonly from: number; readonly to: number }[] = [];
  let now = 0;
  for (let round = 0; round < rounds; round++) {
    const order = Array.from({ length: contenders }, (_, contender) => contender);
    for (const contender of round % 2 === 0 ? order : order.toReversed()) {
      if (contender === contenders - 1) turns.push({ from: now, to: now + roundMs });
      now += roundMs + (contender === 0 ? 0 : SETTLING_MS);
    }
  }
  const within = (from: number) =>
    turns.reduce((sum, turn) => sum + Math.max(0, Math.min(turn.to, from + 60_000) - Math.max(turn.from, from)), 0);
  return Math.max(...turns.flatMap(({ from, to }) => [within(from), within(to - 60_000)]));
}

it.each([
  [2, 5, 1_000],
  [2, 9, 2_000],
  [2, 12, 10_000],
  [2, 5, 40_000],
  [3, 40, 1_000],
  [5, 20, 3_000],
])("makes keys enough for %i contenders in %i rounds of %i ms", (contenders, rounds, roundMs) => {
  const keys = countReadingKeys({ loadedMs: rounds * roundMs, roundMs, contenders });
  const asked = (READS_PER_SECOND * worstMinuteMs(contenders, rounds, roundMs)) / 1_000;
  expect(asked / keys).toBeLessThanOrEqual(TIERS.Enterprise.perMinute);
});
