/**
 * What an endpoint answers with, after all checks: found in memory, or read from the store by its verb, or written by it. Of the query and
 * the body, what is faulty is refused here, before the verb runs.
 */
import type { IncomingMessage } from "node:http";
import { BASE_PATH, type Endpoint } from "@lineup/api/endpoint";
import { ENDPOINTS } from "@lineup/api/endpoints";
import { bodyError, type ErrorDetail } from "@lineup/api/errors";
import type { ParameterTable } from "@lineup/api/parameters";
import type { Authenticator, Holder } from "../access/authenticator.ts";
import type { SettledEnds } from "../events/change-rows.ts";
import type { Limiter } from "../limits/windows.ts";
import type { Input, MakeWrite, ReadingEndpoint, VerbContext, WritingEndpoint } from "../resources/context.ts";
import { FAULT_FINDERS, NEXT_CHANGES, VERBS } from "../resources/verbs.ts";
import type { Origin } from "../store/audit-entry.ts";
import type { List } from "../store/list.ts";
import type { Store } from "../store/store.ts";
import {
  type Answer,
  headersOf,
  makeRevisionTag,
  matchesTag,
  notModifiedAnswer,
  readAnswer,
  type SerializedData,
  serializedResource,
  serializeResource,
  streamedAnswer,
  successAnswer,
  tagOf,
} from "./answer.ts";
import { type AnswerCache, type AnswerSpans, AT_ALL_TIMES, type Span } from "./answer-cache.ts";
import type { Client } from "./client-address.ts";
import { type JsonObject, type JudgedBody, judgeBody, readJsonObject } from "./json-body.ts";
import { countIfLarge, type ListOf, type ListReader, readOnePage, readSmallList, streamList } from "./list-answer.ts";
import { encodeCursor, parseQuery, resolvePage, splitQuery } from "./query.ts";
import type { NamedEndpoint, Target } from "./request-target.ts";
import { readWriteTerms } from "./write-terms.ts";

export interface Pipeline {
  readonly store: Store;
  readonly authenticator: Authenticator;
  readonly limiter: Limiter;
  readonly cache: AnswerCache;
  readonly spans: AnswerSpans;
  readonly makeWrite: MakeWrite;
  readonly now: () => number;
  /** For how long changes are kept for those who follow them. */
  readonly changesDays: number;
  /** Where several nodes serve. */
  readonly settledEnds?: SettledEnds | undefined;
}

/** What is read of a request before its body. */
export type RequestHead = Pick<IncomingMessage, "method" | "url" | "headers" | "rawHeaders" | "socket">;

/** A request that came inside of another one, with its body: what an assistant's call of a tool stands for. */
export interface InnerRequest extends RequestHead {
  readonly body: JsonObject;
}

export interface Call extends Target {
  readonly request: IncomingMessage | InnerRequest;
  readonly requestId: string;
  readonly client: Client;
  readonly queryString: string;
}

/** A call that has passed key, limits and permission. */
export interface Admitted {
  readonly endpoint: NamedEndpoint;
  readonly holder: Holder;
  readonly now: number;
  /** Of the organization's data, for what reads them; undefined where the organization is gone. */
  readonly revision: number | undefined | Promise<number | undefined>;
}

const routes = new Map<Endpoint, string>(ENDPOINTS.map((one) => [one, `${one.method} ${one.path}`]));

/** How messages, log lines and metrics name the endpoint. */
export function routeOf(endpoint: Endpoint | undefined): string {
  // A method the path does not have is no route of ours, whatever the client calls it.
  return (endpoint && routes.get(endpoint)) ?? "unknown";
}

/** What was answered to this very question before, if neither a write nor time has changed it since. */
export function findCachedAnswer(
  { cache }: Pipeline,
  call: Call,
  admitted: Admitted,
  revision: Admitted["revision"],
): Answer | undefined {
  if (typeof revision !== "number") return undefined;
  const { orgId } = admitted.holder;
  const cached = cache.find(orgId, call.request.url ?? "", revision, admitted.now);
  return cached && answerRead(countIfLarge(cached, orgId, call.request.socket), call, admitted);
}

type ReadInput = Input<ParameterTable, undefined>;
type ReadVerb = (context: VerbContext, input: ReadInput) => Promise<unknown>;

