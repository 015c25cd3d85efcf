/** The head of an answer as text, for connections on which Node does not write it. */
import { STATUS_CODES } from "node:http";
import { rateLimitLines } from "../limits/rate-limit-headers.ts";
import type { Verdict } from "../limits/windows.ts";
import type { Answer } from "./answer.ts";

/** What `answerHeaders` lists, as it goes out, and what Node says of itself beside it: the date, and whether the connection stays. */
export function headText(
  answer: Answer,
  requestId: string,
  verdict: Verdict,
  connectionLines: string,
  nowMs: number,
): string {
  const { headers, status } = answer;
  const content = status === 304 ? "\r\n" : contentLines(answer);
  const told = `${beginningOf(status)}${requestId}${content}${rateLimitLines(verdict)}`;
  return `${told}${headers.lines}${dateLine(nowMs)}${connectionLines}\r\n`;
}

const beginnings = new Map<number, string>();

/** Up to the request's id, which is the first that differs from one answer to the next. */
function beginningOf(status: number): string {
  let lines = beginnings.get(status);
  if (lines === undefined) {
    lines =
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nCache-Control: private, no-cache\r\n` +
      "X-Content-Type-Options: nosniff\r\nX-Request-Id: ";
    beginnings.set(status, lines);
  }
  return lines;
}

const TYPE = "\r\nContent-Type: application/json; charset=utf-8\r\n";

function contentLines({ bodyBytes, stream }: Answer): string {
  return stream === undefined ? `${TYPE}Content-Length: ${bodyBytes}\r\n` : `${TYPE}Transfer-Encoding: chunked\r\n`;
}

let dateSecond = Number.NaN;
let date = "";

function dateLine(nowMs: number): string {
  const second = Math.floor(nowMs / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    date = `Date: ${new Date(nowMs).toUTCString()}\r\n`;
  }
  return date;
}
