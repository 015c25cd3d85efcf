/** What takes an answer: a response of Node's own, or a connection of the quick lane. */
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Verdict } from "../limits/windows.ts";
import { type Answer, answerHeaders } from "./answer.ts";
import { holdUntilClosed } from "./large-answers.ts";

export interface Recipient {
  /** Sends the answer, if there is anybody left to take it. The time is that of now. */
  deliver(answer: Answer, requestId: string, verdict: Verdict, nowMs: number): void;
}

export class NodeRecipient implements Recipient {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  deliver(answer: Answer, requestId: string, verdict: Verdict): void {
    const response = this.#response;
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
    else if (body instanceof Readable) void sendStream(response, body);
    else sendParts(response, body);
  }
}

function sendParts(response: ServerResponse, parts: readonly Buffer[]): void {
  response.cork();
  for (const part of parts) response.write(part);
  response.end();
  response.uncork();
}

/** With its connection cut off where not all of it came: an answer that ends as it should is whole. */
async function sendStream(response: ServerResponse, body: Readable): Promise<void> {
  try {
    await pipeline(body, response);
  } catch {
    response.destroy();
  }
}
