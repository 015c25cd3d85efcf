/** Assistants for tests: the official client, in both revisions of the protocol, and messages as they are. */
import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { LooseBody, TestServer } from "../test-server.ts";

export const CURRENT = "2026-07-28";
export const BEFORE = "2025-11-25";

export async function connect(server: TestServer, key: string, revision = CURRENT): Promise<Client> {
  const mode = revision === CURRENT ? { pin: CURRENT } : ("legacy" as const);
  const client = new Client({ name: "tests", version: "1.0.0" }, { versionNegotiation: { mode } });
  const headers = { Authorization: `Bearer ${key}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.origin}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

/** What a tool says, read as the JSON it is. */
export function told(result: Pick<CallToolResult, "content">): LooseBody {
  const [part, ...more] = result.content;
  if (part?.type !== "text" || more.length > 0) throw new Error("A tool answers with one text.");
  return JSON.parse(part.text);
}

export interface SentMessage {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: LooseBody;
}

/** One request to the door, of any form. */
export async function send(
  server: TestServer,
  key: string | undefined,
  body: unknown,
  { method = "POST", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<SentMessage> {
  const response = await fetch(`${server.origin}/mcp`, {
    method,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") && text !== "";
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}

/** A call of a tool, as clients of the revision before send it. */
export function toolCall(name: string, args: object = {}, id: string | number = 1) {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } };
}
