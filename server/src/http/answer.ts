/** What goes back: the bytes of both envelopes, and the headers that every answer carries. */
import { type ApiError, ERROR_STATUS, type ErrorCode } from "@lineup/api/errors";
import { isoTime } from "../iso-time.ts";
import { addRateLimitHeaders } from "../limits/rate-limit-headers.ts";
import type { Verdict } from "../limits/windows.ts";
import { AnswerHeaders, NO_HEADERS } from "./answer-headers.ts";
import type { ComingList } from "./coming-list.ts";
import { chooseCoding, type Encodings, encodeBody } from "./encoded-answer.ts";
import { makeTag } from "./entity-tag.ts";

/** `data` as it will be sent, ready to be kept for the next who asks. */
export interface SerializedData {
  readonly json: string | readonly Buffer[];
  readonly count: number;
  /** Undefined where nothing was paged. */
  readonly nextCursor: string | null | undefined;
  /** The id of a single resource. */
  readonly resourceId: string | undefined;
  /** Where `json` is a text and was asked for again: all of an answer up to the request's id. */
  opening?: Buffer;
  /** Made when it is first asked for, and kept with the rest. */
  tag?: string;
  /** What is told of it with every answer; made and kept likewise. */
  headers?: AnswerHeaders;
  /** Where the answer is kept: what was made of it for those who take it compressed. */
  readonly encodings?: Encodings;
  /** For a list that is sent while it is read: all else that is said here of its content is not known yet. */
  readonly coming?: ComingList;
  /** Nobody else has its bytes, and nobody keeps them: they may be given back when they are sent. */
  readonly isOwn?: boolean;
  /** For a large answer: to be called when its response is closed, and never kept. */
  readonly onClosed?: () => void;
}

export interface Answer {
  readonly status: number;
  readonly code: ErrorCode | undefined;
  /** Beside those of every answer. */
  readonly headers: AnswerHeaders;
  /** In parts: bytes first, and behind them what ends them, which is text of ASCII. */
  readonly body: readonly (string | Buffer)[];
  readonly bodyBytes: number;
  /** Whether the bytes in the body are of this answer alone, but for its opening. */
  readonly isOwn?: boolean | undefined;
  /** Instead of a body whose length is known: what is sent as it comes. A fault in it can only be told by cutting the connection off. */
  readonly stream?: AsyncIterable<Buffer>;
  /** To be called when the response is closed. */
  readonly onClosed?: (() => void) | undefined;
}

/** From this size on a list is kept as bytes, so that sending it again costs no encoding. */
const KEPT_AS_BYTES_FROM = 2_048;
const LIST_START = Buffer.from("[");
const EMPTY_LIST = Buffer.from("[]");

export function serializeResource(resource: { readonly id: string }): SerializedData {
  return serializedResource(JSON.stringify(resource), resource.id);
}

/** Of one that is JSON already. */
export function serializedResource(json: string, id: string): SerializedData {
  return { json: textOrBytes(json), count: 1, nextCursor: undefined, resourceId: id };
}

export function serializeList(items: readonly unknown[], nextCursor: string | null | undefined): SerializedData {
  return { json: textOrBytes(JSON.stringify(items)), count: items.length, nextCursor, resourceId: undefined };
}

/** Of items that are JSON already, each behind a comma, and the bracket that ends them. */
export function serializedList(closed: Buffer, count: number): SerializedData {
  const whole = count === 0 ? EMPTY_LIST : beginList(closed);
  const json = whole.length < KEPT_AS_BYTES_FROM ? whole.toString() : [whole];
  return { json, count, nextCursor: undefined, resourceId: undefined };
}

/** The comma before the first item becomes the bracket before all of them, where it stands: to put one there would copy everything. */
export function beginList(items: Buffer): Buffer {
  LIST_START.copy(items);
  return items;
}

function textOrBytes(json: string): string | readonly Buffer[] {
  return json.length >= KEPT_AS_BYTES_FROM ? [Buffer.from(json)] : json;
}

/** Stands for all that the client is told but the request's own id and time. */
export function tagOf(data: SerializedData): string {
  data.tag ??= makeTag(data.json, data.nextCursor);
  return data.tag;
}

/** What a client is told of what it reads, whether it is sent or the client has it already. `link` is where the next page is. */
export function headersOf(data: SerializedData, link: () => string | undefined): AnswerHeaders {
  if (data.headers === undefined) {
    const headers = ["ETag", tagOf(data)];
    const next = link();
    if (next !== undefined) headers.push("Link", next);
    // It may be sent in more than one coding; a text is too short to be.
    if (typeof data.json !== "string") headers.push("Vary", "Accept-Encoding");
    data.headers = new AnswerHeaders(headers);
  }
  return data.headers;
}

const OPENING = '{"success":true,"data":';
export const OPENING_BYTES = Buffer.from(OPENING);

/** For whoever takes it and where there is enough to gain, compressed; else as it is. */
export function readAnswer(
  data: SerializedData,
  acceptEncoding: string | undefined,
  requestId: string,
  now: number,
  headers: AnswerHeaders,
): Answer | Promise<Answer> {
  const { json, coming } = data;
  if (coming !== undefined) {
    const endOf = (count: number) => Buffer.from(metaOf({ count, nextCursor: undefined }, requestId, now), "latin1");
    return { ...streamedAnswer(coming, endOf, acceptEncoding, headers), onClosed: data.onClosed };
  }
  if (typeof json === "string") return successAnswer(200, data, requestId, now, headers);
  const plain = [OPENING_BYTES, ...json];
  const coding = chooseCoding(acceptEncoding, json.length === 1);
  if (coding === undefined) return successAnswer(200, data, requestId, now, headers);
  return encodeBody(coding, plain, metaOf(data, requestId, now), data.encodings).then(
    (body) => ({
      status: 200,
      code: undefined,
      headers: headers.with("Content-Encoding", coding),
      body,
      bodyBytes: body.reduce((sum, part) => sum + part.length, 0),
      onClosed: data.onClosed,
    }),
    (error) => {
      data.onClosed?.();
      throw error;
    },
  );
}

