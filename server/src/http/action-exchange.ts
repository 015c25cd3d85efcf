/** One action and its answer: from the head of the request to the bytes, the log line and the count. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { ACTIONS_PATH, type ActionProgress, PROGRESS_TYPE } from "@lineup/api/dashboard/action";
import { makeId } from "../store/ids.ts";
import {
  type ActionCall,
  type ActionOutcome,
  type ActionPipeline,
  actionRouteOf,
  answerAction,
  type CallProgress,
  type NamedAction,
} from "./action-pipeline.ts";
import { abandon, type ExchangeTools, queryOf } from "./exchange.ts";
import { DATA_POLICY, securityHeaders } from "./site.ts";

export interface ActionTools extends Pick<ExchangeTools, "resolveClient" | "log" | "metrics"> {
  readonly actions: ActionPipeline;
}

export interface ActionTarget {
  readonly action: NamedAction | undefined;
  readonly path: Readonly<Record<string, string>>;
}

/** Never rejects: whatever fails beyond every answer ends its own connection, and nothing else. */
export async function exchangeAction(
  tools: ActionTools,
  request: IncomingMessage,
  response: ServerResponse,
  target: ActionTarget,
): Promise<void> {
  try {
    const startedAt = performance.now();
    const requestId = makeId("req");
    let known: CallProgress | undefined;
    const lines = new ProgressLines(response, () => listHeaders(requestId, known));
    const call: ActionCall = {
      request,
      requestId,
      client: tools.resolveClient(request),
      queryString: queryOf(request.url),
      ...(request.headers.accept?.includes(PROGRESS_TYPE) && {
        onProgress: (steps, sofar) => {
          known = sofar;
          lines.tell(steps);
        },
      }),
      ...target,
    };
    const outcome = await answerAction(tools.actions, call);
    if (lines.hasBegun) lines.end(outcome.status === 200 ? `{"result":${outcome.json}}` : outcome.json);
    else send(response, call, outcome);
    report(tools, call, outcome, performance.now() - startedAt);
  } catch (error) {
    abandon(tools, request.socket, error);
  }
}

/** What every answer carries, whatever its form. */
function listHeaders(requestId: string, known: Pick<ActionOutcome, "site" | "cookies"> | undefined): string[] {
  const headers = ["Cache-Control", "no-store", "X-Request-Id", requestId, "Content-Security-Policy", DATA_POLICY];
  headers.push(...Object.entries(securityHeaders(known?.site)).flat());
  for (const cookie of known?.cookies ?? []) headers.push("Set-Cookie", cookie);
  return headers;
}

function send(response: ServerResponse, { request, requestId }: ActionCall, outcome: ActionOutcome): void {
  if (response.headersSent || response.destroyed) return;
  const length = String(Buffer.byteLength(outcome.json));
  const headers = ["Content-Type", "application/json; charset=utf-8", "Content-Length", length];
  headers.push(...listHeaders(requestId, outcome));
  if (outcome.retryAfterSeconds !== undefined) headers.push("Retry-After", String(outcome.retryAfterSeconds));
  response.writeHead(outcome.status, headers);
  if (request.method === "HEAD") response.end();
  else response.end(outcome.json);
}

/** Neither what was asked for nor what was answered is written down: both may hold what opens doors. */
function report(
  tools: ActionTools,
  { action, path, requestId }: ActionCall,
  outcome: ActionOutcome,
  elapsedMs: number,
): void {
  const route = actionRouteOf(action, ACTIONS_PATH);
  const { status, code, userId, internalError: err } = outcome;
  const durationMs = Math.round(elapsedMs * 1000) / 1000;
  tools.metrics.countRequest({ route, status, code, durationMs });
  // Who is not let in may have written anything in an organization's place.
  const orgId = status < 400 ? path.orgId : undefined;
  const line = { requestId, userId, orgId, route, status, code, durationMs };
  if (err !== undefined) tools.log.error({ ...line, err }, "action failed");
  // An open page looks again every few seconds, which would hide everything else.
  else if (action?.method === "GET" && status < 400) tools.log.debug(line, "action");
  else tools.log.info(line, "action");
}

/** Often enough for a bar that moves. */
const EVERY_MS = 100;

/** An answer in lines, for those who want to hear how far the work has come. It begins with the first step that is told. */
class ProgressLines {
  readonly #response: ServerResponse;
  readonly #makeHead: () => string[];
  #nextAt = 0;
  #phase = "";

  /** The head is made when the first line is sent: before, nobody knows all of it. */
  constructor(response: ServerResponse, makeHead: () => string[]) {
    this.#response = response;
    this.#makeHead = makeHead;
  }

  get hasBegun(): boolean {
    return this.#response.headersSent;
  }

  /** Leaves out steps that come too soon after another, and all while the client does not take what it has been sent. */
  tell(progress: ActionProgress): void {
    const now = performance.now();
    const isDue = now >= this.#nextAt || progress.phase !== this.#phase;
    if (!isDue || this.#response.destroyed || this.#response.writableNeedDrain) return;
    this.#nextAt = now + EVERY_MS;
    this.#phase = progress.phase;
    if (!this.hasBegun) this.#response.writeHead(200, ["Content-Type", PROGRESS_TYPE, ...this.#makeHead()]);
    this.#response.write(`${JSON.stringify({ progress })}\n`);
  }

  end(line: string): void {
    this.#response.end(`${line}\n`);
  }
}
