/** What goes back: the bytes of both envelopes, and the headers that every answer carries. */
import { createHash, hash, randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import type { ErrorCode } from "@lineup/api/errors";
import { addRateLimitHeaders, type Verdict } from "../limits/windows.ts";
import { chooseCoding, compress } from "./compression.ts";
import type { Release } from "./large-answers.ts";

/**
 * A text with one character for each byte: what is beyond ASCII stands in it as the bytes of its UTF-8. Node sends such a text as Latin-1, without a
 * buffer of its own.
 */
export type ByteText = string;

/** A successful answer without its request's id and time, ready to be cached. */
export interface SerializedData {
  /** The body up to the request's id: short ones as a text, longer ones as bytes. */
  readonly start: ByteText | readonly Buffer[];
  /** Undefined where nothing was paged. */
  readonly nextCursor: string | null | undefined;
  /** The id of a single resource. */
  readonly resourceId: string | undefined;
  /** Made when it is first asked for. */
  tag?: string;
  headers?: AnswerHeaders;
  /** Of a large answer: to be called when its response is closed, and never cached. */
  readonly release?: Release;
}

/** A large list that is sent while it is read. */
export interface StreamedData {
  /** Makes the whole body, which ends with what is given. */
  readonly open: (end: ByteText) => Readable;
  readonly release: Release;
}

export interface Answer {
  readonly status: number;
  readonly code: ErrorCode | undefined;
  readonly headers: AnswerHeaders;
  /** A fault in a stream can only be told by cutting the connection off. */
  readonly body: ByteText | readonly Buffer[] | Readable;
  /** Undefined where it is streamed. */
  readonly bodyBytes: number | undefined;
  /** To be called when the response is closed. */
  readonly release?: Release | undefined;
}

/** Names and values in turn, as Node takes them: the headers of an answer beside those that every answer has. */
export type AnswerHeaders = readonly string[];

export const NO_HEADERS: AnswerHeaders = [];

/** From this size on an answer is bytes, and is compressed for clients that accept that. */
const BYTES_FROM = 2_048;
const OPENING = '{"success":true,"data":';

export function serializeResource(resource: { readonly id: string }): SerializedData {
  return serializedResource(JSON.stringify(resource), resource.id);
}

/** Of one that is JSON already. */
export function serializedResource(json: string, id: string): SerializedData {
  return { start: startOf(json, 1), nextCursor: undefined, resourceId: id };
}

export function serializeList(items: readonly unknown[], nextCursor: string | null | undefined): SerializedData {
  return { start: startOf(JSON.stringify(items), items.length), nextCursor, resourceId: undefined };
}

/** Of slices whose records stand behind a comma each. Changes the first of them. */
export function serializedList(slices: readonly Buffer[], count: number): SerializedData {
  const [first, ...others] = slices;
  const parts = first === undefined ? [Buffer.from("[")] : [beginList(first), ...others];
  const whole = Buffer.concat([LIST_OPENING, ...parts, endOfList(count)]);
  return { start: textIfShort(whole), nextCursor: undefined, resourceId: undefined };
}

/** The comma before the first record becomes the bracket before all of them: to put one before it would copy everything. */
export function beginList(slice: Buffer): Buffer {
  slice[0] = "[".charCodeAt(0);
  return slice;
}

export const LIST_OPENING = Buffer.from(OPENING);

/** Up to the request's id. */
export function endOfList(count: number): Buffer {
  return Buffer.from(`]${countedOf(count)}`);
}

function startOf(json: string, count: number): ByteText | readonly Buffer[] {
  return textIfShort(Buffer.from(OPENING + json + countedOf(count)));
}

function countedOf(count: number): string {
  return `,"meta":{"count":${count},"requestId":"`;
}

function textIfShort(bytes: Buffer): ByteText | readonly Buffer[] {
  return bytes.length < BYTES_FROM ? bytes.toString("latin1") : [bytes];
}

export function bytesOf(body: ByteText | readonly Buffer[]): number {
  if (typeof body === "string") return body.length;
  let bytes = 0;
  for (const part of body) bytes += part.length;
  return bytes;
}

/** Stands for all that the client is told but the request's own id and time. */
export function tagOf(data: SerializedData): string {
  data.tag ??= makeTag(data.start, data.nextCursor);
  return data.tag;
}

/** What a client is told of what it reads, whether it is sent or the client has it already. `link` is where the next page is. */
export function headersOf(data: SerializedData, link: () => string | undefined): AnswerHeaders {
  if (data.headers === undefined) {
    const headers = ["ETag", tagOf(data)];
    const next = link();
    if (next !== undefined) headers.push("Link", next);
    // It may be sent in more than one coding; a text is too short to be.
    if (typeof data.start !== "string") headers.push("Vary", "Accept-Encoding");
    data.headers = headers;
  }
  return data.headers;
}

export function successAnswer(
  status: number,
  data: SerializedData,
  requestId: string,
  now: number,
  headers: AnswerHeaders = NO_HEADERS,
): Answer {
  const { start, release } = data;
  const end = requestId + endOf(data.nextCursor, now);
  const body = typeof start === "string" ? start + end : [...start, Buffer.from(end, "latin1")];
  return { status, code: undefined, headers, body, bodyBytes: bytesOf(body), release };
}

/** Compressed where the client accepts that and there is enough to gain. */
export function readAnswer(
  data: SerializedData,
  acceptEncoding: string | undefined,
  requestId: string,
  now: number,
  headers: AnswerHeaders,
): Answer {
  const answer = successAnswer(200, data, requestId, now, headers);
  const { body, bodyBytes } = answer;
  if (acceptEncoding === undefined || bodyBytes === undefined || !Array.isArray(body)) return answer;
  const coding = chooseCoding(acceptEncoding, bodyBytes);
  if (coding === undefined) return answer;
  const compressed = compress(coding, body, bodyBytes);
  return { ...answer, headers: [...headers, "Content-Encoding", coding], body: compressed, bodyBytes: undefined };
}

export function streamedAnswer(
  data: StreamedData,
  acceptEncoding: string | undefined,
  requestId: string,
  now: number,
  headers: AnswerHeaders,
): Answer {
  const plain = data.open(requestId + endOf(undefined, now));
  const coding = chooseCoding(acceptEncoding, Number.POSITIVE_INFINITY);
  const coded = coding === undefined ? headers : [...headers, "Content-Encoding", coding];
  const body = coding === undefined ? plain : compress(coding, plain, undefined);
  return { status: 200, code: undefined, headers: coded, body, bodyBytes: undefined, release: data.release };
}

/** What stands behind the request's id. */
function endOf(nextCursor: SerializedData["nextCursor"], now: number): string {
  const end = endAt(now);
  return nextCursor === undefined ? end : `${end.slice(0, -2)},"nextCursor":${JSON.stringify(nextCursor)}}}`;
}

export function endAt(ms: number): string {
  return `","timestamp":"${timeText(ms)}"}}`;
}

let [lastMs, lastText] = [Number.NaN, ""];

/** In ISO 8601. Under load many answers and log lines fall into one millisecond; its text is made once. */
export function timeText(ms: number): string {
  if (ms !== lastMs) [lastMs, lastText] = [ms, new Date(ms).toISOString()];
  return lastText;
}

/** The client has what it would be sent. It is told all that would be said of that. */
export function notModifiedAnswer(headers: AnswerHeaders): Answer {
  return { status: 304, code: undefined, headers, body: "", bodyBytes: 0 };
}

/** Every header of an answer, the envelope's own and the limits': names and values in turn, which Node takes as they are. */
export function answerHeaders(answer: Answer, requestId: string, verdict: Verdict): string[] {
  const headers = [
    "Cache-Control",
    "private, no-cache",
    "X-Content-Type-Options",
    "nosniff",
    "X-Request-Id",
    requestId,
  ];
  if (answer.status !== 304) {
    headers.push("Content-Type", "application/json; charset=utf-8");
    if (answer.bodyBytes !== undefined) headers.push("Content-Length", String(answer.bodyBytes));
  }
  addRateLimitHeaders(headers, verdict);
  headers.push(...answer.headers);
  return headers;
}

/*
 * Entity tags: a client that has an answer asks with its tag, and is told 304 while nothing has changed, which saves it the body and
 * counts like any answer. A tag stands for what is answered, not for how: the envelope's request id and time differ each time, so tags are weak.
 *
 * An answer in memory is known by its content. A large list is sent while it is read, so it is known by what decides its content: the
 * organization's revision, and the moment at which time alone changes it next. Such a tag is good in this process only, because a store that was
 * restored from a backup may have the same revision with other content; elsewhere the client is sent what it has, once.
 */

/** 132 bits: that two answers share one by chance will not happen. */
const TAG_CHARACTERS = 22;

/** Each of a list of tags, with its quotes. */
const QUOTED = /"[^"]*"/g;

