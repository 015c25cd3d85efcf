/** The head of an answer as one text, for connections on which Node does not write it. It says what `answerHeaders` lists, and what Node adds to that. */
import { waitOf } from "../../limits/rate-limit-headers.ts";
import type { Verdict } from "../../limits/windows.ts";
import type { Answer } from "../answer.ts";
import { STATUS_CODES } from "../node-http.ts";

/** An answer with all that is said around it. */
export interface Outgoing {
  readonly answer: Answer;
  readonly requestId: string;
  readonly verdict: Verdict;
  /** Whether the connection stays, as lines of the head. */
  readonly connectionLines: string;
}

/** ASCII throughout. */
export function headText({ answer, requestId, verdict, connectionLines }: Outgoing, nowMs: number): string {
  const { status, headers, bodyBytes } = answer;
  const beginning = beginningOf(status, connectionLines, verdict.policy, Math.floor(nowMs / 1_000));
  const framing = bodyBytes === undefined ? "Transfer-Encoding: chunked\r\n" : `Content-Length: ${bodyBytes}\r\n`;
  return `${beginning}${requestId}\r\n${limitLines(verdict)}${headers.lines}${status === 304 ? "" : framing}\r\n`;
}

/** The last beginning, which the next answer is likely to share: all that does not differ between answers of one kind within a second. */
const last = { status: 0, connectionLines: "", policy: "", second: 0, text: "" };

function beginningOf(status: number, connectionLines: string, policy: string, second: number): string {
  const isSame =
    second === last.second &&
    status === last.status &&
    connectionLines === last.connectionLines &&
    policy === last.policy;
  if (isSame) return last.text;
  const content = status === 304 ? "" : "Content-Type: application/json; charset=utf-8\r\n";
  const text =
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nCache-Control: private, no-cache\r\nX-Content-Type-Options: nosniff\r\n${content}` +
    `Date: ${new Date(second * 1_000).toUTCString()}\r\n${connectionLines}RateLimit-Policy: ${policy}\r\nX-Request-Id: `;
  Object.assign(last, { status, connectionLines, policy, second, text });
  return text;
}

/** As `addRateLimitHeaders` has them, but for the policy. */
function limitLines(verdict: Verdict): string {
  const { governing, windows, admitted } = verdict;
  const reset = Math.ceil(governing.resetAtMs / 1_000);
  let states = "";
  for (const { name, remaining, resetInMs } of windows) {
    states += `${states === "" ? "" : ", "}"${name}";r=${remaining};t=${Math.ceil(resetInMs / 1_000)}`;
  }
  const wait = admitted ? "" : `Retry-After: ${waitOf(verdict)}\r\n`;
  return `X-RateLimit-Limit: ${governing.limit}\r\nX-RateLimit-Remaining: ${governing.remaining}\r\nX-RateLimit-Reset: ${reset}\r\nRateLimit: ${states}\r\n${wait}`;
}
