/**
 * The way of every request under the prefix, in the contract's order: request id → key → limits → permission → parameters
 * → form of the body → existence and rules (the verb) → envelope. Whoever wants to know what any endpoint does before its
 * verb runs reads `answerRequest`, and from the parameters on `endpoint-data.ts`; there is no other way in.
 */
import { BASE_PATH } from "@lineup/api/endpoint";
import { ApiError } from "@lineup/api/errors";
import type { KeyDescription } from "@lineup/api/me";
import { PERMISSIONS } from "@lineup/api/permissions";
import type { Holder } from "../access/authenticator.ts";
import type { Verdict } from "../limits/windows.ts";
import {
  type Answer,
  errorAnswer,
  headersOf,
  notModifiedAnswer,
  readAnswer,
  type SerializedData,
  serializeResource,
  successAnswer,
  tagOf,
} from "./answer.ts";
import { AnswerHeaders } from "./answer-headers.ts";
import { type Call, type Pipeline, routeOf } from "./call.ts";
import type { Client } from "./client-address.ts";
import { findOrRead, runWrite } from "./endpoint-data.ts";
import { matchesTag } from "./entity-tag.ts";
import { ClientGone } from "./json-body.ts";
import { parseQuery, splitQuery } from "./query-string.ts";
import { type Attempt, findRefusal, internalError, KEY_REFUSALS, limitError, requirePermission } from "./refusals.ts";
import type { NamedEndpoint, RequestHead } from "./request-head.ts";

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

/**
 * Most requests never wait. What a function needs only where one does stands in a function of its own: whatever a callback refers to is put
 * aside for it when the function around it begins, whether it is ever called or not.
 */
export function answerRequest(pipeline: Pipeline, call: Call): Outcome | Promise<Outcome> {
  const progress: Progress = { now: pipeline.now(), verdict: undefined, holder: undefined };
  try {
    const outcome = takeAllSteps(pipeline, call, progress);
    return outcome instanceof Promise ? refuseLater(pipeline, call, progress, outcome) : outcome;
  } catch (error) {
    return refuse(pipeline, call, progress, error);
  }
}

function refuseLater(pipeline: Pipeline, call: Call, progress: Progress, outcome: Promise<Outcome>): Promise<Outcome> {
  return outcome.catch((error) => refuse(pipeline, call, progress, error));
}

function takeAllSteps(pipeline: Pipeline, call: Call, progress: Progress): Outcome | Promise<Outcome> {
  const found = authenticate(pipeline, call, progress.now);
  return found instanceof Promise
    ? countLater(pipeline, call, progress, found)
    : countAndGoOn(pipeline, call, progress, found);
}

async function countLater(
  pipeline: Pipeline,
  call: Call,
  progress: Progress,
  attempt: Promise<Attempt>,
): Promise<Outcome> {
  return countAndGoOn(pipeline, call, progress, await attempt);
}

function countAndGoOn(
  pipeline: Pipeline,
  call: Call,
  progress: Progress,
  attempt: Attempt,
): Outcome | Promise<Outcome> {
  progress.holder = "holder" in attempt ? attempt.holder : undefined;
  const verdict = takeFromLimits(pipeline, call, attempt);
  return verdict instanceof Promise
    ? runLater(pipeline, call, progress, attempt, verdict)
    : runIfAllowed(pipeline, call, progress, attempt, verdict);
}

async function runLater(
  pipeline: Pipeline,
  call: Call,
  progress: Progress,
  attempt: Attempt,
  verdict: Promise<Verdict>,
): Promise<Outcome> {
  return runIfAllowed(pipeline, call, progress, attempt, await verdict);
}

function runIfAllowed(
  pipeline: Pipeline,
  call: Call,
  progress: Progress,
  attempt: Attempt,
  verdict: Verdict,
): Outcome | Promise<Outcome> {
  progress.verdict = verdict;
  // Most refusals are of these two kinds, and none may cost more than what it refuses: they are not thrown.
  if (!verdict.admitted) return refuse(pipeline, call, progress, limitError(verdict));
  if (attempt.outcome !== "valid") return refuse(pipeline, call, progress, KEY_REFUSALS[attempt.outcome]);
  const { holder, version } = attempt;
  const endpoint = requireEndpoint(call);
  requirePermission(endpoint, holder);
  const answer = runEndpoint(pipeline, call, endpoint, holder, verdict, progress.now, version);
  return answer instanceof Promise
    ? outcomeLater(answer, verdict, holder)
    : { answer, verdict, holder, internalError: undefined };
}

async function outcomeLater(answer: Promise<Answer>, verdict: Verdict, holder: Holder): Promise<Outcome> {
  return { answer: await answer, verdict, holder, internalError: undefined };
}

function refuse(pipeline: Pipeline, call: Call, { now, verdict, holder }: Progress, error: unknown): Outcome {
  if (error instanceof ClientGone) throw error;
  const known = findRefusal(error);
  const answer = errorAnswer(known ?? internalError(), call.requestId, now);
  const described = verdict ?? describeAddress(pipeline, call.client);
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
  // Those that stand apart were joined, with a space between them.
  if (!isPlain && hasSeveralAuthorizations(call.request)) return { outcome: "several" };
  const key = isPlain ? header.slice(SCHEME.length) : /^Bearer +([^\s]+) *$/i.exec(header)?.[1];
  if (key === undefined) return { outcome: "missing" };
  if (!call.client.isPrivate) return { outcome: "exposed" };
  return pipeline.authenticator.authenticate(key, now);
}

function hasSeveralAuthorizations({ rawHeaders = [] }: RequestHead): boolean {
  const isName = (text: string, at: number) => at % 2 === 0 && text.toLowerCase() === "authorization";
  return rawHeaders.filter(isName).length > 1;
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
  const data =
    endpoint.method === "GET"
      ? findOrRead(pipeline, call, endpoint, key, now, version)
      : runWrite(pipeline, call, endpoint, key, now);
  return data instanceof Promise ? answerLater(data, call, endpoint, now) : answerWith(data, call, endpoint, now);
}

async function answerLater(
  data: Promise<SerializedData>,
  call: Call,
  endpoint: NamedEndpoint,
  now: number,
): Promise<Answer> {
  return answerWith(await data, call, endpoint, now);
}

function answerWith(data: SerializedData, call: Call, endpoint: NamedEndpoint, now: number): Answer | Promise<Answer> {
  if (endpoint.method === "GET") return answerRead(data, call, endpoint, now);
  if (endpoint.method === "PATCH") return successAnswer(200, data, call.requestId, now);
  const location = `${BASE_PATH}${endpoint.path}/${data.resourceId}`;
  return successAnswer(201, data, call.requestId, now, new AnswerHeaders(["Location", location]));
}

function answerRead(
  data: SerializedData,
  { request, requestId }: Call,
  endpoint: NamedEndpoint,
  now: number,
): Answer | Promise<Answer> {
  const headers = headersOf(data, () => linkToNextPage(endpoint, data));
  if (matchesTag(request.headers["if-none-match"], tagOf(data))) {
    data.onClosed?.();
    return notModifiedAnswer(headers);
  }
  return readAnswer(data, request.headers["accept-encoding"], requestId, now, headers);
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
function linkToNextPage(endpoint: NamedEndpoint, data: SerializedData): string | undefined {
  if (typeof data.nextCursor !== "string") return undefined;
  return `<${BASE_PATH}${endpoint.path}?cursor=${data.nextCursor}>; rel="next"`;
}
