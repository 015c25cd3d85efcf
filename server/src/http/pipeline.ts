/**
 * The way of every request under the prefix, in the contract's order: request id → key → limits → permission → parameters
 * → form of the body → existence and rules (the verb) → envelope. What is in memory is answered without waiting for anything (`answerFromMemory`);
 * all else goes through `answerLater`, and from the parameters on through `endpoint-data.ts`. There is no other way in. What an assistant asks for is
 * known from a body alone, which is read between the limits and the permission: so `admit` takes the steps up to there by themselves.
 */
import { ApiError } from "@lineup/api/errors";
import type { KeyDescription } from "@lineup/api/me";
import { PERMISSIONS } from "@lineup/api/permissions";
import type { Holder } from "../access/authenticator.ts";
import { KEY_PREFIX } from "../access/key-format.ts";
import type { Verdict } from "../limits/windows.ts";
import { type Answer, serializeResource, successAnswer } from "./answer.ts";
import { answerChanges } from "./changes-answer.ts";
import type { Client } from "./client-address.ts";
import {
  type Admitted,
  type Call,
  findCachedAnswer,
  type Pipeline,
  type RequestHead,
  readAnswerByVerb,
  routeOf,
  writeByVerb,
} from "./endpoint-data.ts";
import { ClientGone } from "./json-body.ts";
import { parseQuery, splitQuery } from "./query.ts";
import {
  type Attempt,
  errorAnswer,
  findRefusal,
  internalError,
  KEY_REFUSALS,
  limitError,
  missingPermission,
} from "./refusals.ts";
import type { NamedEndpoint } from "./request-target.ts";

/** What became of a call: the answer, and what the log says about it. */
export interface Outcome {
  readonly answer: Answer;
  readonly verdict: Verdict;
  readonly holder: Holder | undefined;
  /** What happened inside, for the log alone. */
  readonly internalError: unknown;
}

/** Who asks, and what the limits say to it. */
export interface Admission {
  readonly now: number;
  readonly attempt: Attempt;
  readonly verdict: Verdict;
}

/** What is known of a request so far. No step is taken twice, whether or not its result had to be waited for. */
interface Progress {
  readonly now: number;
  attempt: Attempt | Promise<Attempt> | undefined;
  verdict: Verdict | Promise<Verdict> | undefined;
  admitted: Admitted | undefined;
}

/** Key and limits alone: the request is counted, and what it asks for is answered under this admission. */
export async function admit(pipeline: Pipeline, call: Call): Promise<Admission> {
  const now = pipeline.now();
  const attempt = await authenticate(pipeline, call, now);
  return { now, attempt, verdict: await takeFromLimits(pipeline, call, attempt) };
}

export function answerRequest(pipeline: Pipeline, call: Call, admission?: Admission): Outcome | Promise<Outcome> {
  const progress = beginProgress(pipeline, admission);
  try {
    return answerFromMemory(pipeline, call, progress) ?? answerLater(pipeline, call, progress);
  } catch (error) {
    return refuse(pipeline, call, progress, error);
  }
}

function beginProgress(pipeline: Pipeline, admission: Admission | undefined): Progress {
  const { now = pipeline.now(), attempt, verdict } = admission ?? {};
  return { now, attempt, verdict, admitted: undefined };
}

/** For what is found to be wrong with a request before any endpoint is asked. */
export function refuseRequest(
  pipeline: Pipeline,
  call: Call,
  admission: Admission | undefined,
  error: unknown,
): Outcome {
  return refuse(pipeline, call, beginProgress(pipeline, admission), error);
}

/** Undefined where something has to be waited for. */
function answerFromMemory(pipeline: Pipeline, call: Call, progress: Progress): Outcome | undefined {
  progress.attempt ??= authenticate(pipeline, call, progress.now);
  const { attempt } = progress;
  if (attempt instanceof Promise) return undefined;
  progress.verdict ??= takeFromLimits(pipeline, call, attempt);
  const { verdict } = progress;
  if (verdict instanceof Promise) return undefined;
  // Most refusals are of these two kinds, and none may cost more than what it refuses: they are not thrown.
  if (!verdict.admitted) return refuse(pipeline, call, progress, limitError(verdict));
  if (attempt.outcome !== "valid") return refuse(pipeline, call, progress, KEY_REFUSALS[attempt.outcome]);
  const { holder, version } = attempt;
  const { endpoint } = call;
  if (endpoint === undefined) {
    throw new ApiError("NOT_FOUND", "No endpoint has this path and method. /docs lists all of them.");
  }
  if (!isOpenTo(endpoint, holder)) throw missingPermission(endpoint.permission);
  const isRead = endpoint.method === "GET" && endpoint.name !== "describeKey" && endpoint.name !== "listChanges";
  // Asked before anything is read: what is written in between makes what is cached stale, never the answer.
  const revision = isRead ? pipeline.store.revisionOf(holder.orgId, version) : undefined;
  const admitted: Admitted = { endpoint, holder, now: progress.now, revision };
  progress.admitted = admitted;
  const answer =
    endpoint.name === "describeKey"
      ? answerKey(call, endpoint, holder, verdict, progress.now)
      : isRead && findCachedAnswer(pipeline, call, admitted, revision);
  return answer ? { answer, verdict, holder, internalError: undefined } : undefined;
}

