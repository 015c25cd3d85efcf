/** Who is let in, what is taken for a message, and that whatever else is sent leaves the server alive. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { revokeKey } from "../../src/access/key-admin.ts";
import { findKeyTraces, findKeyTracesIn } from "../hostile/key-traces.ts";
import { openRaw } from "../hostile/raw-connection.ts";
import { ManualClock } from "../manual-clock.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";
import { CURRENT, connect, send, told, toolCall } from "./assistant.ts";

const clock = new ManualClock(Date.now());
let server: TestServer;
let orgId: string;
let key: string;

beforeAll(async () => {
  server = await startTestServer({ clock, config: { trustedProxies: ["127.0.0.1"] } });
  orgId = await makeOrg(server);
  ({ key } = await makeKey(server, orgId));
});
afterAll(() => server.stop());
// The windows of the address and of the key stand still with the clock.
beforeEach(() => clock.advance(60_000));

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };

async function expectAlive(): Promise<void> {
  const { body } = await send(server, key, toolCall("describeKey"));
  expect(told(body.result).data.organization.id).toBe(orgId);
}

describe("a request without a valid key", () => {
  it.each([
    ["none", undefined, {}],
    ["one of the wrong form", "lineup_live_x", {}],
    ["one that nobody holds", `lineup_live_${"0".repeat(38)}`, {}],
    ["another scheme", undefined, { authorization: "Basic bGluZXVw" }],
  ])("is refused with a challenge: %s", async (_, wrong, headers) => {
    for (const method of ["POST", "GET", "DELETE", "OPTIONS", "HEAD"]) {
      const sent = await send(server, wrong, method === "POST" ? LIST : undefined, { method, headers });
      expect([sent.status, sent.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
      expect(sent.headers.get("ratelimit-policy")).toContain('"address"');
      if (method !== "HEAD") expect(sent.body.error.data.code).toBe("INVALID_API_KEY");
    }
  });

  it("draws on the window of its address", async () => {
    for (let time = 0; time < 60; time++) expect((await send(server, undefined, LIST)).status).toBe(401);
    const full = await send(server, undefined, LIST);
    expect([full.status, full.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(full.body.error.data.code).toBe("RATE_LIMIT_EXCEEDED");
    await expectAlive();
  });

  it("is told when its key was revoked, or has expired, from the next request on", async () => {
    const revoked = await makeKey(server, orgId);
    const expired = await makeKey(server, orgId, ["teams:read"], clock.wallMs() + 1_000);
    for (const one of [revoked, expired]) expect((await send(server, one.key, LIST)).status).toBe(200);
    await revokeKey(server.store, revoked.id, TEST_ORIGIN);
    clock.advance(1_000);
    const codes = [await send(server, revoked.key, LIST), await send(server, expired.key, LIST)];
    expect(codes.map(({ status, body }) => [status, body.error.data.code])).toEqual([
      [403, "KEY_REVOKED"],
      [403, "KEY_EXPIRED"],
    ]);
  });

  it("is refused where its key came over plain HTTP from another machine", async () => {
    const far = { "x-forwarded-for": "192.0.2.7", "x-forwarded-proto": "http" };
    const exposed = await send(server, key, LIST, { headers: far });
    expect(exposed.status).toBe(401);
    expect(exposed.body.error.message).toContain("HTTPS is required");
    expect((await send(server, key, LIST, { headers: { ...far, "x-forwarded-proto": "https" } })).status).toBe(200);
  });
});

describe("a page in a browser", () => {
  it.each([
    "https://evil.example",
    "http://evil.example",
    "null",
    "http://localhost.evil.example",
    "http://127.0.0.1:1",
  ])("from %s is turned away, with a key or without", async (origin) => {
    for (const sent of [
      await send(server, key, LIST, { headers: { origin } }),
      await send(server, undefined, LIST, { headers: { origin } }),
    ]) {
      expect(sent.status).toBe(403);
      expect(sent.headers.has("access-control-allow-origin")).toBe(false);
    }
  });

  it("is turned away where a name of its own leads here", async () => {
    const { host } = new URL(server.origin);
    const rebound = `evil.example:${host.split(":")[1]}`;
    const connection = await openRaw(server.origin);
    const body = JSON.stringify(LIST);
    connection.send(
      `POST /mcp HTTP/1.1\r\nHost: ${rebound}\r\nOrigin: http://${rebound}\r\nAuthorization: Bearer ${key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect((await connection.readAnswer()).status).toBe(403);
    connection.socket.destroy();
  });

  it("of this very site is let in", async () => {
    expect((await send(server, key, LIST, { headers: { origin: server.origin } })).status).toBe(200);
  });
});

it.each(["GET", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"])("%s is told that only POST is taken", async (method) => {
  const sent = await send(server, key, undefined, { method, headers: { accept: "text/event-stream" } });
  expect([sent.status, sent.headers.get("allow")]).toEqual([405, "POST"]);
  expect(sent.text === "").toBe(method === "HEAD");
});

describe("what is no message", () => {
  const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  it.each([
    ["nothing", ""],
    ["garbage", "\u0000\u0001{]"],
    ["a batch", JSON.stringify([LIST, LIST])],
    ["ten thousand messages", JSON.stringify(Array.from({ length: 5_000 }, () => LIST))],
    ["a number", "7"],
    ["no JSON-RPC", "{}"],
    ["a name twice", '{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"ping"}'],
    [
      "deep nesting",
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"createPlayer","arguments":${deep(40)}}}`,
    ],
    ["very deep nesting", deep(20_000)],
    ["more than may be sent", JSON.stringify({ ...toolCall("createPlayer"), padding: "x".repeat(300_000) })],
  ])("is refused: %s", async (_, body) => {
    const sent = await send(server, key, body);
    expect(sent.status).toBe(400);
    expect(sent.body).toMatchObject({ jsonrpc: "2.0", id: null, error: { message: expect.stringMatching(/\w/) } });
    await expectAlive();
  });

  it.each([
    ["another type", { "content-type": "text/plain" }],
    ["another encoding", { "content-encoding": "gzip" }],
  ])("is refused: %s", async (_, headers) => {
    expect((await send(server, key, LIST, { headers })).status).toBe(400);
  });
});

it.each([
  ["a method that nobody knows", { ...LIST, method: "tools/destroy" }],
  ["a tool that nobody knows", toolCall("constructor")],
  ["a tool without a name", { ...LIST, method: "tools/call", params: {} }],
  ["arguments that are none", { ...LIST, method: "tools/call", params: { name: "listPlayers", arguments: [1] } }],
  ["prompts, which there are none of", { ...LIST, method: "prompts/list" }],
  ["an id that is no id", { ...LIST, id: { nested: true } }],
  ["a revision to come", { ...LIST, params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2999-01-01" } } }],
])("%s is an error of the protocol", async (_, message) => {
  const { status, body } = await send(server, key, message);
  expect(status).toBeLessThan(500);
  expect(body.error.message).toMatch(/\w/);
  expect(body.result).toBeUndefined();
  await expectAlive();
});

it("names and ids that are very long are not said back", async () => {
  const long = "n".repeat(100_000);
  for (const message of [{ ...LIST, id: long }, toolCall(long), { ...LIST, method: long }]) {
    const { status, text } = await send(server, key, message);
    expect(status).toBeLessThan(500);
    expect(text.length).toBeLessThan(2_000);
  }
  const { body } = await send(server, key, toolCall("getPlayer", { id: "x".repeat(200_000) }));
  expect(told(body.result).error.code).toBe("INVALID_PARAMETER");
  // What cannot be answered is not done.
  const undone = await send(server, key, toolCall("createProspect", { ign: "Undone" }, long));
  expect([undone.status, undone.body.error.code]).toEqual([400, -32_600]);
  expect(told((await send(server, key, toolCall("listProspects"))).body.result).data).toEqual([]);
});

it.each([
  ["the method in its header", { "mcp-method": "é".repeat(4_000) }, {}],
  ["the revision", {}, { "io.modelcontextprotocol/protocolVersion": "𪛖".repeat(4_000) }],
])("%s is not said back where that would take more than 10,000 tokens", async (_, own, more) => {
  const meta = { "io.modelcontextprotocol/protocolVersion": CURRENT, "io.modelcontextprotocol/clientCapabilities": {} };
  const headers = { "mcp-protocol-version": CURRENT, "mcp-method": LIST.method, ...own };
  const sent = await send(server, key, { ...LIST, params: { _meta: { ...meta, ...more } } }, { headers });
  expect([sent.status, sent.body.error.code]).toEqual([400, -32_600]);
  expect(Buffer.byteLength(sent.text)).toBeLessThan(1_000);
});

it("notifications and answers to nothing are taken and not answered", async () => {
  for (const message of [
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
    { jsonrpc: "2.0", id: 1, result: {} },
  ]) {
    const sent = await send(server, key, message);
    expect([sent.status, sent.text]).toEqual([202, ""]);
  }
});

it("who wants to hear of other tools is told at once that there is nothing to hear", async () => {
  const meta = { "io.modelcontextprotocol/protocolVersion": CURRENT, "io.modelcontextprotocol/clientCapabilities": {} };
  const params = { notifications: { toolsListChanged: true }, _meta: meta };
  const method = "subscriptions/listen";
  const headers = { "mcp-protocol-version": CURRENT, "mcp-method": method };
  // It ends: nothing is held open.
  const sent = await send(server, key, { jsonrpc: "2.0", id: 1, method, params }, { headers });
  expect(sent.headers.get("content-type")).toBe("text/event-stream");
  expect(sent.text).toContain('"resultType":"complete"');
});

it("connections that are reset in the middle leave the server alive", async () => {
  const head = `POST /mcp HTTP/1.1\r\nHost: ${new URL(server.origin).host}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
  const body = JSON.stringify(toolCall("listPlayers"));
  for (const bytes of [
    head,
    `${head}Content-Length: 100000\r\n\r\n{"json`,
    `${head}Content-Length: ${body.length}\r\n\r\n${body}`,
  ]) {
    for (let time = 0; time < 5; time++) {
      const connection = await openRaw(server.origin);
      connection.send(bytes);
      await new Promise((resolve) => setImmediate(resolve));
      connection.socket.resetAndDestroy();
    }
  }
  await expectAlive();
});

it("a hundred calls at once over the official client are each answered", async () => {
  const client = await connect(server, key);
  const results = await Promise.all(Array.from({ length: 100 }, () => client.callTool({ name: "describeKey" })));
  const left = results.map((result) => told(result).data.limits.minute.remaining);
  // Each has counted, and each once.
  expect(new Set(left).size).toBe(100);
  await client.close();
});

it("nothing of it is in the OpenAPI document, and nobody is sent to an authorization server", async () => {
  expect(await (await fetch(`${server.origin}/openapi.json`)).text()).not.toMatch(/mcp/i);
  for (const path of [
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-authorization-server",
    "/mcp/x",
    "/register",
  ]) {
    const answer = await fetch(`${server.origin}${path}`, { headers: { accept: "application/json" } });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/json; charset=utf-8"]);
  }
});

it("no key is said back or written down, wherever it is put", async () => {
  const { key: secret } = await makeKey(server, orgId);
  const answers: string[] = [];
  const places = [
    toolCall(secret),
    toolCall("listPlayers", { [secret]: 1 }),
    toolCall("listPlayers", { cursor: secret, sort: secret, limit: secret }),
    toolCall("getPlayer", { id: secret }),
    toolCall("createPlayer", { ign: "Vex", role: secret, [secret]: secret }),
    { ...LIST, method: secret },
    { ...LIST, id: secret, method: "nothing" },
    { ...LIST, params: { _meta: { "io.modelcontextprotocol/protocolVersion": secret } } },
  ];
  for (const message of places) answers.push((await send(server, secret, message)).text);
  for (const name of ["mcp-protocol-version", "mcp-method", "mcp-name", "origin"]) {
    answers.push((await send(server, secret, LIST, { headers: { [name]: secret } })).text);
  }
  expect(findKeyTracesIn("answers", answers.join("\n"), [secret])).toEqual([]);
  expect(answers.join("\n")).toContain(`${secret.slice(0, 16)}…`);
  expect(findKeyTraces(server.dataDir, server.logged(), [secret])).toEqual([]);
});
