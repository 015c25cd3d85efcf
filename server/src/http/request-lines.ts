/**
 * The log line of a request: what the logger would write, in a fraction of the time. There is one for every request, and nothing in it can
 * need escaping, for ids, routes and codes are all of our own making. Nothing that a client sends may ever be put into it.
 */
import type { Holder } from "../access/authenticator.ts";

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
