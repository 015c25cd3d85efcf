/**
 * What an endpoint answers with, after all checks: found in memory, or read from the store by its verb, or written by it. Of the query and
 * the body, what is faulty is refused here, before the verb runs.
 */
import { bodyError } from "@lineup/api/errors";
import type { ParameterTable } from "@lineup/api/parameters";
import type { Holder } from "../access/authenticator.ts";
import type { Input, ReadContext, ReadingEndpoint, WritingEndpoint } from "../resources/context.ts";
import { FAULT_FINDERS, NEXT_CHANGES, VERBS } from "../resources/verbs.ts";
import type { List } from "../store/list-page.ts";
import type { Origin } from "../store/origin.ts";
import { type SerializedData, serializedResource, serializeResource } from "./answer.ts";
import type { Span } from "./answer-cache.ts";
import { judgeBody } from "./body-fields.ts";
import { type Call, type Pipeline, routeOf } from "./call.ts";
import { readJsonObject } from "./json-body.ts";
import {
  countIfLarge,
  type ListOf,
  type ListReader,
  type Question,
  readOnePage,
  readWholeList,
} from "./list-answer.ts";
import { encodeCursor, resolvePage } from "./paging.ts";
import { parseQuery, splitQuery } from "./query-string.ts";
import type { NamedEndpoint, RequestHead } from "./request-head.ts";

/** What was answered to this very question before, if neither a write nor time has changed it since; else it is read, and kept. */
export function findOrRead(
  pipeline: Pipeline,
  call: Call,
  endpoint: NamedEndpoint,
  key: Holder,
  now: number,
  version: number,
): SerializedData | Promise<SerializedData> {
  // Asked before anything is read: what is written in between makes the entry stale, never the answer.
  const revision = pipeline.store.revisionOf(key.orgId, version);
  if (typeof revision !== "number") return findOrReadLater(pipeline, call, endpoint, key, now, revision);
  const kept = findKept(pipeline, call, key, now, revision);
  return kept ?? readAndKeep(pipeline, call, endpoint, key, now, revision);
}

async function findOrReadLater(
  pipeline: Pipeline,
  call: Call,
  endpoint: NamedEndpoint,
  key: Holder,
  now: number,
  promised: undefined | Promise<number | undefined>,
): Promise<SerializedData> {
  const revision = await promised;
  if (revision === undefined) return readByVerb(pipeline, call, endpoint, key, now);
  return findKept(pipeline, call, key, now, revision) ?? readAndKeep(pipeline, call, endpoint, key, now, revision);
}

function findKept(
  { cache }: Pipeline,
  { request }: Call,
  { orgId }: Holder,
  now: number,
  revision: number,
): SerializedData | undefined {
  const kept = cache.find(orgId, request.url ?? "", revision, now);
  return kept && countIfLarge(kept, orgId, request.socket);
}

async function readAndKeep(
  pipeline: Pipeline,
  call: Call,
  endpoint: NamedEndpoint,
  key: Holder,
  now: number,
  revision: number,
): Promise<SerializedData> {
  if (!endpoint.timeless) return readTimed(pipeline, call, endpoint, key, now, revision);
  const target = call.request.url ?? "";
  const keep = (data: SerializedData) => pipeline.cache.keep(key.orgId, target, revision, data);
  const data = await readByVerb(pipeline, call, endpoint, key, now, { target, revision, keep });
  const isKept = keep(data);
  // What others may be reading or sending too has a place among the large answers, to be given back.
  return isKept || data.onClosed !== undefined ? data : { ...data, isOwn: true };
}

/** Kept until it changes by itself; but what is large is read for each moment anew, and sent while it is read. */
async function readTimed(
  pipeline: Pipeline,
  call: Call,
  endpoint: NamedEndpoint,
  key: Holder,
  now: number,
  revision: number,
): Promise<SerializedData> {
  const data = await readByVerb(pipeline, call, endpoint, key, now);
  if (data.onClosed !== undefined) return data;
  const span = await findSpan(pipeline, call, endpoint, key, now, revision);
  if (span !== undefined) pipeline.cache.keep(key.orgId, call.request.url ?? "", revision, data, span);
  return data;
}

