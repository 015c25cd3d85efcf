/**
 * The way of every request under the prefix, in the contract's order: request id → key → limits → permission → parameters
 * → form of the body → existence and rules (the verb) → envelope. Whoever wants to know what any endpoint does before its
 * verb runs reads `answerRequest`; there is no other way in.
 */
import type { IncomingMessage } from "node:http";
import { BASE_PATH, type Endpoint } from "@lineup/api/endpoint";
import type { EndpointName } from "@lineup/api/endpoints";
import { ApiError, bodyError } from "@lineup/api/errors";
import type { KeyDescription } from "@lineup/api/me";
import { PERMISSIONS } from "@lineup/api/permissions";
import type { Authenticator, Holder } from "../access/authenticator.ts";
import type { Limiter } from "../limits/limiter.ts";
import type { Verdict } from "../limits/windows.ts";
import type { Context, Input } from "../resources/context.ts";
import { FAULT_FINDERS, VERBS } from "../resources/verbs.ts";
import type { ListPage } from "../store/list-page.ts";
import type { Store } from "../store/store.ts";
import { type Answer, errorAnswer, type SerializedData, serializeResource, successAnswer } from "./answer.ts";
import type { AnswerCache } from "./answer-cache.ts";
import { judgeBody } from "./body-fields.ts";
import type { Client } from "./client-address.ts";
import { ClientGone, readJsonObject } from "./json-body.ts";
import { countIfLarge, type ListReader, type ReadPage, readOnePage, readWholeList } from "./list-answer.ts";
import { encodeCursor, resolvePage } from "./paging.ts";
import { parseQuery, splitQuery } from "./query-string.ts";
import {
  type Attempt,
  findRefusal,
  internalError,
  RefusedByLimits,
  requirePermission,
  requireValidKey,
} from "./refusals.ts";

export interface Pipeline {
  readonly store: Store;
  readonly authenticator: Authenticator;
  readonly limiter: Limiter;
  readonly cache: AnswerCache;
  readonly now: () => number;
}

export interface Call {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly client: Client;
  /** Undefined where no endpoint has this path and method. */
  readonly endpoint: NamedEndpoint | undefined;
  /** The `{id}` of the path, decoded; empty where it has none. */
  readonly id: string;
  readonly queryString: string;
}

export type NamedEndpoint = Endpoint & { readonly name: EndpointName };

/** What became of a call: the answer, and what the log says about it. */
export interface Outcome {
  readonly answer: Answer;
  readonly verdict: Verdict;
  readonly holder: Holder | undefined;
  /** What happened inside, for the log alone. */
  readonly internalError: unknown;
}

export async function answerRequest(pipeline: Pipeline, call: Call): Promise<Outcome> {
  const now = pipeline.now();
  let verdict: Verdict | undefined;
  let holder: Holder | undefined;
  try {
    // Most requests never wait: what is known is at hand, and waiting for nothing costs as much as finding it.
    const attempt = authenticate(pipeline, call, now);
    const authentication = attempt instanceof Promise ? await attempt : attempt;
    holder = "holder" in authentication ? authentication.holder : undefined;
    const taken = takeFromLimits(pipeline, call, authentication);
    verdict = taken instanceof Promise ? await taken : taken;
    if (!verdict.admitted) throw new RefusedByLimits(verdict);
    const { holder: key, version } = requireValidKey(authentication);
    const endpoint = requireEndpoint(call);
    requirePermission(endpoint, key);
    const kept = endpoint.timeless ? findKept(pipeline, call, endpoint, key, version) : undefined;
    const answer =
      kept === undefined
        ? await runEndpoint(pipeline, call, endpoint, key, verdict, now, version)
        : answerWith(kept, call, endpoint, now);
    return { answer, verdict, holder, internalError: undefined };
  } catch (error) {
    if (error instanceof ClientGone) throw error;
    const known = findRefusal(error);
    const answer = errorAnswer(known ?? internalError(), call.requestId, now);
    const described =
      error instanceof RefusedByLimits ? error.verdict : (verdict ?? describeAddress(pipeline, call.client));
    return { answer, verdict: described, holder, internalError: known === undefined ? error : undefined };
  }
}

/** For answers that were never counted: what the address has left, without a word of waiting. */
export function describeAddress(pipeline: Pipeline, client: Pick<Client, "address">): Verdict {
  return { ...pipeline.limiter.peekAddress(client.address), admitted: true };
}

const SCHEME = "Bearer ";

function authenticate(pipeline: Pipeline, call: Call, now: number): Attempt | Promise<Attempt> {
  const header = call.request.headers.authorization;
  if (header === undefined) return { outcome: "missing" };
  // As nearly everybody writes it; anything else is read with more care.
  const isPlain = header.startsWith("Bearer lineup_live_") && header.indexOf(" ", SCHEME.length) < 0;
  const key = isPlain ? header.slice(SCHEME.length) : /^Bearer +([^\s]+) *$/i.exec(header)?.[1];
  if (key === undefined) return { outcome: "missing" };
  if (!call.client.isPrivate) return { outcome: "exposed" };
  return pipeline.authenticator.authenticate(key, now);
}

function takeFromLimits(pipeline: Pipeline, call: Call, authentication: Attempt): Verdict | Promise<Verdict> {
  const { limiter } = pipeline;
  if (authentication.outcome !== "valid") return limiter.takeAddress(call.client.address);
  return limiter.take(authentication.holder.keyId, authentication.holder.tier);
}

function requireEndpoint(call: Call): NamedEndpoint {
  if (call.endpoint !== undefined) return call.endpoint;
  throw new ApiError("NOT_FOUND", "No endpoint has this path and method. /docs lists all of them.");
}

