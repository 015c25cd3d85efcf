/**
 * What Lineup is measured against: `node:http` as it comes and nothing else, answering from memory the bytes that Lineup
 * answered. Hardly any server on this platform can do less, so the distance to it is what keys, limits, permissions, store
 * and log cost. docs/performance.md says what the few settings of Node that Lineup adds would give bare.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerParent } from "./child.ts";

export interface CannedAnswer {
  readonly method: "GET" | "POST" | "PATCH";
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Up to here Node sends head and body as one string in one write, which is quicker than two. */
const STRING_MAX_LENGTH = 16 * 1024;
/** As Lineup has it, for the answer's Keep-Alive header says so. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;

const answers = new Map<string, { status: number; headers: Record<string, string>; body: string | Buffer }>();

const server = createServer({ keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS }, (request, response) => {
  if (request.method === "GET") send(request, response);
  else readBody(request, () => send(request, response));
});

function readBody(request: IncomingMessage, onEnd: () => void): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    Buffer.concat(chunks);
    onEnd();
  });
}

function send(request: IncomingMessage, response: ServerResponse): void {
  const answer = answers.get(`${request.method} ${request.url}`);
  if (answer === undefined) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
}

answerParent({
  /** From here on these and no others. */
  answer: (canned: readonly CannedAnswer[]) => {
    answers.clear();
    for (const { method, path, status, headers, body } of canned) {
      const sent = body.length <= STRING_MAX_LENGTH ? body : Buffer.from(body);
      answers.set(`${method} ${path}`, { status, headers: { ...headers }, body: sent });
    }
  },
  listen: () =>
    new Promise((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
    }),
});
