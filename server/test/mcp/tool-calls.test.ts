/** A tool does what its endpoint does, no more and no less, and it leaves the same traces. */
import { ENDPOINTS } from "@lineup/api/endpoints";
import { TIERS } from "@lineup/api/tiers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStage, type Stage } from "../contract/checked-call.ts";
import { exampleBody, ownPath } from "../contract/endpoint-requests.ts";
import { call, type LooseBody, makeKey, makeOrg } from "../test-server.ts";
import { alterStore } from "../test-store.ts";
import { type SentMessage, send, told, toolCall } from "./assistant.ts";

let stage: Stage;
let key: string;
beforeAll(async () => {
  stage = await openStage();
  ({ key } = await makeKey(stage.server, stage.seed.orgId));
});
afterAll(() => stage.stop());

async function use(name: string, args: object = {}, as = key): Promise<LooseBody> {
  const sent = await send(stage.server, as, toolCall(name, args));
  expect(sent.status).toBe(200);
  return told(sent.body.result);
}

function withoutNulls(value: unknown): LooseBody {
  return JSON.parse(JSON.stringify(value, (_, one) => (one === null ? undefined : one)));
}

const READS = ENDPOINTS.filter(({ method, name }) => method === "GET" && name !== "listChanges");

it.each(READS)("$name tells what GET $path answers, page by page", async (endpoint) => {
  const path = ownPath(endpoint, stage.seed);
  const { body, headers } = await call(stage.server, "GET", path, { key });
  const args = endpoint.path.includes("{id}") ? { id: path.split("/").at(-1) } : {};
  if (!endpoint.list) {
    const answered = await use(endpoint.name, args);
    // Each of the two requests has counted.
    const { limits: _, ...wanted } = withoutNulls(body.data);
    expect(answered.data).toMatchObject(wanted);
    expect(answered.etag).toBe(endpoint.name === "describeKey" ? undefined : headers.get("etag"));
    return;
  }
  const pages: LooseBody[] = [];
  do pages.push(await use(endpoint.name, { cursor: pages.at(-1)?.nextCursor, limit: 1 }));
  while (pages.at(-1)?.nextCursor !== undefined);
  expect(pages).toHaveLength(Math.max(1, body.data.length));
  expect(pages.flatMap(({ data }) => data)).toEqual(withoutNulls(body.data));
});

it("filters and sorts as the endpoint does", async () => {
  const query = { status: "active,benched", sort: "-ign", limit: 3 };
  const { body } = await call(stage.server, "GET", "/players?status=active%2Cbenched&sort=-ign&limit=3", { key });
  const answered = await use("listPlayers", query);
  expect(answered.data).toEqual(withoutNulls(body.data));
  expect(answered.nextCursor).toBe(body.meta.nextCursor);
});

it("follows the changes, and a call without anything says where to go on", async () => {
  const begun = await use("listChanges");
  expect(begun).toEqual({ data: [], nextCursor: expect.any(String) });
  const made = await use("createProspect", { ign: "Kite" });
  const { data } = await use("listChanges", { cursor: begun.nextCursor });
  expect(data).toMatchObject([{ type: "prospect.created", resourceId: made.data.id }]);
});

it.each(ENDPOINTS.filter(({ method }) => method !== "GET"))(
  "$name writes what $method $path writes",
  async (endpoint) => {
    const example = exampleBody(endpoint) as object;
    const id = endpoint.method === "PATCH" ? { id: ownPath(endpoint, stage.seed).split("/").at(-1) } : {};
    const before = await stage.server.store.org(stage.seed.orgId).readAuditEnd();
    const { data } = await use(endpoint.name, { ...id, ...example });
    expect(data).toMatchObject({ ...id, ...example });
    const path = `${endpoint.path.replace("/{id}", "")}/${data.id}`;
    expect(withoutNulls((await call(stage.server, "GET", path, { key })).body.data)).toEqual(data);
    const after = await stage.server.store.org(stage.seed.orgId).readAuditEnd();
    expect(after.count).toBeGreaterThan(before.count);
    const { error } = await use(endpoint.name, { ...id, ign: "", nonsense: 1 });
    expect(error.code).toBe("VALIDATION_ERROR");
    expect(error.details.map(({ field }: { field: string }) => field)).toEqual(
      expect.arrayContaining(["ign", "nonsense"]),
    );
  },
);