function streamedAnswer(
  coming: ComingList,
  endOf: (count: number) => Buffer,
  acceptEncoding: string | undefined,
  headers: AnswerHeaders,
): Answer {
  const coding = chooseCoding(acceptEncoding, false);
  const [stream, all] =
    coding === undefined
      ? [coming.read(endOf), headers]
      : [coming.readGzip(endOf), headers.with("Content-Encoding", coding)];
  return { status: 200, code: undefined, headers: all, body: [], bodyBytes: 0, stream };
}

export function successAnswer(
  status: number,
  data: SerializedData,
  requestId: string,
  now: number,
  headers = NO_HEADERS,
): Answer {
  const { json, count, nextCursor } = data;
  if (typeof json === "string") {
    const opening = data.opening ?? Buffer.from(openingOf(json, count));
    const end = endOf(nextCursor, now);
    const bodyBytes = opening.length + requestId.length + end.length;
    return {
      status,
      code: undefined,
      headers,
      body: [opening, requestId, end],
      bodyBytes,
      onClosed: data.onClosed,
    };
  }
  const meta = metaOf(data, requestId, now);
  const bodyBytes = OPENING.length + bytesOf(data) + meta.length;
  const body = [OPENING_BYTES, ...json, meta];
  return { status, code: undefined, headers, body, bodyBytes, isOwn: data.isOwn, onClosed: data.onClosed };
}

function openingOf(json: string, count: number): string {
  return OPENING + json + countedOf(count);
}

/** For an answer that is kept, when it is asked for again: what it begins with stays as bytes, in memory of its own. */
export function keepOpening(data: SerializedData): void {
  if (data.opening !== undefined || typeof data.json !== "string") return;
  const text = openingOf(data.json, data.count);
  data.opening = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  data.opening.write(text);
}

/** What stands behind `data`: ASCII throughout. */
function metaOf({ count, nextCursor }: Pick<SerializedData, "count" | "nextCursor">, requestId: string, now: number) {
  return countedOf(count) + requestId + endOf(nextCursor, now);
}

const countedOf = (count: number) => `,"meta":{"count":${count},"requestId":"`;

/** What stands behind the request's id. */
function endOf(nextCursor: SerializedData["nextCursor"], now: number): string {
  const end = endAt(now);
  return nextCursor === undefined ? end : `${end.slice(0, -2)},"nextCursor":${JSON.stringify(nextCursor)}}}`;
}

/** What the client has kept is what it would be sent. It is told all that would be said of that. */
export function notModifiedAnswer(headers: AnswerHeaders): Answer {
  return { status: 304, code: undefined, headers, body: [], bodyBytes: 0 };
}

export function bytesOf({ json }: SerializedData): number {
  if (typeof json === "string") return Buffer.byteLength(json);
  let bytes = 0;
  for (const part of json) bytes += part.length;
  return bytes;
}

let endMs = Number.NaN;
let end = "";

/** Under load many answers fall into one millisecond; its text is made once. */
function endAt(ms: number): string {
  if (ms !== endMs) {
    end = `","timestamp":"${isoTime(ms)}"}}`;
    endMs = ms;
  }
  return end;
}

/** Of refusals that are given again and again: all of their body up to the request's id. */
const standing = new WeakMap<ApiError, Buffer>();

/** For a refusal whose words are all our own, that is going to be given more than once. */
export function makeStanding(error: ApiError): ApiError {
  standing.set(error, Buffer.from(errorOpening(error)));
  return error;
}

export function errorAnswer(error: ApiError, requestId: string, now: number): Answer {
  const { code } = error;
  // A message that names a faulty field or parameter would repeat a key that was written in a name's place.
  const opening = standing.get(error) ?? Buffer.from(withoutKeys(errorOpening(error)));
  const end = endAt(now);
  return {
    status: ERROR_STATUS[code],
    code,
    headers: code === "INVALID_API_KEY" ? CHALLENGE : NO_HEADERS,
    body: [opening, requestId, end],
    bodyBytes: opening.length + requestId.length + end.length,
  };
}

const CHALLENGE = new AnswerHeaders(["WWW-Authenticate", "Bearer"]);

function errorOpening({ code, message, details }: ApiError): string {
  const told = { code, message, status: ERROR_STATUS[code], details };
  return `{"success":false,"error":${JSON.stringify(told)},"meta":{"requestId":"`;
}

const KEY_BEYOND_SHOWN = /(lineup_live_[0-9A-Za-z]{4})\w+/g;

function withoutKeys(text: string): string {
  return text.replaceAll(KEY_BEYOND_SHOWN, "$1…");
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
    if (answer.stream === undefined) headers.push("Content-Length", String(answer.bodyBytes));
    else headers.push("Transfer-Encoding", "chunked");
  }
  addRateLimitHeaders(headers, verdict);
  headers.push(...answer.headers.list);
  return headers;
}
