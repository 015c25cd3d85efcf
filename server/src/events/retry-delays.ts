/** When a message that was not taken is tried again, and what becomes of an endpoint that takes none. */
import { DAY_MS, HOUR_MS } from "@lineup/api/tiers";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** From each attempt to the next; the first is made at once. */
const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** What is sent again by hand begins another round. */
const ATTEMPTS_A_ROUND = RETRY_DELAYS_MS.length + 1;

/** So that what failed together is not tried again together: up to a tenth later. */
const JITTER = 0.1;
const RETRY_AFTER_MAX_MS = DAY_MS;

/** An endpoint that has failed for so long is disabled, and its people are warned before. */
export const DISABLED_AFTER_MS = 5 * DAY_MS;
export const WARNED_AFTER_MS = 3 * DAY_MS;

interface Ended {
  readonly fault: string | null;
  /** Somebody has sent the message again after it, though others were to come. */
  readonly endsRound?: true | undefined;
}

/** A round ends with the attempt that was taken, with its last, or where somebody did not wait for the next. */
function splitRounds<A extends Ended>(attempts: readonly A[]): A[][] {
  const rounds: A[][] = [];
  let round: A[] = [];
  for (const attempt of attempts) {
    if (round.length === 0) rounds.push(round);
    round.push(attempt);
    if (attempt.fault === null || attempt.endsRound || round.length === ATTEMPTS_A_ROUND) round = [];
  }
  return rounds;
}

/** How many of these attempts belong to the last round. */
export function countOfRound(attempts: readonly Ended[]): number {
  return splitRounds(attempts).at(-1)?.length ?? 0;
}

const STORED_ATTEMPTS_MAX = 2 * ATTEMPTS_A_ROUND;

/** One that is sent again and again by hand keeps its latest rounds, each whole: a part of one would be counted as a round of its own. */
export function latestRounds<A extends Ended>(attempts: readonly A[]): readonly A[] {
  const rounds = splitRounds(attempts);
  while (rounds.flat().length > STORED_ATTEMPTS_MAX) rounds.shift();
  return rounds.flat();
}

/** How long to wait after so many attempts of a round; undefined when there is to be no other. */
export function findRetryDelay(attempts: number, retryAfterMs = 0, random = Math.random()): number | undefined {
  const delayMs = RETRY_DELAYS_MS[attempts - 1];
  if (delayMs === undefined) return undefined;
  const asked = Math.min(retryAfterMs, RETRY_AFTER_MAX_MS);
  return Math.round(Math.max(delayMs, asked) * (1 + JITTER * random));
}