it("a write under a key of its own is made once, and one of a record that has changed is not made", async () => {
  const args = { ign: "Once", role: "Player", idempotencyKey: "once-1" };
  const made = await use("createPlayer", args);
  expect(await use("createPlayer", args)).toEqual(made);
  expect((await use("createPlayer", { ...args, ign: "Twice" })).error.message).toContain("Idempotency-Key");
  const { id } = made.data;
  const changed = await use("updatePlayer", { id, ign: "Changed", ifMatch: made.etag });
  expect(changed.data.ign).toBe("Changed");
  expect((await use("updatePlayer", { id, ign: "Lost", ifMatch: made.etag })).error.message).toContain("If-Match");
  expect((await use("getPlayer", { id })).data.ign).toBe("Changed");
});

it("an error carries code, message, status, details and the request's id", async () => {
  const sent = await send(stage.server, key, toolCall("listPlayers", { limt: 5, status: "asleep", game: ["LoL"] }));
  expect(sent.body.result.isError).toBe(true);
  const { error, requestId } = told(sent.body.result);
  expect(error).toMatchObject({ code: "INVALID_PARAMETER", status: 400 });
  expect(error.details).toEqual([{ field: "game", message: expect.stringContaining("must be a text or a number") }]);
  expect(requestId).toBe(sent.headers.get("x-request-id"));
  const others = await use("listPlayers", { limt: 5, status: "asleep" });
  expect(others.error.details.map(({ field }: { field: string }) => field)).toEqual(["limt", "status"]);
});

it.each([
  ["getPlayer", {}, "INVALID_PARAMETER", "id"],
  ["getPlayer", { id: "player_01jb8v6k3ze5xr9m4q7w2t5n8d" }, "NOT_FOUND", undefined],
  ["getPlayer", { id: "../teams" }, "NOT_FOUND", undefined],
  ["getPlayer", { id: "a\0b" }, "NOT_FOUND", undefined],
  ["getPlayer", { id: "\ud800" }, "INVALID_PARAMETER", "id"],
  ["getPlayer", { id: { nested: true } }, "INVALID_PARAMETER", "id"],
  ["getPlayer", { id: "x".repeat(300) }, "NOT_FOUND", undefined],
  ["updatePlayer", { ign: "Nobody" }, "VALIDATION_ERROR", "id"],
  ["createPlayer", { ign: "No role" }, "VALIDATION_ERROR", "role"],
  ["createPlayer", { ign: "Vex", role: "Mid" }, "INVALID_ROLE", undefined],
  ["createPlayer", { ign: "Vex", role: "Player", __proto__: null, constructor: 1 }, "VALIDATION_ERROR", "constructor"],
  ["createPlayer", { ign: "Vex", role: "Player", idempotencyKey: "two words" }, "VALIDATION_ERROR", "Idempotency-Key"],
  ["createPlayer", { ign: "Vex", role: "Player", ifMatch: "*" }, "VALIDATION_ERROR", "ifMatch"],
  ["listPlayers", { limit: 0 }, "INVALID_PARAMETER", "limit"],
  ["listPlayers", { limit: 501 }, "INVALID_PARAMETER", "limit"],
  ["listPlayers", { limit: "1e2" }, "INVALID_PARAMETER", "limit"],
  ["listPlayers", { teamId: null }, "INVALID_PARAMETER", "teamId"],
  ["listPlayers", { cursor: "none" }, "INVALID_PARAMETER", "cursor"],
  ["listPlayers", { "": "", "a&b=c": 1 }, "INVALID_PARAMETER", "a&b=c"],
])("%s refuses %j with %s", async (name, args, code, field) => {
  const { error } = await use(name, args);
  expect(error.code).toBe(code);
  if (field !== undefined) expect(error.details.map((one: { field: string }) => one.field)).toContain(field);
});

it("an id that is a word of another endpoint's address is answered as no id, whatever is cached", async () => {
  expect((await call(stage.server, "GET", "/contracts/expiring", { key })).status).toBe(200);
  expect((await use("getContract", { id: "expiring" })).error?.code).toBe("NOT_FOUND");
});

it("arguments that no address could hold are refused before anything is looked for", async () => {
  const { error } = await use("listPlayers", { search: "%25".repeat(10_000) });
  expect(error).toMatchObject({ code: "INVALID_PARAMETER", message: expect.stringContaining("more room than an") });
});

it("no tool reaches another organization", async () => {
  const other = await makeKey(stage.server, await makeOrg(stage.server));
  const [player] = stage.seed.players;
  expect((await use("listPlayers", {}, other.key)).data).toEqual([]);
  const unknown = await use("getPlayer", { id: "player_01jb8v6k3ze5xr9m4q7w2t5n8d" }, other.key);
  expect((await use("getPlayer", { id: player.id }, other.key)).error).toEqual(unknown.error);
  const { nextCursor } = await use("listPlayers", { limit: 1 });
  expect((await use("listPlayers", { cursor: nextCursor }, other.key)).error.code).toBe("INVALID_PARAMETER");
});

