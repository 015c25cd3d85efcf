/**
 * Answers as bytes, for connections on which Node does not write them. They are put together in one piece of memory that is used again
 * for the next: as a text, each would be made of some thirty others, all of them left behind for the collector, and copied once more
 * to be sent.
 *
 * What always holds: what is returned is good until the next answer is asked for. Whoever needs it for longer, because not all of it has
 * left yet, says so with `leaveRoom`, and it is nobody else's from then on.
 */
import { putAscii } from "../ascii.ts";
import { waitOf } from "../limits/rate-limit-headers.ts";
import type { Verdict, WindowName } from "../limits/windows.ts";
import type { Answer } from "./answer.ts";
import { STATUS_CODES } from "./node-http.ts";

/** Larger bodies go out as they are kept, behind their head. */
export const TOGETHER_MAX_BYTES = 30 * 1_024;
/** A head without the headers that an answer has beside those of all. */
const HEAD_MAX_BYTES = 1_024;
const ROOM_BYTES = 32 * 1_024;

let room = Buffer.allocUnsafeSlow(ROOM_BYTES);
let at = 0;

/** What is in the memory from its beginning on, up to the request's id. The next answer is likely to begin with the same. */
const beginning = { status: 0, content: "", connectionLines: "", policy: "", second: 0, end: 0 };

/** An answer with all that is said around it. */
export interface Outgoing {
  readonly answer: Answer;
  readonly requestId: string;
  readonly verdict: Verdict;
  /** Whether the connection stays, as lines of the head. */
  readonly connectionLines: string;
}

/** The whole of an answer whose body is no larger than `TOGETHER_MAX_BYTES`. */
export function wholeBytes(outgoing: Outgoing, nowMs: number): Buffer {
  const { body, bodyBytes } = outgoing.answer;
  putHead(outgoing, nowMs, bodyBytes);
  for (const part of body) {
    if (typeof part === "string") putText(part);
    else put(part);
  }
  return room.subarray(0, at);
}

/** What `answerHeaders` lists, as it goes out, and what Node says of itself beside it: the date, and whether the connection stays. */
export function headBytes(outgoing: Outgoing, nowMs: number): Buffer {
  putHead(outgoing, nowMs, 0);
  return room.subarray(0, at);
}

/** What was last returned stays as it is. */
export function leaveRoom(): void {
  room = Buffer.allocUnsafeSlow(ROOM_BYTES);
  beginning.end = 0;
}

const CONTENT_TYPE = "Content-Type: application/json; charset=utf-8\r\n";
const CHUNKED = `${CONTENT_TYPE}Transfer-Encoding: chunked\r\n`;

/** With room for so many bytes behind it. */
function putHead({ answer, requestId, verdict, connectionLines }: Outgoing, nowMs: number, bytesBehind: number): void {
  const { status, headers, stream, bodyBytes } = answer;
  makeRoom(HEAD_MAX_BYTES + headers.lines.length + connectionLines.length + bytesBehind);
  const content = status === 304 ? "" : stream === undefined ? CONTENT_TYPE : CHUNKED;
  putBeginning(status, content, connectionLines, verdict.policy, Math.floor(nowMs / 1_000));
  putText(requestId);
  putLimits(verdict);
  putText(headers.lines);
  if (content === CONTENT_TYPE) {
    put(LENGTH);
    putNumber(bodyBytes);
    put(LINE_END);
  }
  put(LINE_END);
}

function putBeginning(status: number, content: string, connectionLines: string, policy: string, second: number): void {
  const last = beginning;
  if (
    last.end > 0 &&
    second === last.second &&
    status === last.status &&
    content === last.content &&
    connectionLines === last.connectionLines &&
    policy === last.policy
  ) {
    at = last.end;
    return;
  }
  at = 0;
  putText(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nCache-Control: private, no-cache\r\nX-Content-Type-Options: nosniff\r\n${content}` +
      `Date: ${new Date(second * 1_000).toUTCString()}\r\n${connectionLines}RateLimit-Policy: ${policy}\r\nX-Request-Id: `,
  );
  Object.assign(last, { status, content, connectionLines, policy, second, end: at });
}

const LINE_END = Buffer.from("\r\n");
const LENGTH = Buffer.from("Content-Length: ");
const LIMIT = Buffer.from("\r\nX-RateLimit-Limit: ");
const REMAINING = Buffer.from("\r\nX-RateLimit-Remaining: ");
const RESET = Buffer.from("\r\nX-RateLimit-Reset: ");
const RESET_IN = Buffer.from(";t=");
const RETRY_AFTER = Buffer.from("Retry-After: ");
const WINDOWS: Readonly<Record<WindowName, { readonly first: Buffer; readonly next: Buffer }>> = {
  minute: windowWords("minute"),
  day: windowWords("day"),
  address: windowWords("address"),
};

function windowWords(name: WindowName) {
  return { first: Buffer.from(`\r\nRateLimit: "${name}";r=`), next: Buffer.from(`, "${name}";r=`) };
}

/** As `addRateLimitHeaders` has them, but for the policy, which stands further up. */
function putLimits(verdict: Verdict): void {
  const { governing, windows, admitted } = verdict;
  put(LIMIT);
  putNumber(governing.limit);
  put(REMAINING);
  putNumber(governing.remaining);
  put(RESET);
  putNumber(Math.ceil(governing.resetAtMs / 1_000));
  let isFirst = true;
  for (const { name, remaining, resetInMs } of windows) {
    const words = WINDOWS[name];
    put(isFirst ? words.first : words.next);
    putNumber(remaining);
    put(RESET_IN);
    putNumber(Math.ceil(resetInMs / 1_000));
    isFirst = false;
  }
  put(LINE_END);
  if (admitted) return;
  put(RETRY_AFTER);
  putNumber(waitOf(verdict));
  put(LINE_END);
}

function makeRoom(bytes: number): void {
  if (bytes <= room.length) return;
  room = Buffer.allocUnsafeSlow(bytes);
  beginning.end = 0;
}

/** Up to so many bytes are sooner copied one by one than by a call. */
const FEW_BYTES = 8;

function put(bytes: Buffer): void {
  const { length } = bytes;
  if (length > FEW_BYTES) room.set(bytes, at);
  else for (let index = 0; index < length; index++) room[at + index] = bytes[index] as number;
  at += length;
}

/** Of ASCII. */
function putText(text: string): void {
  at = putAscii(room, text, at);
}

const ZERO = 0x30;
/** Beyond it, a number is not held in 32 bits. */
const QUICK_MAX = 0x7fff_ffff;

/** A whole number. */
function putNumber(number: number): void {
  if (!(number >= 0 && number <= QUICK_MAX)) {
    putText(String(number));
    return;
  }
  let end = at + 1;
  for (let bound = 10; number >= bound; bound *= 10) end++;
  let left = number;
  for (let place = end - 1; place >= at; place--) {
    const tenth = (left / 10) | 0;
    room[place] = ZERO + left - tenth * 10;
    left = tenth;
  }
  at = end;
}
