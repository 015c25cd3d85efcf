/**
 * The log line of a request: what the logger would write, in a fifth of the time. There is one for every request, and nothing in it can
 * need escaping, for ids, routes and codes are all of our own making. It comes in parts, few of which are made anew: joined, it would be a
 * text that is left behind.
 */
import type { Holder } from "../access/authenticator.ts";
import { isoTime } from "../iso-time.ts";

export interface RequestLineFacts {
  readonly requestId: string;
  readonly holder: Holder | undefined;
  readonly route: string;
  readonly status: number;
  readonly code: string | undefined;
  readonly durationUs: number;
}

/** Of nothing but ASCII. */
export function requestLine(facts: RequestLineFacts, nowMs: number): string[] {
  const { requestId, holder, route, status, code, durationUs } = facts;
  return [openingAt(nowMs), requestId, holder?.logged ?? "", wordsOf(route, status, code), durationOf(durationUs), END];
}

const END = ',"msg":"request"}\n';

let openingMs = Number.NaN;
let opening = "";

/** Many requests fall into one millisecond. */
function openingAt(ms: number): string {
  if (ms !== openingMs) {
    opening = `{"level":30,"time":"${isoTime(ms)}","requestId":"`;
    openingMs = ms;
  }
  return opening;
}

interface Words {
  readonly status: number;
  readonly code: string | undefined;
  readonly text: string;
}

/** By route. There are as many as there are endpoints, statuses and codes, and no client can add to them. */
const words = new Map<string, Words[]>();

function wordsOf(route: string, status: number, code: string | undefined): string {
  let known = words.get(route);
  if (known === undefined) {
    known = [];
    words.set(route, known);
  }
  for (const one of known) if (one.status === status && one.code === code) return one.text;
  const told = code === undefined ? "" : `,"code":"${code}"`;
  const text = `","route":"${route}","status":${status}${told},"durationMs":`;
  known.push({ status, code, text });
  return text;
}

/** Those below a millisecond, which nearly all are. */
const shortDurations = new Array<string | undefined>(1_000).fill(undefined);

function durationOf(us: number): string {
  const known = shortDurations[us];
  if (known !== undefined) return known;
  const text = String(us / 1_000);
  if (us < shortDurations.length) shortDurations[us] = text;
  return text;
}