async function answerLater(pipeline: Pipeline, call: Call, progress: Progress): Promise<Outcome> {
  try {
    if (progress.admitted === undefined) {
      progress.attempt = await progress.attempt;
      progress.verdict = await progress.verdict;
      // The verdict may have yet to be asked for, and waited for in turn.
      return answerFromMemory(pipeline, call, progress) ?? (await answerLater(pipeline, call, progress));
    }
    const { admitted } = progress;
    const answer = await answerOf(admitted.endpoint)(pipeline, call, admitted);
    return { answer, verdict: progress.verdict as Verdict, holder: admitted.holder, internalError: undefined };
  } catch (error) {
    return refuse(pipeline, call, progress, error);
  }
}

function answerOf({ name, method }: NamedEndpoint) {
  if (name === "listChanges") return answerChanges;
  return method === "GET" ? readAnswerByVerb : writeByVerb;
}

function refuse(pipeline: Pipeline, call: Call, { now, attempt, verdict }: Progress, error: unknown): Outcome {
  if (error instanceof ClientGone) throw error;
  const known = findRefusal(error);
  const answer = errorAnswer(known ?? internalError(), call.requestId, now);
  const isCounted = verdict !== undefined && !(verdict instanceof Promise);
  const holder = attempt !== undefined && "holder" in attempt ? attempt.holder : undefined;
  return {
    answer,
    verdict: isCounted ? verdict : describeAddress(pipeline, call.client),
    holder,
    internalError: known === undefined ? error : undefined,
  };
}

/** For answers that were never counted: what the address has left, without a word of waiting. */
export function describeAddress(pipeline: Pipeline, client: Pick<Client, "address">): Verdict {
  return { ...pipeline.limiter.peekAddress(client.address), admitted: true };
}

const SCHEME = "Bearer ";

function authenticate(pipeline: Pipeline, call: Call, now: number): Attempt | Promise<Attempt> {
  const header = call.request.headers.authorization;
  if (header === undefined) return { outcome: call.request.url?.includes(KEY_PREFIX) ? "misplaced" : "missing" };
  // As nearly everybody writes it; anything else is read with more care.
  const isPlain = header.startsWith("Bearer lineup_live_") && header.indexOf(" ", SCHEME.length) < 0;
  // Those that stand apart were joined, with a space between them.
  if (!isPlain && hasSeveralAuthorizations(call.request)) return { outcome: "several" };
  const key = isPlain ? header.slice(SCHEME.length) : /^Bearer +([^\s]+) *$/i.exec(header)?.[1];
  if (key === undefined) return { outcome: "missing" };
  if (!call.client.isPrivate) return { outcome: "exposed" };
  return pipeline.authenticator.authenticate(key, now);
}

function hasSeveralAuthorizations({ rawHeaders }: RequestHead): boolean {
  const isName = (text: string, at: number) => at % 2 === 0 && text.toLowerCase() === "authorization";
  return rawHeaders.filter(isName).length > 1;
}

function takeFromLimits(pipeline: Pipeline, call: Call, authentication: Attempt): Verdict | Promise<Verdict> {
  const { limiter } = pipeline;
  if (authentication.outcome !== "valid") return limiter.takeAddress(call.client.address);
  return limiter.take(authentication.holder.keyId, authentication.holder.tier);
}

/** Whether the key holds what opens the endpoint. */
export function isOpenTo({ permission }: NamedEndpoint, { permissions }: Pick<Holder, "permissions">): boolean {
  if (permission === "any") return permissions.size > 0;
  if (permission !== "any read") return permissions.has(permission);
  return PERMISSIONS.some((one) => one.endsWith(":read") && permissions.has(one));
}

/** `GET /me` is about the key and not the organization's data: what it says was all found on the way here. */
function answerKey(call: Call, endpoint: NamedEndpoint, key: Holder, verdict: Verdict, now: number): Answer {
  parseQuery(endpoint.query, splitQuery(call.queryString), routeOf(endpoint));
  return successAnswer(200, serializeResource(describeKey(key, verdict)), call.requestId, now);
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
