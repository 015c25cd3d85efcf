/** One request and its answer under the prefix: from the head to the bytes, the log line and the count. */
import { type Duplex, Readable } from "node:stream";
import type { Logger } from "pino";
import type { Holder } from "../access/authenticator.ts";
import type { RequestRecord } from "../request-log/request-record.ts";
import { makeId } from "../store/ids.ts";
import { type Answer, errorAnswer } from "./answer.ts";
import { type Call, type Pipeline, routeOf } from "./call.ts";
import type { ClientResolver } from "./client-address.ts";
import { type BodySource, ClientGone } from "./json-body.ts";
import { BrokenOff } from "./list-answer.ts";
import type { Metrics } from "./metrics.ts";
import { answerRequest, describeAddress, type Outcome } from "./pipeline.ts";
import type { Recipient } from "./recipient.ts";
import { internalError } from "./refusals.ts";
import type { RequestHead, Target } from "./request-head.ts";
import { originForm } from "./request-target.ts";

export interface ExchangeTools {
  readonly pipeline: Pipeline;
  readonly resolveClient: ClientResolver;
  readonly log: Logger;
  /** Takes the finished line of a request; undefined where requests are not logged. */
  readonly writeRequestLine: ((line: string) => void) | undefined;
  readonly metrics: Metrics;
  /** Takes what is known of a request whose key is known; never throws, never waits. */
  readonly requestLog?: { record(record: RequestRecord): void } | undefined;
}

/**
 * Never throws and never rejects: whatever fails beyond every answer ends its own connection, and nothing else. What can be
 * answered at once is, before this returns.
 */
export function exchange(
  tools: ExchangeTools,
  request: RequestHead,
  recipient: Recipient,
  target: Target,
  body?: BodySource,
): void | Promise<void> {
  try {
    const startedAt = performance.now();
    const call: Call = {
      request,
      body,
      requestId: makeId("req"),
      client: tools.resolveClient(request),
      endpoint: target.endpoint,
      id: target.id,
      queryString: queryOf(request.url),
    };
    const outcome = findOutcome(tools, call);
    if (outcome instanceof Promise) return concludeLater(tools, call, recipient, outcome, startedAt);
    conclude(tools, call, recipient, outcome, startedAt);
  } catch (error) {
    abandon(tools, request.socket, error);
  }
}

/** Nothing that happens inside may keep the client waiting; undefined only when the client itself has gone. */
function findOutcome(tools: ExchangeTools, call: Call): Outcome | undefined | Promise<Outcome> {
  try {
    return answerRequest(tools.pipeline, call);
  } catch (error) {
    return outcomeOfFault(tools, call, error);
  }
}

async function concludeLater(
  tools: ExchangeTools,
  call: Call,
  recipient: Recipient,
  outcome: Promise<Outcome>,
  startedAt: number,
): Promise<void> {
  try {
    const found = await outcome.catch((error) => outcomeOfFault(tools, call, error));
    conclude(tools, call, recipient, found, startedAt);
  } catch (error) {
    abandon(tools, call.request.socket, error);
  }
}

function outcomeOfFault(tools: ExchangeTools, call: Call, error: unknown): Outcome | undefined {
  if (error instanceof ClientGone) return undefined;
  const answer = errorAnswer(internalError(), call.requestId, tools.pipeline.now());
  const verdict = describeAddress(tools.pipeline, call.client);
  return { answer, verdict, holder: undefined, internalError: error };
}

function conclude(
  tools: ExchangeTools,
  call: Call,
  recipient: Recipient,
  outcome: Outcome | undefined,
  startedAt: number,
): void {
  if (outcome === undefined) return;
  const nowMs = Date.now();
  logIfBroken(tools, call, outcome.answer);
  recipient.deliver(outcome.answer, call.requestId, outcome.verdict, nowMs);
  report(tools, call, outcome, performance.now() - startedAt, nowMs);
}

/** Of what goes wrong once the head has left, the client learns by its connection alone; the log says why. */
function logIfBroken(tools: ExchangeTools, { requestId }: Call, { body }: Answer): void {
  if (!(body instanceof Readable)) return;
  body.on("error", (err) => {
    if (!(err instanceof BrokenOff)) return;
    tools.log.error({ requestId, err }, "an answer broke off while it was sent; its connection was cut off");
  });
}

/** For a fault on the way to or from the pipeline: nobody above would catch it, and it would end the process. */
export function abandon(tools: Pick<ExchangeTools, "log">, connection: Duplex, err: unknown): void {
  connection.destroy();
  try {
    tools.log.error({ err }, "a request could not be answered; its connection was cut off");
  } catch {
    // The log itself may be what failed, and there is nobody else to tell.
  }
}

function report(tools: ExchangeTools, call: Call, outcome: Outcome, elapsedMs: number, nowMs: number): void {
  const { endpoint, requestId } = call;
  const route = routeOf(endpoint);
  const { status, code } = outcome.answer;
  const durationUs = Math.round(elapsedMs * 1000);
  const durationMs = durationUs / 1000;
  tools.metrics.countRequest({ route, status, code, durationMs });
  const { holder } = outcome;
  if (holder !== undefined) tools.requestLog?.record(recordOf(call, holder, status, code, durationUs));
  if (outcome.internalError === undefined) {
    tools.writeRequestLine?.(requestLine({ requestId, holder, route, status, code, durationUs }, nowMs));
    return;
  }
  const { keyId, orgId } = holder ?? {};
  tools.log.error(
    { requestId, keyId, orgId, route, status, code, durationMs, err: outcome.internalError },
    "request failed",
  );
}

function recordOf(
  { request, requestId, endpoint, client }: Call,
  holder: NonNullable<Outcome["holder"]>,
  status: number,
  code: string | undefined,
  durationUs: number,
): RequestRecord {
  return {
    orgId: holder.orgId,
    keyId: holder.keyId,
    id: requestId,
    method: request.method ?? "",
    target: originForm(request.url ?? ""),
    endpoint: endpoint?.name ?? "unknown",
    status,
    code: code ?? null,
    durationUs,
    address: client.address,
    userAgent: request.headers["user-agent"] ?? null,
  };
}

export function queryOf(url: string | undefined): string {
  const start = url?.indexOf("?") ?? -1;
  return url === undefined || start < 0 ? "" : url.slice(start + 1);
}

export interface RequestLineFacts {
  readonly requestId: string;
  readonly holder: Holder | undefined;
  readonly route: string;
  readonly status: number;
  readonly code: string | undefined;
  readonly durationUs: number;
}

export function requestLine(facts: RequestLineFacts, nowMs: number): string {
  const { requestId, holder, route, status, code, durationUs } = facts;
  const refusal = code === undefined ? "" : `,"code":"${code}"`;
  return `${openingAt(nowMs)}${requestId}${holder?.logged ?? ""}","route":"${route}","status":${status}${refusal},"durationMs":${durationUs / 1_000},"msg":"request"}\n`;
}

let openingMs = Number.NaN;
let opening = "";

/** Many requests fall into one millisecond. */
function openingAt(ms: number): string {
  if (ms !== openingMs) {
    opening = `{"level":30,"time":"${new Date(ms).toISOString()}","requestId":"`;
    openingMs = ms;
  }
  return opening;
}
