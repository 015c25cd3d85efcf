/**
 * The way of every request under the prefix, in the contract's order: request id → key → limits → permission → parameters
 * → form of the body → existence and rules (the verb) → envelope. Whoever wants to know what any endpoint does before its
 * verb runs reads `answerRequest`; there is no other way in.
 */
import type { IncomingMessage } from "node:http";
import { BASE_PATH, type Endpoint } from "@lineup/api/endpoint";
import { ENDPOINTS, type EndpointName } from "@lineup/api/endpoints";
import { ApiError, bodyError } from "@lineup/api/errors";
import type { KeyDescription } from "@lineup/api/me";
import { PERMISSIONS } from "@lineup/api/permissions";
import type { Authenticator, Holder } from "../access/authenticator.ts";
import type { Limiter } from "../limits/limiter.ts";
import type { Verdict } from "../limits/windows.ts";
import type { Context, Input } from "../resources/context.ts";
import { FAULT_FINDERS, VERBS } from "../resources/verbs.ts";
import type { ListPage } from "../store/list-page.ts";
import type { Origin } from "../store/origin.ts";
import type { Store } from "../store/store.ts";
import {
  type Answer,
  errorAnswer,
  notModifiedAnswer,
  readAnswer,
  type SerializedData,
  serializeResource,
  successAnswer,
  tagOf,
} from "./answer.ts";
import type { AnswerCache } from "./answer-cache.ts";
import { judgeBody } from "./body-fields.ts";
import type { Client } from "./client-address.ts";
import { matchesTag } from "./entity-tag.ts";
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

/** What is known of a request so far, for its answer and its log line, however it goes on. */
interface Progress {
  readonly now: number;
  verdict: Verdict | undefined;
  holder: Holder | undefined;
}

export function answerRequest(pipeline: Pipeline, call: Call): Outcome | Promise<Outcome> {
  const progress: Progress = { now: pipeline.now(), verdict: undefined, holder: undefined };
  try {
    const outcome = takeAllSteps(pipeline, call, progress);
    return outcome instanceof Promise ? outcome.catch((error) => refuse(pipeline, call, progress, error)) : outcome;
  } catch (error) {
    return refuse(pipeline, call, progress, error);
  }
}

function takeAllSteps(pipeline: Pipeline, call: Call, progress: Progress): Outcome | Promise<Outcome> {
  return after(authenticate(pipeline, call, progress.now), (authentication) => {
    const holder = "holder" in authentication ? authentication.holder : undefined;
    progress.holder = holder;
    return after(takeFromLimits(pipeline, call, authentication), (verdict) => {
      progress.verdict = verdict;
      if (!verdict.admitted) throw new RefusedByLimits(verdict);
      const { holder: key, version } = requireValidKey(authentication);
      const endpoint = requireEndpoint(call);
      requirePermission(endpoint, key);
      return after(runEndpoint(pipeline, call, endpoint, key, verdict, progress.now, version), (answer) => {
        return { answer, verdict, holder, internalError: undefined };
      });
    });
  });
}

/** Goes on at once where the value is there. Most requests never wait, and to wait for nothing costs as much as to find it. */
function after<T, R>(value: T | Promise<T>, goOn: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}

function refuse(pipeline: Pipeline, call: Call, { now, verdict, holder }: Progress, error: unknown): Outcome {
  if (error instanceof ClientGone) throw error;
  const known = findRefusal(error);
  const answer = errorAnswer(known ?? internalError(), call.requestId, now);
  const described =
    error instanceof RefusedByLimits ? error.verdict : (verdict ?? describeAddress(pipeline, call.client));
  return { answer, verdict: described, holder, internalError: known === undefined ? error : undefined };
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

function runEndpoint(
  pipeline: Pipeline,
  call: Call,
  endpoint: NamedEndpoint,
  key: Holder,
  verdict: Verdict,
  now: number,
  version: number,
): Answer | Promise<Answer> {
  if (endpoint.name === "describeKey") {
    parseQuery(endpoint.query, splitQuery(call.queryString), routeOf(endpoint));
    return successAnswer(200, serializeResource(describeKey(key, verdict)), call.requestId, now);
  }
  const data = endpoint.timeless
    ? findOrRead(pipeline, call, endpoint, key, now, version)
    : runVerb(pipeline, call, endpoint, key, now);
  return after(data, (found) => answerWith(found, call, endpoint, now));
}

function answerWith(data: SerializedData, call: Call, endpoint: NamedEndpoint, now: number): Answer | Promise<Answer> {
  if (endpoint.method === "GET") return answerRead(data, call, endpoint, now);
  if (endpoint.method === "PATCH") return successAnswer(200, data, call.requestId, now);
  const location = `${BASE_PATH}${endpoint.path}/${data.resourceId}`;
  return successAnswer(201, data, call.requestId, now, ["Location", location]);
}

function answerRead(
  data: SerializedData,
  { request, requestId }: Call,
  endpoint: NamedEndpoint,
  now: number,
): Answer | Promise<Answer> {
  const tag = tagOf(data);
  if (matchesTag(request.headers["if-none-match"], tag)) {
    data.onClosed?.();
    return notModifiedAnswer(tag);
  }
  const headers = ["ETag", tag, ...linkToNextPage(endpoint, data)];
  return readAnswer(data, request.headers["accept-encoding"], requestId, now, headers);
}

/** What was answered to this very question before, if the organization's data has not changed since; else it is read, and kept. */
function findOrRead(
  pipeline: Pipeline,
  call: Call,
  endpoint: NamedEndpoint,
  key: Holder,
  now: number,
  version: number,
): SerializedData | Promise<SerializedData> {
  const { cache, store } = pipeline;
  const target = call.request.url ?? "";
  // Asked before anything is read: what is written in between makes the entry stale, never the answer.
  return after(store.revisionOf(key.orgId, version), (revision) => {
    const kept = revision === undefined ? undefined : cache.find(key.orgId, target, revision);
    if (kept !== undefined) return countIfLarge(kept, key.orgId, call.request.socket);
    return runVerb(pipeline, call, endpoint, key, now).then((data) => {
      if (revision !== undefined) cache.keep(key.orgId, target, revision, data);
      return data;
    });
  });
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
    write: (work) => pipeline.store.writeOrg(key.orgId, originOf(call, key), (org) => work(org, pipeline.now())),
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
  const reader: ListReader = { store: pipeline.store, orgId: key.orgId, connection: call.request.socket };
  const { page } = list;
  if (page === undefined) return readWholeList(reader, query.sort !== undefined, readPage);
  return readOnePage(reader, page, readPage, (next) => encodeCursor(endpoint, key.orgId, list, page.limit, next));
}

/** For the audit log. */
function originOf({ client, requestId }: Call, { keyId, keyName }: Holder): Origin {
  return { kind: "key", id: keyId, name: keyName, address: client.address, requestId };
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
function linkToNextPage(endpoint: NamedEndpoint, data: SerializedData): string[] {
  if (typeof data.nextCursor !== "string") return [];
  return ["Link", `<${BASE_PATH}${endpoint.path}?cursor=${data.nextCursor}>; rel="next"`];
}

const routes = new Map<Endpoint, string>(ENDPOINTS.map((one) => [one, `${one.method} ${one.path}`]));

/** How messages, log lines and metrics name the endpoint. */
export function routeOf(endpoint: Endpoint | undefined): string {
  // A method the path does not have is no route of ours, whatever the client calls it.
  return (endpoint && routes.get(endpoint)) ?? "unknown";
}
