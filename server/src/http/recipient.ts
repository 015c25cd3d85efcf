/** Whoever takes an answer: a response of Node's own, or a connection of the quick lane. */
import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import type { Verdict } from "../limits/windows.ts";
import { type Answer, answerHeaders } from "./answer.ts";
import { TOGETHER_MAX_BYTES } from "./answer-bytes.ts";
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
    if (answer.onClosed !== undefined) holdUntilClosed(response, answer.onClosed);
    if (response.headersSent || response.destroyed) return;
    response.writeHead(answer.status, answerHeaders(answer, requestId, verdict));
    if (response.req.method === "HEAD") response.end();
    else if (answer.stream !== undefined) void sendStream(response, answer.stream);
    else sendBody(response, answer);
  }
}

function sendBody(response: ServerResponse, { body, bodyBytes }: Answer): void {
  // One small piece is sooner made than several are written.
  if (bodyBytes <= TOGETHER_MAX_BYTES) {
    response.end(Buffer.concat(body.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part))));
    return;
  }
  response.cork();
  for (const part of body) response.write(part);
  response.end();
  response.uncork();
}

/** With its connection cut off where not all of it came: an answer that ends as it should is whole. */
async function sendStream(response: ServerResponse, stream: AsyncIterable<Buffer>): Promise<void> {
  try {
    await sendParts(response, stream, (part) => response.write(part));
    response.end();
  } catch {
    response.destroy();
  }
}

/** No faster than they are taken; ends early where nobody is left to take them. */
export async function sendParts(
  to: Writable,
  parts: AsyncIterable<Buffer>,
  write: (part: Buffer) => boolean,
): Promise<void> {
  for await (const part of parts) {
    if (to.destroyed) return;
    // An empty piece would end the whole.
    if (part.length > 0 && !write(part)) await untilTaken(to);
  }
}

function untilTaken(to: Writable): Promise<void> {
  return new Promise((resolve) => {
    const goOn = () => {
      to.off("drain", goOn);
      to.off("close", goOn);
      resolve();
    };
    to.on("drain", goOn);
    to.on("close", goOn);
  });
}
