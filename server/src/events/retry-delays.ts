/** When a message that was not taken is tried again, and what becomes of an endpoint that takes none. */
import { DAY_MS } from "@lineup/api/tiers";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** From each attempt to the next; the first is made at once. */
export const RETRY_DELAYS_MS: readonly number[] = [
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

/** So that what failed together is not tried again together: up to a tenth later. */
const JITTER = 0.1;
const RETRY_AFTER_MAX_MS = DAY_MS;

/** An endpoint that has failed for so long is disabled, and its people are warned before. */
export const DISABLED_AFTER_MS = 5 * DAY_MS;
export const WARNED_AFTER_MS = 3 * DAY_MS;

/** How long to wait after so many attempts; undefined when there is to be no other. */
export function findRetryDelay(attempts: number, retryAfterMs = 0, random = Math.random()): number | undefined {
  const delayMs = RETRY_DELAYS_MS[attempts - 1];
  if (delayMs === undefined) return undefined;
  const asked = Math.min(retryAfterMs, RETRY_AFTER_MAX_MS);
  return Math.round(Math.max(delayMs, asked) * (1 + JITTER * random));
}