it("every request counts once, and at the limit a tool says when to come again", async () => {
  const free = await makeKey(stage.server, await makeOrg(stage.server, "Free"), ["players:read"]);
  const remaining = ({ headers }: SentMessage) => Number(headers.get("x-ratelimit-remaining"));
  const { perMinute } = TIERS.Free;
  const ask = (method: string) => send(stage.server, free.key, { jsonrpc: "2.0", id: 7, method });
  expect(remaining(await ask("tools/list"))).toBe(perMinute - 1);
  // A list is asked for more than once inside where its page has to be shortened; a body that is no message counts too.
  expect(remaining(await send(stage.server, free.key, toolCall("listPlayers")))).toBe(perMinute - 2);
  expect(remaining(await send(stage.server, free.key, "{"))).toBe(perMinute - 3);
  expect(remaining(await send(stage.server, free.key, undefined, { method: "GET" }))).toBe(perMinute - 4);
  expect((await use("describeKey", {}, free.key)).data.limits.minute.remaining).toBe(perMinute - 5);
  for (let sent = 5; sent < perMinute; sent++) await ask("ping");
  stage.clock.advance(20_000);
  const full = await send(stage.server, free.key, toolCall("listPlayers"));
  expect(full.status).toBe(200);
  expect(full.body.result.isError).toBe(true);
  expect(told(full.body.result)).toMatchObject({
    error: { code: "RATE_LIMIT_EXCEEDED", status: 429, message: expect.stringContaining("Wait 40 s") },
    retryAfterSeconds: 40,
  });
  expect(full.headers.get("retry-after")).toBe("40");
  const others = await ask("tools/list");
  expect([others.status, others.headers.get("retry-after"), others.body.id]).toEqual([429, "40", 7]);
  expect(others.body.error.data).toMatchObject({ code: "RATE_LIMIT_EXCEEDED", status: 429 });
  expect((await send(stage.server, free.key, "{")).status).toBe(429);
  // Of a long one too little is read to know what it calls.
  const long = await send(stage.server, free.key, toolCall("createProspect", { notes: "n".repeat(9_000) }, 8));
  expect([long.status, long.body.id, long.body.error.data.code]).toEqual([429, null, "RATE_LIMIT_EXCEEDED"]);
  stage.clock.advance(40_000);
  expect((await use("listPlayers", {}, free.key)).data).toEqual([]);
});

it("a fault of ours tells nothing of the inside, and the log all of it", async () => {
  await alterStore(stage.server.dataDir, "ALTER TABLE contracts RENAME TO contracts_gone");
  const sent = await send(stage.server, key, toolCall("listContracts"));
  await alterStore(stage.server.dataDir, "ALTER TABLE contracts_gone RENAME TO contracts");
  expect(sent.status).toBe(200);
  const { error, requestId } = told(sent.body.result);
  expect(error).toMatchObject({ code: "INTERNAL_ERROR", status: 500 });
  expect(sent.text).not.toMatch(/contracts_gone|sqlite|relation|select|node_modules/i);
  const line = JSON.parse(
    stage.server
      .logged()
      .split("\n")
      .find((one) => one.includes(requestId)) ?? "{}",
  );
  expect(line).toMatchObject({ level: 50, route: "GET /contracts", code: "INTERNAL_ERROR" });
  expect(line.err.stack).toContain("at ");
});

it("a tool's call is logged and counted as the request that it stands for, once", async () => {
  const sent = await send(stage.server, key, toolCall("getPlayer", { id: "player_01jb8v6k3ze5xr9m4q7w2t5n8d" }), {
    headers: { "user-agent": "an-assistant/1.0" },
  });
  const requestId = sent.headers.get("x-request-id") ?? "none";
  const lines = stage.server
    .logged()
    .split("\n")
    .filter((line) => line.includes(requestId));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { route: "GET /players/{id}", status: 404, code: "NOT_FOUND", keyId: expect.any(String) },
  ]);
  const listed = await send(stage.server, key, { jsonrpc: "2.0", id: 1, method: "tools/list" });
  const line = stage.server
    .logged()
    .split("\n")
    .find((one) => one.includes(listed.headers.get("x-request-id") ?? "none"));
  expect(JSON.parse(line ?? "{}")).toMatchObject({ route: "POST /mcp", status: 200 });
  const metrics = await (await fetch(`${stage.server.origin}/metrics`)).text();
  expect(metrics).toContain('route="POST /mcp",status="200"');
});