export async function readAnswerByVerb(pipeline: Pipeline, call: Call, admitted: Admitted): Promise<Answer> {
  const { endpoint, holder, now } = admitted;
  const revision = await admitted.revision;
  // Where that had to be waited for, the cache was not looked at yet.
  const cached = admitted.revision === revision ? undefined : findCachedAnswer(pipeline, call, admitted, revision);
  if (cached !== undefined) return cached;
  pipeline.cache.misses++;
  const { orgId } = holder;
  const target = call.request.url ?? "";
  const split = splitQuery(call.queryString);
  const asked = parseQuery(endpoint.query, split, routeOf(endpoint));
  const context: VerbContext = { org: pipeline.store.org(orgId), now };
  // A verb's own types tie its input to its endpoint's record; here, where all are alike, they cannot be told apart.
  const verb = VERBS[endpoint.name as ReadingEndpoint] as ReadVerb;
  const findSpanOf = async () => (revision === undefined ? undefined : findSpan(pipeline, call, admitted, revision));
  const add = (data: SerializedData, span: Span | undefined) => {
    if (revision !== undefined && span !== undefined) pipeline.cache.add(orgId, target, revision, data, span);
  };
  if (!endpoint.list) {
    const resource = (await verb(context, { id: call.id, query: asked, body: undefined })) as { id: string };
    const data = serializeResource(resource);
    // Only now: an id may be anything until the verb has found its record.
    add(data, await findSpanOf());
    return answerRead(data, call, admitted);
  }
  const list = resolvePage(endpoint, orgId, split.texts, asked.limit as number | undefined);
  // A cursor that stands alone brings the filters of its first page.
  const query = list.isOwn ? parseQuery(endpoint.query, { texts: list.filters, faults: [] }, routeOf(endpoint)) : asked;
  const listOf: ListOf = (org) =>
    verb({ ...context, org }, { id: "", query, body: undefined }) as unknown as List<unknown>;
  const reader: ListReader = { store: pipeline.store, orgId, connection: call.request.socket };
  const span = await findSpanOf();
  const answerSmall = (data: SerializedData) => {
    add(data, span);
    return answerRead(data, call, admitted);
  };
  const { page } = list;
  if (page !== undefined) {
    const cursorOf = (next: Parameters<typeof encodeCursor>[4]) =>
      encodeCursor(endpoint, orgId, list, page.limit, next);
    return answerSmall(await readOnePage(reader, page, listOf, cursorOf));
  }
  const small = await readSmallList(reader, listOf);
  if (small !== undefined) return answerSmall(small);
  const isKnown = revision !== undefined && span !== undefined;
  const tag = isKnown ? makeRevisionTag(orgId, target, revision, span.until) : undefined;
  const headers = [...(tag === undefined ? [] : ["ETag", tag]), "Vary", "Accept-Encoding"];
  const { "if-none-match": ifNoneMatch, "accept-encoding": acceptEncoding } = call.request.headers;
  if (tag !== undefined && matchesTag(ifNoneMatch, tag)) return notModifiedAnswer(headers);
  return streamedAnswer(
    await streamList(reader, listOf, tag, (whole) => add(whole, span)),
    acceptEncoding,
    call.requestId,
    now,
    headers,
  );
}

/** When the answer holds, as far as time goes; undefined where nobody can say. */
async function findSpan(
  { store, spans }: Pipeline,
  { id }: Call,
  { endpoint, holder, now }: Admitted,
  revision: number,
): Promise<Span | undefined> {
  if (endpoint.timeless) return AT_ALL_TIMES;
  const find = () => NEXT_CHANGES[endpoint.name as keyof typeof NEXT_CHANGES](store.org(holder.orgId), now, id);
  if (id === "") return spans.find(`${holder.orgId} ${endpoint.name}`, revision, now, find);
  // Of one record it is quickly asked, and of no use to the next.
  const until = await find();
  return until === undefined ? undefined : { from: now, until };
}

function answerRead(data: SerializedData, { request, requestId }: Call, { endpoint, now }: Admitted): Answer {
  const headers = headersOf(data, () => linkToNextPage(endpoint, data));
  if (matchesTag(request.headers["if-none-match"], tagOf(data))) {
    data.release?.();
    return notModifiedAnswer(headers);
  }
  return readAnswer(data, request.headers["accept-encoding"], requestId, now, headers);
}

/** The cursor goes on alone, with its limit, filters and sort; to repeat them beside it could outgrow a header. */
function linkToNextPage(endpoint: NamedEndpoint, data: SerializedData): string | undefined {
  if (typeof data.nextCursor !== "string") return undefined;
  return `<${BASE_PATH}${endpoint.path}?cursor=${data.nextCursor}>; rel="next"`;
}

/** Written once it is known to be of the right form. */
export async function writeByVerb(
  pipeline: Pipeline,
  call: Call,
  { endpoint, holder, now }: Admitted,
): Promise<Answer> {
  const { id } = call;
  const { orgId } = holder;
  const query = parseQuery(endpoint.query, splitQuery(call.queryString), routeOf(endpoint));
  const { faults, ...terms } = readWriteTerms(endpoint.method, call.request.headers);
  const body = await readBody({ org: pipeline.store.org(orgId), now }, call, endpoint, faults);
  const name = endpoint.name as WritingEndpoint;
  const origin = originOf(call, holder);
  const written = await pipeline.makeWrite({ name, orgId, origin, id, query, body, ...terms });
  const data = serializedResource(written.json, written.id);
  const headers = ["ETag", tagOf(data)];
  if (endpoint.method === "POST") headers.push("Location", `${BASE_PATH}${endpoint.path}/${written.id}`);
  if (written.isReplayed) headers.push("Idempotent-Replayed", "true");
  const { requestId = call.requestId, at = now } = written.first ?? {};
  return successAnswer(endpoint.method === "POST" ? 201 : 200, data, requestId, at, headers);
}

async function readBody(
  context: VerbContext,
  call: Call,
  endpoint: NamedEndpoint,
  headerFaults: readonly ErrorDetail[],
): Promise<Record<string, unknown>> {
  const { request } = call;
  const { usable, faults } =
    endpoint.body === undefined
      ? EMPTY_BODY
      : judgeBody(endpoint.body, "body" in request ? request.body : await readJsonObject(request));
  if (faults.length + headerFaults.length === 0) return usable;
  const faulty = new Set(faults.map((fault) => fault.field.split(".", 1)[0]));
  const more = await FAULT_FINDERS[endpoint.name]?.(context, call.id, usable, (field) => faulty.has(field));
  throw bodyError([...faults, ...(more ?? [])], headerFaults);
}

const EMPTY_BODY: JudgedBody = { usable: {}, faults: [] };

/** For the audit log. */
function originOf({ client, requestId }: Call, { keyId, keyName }: Holder): Origin {
  return { kind: "key", id: keyId, name: keyName, address: client.address, requestId };
}
