/**
 * What an endpoint answers with, after all checks: found in memory, or read from the store by its verb, or written by it. Of the query and
 * the body, what is faulty is refused here, before the verb runs.
 */
import { BASE_PATH } from "@lineup/api/endpoint";
import { bodyError } from "@lineup/api/errors";
import type { ParameterTable } from "@lineup/api/parameters";
import type { Holder } from "../access/authenticator.ts";
import type { Input, ReadingEndpoint, VerbContext, WritingEndpoint } from "../resources/context.ts";
import { FAULT_FINDERS, NEXT_CHANGES, VERBS } from "../resources/verbs.ts";
import type { List } from "../store/list-page.ts";
import type { Origin } from "../store/origin.ts";
import {
  type Answer,
  AnswerHeaders,
  headersOf,
  notModifiedAnswer,
  readAnswer,
  type SerializedData,
  serializedResource,
  serializeResource,
  streamedAnswer,
  successAnswer,
  tagOf,
} from "./answer.ts";
import { AT_ALL_TIMES, type Span } from "./answer-cache.ts";
import { type Admitted, type Call, type Pipeline, routeOf } from "./call.ts";
import { makeRevisionTag, matchesTag } from "./entity-tag.ts";
import { judgeBody, readJsonObject } from "./json-body.ts";
import { countIfLarge, type ListOf, type ListReader, readOnePage, readSmallList, streamList } from "./list-answer.ts";
import { encodeCursor, resolvePage } from "./paging.ts";
import { parseQuery, splitQuery } from "./query-string.ts";
import type { NamedEndpoint } from "./request-head.ts";

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
  const headers = new AnswerHeaders([...(tag === undefined ? [] : ["ETag", tag]), "Vary", "Accept-Encoding"]);
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
  const { id, requestId } = call;
  const { orgId } = holder;
  const query = parseQuery(endpoint.query, splitQuery(call.queryString), routeOf(endpoint));
  const body = await readBody({ org: pipeline.store.org(orgId), now }, call, endpoint);
  const name = endpoint.name as WritingEndpoint;
  const written = await pipeline.makeWrite({ name, orgId, origin: originOf(call, holder), id, query, body });
  const data = serializedResource(written.json, written.id);
  if (endpoint.method === "PATCH") return successAnswer(200, data, requestId, now);
  const location = `${BASE_PATH}${endpoint.path}/${written.id}`;
  return successAnswer(201, data, requestId, now, new AnswerHeaders(["Location", location]));
}

async function readBody(context: VerbContext, call: Call, endpoint: NamedEndpoint): Promise<Record<string, unknown>> {
  if (endpoint.body === undefined || call.body === undefined) return {};
  const { usable, faults } = judgeBody(endpoint.body, await readJsonObject(call.request, call.body));
  if (faults.length === 0) return usable;
  const faulty = new Set(faults.map((fault) => fault.field.split(".", 1)[0]));
  const more = await FAULT_FINDERS[endpoint.name]?.(context, call.id, usable, (field) => faulty.has(field));
  throw bodyError([...faults, ...(more ?? [])]);
}

/** For the audit log. */
function originOf({ client, requestId }: Call, { keyId, keyName }: Holder): Origin {
  return { kind: "key", id: keyId, name: keyName, address: client.address, requestId };
}
