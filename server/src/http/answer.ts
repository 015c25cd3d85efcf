/** What goes back: the bytes of both envelopes, and the headers that every answer carries. */
import { type ApiError, ERROR_STATUS, type ErrorCode } from "@lineup/api/errors";
import { addRateLimitHeaders } from "../limits/rate-limit-headers.ts";
import type { Verdict } from "../limits/windows.ts";
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
  /** Made when it is first asked for, and kept with the rest. */
  tag?: string;
  /** Where the answer is kept: what was made of it for those who take it compressed. */
  readonly encodings?: Encodings;
  /** For a large answer: to be called when its response is closed, and never kept. */
  readonly onClosed?: () => void;
}

export interface Answer {
  readonly status: number;
  readonly code: ErrorCode | undefined;
  /** Beside those of every answer: names and values in turn. */
  readonly headers: readonly string[];
  readonly body: readonly (string | Buffer)[];
  readonly bodyBytes: number;
  /** To be called when the response is closed. */
  readonly onClosed?: (() => void) | undefined;
}

/** From this size on a list is kept as bytes, so that sending it again costs no encoding. */
const KEPT_AS_BYTES_FROM = 2_048;

export function serializeResource(resource: { readonly id: string }): SerializedData {
  return { json: serialize(resource), count: 1, nextCursor: undefined, resourceId: resource.id };
}

export function serializeList(items: readonly unknown[], nextCursor: string | null | undefined): SerializedData {
  return { json: serialize(items), count: items.length, nextCursor, resourceId: undefined };
}

function serialize(data: unknown): string | readonly Buffer[] {
  const json = JSON.stringify(data);
  return json.length >= KEPT_AS_BYTES_FROM ? [Buffer.from(json)] : json;
}

/** Stands for all that the client is told but the request's own id and time: a further page is news as well. */
export function tagOf(data: SerializedData): string {
  data.tag ??= makeTag(data.json, `\n${data.nextCursor}`);
  return data.tag;
}

const NO_HEADERS: readonly string[] = [];
const OPENING = '{"success":true,"data":';
const OPENING_BYTES = Buffer.from(OPENING);

/** For whoever takes it and where there is enough to gain, compressed; else as it is. */
export function readAnswer(
  data: SerializedData,
  acceptEncoding: string | undefined,
  requestId: string,
  now: number,
  headers: readonly string[],
): Answer | Promise<Answer> {
  const { json } = data;
  if (typeof json === "string") return successAnswer(200, data, requestId, now, headers);
  const varied = [...headers, "Vary", "Accept-Encoding"];
  const plain = [OPENING_BYTES, ...json];
  const coding = chooseCoding(acceptEncoding, json.length === 1);
  if (coding === undefined) return successAnswer(200, data, requestId, now, varied);
  return encodeBody(coding, plain, metaOf(data, requestId, now), data.encodings).then(
    (body) => ({
      status: 200,
      code: undefined,
      headers: [...varied, "Content-Encoding", coding],
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

export function successAnswer(
  status: number,
  data: SerializedData,
  requestId: string,
  now: number,
  headers = NO_HEADERS,
): Answer {
  const { json } = data;
  const meta = metaOf(data, requestId, now);
  // Opening and meta are ASCII. The parts are measured before they are joined: measuring the whole would copy it first.
  const bodyBytes = OPENING.length + bytesOf(data) + meta.length;
  const body = typeof json === "string" ? [OPENING + json + meta] : [OPENING_BYTES, ...json, meta];
  return { status, code: undefined, headers, body, bodyBytes, onClosed: data.onClosed };
}

/** What stands behind `data`. */
function metaOf({ count, nextCursor }: SerializedData, requestId: string, now: number): string {
  const cursor = nextCursor === undefined ? "" : `,"nextCursor":${JSON.stringify(nextCursor)}`;
  return `,"meta":{"count":${count},"requestId":"${requestId}","timestamp":"${isoOf(now)}"${cursor}}}`;
}

/** What the client has kept is what it would be sent. */
export function notModifiedAnswer(tag: string): Answer {
  return { status: 304, code: undefined, headers: ["ETag", tag], body: [], bodyBytes: 0 };
}

export function bytesOf({ json }: SerializedData): number {
  if (typeof json === "string") return Buffer.byteLength(json);
  let bytes = 0;
  for (const part of json) bytes += part.length;
  return bytes;
}

let isoMs = Number.NaN;
let iso = "";

/** Under load many answers fall into one millisecond; its text is made once. */
function isoOf(ms: number): string {
  if (ms !== isoMs) {
    iso = new Date(ms).toISOString();
    isoMs = ms;
  }
  return iso;
}

export function errorAnswer(error: ApiError, requestId: string, now: number): Answer {
  const { code, message, details } = error;
  const status = ERROR_STATUS[code];
  const envelope = {
    success: false,
    error: { code, message, status, ...(details === undefined ? {} : { details }) },
    meta: { requestId, timestamp: isoOf(now) },
  };
  const headers = code === "INVALID_API_KEY" ? ["WWW-Authenticate", "Bearer"] : NO_HEADERS;
  const body = JSON.stringify(envelope);
  return { status, code, headers, body: [body], bodyBytes: Buffer.byteLength(body) };
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
    headers.push("Content-Type", "application/json; charset=utf-8", "Content-Length", String(answer.bodyBytes));
  }
  addRateLimitHeaders(headers, verdict);
  for (const text of answer.headers) headers.push(text);
  return headers;
}