async function runEndpoint(
  pipeline: Pipeline,
  call: Call,
  endpoint: NamedEndpoint,
  key: Holder,
  verdict: Verdict,
  now: number,
  version: number,
): Promise<Answer> {
  if (endpoint.name === "describeKey") {
    parseQuery(endpoint.query, splitQuery(call.queryString), routeOf(endpoint));
    return successAnswer(200, serializeResource(describeKey(key, verdict)), call.requestId, now);
  }
  const data = endpoint.timeless
    ? await readAndKeep(pipeline, call, endpoint, key, now, version)
    : await runVerb(pipeline, call, endpoint, key, now);
  return answerWith(data, call, endpoint, now);
}

function answerWith(data: SerializedData, call: Call, endpoint: NamedEndpoint, now: number): Answer {
  if (endpoint.method !== "POST") return successAnswer(200, data, call.requestId, now, linkToNextPage(endpoint, data));
  return successAnswer(201, data, call.requestId, now, { Location: `${BASE_PATH}${endpoint.path}/${data.resourceId}` });
}

/** What was answered to this very question before, if the organization's data has not changed since. */
function findKept(
  pipeline: Pipeline,
  call: Call,
  endpoint: NamedEndpoint,
  key: Holder,
  version: number,
): SerializedData | undefined {
  const revision = pipeline.store.revisionOf(key.orgId, version);
  if (typeof revision !== "number") return undefined;
  const kept = pipeline.cache.find(cacheKeyOf(call, endpoint, key), revision);
  return kept && countIfLarge(readerOf(pipeline, call, key), kept);
}

async function readAndKeep(
  pipeline: Pipeline,
  call: Call,
  endpoint: NamedEndpoint,
  key: Holder,
  now: number,
  version: number,
): Promise<SerializedData> {
  // Asked before anything is read: what is written in between makes the entry stale, never the answer.
  const revision = await pipeline.store.revisionOf(key.orgId, version);
  const data = await runVerb(pipeline, call, endpoint, key, now);
  if (revision !== undefined) pipeline.cache.keep(cacheKeyOf(call, endpoint, key), revision, data);
  return data;
}

function cacheKeyOf(call: Call, endpoint: NamedEndpoint, key: Holder): string {
  return `${key.orgId} ${endpoint.name} ${call.id} ${call.queryString}`;
}

async function runVerb(
  pipeline: Pipeline,
  call: Call,
  endpoint: NamedEndpoint,
  key: Holder,
  now: number,
): Promise<SerializedData> {
  const split = splitQuery(call.queryString);
  const route = routeOf(endpoint);
  const asked = parseQuery(endpoint.query, split, route);
  const context: Context = {
    org: pipeline.store.org(key.orgId),
    now,
    actor: key.keyId,
    write: (work) => pipeline.store.writeOrg(key.orgId, (org) => work(org, pipeline.now())),
  };
  // A verb's own types tie its input to its endpoint's record; here, where all are alike, they cannot be told apart.
  const verb = VERBS[endpoint.name as keyof typeof VERBS] as (context: Context, input: Input) => Promise<unknown>;
  if (!endpoint.list) {
    const body = endpoint.body === undefined ? {} : await readBody(context, call, endpoint);
    const resource = (await verb(context, { id: call.id, query: asked, page: undefined, body })) as { id: string };
    return serializeResource(resource);
  }
  const list = resolvePage(endpoint, key.orgId, split.texts, asked.limit as number | undefined);
  const query = parseQuery(endpoint.query, { texts: list.filters, faults: [] }, route);
  const readPage: ReadPage = (org, page) =>
    verb({ ...context, org }, { id: "", query, page, body: {} }) as Promise<ListPage<unknown>>;
  const reader = readerOf(pipeline, call, key);
  const { page } = list;
  if (page === undefined) return readWholeList(reader, query.sort !== undefined, readPage);
  return readOnePage(reader, page, readPage, (next) => encodeCursor(endpoint, key.orgId, list, page.limit, next));
}

function readerOf({ store }: Pipeline, { request }: Call, { orgId }: Holder): ListReader {
  return { store, orgId, connection: request.socket };
}

async function readBody(context: Context, call: Call, endpoint: NamedEndpoint): Promise<Record<string, unknown>> {
  if (endpoint.body === undefined) return {};
  const { usable, faults } = judgeBody(endpoint.body, await readJsonObject(call.request));
  if (faults.length === 0) return usable;
  const faulty = new Set(faults.map((fault) => fault.field.split(".", 1)[0]));
  const more = await FAULT_FINDERS[endpoint.name]?.(context, call.id, usable, (field) => faulty.has(field));
  throw bodyError([...faults, ...(more ?? [])]);
}

function describeKey(key: Holder, verdict: Verdict): KeyDescription {
  const [minute, day] = verdict.windows.map(({ limit, remaining, resetAtMs }) => ({
    limit,
    remaining,
    reset: Math.ceil(resetAtMs),
  }));
  if (minute === undefined || day === undefined) throw new Error("A key has two windows.");
  return {
    id: key.keyId,
    name: key.keyName,
    permissions: PERMISSIONS.filter((permission) => key.permissions.has(permission)),
    expiresAt: key.expiresAt,
    organization: { id: key.orgId, name: key.orgName },
    tier: key.tier,
    limits: { minute, day },
  };
}

/** The cursor goes on alone, with its limit, filters and sort; to repeat them beside it could outgrow a header. */
function linkToNextPage(endpoint: NamedEndpoint, data: SerializedData): Record<string, string> {
  if (typeof data.nextCursor !== "string") return {};
  return { Link: `<${BASE_PATH}${endpoint.path}?cursor=${data.nextCursor}>; rel="next"` };
}

function routeOf(endpoint: Endpoint): string {
  return `${endpoint.method} ${endpoint.path}`;
}
