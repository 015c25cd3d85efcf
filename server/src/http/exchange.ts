/** One request and its answer under the prefix: from the head to the bytes, the log line and the count. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Duplex, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { DestinationStream, Logger } from "pino";
import type { Holder } from "../access/authenticator.ts";
import type { Verdict } from "../limits/windows.ts";
import type { RequestRecord } from "../request-log/request-record.ts";
import { makeId } from "../store/ids.ts";
import { type Answer, answerHeaders, timeText } from "./answer.ts";
import type { ClientResolver } from "./client-address.ts";
import { type Call, type Pipeline, routeOf } from "./endpoint-data.ts";
import { ClientGone } from "./json-body.ts";
import { holdUntilClosed } from "./large-answers.ts";
import { BrokenOff } from "./list-answer.ts";
import type { Metrics } from "./metrics.ts";
import { answerRequest, type Outcome } from "./pipeline.ts";
import { originForm, type Target } from "./request-target.ts";

export interface ExchangeTools {
  readonly pipeline: Pipeline;
  readonly resolveClient: ClientResolver;
  readonly log: Logger;
  /** Where the finished lines of requests go; undefined where requests are not logged. */
  readonly requestLines: DestinationStream | undefined;
  readonly metrics: Metrics;
  /** Takes what is known of a request whose key is known; never throws, never waits. */
  readonly requestLog?: { record(record: RequestRecord): void } | undefined;
}

/**
 * Never throws and never rejects: whatever fails beyond every answer ends its own connection, and nothing else. What can be
 * answered at once is, before this returns.
 */
export async function exchange(
  tools: ExchangeTools,
  request: IncomingMessage,
  response: ServerResponse,
  { endpoint, id }: Target,
): Promise<void> {
  try {
    const startedAt = performance.now();
    const call: Call = {
      request,
      requestId: makeId("req"),
      client: tools.resolveClient(request),
      endpoint,
      id,
      queryString: queryOf(request.url),
    };
    const answering = answerRequest(tools.pipeline, call);
    const outcome = answering instanceof Promise ? await answering : answering;
    logIfBroken(tools, call, outcome.answer);
    deliver(response, outcome.answer, call.requestId, outcome.verdict);
    report(tools, call, outcome, performance.now() - startedAt);
  } catch (error) {
    abandon(tools, request.socket, error);
  }
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
  if (err instanceof ClientGone) return;
  try {
    tools.log.error({ err }, "a request could not be answered; its connection was cut off");
  } catch {
    // The log itself may be what failed, and there is nobody else to tell.
  }
}

/** What of an answer is told to the log. */
type Reported = Pick<Outcome, "holder" | "internalError"> & { readonly answer: Pick<Answer, "status" | "code"> };

export function report(
  tools: ExchangeTools,
  call: Call,
  outcome: Reported,
  elapsedMs: number,
  route = routeOf(call.endpoint),
): void {
  const { request, requestId } = call;
  const { status, code } = outcome.answer;
  const durationUs = Math.round(elapsedMs * 1000);
  const durationMs = durationUs / 1000;
  tools.metrics.countRequest({ route, status, code, durationMs });
  const { holder } = outcome;
  if (holder !== undefined) {
    tools.requestLog?.record({
      orgId: holder.orgId,
      keyId: holder.keyId,
      id: requestId,
      method: request.method ?? "",
      target: originForm(request.url ?? ""),
      endpoint: call.endpoint?.name ?? "unknown",
      status,
      code: code ?? null,
      durationUs,
      address: call.client.address,
      userAgent: request.headers["user-agent"] ?? null,
    });
  }
  if (outcome.internalError === undefined) {
    tools.requestLines?.write(requestLine({ requestId, holder, route, status, code, durationUs }, Date.now()));
    return;
  }
  const { keyId, orgId } = holder ?? {};
  tools.log.error(
    { requestId, keyId, orgId, route, status, code, durationMs, err: outcome.internalError },
    "request failed",
  );
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
  return `{"level":30,"time":"${timeText(nowMs)}","requestId":"${requestId}${holder?.logged ?? ""}","route":"${route}","status":${status}${refusal},"durationMs":${durationUs / 1_000},"msg":"request"}\n`;
}

/** Sends the answer, if there is anybody left to take it. */
function deliver(response: ServerResponse, answer: Answer, requestId: string, verdict: Verdict): void {
  const { body, release } = answer;
  if (release !== undefined) holdUntilClosed(response, release);
  const isWanted = !response.headersSent && !response.destroyed;
  if (isWanted) {
    const headers = answerHeaders(answer, requestId, verdict);
    // Node says so by itself, but not to a HEAD, which is told what a GET would be.
    if (answer.bodyBytes === undefined && response.req.httpVersion !== "1.0")
      headers.push("Transfer-Encoding", "chunked");
    response.writeHead(answer.status, headers);
  }
  const isSent = isWanted && response.req.method !== "HEAD";
  if (!isSent && body instanceof Readable) body.destroy();
  if (!isSent) {
    if (isWanted) response.end();
  } else if (typeof body === "string") response.end(body, "latin1");
  else if (body instanceof Readable) {
    // With its connection cut off where not all of it came: an answer that ends as it should is whole.
    pipeline(body, response).catch(() => response.destroy());
  } else sendParts(response, body);
}

function sendParts(response: ServerResponse, parts: readonly Buffer[]): void {
  response.cork();
  for (const part of parts) response.write(part);
  response.end();
  response.uncork();
}
