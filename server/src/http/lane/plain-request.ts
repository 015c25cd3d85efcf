/**
 * Reads a request that is as plain as nearly every one is: come whole in one piece, with a path of the API, and headers that mean nothing
 * here or only what is known to be meant. Whatever differs in the least, in its grammar, a header that is not in the list, one that stands
 * twice, more or fewer bytes than one request has, is not read here but by Node's own parser; so a mistake that is not made here cannot be made.
 */
import type { Socket } from "node:net";
import { isHost, type RequestHead, type Target } from "../request-head.ts";
import { findPlainTarget } from "../request-target.ts";

/** Longer ones are rare, and Node knows how to bound them. */
const HEAD_MAX_BYTES = 8 * 1_024;
/** A write is longer by its body. */
const WRITE_MAX_BYTES = 24 * 1_024;
const LETTER_G = 0x47;
const HEAD_END = "\r\n\r\n";
const LINE_BREAK = "\r\n";
const BODY_LENGTH = /^[1-9]\d{0,5}$/;
/**
 * A whole head of printable ASCII: a method that is read here, a target without a fragment, the version, and lines of a name, a colon, one space and a value
 * that has no space at either end.
 */
const HEAD =
  /^(?:GET|POST|PATCH) [\x21\x22\x24-\x7e]+ HTTP\/1\.1\r\n(?:[\w!#$%&'*+.^`|~-]+: [\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?\r\n)+\r\n$/;

export interface FoundRequest {
  readonly request: RequestHead;
  readonly target: Target;
  /** All of it, where the request is a write. */
  readonly body: Buffer | undefined;
}

/** Undefined for whatever is not plain. */
export function readPlainRequest(chunk: Buffer, socket: Socket): FoundRequest | undefined {
  if (chunk.length > WRITE_MAX_BYTES) return undefined;
  const isRead = chunk[0] === LETTER_G;
  const headEnd = isRead ? chunk.length : chunk.indexOf(HEAD_END) + HEAD_END.length;
  if (headEnd < HEAD_END.length || headEnd > HEAD_MAX_BYTES) return undefined;
  const head = chunk.toString("latin1", 0, headEnd);
  if (!HEAD.test(head)) return undefined;
  const headers = readHeaders(chunk, head);
  if (headers === undefined || !isOrdinary(headers)) return undefined;
  const length = headers["content-length"];
  if (isRead ? length !== undefined : !isLengthOf(chunk.length - headEnd, length)) return undefined;
  const urlStart = head.indexOf(" ") + 1;
  const method = isRead ? "GET" : head.slice(0, urlStart - 1);
  // A text of its own, which does not keep the head alive, and the key in it: the target outlives the request in the cache and the request log.
  const url = chunk.toString("latin1", urlStart, head.indexOf(" ", urlStart));
  const target = findPlainTarget(method, url);
  if (target === undefined) return undefined;
  return { request: { method, url, headers, socket }, target, body: isRead ? undefined : chunk.subarray(headEnd) };
}

/** Of a head that has the right form; undefined where a header is not known, or one that means something stands twice. */
function readHeaders(chunk: Buffer, head: string): PlainHeaders | undefined {
  const headers = new PlainHeaders();
  const end = head.length - LINE_BREAK.length;
  for (let at = head.indexOf(LINE_BREAK) + LINE_BREAK.length; at < end; ) {
    const colon = head.indexOf(":", at);
    const lineEnd = head.indexOf(LINE_BREAK, colon);
    const meaning = meaningOf(head.slice(at, colon));
    if (meaning === undefined) return undefined;
    if (meaning !== "ignored") {
      if (headers[meaning] !== undefined) return undefined;
      const start = colon + ": ".length;
      const outlives = meaning === "user-agent" || meaning === "x-forwarded-for";
      headers[meaning] = outlives ? chunk.toString("latin1", start, lineEnd) : head.slice(start, lineEnd);
    }
    at = lineEnd + LINE_BREAK.length;
  }
  return headers;
}

/** It says where it is meant for, and nothing that would end its connection. */
function isOrdinary({ host, connection }: PlainHeaders): boolean {
  const stays = connection === undefined || connection.toLowerCase() === "keep-alive";
  return stays && host !== undefined && isHost(host);
}

/** Whether that is what a request may say of a body of so many bytes. */
function isLengthOf(bytes: number, told: string | undefined): boolean {
  return told !== undefined && BODY_LENGTH.test(told) && Number(told) === bytes;
}

/** The headers that anything here depends on. Each may be there once. */
export class PlainHeaders {
  authorization: string | undefined = undefined;
  host: string | undefined = undefined;
  connection: string | undefined = undefined;
  "accept-encoding": string | undefined = undefined;
  "content-length": string | undefined = undefined;
  "content-type": string | undefined = undefined;
  forwarded: string | undefined = undefined;
  "if-none-match": string | undefined = undefined;
  "user-agent": string | undefined = undefined;
  "x-forwarded-for": string | undefined = undefined;
  "x-forwarded-host": string | undefined = undefined;
  "x-forwarded-proto": string | undefined = undefined;
}

export type Meaning = keyof PlainHeaders | "ignored";

/** What clients, proxies, balancers and tracing send that changes nothing about the answer. None of them frames a message. */
const IGNORED = [
  "accept",
  "accept-charset",
  "accept-language",
  "b3",
  "baggage",
  "cache-control",
  "cdn-loop",
  "client-ip",
  "cookie",
  "dnt",
  "from",
  "if-modified-since",
  "origin",
  "pragma",
  "priority",
  "referer",
  "save-data",
  "sentry-trace",
  "traceparent",
  "tracestate",
  "true-client-ip",
  "uber-trace-id",
  "upgrade-insecure-requests",
  "via",
  "x-client-ip",
  "x-cloud-trace-context",
  "x-correlation-id",
  "x-forwarded-port",
  "x-forwarded-server",
  "x-real-ip",
  "x-request-id",
  "x-request-start",
  "x-requested-with",
  "x-scheme",
];

/** Headers of one origin, of which there are many. */
const IGNORED_PREFIXES = [
  "cf-",
  "cloudfront-",
  "fastly-",
  "fly-",
  "sec-ch-",
  "sec-fetch-",
  "sec-gpc",
  "x-amz-cf-",
  "x-amzn-",
  "x-azure-",
  "x-b3-",
  "x-datadog-",
  "x-envoy-",
  "x-forwarded-",
  "x-vercel-",
];

/** By every spelling that is usual; the others are found in small letters. */
const NAMES = new Map<string, Meaning>();
for (const name of Object.keys(new PlainHeaders()) as (keyof PlainHeaders)[]) addName(name, name);
for (const name of IGNORED) addName(name, "ignored");

function addName(name: string, meaning: Meaning): void {
  NAMES.set(name, meaning);
  NAMES.set(
    name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()),
    meaning,
  );
}

/** Undefined for a header that is not to be met in a plain request. */
export function meaningOf(name: string): Meaning | undefined {
  const known = NAMES.get(name);
  if (known !== undefined) return known;
  const small = name.toLowerCase();
  return NAMES.get(small) ?? (IGNORED_PREFIXES.some((prefix) => small.startsWith(prefix)) ? "ignored" : undefined);
}
