/**
 * What may be in a block, as bits beside it: whoever looks for a key or a status passes over the blocks that cannot hold it without
 * reading them. A bit that is missing is sure; one that is there is a maybe, because several keys share a bit.
 */
import { ERROR_CODES } from "@lineup/api/errors";

const KEY_BITS = 30;
const STATUSES = [200, 201, 304, 400, 401, 403, 404, 429, 500];
const METHODS = ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE"];
/** One bit for each status, and one for all others; then methods; then codes. */
const METHODS_FROM = STATUSES.length + 1;
const CODES_FROM = METHODS_FROM + METHODS.length + 1;

export function keyMark(keyId: string): number {
  // The last digits of an id are random.
  const { length } = keyId;
  return 1 << ((keyId.charCodeAt(length - 1) * 32 + keyId.charCodeAt(length - 2)) % KEY_BITS);
}

export function statusMark(status: number): number {
  const index = STATUSES.indexOf(status);
  return 1 << (index < 0 ? STATUSES.length : index);
}

/** Of all statuses that begin with this digit. */
export function statusClassMarks(hundreds: number): number {
  const known = STATUSES.filter((status) => Math.floor(status / 100) === hundreds);
  return known.reduce((marks, status) => marks | statusMark(status), 1 << STATUSES.length);
}

export function methodMark(method: string): number {
  const index = METHODS.indexOf(method);
  return 1 << (METHODS_FROM + (index < 0 ? METHODS.length : index));
}

export function codeMark(code: string): number {
  const index = (ERROR_CODES as readonly string[]).indexOf(code);
  return index < 0 ? 0 : 1 << (CODES_FROM + index);
}
