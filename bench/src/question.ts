/** One thing that is asked, how it goes over the wire, and how an answer to it is known to be right. */
import { connect } from "node:net";
import type { Expectation } from "./answer-reader.ts";
import type { CannedAnswer } from "./bare-server.ts";
import { ChunkedBody } from "./chunked-body.ts";

export interface Question {
  readonly method: "GET" | "POST" | "PATCH";
  readonly path: string;
  readonly status: number;
  /** What `meta.count` must say, where something is found. */
  readonly count?: number;
  /** The code of an error. */
  readonly code?: string;
  /** After this text a body differs from one answer to the next. */
  readonly sameUpTo?: string;
}

/** What differs from one asking of a question to the next. */
export interface Asking {
  readonly key: string;
  /** Header lines, each with its end. */
  readonly headers?: string | undefined;
  readonly body?: string | undefined;
}

/** Questions, and the order in which keys ask them. */
export interface Case {
  readonly questions: readonly Question[];
  /** So many requests are made beforehand, and asked round and round. */
  readonly requestCount: number;
  ask(index: number): { readonly question: number; readonly asking: Asking };
}

/** Small answers are looked at whole once in so many; of large ones, parsing would keep the load from its work. */
const WHOLE_ONE_IN_MIN = 64;
const BYTES_FOR_EACH_SKIPPED = 128;

/** In every answer with a body, what stands after this is its own. */
export const UP_TO_META = '"requestId":"';

export function requestBytes({ method, path }: Question, { key, headers = "", body }: Asking): Buffer {
  const content =
    body === undefined ? "" : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: lineup-bench\r\nAccept: application/json\r\n` +
      `Authorization: Bearer ${key}\r\n${headers}${content}\r\n${body ?? ""}`,
  );
}

/** How often something is asked that is sent in chunks, until it is kept whole and its length is known. */
const TRIES = 5;

/** Asks on a connection of its own, and returns the whole answer, its headers as they were written. */
export async function captureAnswer(question: Question, asking: Asking, port: number): Promise<CannedAnswer> {
  const { method, path } = question;
  for (let attempt = 1; ; attempt++) {
    const { head, body } = await exchange(port, requestBytes(question, asking));
    const [statusLine = "", ...lines] = head.split("\r\n");
    const status = Number(statusLine.split(" ")[1]);
    if (status !== question.status) throw new Error(`${method} ${path} answered ${status}: ${body.slice(0, 400)}`);
    const headers = ownHeaders(lines);
    if (headers["Transfer-Encoding"] === undefined) return { method, path, status, headers, body };
    const { "Transfer-Encoding": _, ...others } = headers;
    const length = { "Content-Length": String(Buffer.byteLength(body)) };
    if (attempt === TRIES) return { method, path, status, headers: { ...others, ...length }, body };
  }
}

function exchange(port: number, bytes: Buffer): Promise<{ readonly head: string; readonly body: string }> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    let head: string | undefined;
    let chunks: ChunkedBody | undefined;
    const body: Buffer[] = [];
    const socket = connect({ port, host: "127.0.0.1" });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("The server closed the connection before its answer was whole.")));
    socket.on("data", (chunk: Buffer) => {
      let content = chunk;
      if (head === undefined) {
        received = Buffer.concat([received, chunk]);
        const end = received.indexOf("\r\n\r\n");
        if (end < 0) return;
        head = received.toString("latin1", 0, end);
        chunks = /\r\ntransfer-encoding: *chunked/i.test(head) ? new ChunkedBody() : undefined;
        content = received.subarray(end + 4);
      }
      body.push(...(chunks?.read(content) ?? [content]));
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      const isWhole = chunks?.isWhole ?? body.reduce((sum, part) => sum + part.length, 0) >= length;
      if (!isWhole) return;
      resolve({ head, body: Buffer.concat(body).toString() });
      socket.destroy();
    });
    socket.write(bytes);
  });
}

/** Node itself writes these, on either server. */
const WRITTEN_BY_NODE = new Set(["date", "connection", "keep-alive"]);

function ownHeaders(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon);
    if (!WRITTEN_BY_NODE.has(name.toLowerCase())) headers[name] = line.slice(colon + 1).trim();
  }
  return headers;
}

export function expectationOf(question: Question, captured: CannedAnswer): Expectation {
  const { method, path, status, sameUpTo } = question;
  const same = sameUpTo === undefined ? 0 : captured.body.indexOf(sameUpTo);
  const what = `${method} ${path}`;
  if (same < 0) throw new Error(`The answer to ${what} has no ${sameUpTo}: ${captured.body.slice(0, 400)}`);
  const fault = findFault(question, captured.body);
  if (fault !== undefined) throw new Error(fault);
  const bodyLength = Buffer.byteLength(captured.body);
  return {
    status,
    bodyLength,
    prefix: Buffer.from(captured.body.slice(0, same + (sameUpTo?.length ?? 0))),
    wholeOneIn: Math.max(WHOLE_ONE_IN_MIN, Math.round(bodyLength / BYTES_FOR_EACH_SKIPPED)),
    tally: { answers: 0 },
    findFault: (text) => findFault(question, text),
  };
}

interface Envelope {
  readonly success?: unknown;
  readonly data?: unknown;
  readonly error?: { readonly code?: unknown; readonly status?: unknown };
  readonly meta?: { readonly count?: unknown };
}

function findFault({ method, path, status, count, code }: Question, text: string): string | undefined {
  const what = `An answer to ${method} ${path}`;
  if (count === undefined && code === undefined) {
    return text === "" ? undefined : `${what} has a body: ${text.slice(0, 400)}`;
  }
  const { success, data, error, meta } = JSON.parse(text) as Envelope;
  if (code !== undefined) {
    if (success === false && error?.code === code && error.status === status) return undefined;
    return `${what} is not ${code}: ${text.slice(0, 400)}`;
  }
  const items = Array.isArray(data) ? data.length : Number(typeof data === "object" && data !== null);
  if (success === true && items === count && meta?.count === count) return undefined;
  return `${what} has ${items} items and says ${meta?.count}, not ${count}: ${text.slice(0, 400)}`;
}