const ofThisProcess = randomUUID();

/** A further page is news as well. */
export function makeTag(content: string | readonly Uint8Array[], nextCursor: string | null | undefined): string {
  if (typeof content === "string") return tagOfDigest(hash("sha1", `${content}\n${nextCursor}`, "base64url"));
  const whole = createHash("sha1");
  for (const part of content) whole.update(part);
  return tagOfDigest(whole.update(`\n${nextCursor}`).digest("base64url"));
}

/** Of content that is not read yet: the answer to the target, between now and the moment at which it changes without a write. */
export function makeRevisionTag(orgId: string, target: string, revision: number, until: number): string {
  return tagOfDigest(hash("sha1", `${ofThisProcess} ${orgId} ${revision} ${until} ${target}`, "base64url"));
}

/** Of what is the same for all: a file, a document, a calendar. */
export function tagOfContent(content: string | Uint8Array): string {
  return tagOfDigest(hash("sha256", content, "base64url"));
}

function tagOfDigest(digest: string): string {
  return `W/"${digest.slice(0, TAG_CHARACTERS)}"`;
}

/** As `If-None-Match` is compared: by what stands between the quotes, in which there may be commas; and a star by itself is every tag. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === tag || ifNoneMatch.trim() === "*") return true;
  const opaque = tag.slice("W/".length);
  return ifNoneMatch.match(QUOTED)?.includes(opaque) ?? false;
}
