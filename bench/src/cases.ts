/** What is asked of both servers, and how an answer is known to be right. */
import { get, type IncomingMessage, request as startRequest } from "node:http";
import { BASE_PATH } from "@lineup/api/endpoint";
import type { Expectation } from "./answer-reader.ts";
import type { CannedAnswer } from "./bare-server.ts";
import type { Fixture } from "./fixture.ts";

export const PLAYER_COUNT = 200;

export const CASE_NAMES = ["player", "list", "create"] as const;
export type CaseName = (typeof CASE_NAMES)[number];

export interface Case {
  readonly name: CaseName;
  readonly title: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly status: number;
  /** What `meta.count` must say. */
  readonly count: number;
  readonly body: string | undefined;
  /**
   * How many answers it takes until the server's code is compiled for good. On one core the compiler takes its time from
   * the server, and a server in production is long past that.
   */
  readonly warmUpAnswers: number;
  /** After this text a body differs from one answer to the next. */
  readonly sameUpTo: string;
}

export function makeCases(fixture: Fixture): Case[] {
  const read = {
    method: "GET",
    status: 200,
    body: undefined,
    warmUpAnswers: 40_000,
    sameUpTo: '"requestId":"',
  } as const;
  const newPlayer = {
    ign: "Nightfall",
    realName: "Émilie Lindström",
    role: "Jungle",
    teamId: fixture.teamId,
    contractStatus: "active",
    nationality: "SE",
    stats: { kda: 4.2, winRate: 0.61, matches: 118 },
  };
  return [
    { ...read, name: "player", title: "one player", path: `${BASE_PATH}/players/${fixture.playerIds[0]}`, count: 1 },
    { ...read, name: "list", title: `a list of ${PLAYER_COUNT}`, path: `${BASE_PATH}/players`, count: PLAYER_COUNT },
    {
      name: "create",
      title: "a create",
      method: "POST",
      path: `${BASE_PATH}/players`,
      status: 201,
      count: 1,
      body: JSON.stringify(newPlayer),
      warmUpAnswers: 3_000,
      sameUpTo: '"id":"player_',
    },
  ];
}

/** The request as it goes over the wire, once for each key. */
export function makeRequests(wanted: Case, keys: readonly string[]): Buffer[] {
  const { method, path, body } = wanted;
  const content =
    body === undefined ? "" : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return keys.map((key) =>
    Buffer.from(
      `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: lineup-bench\r\nAccept: application/json\r\n` +
        `Authorization: Bearer ${key}\r\n${content}\r\n${body ?? ""}`,
    ),
  );
}

/** Asks once, and returns the whole answer, its headers as they were written. */
export async function captureAnswer(wanted: Case, port: number, key: string): Promise<CannedAnswer> {
  const { method, path, body, status } = wanted;
  const headers = {
    Authorization: `Bearer ${key}`,
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
  };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { host: "127.0.0.1", port, method, path, headers };
    const request = method === "GET" ? get(options, resolve) : startRequest(options, resolve);
    request.on("error", reject);
    request.end(body);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  if (answer.statusCode !== status) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`);
  return { method, path, status, headers: ownHeaders(answer.rawHeaders), body: text };
}

/** Node itself writes these, on either server. */
const WRITTEN_BY_NODE = new Set(["date", "connection", "keep-alive"]);

function ownHeaders(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? "";
    if (!WRITTEN_BY_NODE.has(name.toLowerCase())) headers[name] = raw[index + 1] ?? "";
  }
  return headers;
}

export function expectationOf(wanted: Case, captured: CannedAnswer): Expectation {
  const body = Buffer.from(captured.body);
  const same = captured.body.indexOf(wanted.sameUpTo);
  if (same < 0)
    throw new Error(`The answer to ${wanted.title} has no ${wanted.sameUpTo}: ${captured.body.slice(0, 400)}`);
  const fault = findFault(wanted, captured.body);
  if (fault !== undefined) throw new Error(fault);
  return {
    status: wanted.status,
    bodyLength: body.length,
    prefix: Buffer.from(captured.body.slice(0, same + wanted.sameUpTo.length)),
    findFault: (text) => findFault(wanted, text),
  };
}

function findFault(wanted: Case, text: string): string | undefined {
  const { success, data, meta } = JSON.parse(text) as { success?: unknown; data?: unknown; meta?: { count?: unknown } };
  const items = Array.isArray(data) ? data.length : Number(typeof data === "object" && data !== null);
  if (success === true && items === wanted.count && meta?.count === wanted.count) return undefined;
  return `An answer to ${wanted.title} has ${items} items and says ${meta?.count}: ${text.slice(0, 400)}`;
}
