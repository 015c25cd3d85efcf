/**
 * Request ids are TypeIDs over UUIDv7: their first ten digits are the time, so that ids in order are requests in order of time, and a
 * span of time is a span of ids.
 */
import { isIdOf } from "@lineup/api/ids";

const PREFIX = "req_";
const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_DIGITS = 10;
const REST_DIGITS = 16;
const TIME_MAX_MS = 2 ** 48 - 1;
/** Greater than any digit: behind an id it makes the least text that is greater than the id. */
const BEYOND = "~";

/** Greater than every id. */
export const PAST_ALL_IDS = PREFIX + BEYOND;

/** In milliseconds since the Unix epoch. */
export function timeOfId(id: string): number {
  let time = 0;
  for (let at = PREFIX.length; at < PREFIX.length + TIME_DIGITS; at++) time = time * 32 + DIGITS.indexOf(id.charAt(at));
  return time;
}

/** The least id that a request of this moment can have. */
export function firstIdAt(timeMs: number): string {
  let rest = Math.min(Math.max(Math.trunc(timeMs), 0), TIME_MAX_MS);
  let digits = "";
  for (let place = 0; place < TIME_DIGITS; place++) {
    digits = DIGITS.charAt(rest % 32) + digits;
    rest = Math.floor(rest / 32);
  }
  return PREFIX + digits + "0".repeat(REST_DIGITS);
}

/** As a bound that is itself left out, the one that leaves the id in. */
export function justAbove(id: string): string {
  return id + BEYOND;
}

/** Whether the text is an id, or just above one. */
export function isPlaceInLog(text: string): boolean {
  return isIdOf("req", text.endsWith(BEYOND) ? text.slice(0, -1) : text);
}
