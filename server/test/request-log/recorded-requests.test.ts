import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { revokeKey } from "../../src/access/key-admin.ts";
import { readEndpoints, readHours } from "../../src/request-log/key-usage.ts";
import { findRequest } from "../../src/request-log/list-requests.ts";
import type { BlockStore } from "../../src/request-log/request-block.ts";
import type { LoggedRequest } from "../../src/request-log/request-record.ts";
import { findKeyTraces, findKeyTracesIn } from "../hostile/key-traces.ts";
import { waitUntil } from "../nodes/wait-until.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, makeOrg, type Reply, startTestServer, type TestServer } from "../test-server.ts";
import { dropTestStore, ENGINE, readStored, runSql } from "../test-store.ts";
import { openTestBlocks, walkLog } from "./logged-requests.ts";

/** A request appears within a second; the machine may be busy with other tests. */
const SOON_MS = 10_000;
let server: TestServer;
let blocks: BlockStore;

beforeAll(async () => {
  server = await startTestServer();
  blocks = openTestBlocks(server.dataDir, server.store);
});
afterAll(async () => {
  await blocks?.close();
  await server?.stop();
});

function requestIdOf(reply: Reply): string {
  return reply.headers.get("x-request-id") ?? "";
}

async function waitForRequest(orgId: string, reply: Reply): Promise<LoggedRequest> {
  let found: LoggedRequest | undefined;
  const look = async () => {
    found = await findRequest(blocks, orgId, requestIdOf(reply));
    return found !== undefined;
  };
  await waitUntil(`request ${requestIdOf(reply)} is in the log`, look, SOON_MS);
  return found as LoggedRequest;
}

describe("a request by a key", () => {
  it("is in the log with all that is known of it, whatever its answer", async () => {
    const orgId = await makeOrg(server);
    const { key, id: keyId } = await makeKey(server, orgId);
    const reader = await makeKey(server, orgId, ["players:read"]);
    const expired = await makeKey(server, orgId);
    await runSql(server.dataDir, "UPDATE api_keys SET expires_at = ? WHERE id = ?", Date.now() - 1, expired.id);
    const revoked = await makeKey(server, orgId);
    await revokeKey(server.store, revoked.id, TEST_ORIGIN);
    const unknownId = "player_01h2xcejqtf2nbrexx3vqjhp41";
    const body = { ign: "Vex", role: "Player" };
    const cases = [
      ["GET", "/players?status=active&limit=5", { key }, "listPlayers", 200, null],
      ["GET", `/players/${unknownId}`, { key }, "getPlayer", 404, "NOT_FOUND"],
      ["GET", "/nowhere?a=b", { key }, "unknown", 404, "NOT_FOUND"],
      ["PUT", "/players", { key, body }, "unknown", 404, "NOT_FOUND"],
      ["HEAD", "/teams", { key }, "listTeams", 200, null],
      ["POST", "/players", { key, body }, "createPlayer", 201, null],
      ["POST", "/players", { key, body: { ign: "Vex" } }, "createPlayer", 400, "VALIDATION_ERROR"],
      ["PATCH", `/players/${unknownId}`, { key, body }, "updatePlayer", 404, "NOT_FOUND"],
      ["GET", "/players?limit=0", { key }, "listPlayers", 400, "INVALID_PARAMETER"],
      ["GET", "/teams", { key: reader.key }, "listTeams", 403, "INSUFFICIENT_PERMISSIONS"],
      ["GET", "/players", { key: expired.key }, "listPlayers", 403, "KEY_EXPIRED"],
      ["GET", "/players", { key: revoked.key }, "listPlayers", 403, "KEY_REVOKED"],
    ] as const;
    const owners = new Map([key, reader.key, expired.key, revoked.key].map((one, index) => [one, index]));
    const keyIds = [keyId, reader.id, expired.id, revoked.id];
    for (const [method, path, options, endpoint, status, code] of cases) {
      const before = Date.now();
      const reply = await call(server, method, path, { ...options, headers: { "user-agent": "test/1.2 (é)" } });
      expect([method, path, reply.status]).toEqual([method, path, status]);
      const found = await waitForRequest(orgId, reply);
      expect(found).toEqual({
        id: requestIdOf(reply),
        at: expect.any(Number),
        keyId: keyIds[owners.get(options.key) ?? -1],
        method,
        target: path,
        endpoint,
        status,
        code,
        durationUs: expect.any(Number),
        address: "127.0.0.1",
        userAgent: expect.stringContaining("test/1.2"),
      });
      expect(found.at).toBeGreaterThanOrEqual(before - 1);
      expect(found.at).toBeLessThanOrEqual(Date.now());
      expect(found.durationUs).toBeGreaterThan(0);
    }
    const { requests } = await walkLog(blocks, orgId, {}, 5);
    expect(requests).toHaveLength(cases.length);
  });

  it("is in the log when the limits refuse it, and counted in the hour's use", async () => {
    const orgId = await makeOrg(server, "Free");
    const { key, id: keyId } = await makeKey(server, orgId);
    const replies: Reply[] = [];
    for (let count = 0; count < 13; count++) replies.push(await call(server, "GET", "/players", { key }));
    const last = replies.at(-1) as Reply;
    expect(last.status).toBe(429);
    expect(await waitForRequest(orgId, last)).toMatchObject({ status: 429, code: "RATE_LIMIT_EXCEEDED", keyId });
    const readUse = () => readHours(server.store, orgId, { fromHour: 0 });
    const isCounted = async () => (await readUse()).reduce((sum, one) => sum + one.answered + one.refused, 0) === 13;
    await waitUntil("all 13 are counted", isCounted, SOON_MS);
    expect((await readUse()).every((hour) => hour.keyId === keyId && hour.failed === 0)).toBe(true);
    const [use] = await readEndpoints(server.store, orgId, keyId, 0);
    expect(use).toMatchObject({ endpoint: "listPlayers", requests: 13, errors: 3 });
    expect(use?.durationUs).toBeGreaterThan(0);
  });

  it("leaves no trace of a key, wherever the client has written it", async () => {
    const orgId = await makeOrg(server);
    const { key } = await makeKey(server, orgId);
    const encoded = [...key].map((one) => `%${one.charCodeAt(0).toString(16)}`).join("");
    const places: readonly (readonly [string, Record<string, string>])[] = [
      ["/players", { "x-forwarded-for": key, referer: key }],
      [`/players?key=${key}`, {}],
      [`/players/${key}`, {}],
      [`/players?search=${encoded}`, {}],
      [`/${key}${key}?${key}=${key}`, {}],
      ["/players", { "user-agent": `client ${key}` }],
    ];
    let last: Reply | undefined;
    for (const [path, headers] of places) last = await call(server, "GET", path, { key, headers });
    await waitForRequest(orgId, last as Reply);
    expect((await walkLog(blocks, orgId, { path: "lineup_live_" }, 50)).requests).toHaveLength(4);
    expect(findKeyTraces(server.dataDir, server.logged(), [key])).toEqual([]);
    if (ENGINE === "postgres") expect(findKeyTracesIn("store", await readStored(server.dataDir), [key])).toEqual([]);
  });

  it("is counted among the metrics", async () => {
    const orgId = await makeOrg(server);
    const { key } = await makeKey(server, orgId);
    await waitForRequest(orgId, await call(server, "GET", "/me", { key }));
    const metrics = await (await fetch(`${server.origin}/metrics`)).text();
    const readValue = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, "m").exec(metrics)?.[1]);
    expect(readValue("lineup_request_log_recorded_total")).toBeGreaterThan(0);
    expect(readValue("lineup_request_log_dropped_total")).toBe(0);
    expect(readValue("lineup_request_log_faults_total")).toBe(0);
  });
});