async function findSpan(
  { store, spans }: Pipeline,
  { id }: Call,
  { name }: NamedEndpoint,
  { orgId }: Holder,
  now: number,
  revision: number,
): Promise<Span | undefined> {
  const find = () => NEXT_CHANGES[name as keyof typeof NEXT_CHANGES](store.org(orgId), now, id);
  if (id === "") return spans.find(`${orgId} ${name}`, revision, now, find);
  // Of one record it is quickly asked, and of no use to the next.
  const until = await find();
  return until === undefined ? undefined : { from: now, until };
}

type ReadInput = Input<ParameterTable, undefined>;

async function readByVerb(
  pipeline: Pipeline,
  call: Call,
  endpoint: NamedEndpoint,
  key: Holder,
  now: number,
  question?: Question,
): Promise<SerializedData> {
  const split = splitQuery(call.queryString);
  const route = routeOf(endpoint);
  const asked = parseQuery(endpoint.query, split, route);
  const context: ReadContext = { org: pipeline.store.org(key.orgId), now };
  // A verb's own types tie its input to its endpoint's record; here, where all are alike, they cannot be told apart.
  const verb = VERBS[endpoint.name as ReadingEndpoint] as (context: ReadContext, input: ReadInput) => Promise<unknown>;
  if (!endpoint.list) {
    const resource = (await verb(context, { id: call.id, query: asked, body: undefined })) as { id: string };
    return serializeResource(resource);
  }
  const list = resolvePage(endpoint, key.orgId, split.texts, asked.limit as number | undefined);
  const query = parseQuery(endpoint.query, { texts: list.filters, faults: [] }, route);
  const listOf: ListOf = (org) =>
    verb({ ...context, org }, { id: "", query, body: undefined }) as unknown as List<unknown>;
  const reader: ListReader = {
    store: pipeline.store,
    orgId: key.orgId,
    connection: call.request.socket,
    canStream: canStream(call.request),
    question,
  };
  const { page } = list;
  if (page === undefined) return readWholeList(reader, listOf);
  return readOnePage(reader, page, listOf, (next) => encodeCursor(endpoint, key.orgId, list, page.limit, next));
}

/** Written once it is known to be of the right form, by whoever writes here. */
export async function runWrite(
  pipeline: Pipeline,
  call: Call,
  endpoint: NamedEndpoint,
  key: Holder,
  now: number,
): Promise<SerializedData> {
  const { id } = call;
  const query = parseQuery(endpoint.query, splitQuery(call.queryString), routeOf(endpoint));
  const body = await readBody({ org: pipeline.store.org(key.orgId), now }, call, endpoint);
  const name = endpoint.name as WritingEndpoint;
  const written = await pipeline.makeWrite({ name, orgId: key.orgId, origin: originOf(call, key), id, query, body });
  return serializedResource(written.json, written.id);
}

async function readBody(context: ReadContext, call: Call, endpoint: NamedEndpoint): Promise<Record<string, unknown>> {
  if (endpoint.body === undefined || call.body === undefined) return {};
  const { usable, faults } = judgeBody(endpoint.body, await readJsonObject(call.request, call.body));
  if (faults.length === 0) return usable;
  const faulty = new Set(faults.map((fault) => fault.field.split(".", 1)[0]));
  const more = await FAULT_FINDERS[endpoint.name]?.(context, call.id, usable, (field) => faulty.has(field));
  throw bodyError([...faults, ...(more ?? [])]);
}

/** A head alone tells the length, an older client needs it, and who asks whether anything has changed is told when that is known. */
function canStream({ method, httpVersion, headers }: RequestHead): boolean {
  return method === "GET" && httpVersion !== "1.0" && headers["if-none-match"] === undefined;
}

/** For the audit log. */
function originOf({ client, requestId }: Call, { keyId, keyName }: Holder): Origin {
  return { kind: "key", id: keyId, name: keyName, address: client.address, requestId };
}
