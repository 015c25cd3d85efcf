/**
 * The texts of a request as they are logged: short, in one line, and without a key, which a client may have written into a query or a
 * header by mistake. A key is cut down to the few characters that every list of keys shows anyway, also where it was sent
 * percent-encoded, once or several times over.
 */
import { BASE_PATH } from "@lineup/api/endpoint";
import type { RequestRecord, StoredRequest } from "./request-record.ts";

const TARGET_MAX = 500;
const USER_AGENT_MAX = 200;
const METHOD_MAX = 20;
const ADDRESS_MAX = 64;
const DECODED_AT_MOST = 8;

/** With all that follows up to the next part of the text, for a key may have been broken up when it was wrapped or copied. */
const KEY_BEYOND_SHOWN = /(lineup_live_[0-9A-Za-z]{0,4})[^&=/?#]*/gi;
const HOLDS_KEY = /lineup_live_/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]|\p{Cs}/gu;

/** Visible ASCII, and nothing that could be percent-encoded. */
const PLAIN = /^[ -$&-~]*$/;

/** All that is logged of a request but its organization, which the block names. */
export function toStored(record: RequestRecord): StoredRequest {
  const { id, keyId, method, target, endpoint, status, code, durationUs, address, userAgent } = record;
  return {
    id,
    keyId,
    method: loggedText(method, METHOD_MAX),
    target: loggedTarget(target),
    endpoint,
    status,
    code,
    durationUs,
    address: address ? loggedText(address, ADDRESS_MAX) : null,
    userAgent: userAgent === null ? null : loggedText(userAgent, USER_AGENT_MAX),
  };
}

/** Path and query under the API's prefix. */
export function loggedTarget(target: string): string {
  if (isLoggedAsSent(target, TARGET_MAX) && target.startsWith(BASE_PATH)) return target.slice(BASE_PATH.length) || "/";
  const text = withoutKeys(target);
  const path = text.startsWith(BASE_PATH) ? text.slice(BASE_PATH.length) : withoutEncodedPrefix(text);
  return cut(path === "" ? "/" : path, TARGET_MAX);
}

function loggedText(text: string, max: number): string {
  return isLoggedAsSent(text, max) ? text : cut(withoutKeys(text), max);
}

/** What nearly all are, and found out in a fraction of the time that all else takes. */
function isLoggedAsSent(text: string, max: number): boolean {
  return text.length <= max && PLAIN.test(text) && !HOLDS_KEY.test(text);
}

/** The prefix may have been written in other ways that lead to the same path. */
function withoutEncodedPrefix(target: string): string {
  const end = target.search(/[?#]/);
  const path = decoded(end < 0 ? target : target.slice(0, end));
  if (!path.startsWith(BASE_PATH)) return target;
  return path.slice(BASE_PATH.length) + (end < 0 ? "" : target.slice(end));
}

/** What holds a key is logged decoded, so that no second one stays hidden in it. */
function withoutKeys(text: string): string {
  let plain = text;
  for (let times = 0; plain.includes("%"); times++) {
    const next = decoded(plain);
    if (next === plain) break;
    // Nobody encodes as often who has nothing to hide.
    if (times === DECODED_AT_MOST) return `${cutKeys(text.slice(0, text.indexOf("%")))}…`;
    plain = next;
  }
  return HOLDS_KEY.test(plain) ? cutKeys(plain) : text;
}

function cutKeys(plain: string): string {
  return plain.replaceAll(KEY_BEYOND_SHOWN, "$1…");
}

/** Character by character, because one that is wrongly encoded must not hide the others. */
function decoded(text: string): string {
  return text.replaceAll(/%([0-7][0-9A-Fa-f])/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** No longer than that, and with nothing in it that would not be seen. */
function cut(text: string, max: number): string {
  const seen = text.length > max ? `${text.slice(0, max - 1)}…` : text;
  return seen.replaceAll(UNSEEN, "\ufffd");
}