describe("a request without a known key", () => {
  it("is not in any log of requests", async () => {
    const orgId = await makeOrg(server);
    const { key } = await makeKey(server, orgId);
    const refused = await call(server, "GET", "/players", {});
    const later = await call(server, "GET", "/players", { key });
    await waitForRequest(orgId, later);
    expect(await findRequest(blocks, orgId, requestIdOf(refused))).toBeUndefined();
    expect((await walkLog(blocks, orgId, {}, 50)).requests).toHaveLength(1);
  });
});

describe("a server", () => {
  it("writes down what is left when it stops, and goes on with the log when it starts again", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "lineup-log-"));
    try {
      const first = await startTestServer({ dataDir });
      const orgId = await makeOrg(first);
      const { key, id: keyId } = await makeKey(first, orgId);
      for (let count = 0; count < 40; count++) await call(first, "GET", "/players", { key });
      await first.stop();
      const second = await startTestServer({ dataDir });
      const own = openTestBlocks(dataDir, second.store);
      expect((await walkLog(own, orgId, {}, 50)).requests).toHaveLength(40);
      expect((await readEndpoints(second.store, orgId, keyId, 0))[0]?.requests).toBe(40);
      await own.close();
      await second.stop();
    } finally {
      await dropTestStore(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  it("that is told to keep no requests removes what there was, records none, and still counts", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "lineup-log-"));
    try {
      const first = await startTestServer({ dataDir });
      const orgId = await makeOrg(first);
      const { key, id: keyId } = await makeKey(first, orgId);
      await call(first, "GET", "/players", { key });
      await first.stop();
      const second = await startTestServer({ dataDir, config: { requestLogDays: 0 } });
      await call(second, "GET", "/players", { key });
      const own = openTestBlocks(dataDir, second.store);
      const isEmpty = async () => (await walkLog(own, orgId, {}, 50)).requests.length === 0;
      await waitUntil("the log is empty", isEmpty, 25_000);
      await own.close();
      await second.stop();
      const third = await startTestServer({ dataDir });
      expect((await readEndpoints(third.store, orgId, keyId, 0))[0]?.requests).toBe(2);
      await third.stop();
    } finally {
      await dropTestStore(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
