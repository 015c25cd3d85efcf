/** What is known of one request by a key, and what its id tells. Never the key itself, and never a body. */
import { isIdOf } from "@lineup/api/ids";

export interface RequestRecord {
  readonly orgId: string;
  readonly keyId: string;
  /** The request id; the time of the request is part of it. */
  readonly id: string;
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** The endpoint's name, or "unknown". */
  readonly endpoint: string;
  readonly status: number;
  readonly code: string | null;
  readonly durationUs: number;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** As it stands in the log: its target is path and query under the API's prefix, and all texts are as `logged-texts.ts` leaves them. */
export type StoredRequest = Omit<RequestRecord, "orgId">;

export interface LoggedRequest extends StoredRequest {
  readonly at: number;
}

/*
 * Request ids are TypeIDs over UUIDv7: their first ten digits are the time, so ids in order are requests in order of time, and a span of
 * time is a span of ids.
 */
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
  for (let digit = 0; digit < TIME_DIGITS; digit++) {
    digits = DIGITS.charAt(rest % 32) + digits;
    rest = Math.floor(rest / 32);
  }
  return PREFIX + digits + "0".repeat(REST_DIGITS);
}

/** As a bound that is itself left out, the one that leaves the id in. */
export function justAbove(id: string): string {
  return id + BEYOND;
}

/** Whether the text is an id, or just above one, as a list gives it out to go on from. */
export function isLogCursor(text: string): boolean {
  return isIdOf("req", text.endsWith(BEYOND) ? text.slice(0, -1) : text);
}
