/**
 * The texts of a request as they are logged: short, in one line, and without a key or the token of a calendar, which a client may have written into a query, a
 * path or a header by mistake. A key is cut down to the few characters that every list of keys shows anyway, and a token to nothing, also where they were sent
 * percent-encoded, once or several times over.
 */
import { BASE_PATH } from "@lineup/api/endpoint";
import type { RequestRecord, StoredRequest } from "./request-record.ts";

const TARGET_MAX = 500;
const USER_AGENT_MAX = 200;
const METHOD_MAX = 20;
const ADDRESS_MAX = 64;
const DECODED_AT_MOST = 8;

/** How a text ends that was longer. */
export const CUT_OFF = "…";

/** With all that follows up to the next part of the text, for a key may have been broken up when it was wrapped or copied. */
const BEYOND_SHOWN = /(lineup_live_[0-9A-Za-z]{0,4}|\/calendar\/+)[^&=/?#]*/gi;
const HOLDS_SECRET = /lineup_live_|\/calendar\//i;
/** What nearly all texts are; to find that out takes a tenth of the time that a search for all others takes. */
const VISIBLE_ASCII = /^[ -~]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]|\p{Cs}/gu;

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
  const text = withoutSecrets(target);
  const path = text.startsWith(BASE_PATH) ? text.slice(BASE_PATH.length) : withoutEncodedPrefix(text);
  return cut(path === "" ? "/" : path, TARGET_MAX);
}

function loggedText(text: string, max: number): string {
  return cut(withoutSecrets(text), max);
}

/** The prefix may have been written in other ways that lead to the same path. */
function withoutEncodedPrefix(target: string): string {
  const end = target.search(/[?#]/);
  const path = decoded(end < 0 ? target : target.slice(0, end));
  if (!path.startsWith(BASE_PATH)) return target;
  return path.slice(BASE_PATH.length) + (end < 0 ? "" : target.slice(end));
}

/** What holds one is logged decoded, so that no second one stays hidden in it. */
function withoutSecrets(text: string): string {
  let plain = text;
  for (let times = 0; plain.includes("%"); times++) {
    const next = decoded(plain);
    if (next === plain) break;
    // Nobody encodes as often who has nothing to hide.
    if (times === DECODED_AT_MOST) return `${cutSecrets(text.slice(0, text.indexOf("%")))}…`;
    plain = next;
  }
  return HOLDS_SECRET.test(plain) ? cutSecrets(plain) : text;
}

function cutSecrets(plain: string): string {
  return plain.replaceAll(BEYOND_SHOWN, "$1…");
}

/** Character by character, because one that is wrongly encoded must not hide the others. */
function decoded(text: string): string {
  return text.replaceAll(/%([0-7][0-9A-Fa-f])/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** No longer than that, and with nothing in it that would not be seen. */
function cut(text: string, max: number): string {
  const seen = text.length > max ? `${text.slice(0, max - 1)}${CUT_OFF}` : text;
  return VISIBLE_ASCII.test(seen) ? seen : seen.replaceAll(UNSEEN, "\ufffd");
}
