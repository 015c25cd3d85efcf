/** Holds an answer against what the model expects of it. */
import { isDeepStrictEqual } from "node:util";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { ERROR_STATUS, type ErrorCode } from "@lineup/api/errors";
import type { Told } from "./line.ts";
import type { Expected } from "./model-answers.ts";

/** What a client kept of an earlier answer to the same question. */
export interface Kept {
  readonly tag: string;
  /** Stands for all that it was told, by the model's word. */
  readonly content: string;
}

/** How a question was put. */
export interface Manner {
  readonly method: "GET" | "HEAD";
  /** What was kept of it before, if anything. */
  readonly kept: Kept | undefined;
  /** Whether the tag was sent along, to be told only what is new. */
  readonly isConditional: boolean;
  readonly coding: "br" | "gzip" | undefined;
}

export interface Learned {
  readonly kept: Kept | undefined;
  readonly nextCursor: string | undefined;
}

/** What is wrong with an answer, in words. */
export class Complaint {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const OPENING = '{"success":true,"data":';
const META = ',"meta":{';

export function judgeRead(told: Told, expected: Expected, manner: Manner, now: number): Learned | Complaint {
  if ("refusal" in expected) return judgeRefusal(told, expected.refusal, manner.method, now);
  const data = JSON.stringify(expected.data);
  const content = `${data}\n${JSON.stringify(expected.next)}`;
  const { kept, method } = manner;
  const isUnchanged = kept?.content === content;
  const wanted = manner.isConditional && isUnchanged ? 304 : 200;
  const tag = told.headers.get("etag");
  if (told.status !== wanted) return new Complaint(`is ${told.status} where it should be ${wanted}: ${textOf(told)}`);
  if (tag === undefined) return new Complaint("has no ETag");
  if (kept !== undefined && isUnchanged !== (kept.tag === tag)) {
    return new Complaint(`has the tag ${tag}, and had ${kept.tag} when it was ${isUnchanged ? "the same" : "another"}`);
  }
  if (wanted === 304) return { kept, nextCursor: undefined };
  // A tag alone does not say of which of two states it is.
  if (method === "HEAD") return { kept: undefined, nextCursor: undefined };
  const text = textOf(told);
  const coding = told.headers.get("content-encoding");
  if (coding !== undefined && coding !== manner.coding) return new Complaint(`is coded as ${coding} for nobody's wish`);
  const metaAt = text.lastIndexOf(META);
  const shown = text.slice(OPENING.length, metaAt);
  if (shown !== data && !isDeepStrictEqual(JSON.parse(text).data, JSON.parse(data))) {
    return new Complaint(`differs ${describeDifference(shown, data)}`);
  }
  const { meta } = JSON.parse(`{${text.slice(metaAt + 1)}`);
  const fault = judgeMeta(meta, expected.count, expected.next, now);
  if (fault !== undefined) return fault;
  return { kept: { tag, content }, nextCursor: meta.nextCursor ?? undefined };
}

interface Meta {
  readonly count?: number;
  readonly timestamp: string;
  readonly nextCursor?: string | null;
}

function judgeMeta(meta: Meta, count: number, next: unknown, now: number): Complaint | undefined {
  if (meta.count !== count) return new Complaint(`counts ${meta.count} where it should count ${count}`);
  const [cursor, place] = [meta.nextCursor, next].map((one) => (one === undefined || one === null ? one : "somewhere"));
  if (cursor !== place) return new Complaint(`leads on to ${meta.nextCursor}, and should to ${JSON.stringify(next)}`);
  if (Date.parse(meta.timestamp) !== now) return new Complaint(`says it is ${meta.timestamp}`);
  return undefined;
}

export function judgeRefusal(told: Told, refusal: string, method: string, now: number): Learned | Complaint {
  const status = ERROR_STATUS[refusal as ErrorCode];
  if (told.status !== status) return new Complaint(`is ${told.status} where it should be ${refusal}: ${textOf(told)}`);
  if (method === "HEAD") return { kept: undefined, nextCursor: undefined };
  const { error, meta } = JSON.parse(textOf(told));
  if (error.code !== refusal) return new Complaint(`is ${error.code} where it should be ${refusal}`);
  if (Date.parse(meta.timestamp) !== now) return new Complaint(`says it is ${meta.timestamp}`);
  return { kept: undefined, nextCursor: undefined };
}

/** Of a write, or of GET /me: `expected` is the whole of `data`, or of what can be compared of it. */
export function judgeRecord(
  told: Told,
  status: number,
  expected: unknown,
  comparable = (data: unknown) => data,
): Complaint | undefined {
  if (told.status !== status) return new Complaint(`is ${told.status} where it should be ${status}: ${textOf(told)}`);
  const [shown, wanted] = [JSON.parse(textOf(told)).data, expected].map(comparable);
  if (isDeepStrictEqual(shown, wanted)) return undefined;
  return new Complaint(`differs ${describeDifference(JSON.stringify(shown), JSON.stringify(wanted))}`);
}

export function textOf({ headers, body }: Told): string {
  const coding = headers.get("content-encoding");
  if (coding === "br") return brotliDecompressSync(body).toString();
  return (coding === "gzip" ? gunzipSync(body) : body).toString();
}

function describeDifference(shown: string, data: string): string {
  let at = 0;
  while (at < shown.length && shown[at] === data[at]) at++;
  const around = (text: string) => text.slice(Math.max(0, at - 300), at + 200);
  return `at character ${at}:\n  answered  …${around(shown)}…\n  should be …${around(data)}…`;
}
