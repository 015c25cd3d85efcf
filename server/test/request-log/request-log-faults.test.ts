import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PERMISSIONS } from "@lineup/api/permissions";
import Sqlite from "better-sqlite3";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createKey } from "../../src/access/key-admin.ts";
import { createOrganization } from "../../src/access/organizations.ts";
import type { BlockStore } from "../../src/request-log/request-block.ts";
import { RequestLog } from "../../src/request-log/request-log.ts";
import { REQUESTS_FILE } from "../../src/store/data-folder.ts";
import { makeWorld } from "../dashboard/dashboard-world.ts";
import { startServerProcess } from "../durability/server-process.ts";
import { waitUntil } from "../nodes/wait-until.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";
import { dropTestStore, ENGINE, openTestStore, storeSettingsOf } from "../test-store.ts";
import { makeRecord, openTestBlocks, walkLog } from "./logged-requests.ts";

const SOON_MS = 20_000;
let dataDir: string;
const cleanUps: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "lineup-log-faults-"));
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  await dropTestStore(dataDir);
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<TestServer> {
  const server = await startTestServer({ dataDir });
  cleanUps.push(() => server.stop());
  return server;
}

function readLog(server: TestServer): BlockStore {
  const blocks = openTestBlocks(dataDir, server.store);
  cleanUps.push(() => blocks.close());
  return blocks;
}

async function waitForRequests(blocks: BlockStore, orgId: string, count: number): Promise<void> {
  const areThere = async () => (await walkLog(blocks, orgId, {}, 200)).requests.length === count;
  await waitUntil(`${count} requests are in the log`, areThere, SOON_MS);
}

/** Nobody can write the log until it is let go. */
async function lockLog(): Promise<() => Promise<void>> {
  if (ENGINE === "sqlite") {
    const file = new Sqlite(join(dataDir, REQUESTS_FILE), { timeout: 5_000 });
    file.exec("BEGIN IMMEDIATE");
    return async () => void file.close();
  }
  const client = new Client({ connectionString: (await storeSettingsOf(dataDir)).databaseUrl });
  await client.connect();
  await client.query("BEGIN");
  await client.query("LOCK TABLE lineup.request_blocks IN ACCESS EXCLUSIVE MODE");
  return () => client.end();
}

describe("a log that cannot be written", () => {
  it("disturbs no answer, and has all requests when it can be written again", async () => {
    const server = await start();
    const orgId = await makeOrg(server);
    const { key } = await makeKey(server, orgId);
    await call(server, "GET", "/players", { key });
    const blocks = readLog(server);
    await waitForRequests(blocks, orgId, 1);
    const unlock = await lockLog();
    try {
      const startedAt = performance.now();
      for (let count = 0; count < 30; count++) {
        expect((await call(server, "GET", "/players", { key })).status).toBe(200);
        await sleep(60);
      }
      // Nobody waited for the lock, which was held all the time.
      expect(performance.now() - startedAt).toBeLessThan(15_000);
    } finally {
      await unlock();
    }
    await waitForRequests(blocks, orgId, 31);
    const faults = server.logged().match(/the request log cannot be written/g) ?? [];
    expect(faults.length).toBeLessThanOrEqual(1);
  });

  it("fills up, and then drops requests and counts them, while use is counted whole", async () => {
    const store = await openTestStore(dataDir);
    cleanUps.push(() => store.close());
    const { id: orgId } = await createOrganization(store, { name: "Full", tier: "Enterprise" }, TEST_ORIGIN);
    const faults: string[] = [];
    const log = new RequestLog({
      store,
      dataDir,
      retentionDays: 7,
      now: Date.now,
      onFault: (what) => void faults.push(what),
      onRecovery: () => {},
      onNotice: () => {},
    });
    cleanUps.push(() => log.close());
    log.recorder.record(makeRecord(orgId));
    await log.recorder.flush();
    const unlock = await lockLog();
    const TOTAL = 60_000;
    // By the processor's clock: a busy machine may keep this thread waiting between any two statements.
    const busyUs = () => process.threadCpuUsage().user;
    let slowestUs = 0;
    for (let count = 0; count < TOTAL; count++) {
      const target = `/api/public/v1/players?search=${String(count).padStart(400, "x")}`;
      const startedAt = busyUs();
      log.recorder.record(makeRecord(orgId, { target }));
      slowestUs = Math.max(slowestUs, busyUs() - startedAt);
      if (count % 1_000 === 0) await sleep(0);
    }
    const { dropped } = log.recorder;
    expect(dropped).toBeGreaterThan(1_000);
    expect(dropped).toBeLessThan(TOTAL);
    expect(slowestUs).toBeLessThan(500_000);
    await unlock();
    await waitUntil("what fitted is written", async () => log.recorder.recorded === TOTAL + 1 - dropped, SOON_MS);
    await log.recorder.flush();
    const rows = await store.org(orgId).selectFrom("key_usage").select("requests").execute();
    expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(TOTAL + 1);
  });

  it("does not fill up with refusals: a key's 429 are recorded to a bound, and counted beyond it", async () => {
    const store = await openTestStore(dataDir);
    cleanUps.push(() => store.close());
    const { id: orgId } = await createOrganization(store, { name: "Refused" }, TEST_ORIGIN);
    const quiet = { onFault: () => {}, onRecovery: () => {}, onNotice: () => {} };
    const now = Date.now();
    const log = new RequestLog({ store, dataDir, retentionDays: 7, now: () => now, ...quiet });
    cleanUps.push(() => log.close());
    for (let count = 0; count < 3_000; count++) log.recorder.record(makeRecord(orgId, { status: 429 }));
    log.recorder.record(makeRecord(orgId, { status: 200 }));
    await log.recorder.flush();
    expect([log.recorder.recorded, log.recorder.dropped]).toEqual([1_001, 2_000]);
    const rows = await store.org(orgId).selectFrom("key_usage").select("requests").where("status", "=", 429).execute();
    expect(rows).toEqual([{ requests: 3_000 }]);
  });
});

describe.runIf(ENGINE === "sqlite")("a log whose file is damaged", () => {
  it("is set aside at the start, with a word in the server's log, and begun anew", async () => {
    await (await openTestStore(dataDir)).close();
    await writeFile(join(dataDir, REQUESTS_FILE), "this is no database, and was never meant to be one".repeat(100));
    const server = await start();
    const orgId = await makeOrg(server);
    const { key } = await makeKey(server, orgId);
    expect((await call(server, "GET", "/players", { key })).status).toBe(200);
    const isSetAside = async () => server.logged().includes("was set aside as");
    await waitUntil("the damaged file is set aside", isSetAside, SOON_MS);
    await waitForRequests(readLog(server), orgId, 1);
    expect(await readFile(join(dataDir, `${REQUESTS_FILE}.damaged`), "utf8")).toContain("this is no database");
  });

  it("while the server runs disturbs no answer, and recording goes on in a new one", async () => {
    const world = await makeWorld({ dataDir });
    cleanUps.push(() => world.stop());
    const { server, first: orgId } = world;
    const { key } = await makeKey(server, orgId);
    const list = () => world.visitors.owner.try("listRequests", { path: { orgId } });
    for (let count = 0; count < 20; count++) await call(server, "GET", `/players?limit=${count + 1}`, { key });
    expect((await list()).body.requests).toHaveLength(20);
    // Its pages, and those in its journal.
    for (const name of [REQUESTS_FILE, `${REQUESTS_FILE}-wal`]) {
      const file = await open(join(dataDir, name), "r+");
      const { size } = await file.stat();
      await file.write(Buffer.alloc(size, 0xa5), 0, size, 0);
      await file.close();
    }
    const isSetAside = async () => {
      expect((await call(server, "GET", "/players", { key })).status).toBe(200);
      await list();
      return server.logged().includes("was set aside as");
    };
    await waitUntil("the damaged file is set aside", isSetAside, SOON_MS);
    await call(server, "GET", "/players?limit=99", { key });
    const isThere = async () => (await list()).body.requests?.[0]?.target === "/players?limit=99";
    await waitUntil("requests are recorded again", isThere, SOON_MS);
  });
});

describe("a server that is killed", () => {
  it("loses at most the requests of its last second, and no count twice", async () => {
    const store = await openTestStore(dataDir);
    const { id: orgId } = await createOrganization(store, { name: "Killed", tier: "Enterprise" }, TEST_ORIGIN);
    const { key } = await createKey(store, { orgId, name: "Key", permissions: PERMISSIONS }, TEST_ORIGIN);
    await store.close();
    const process = await startServerProcess(dataDir);
    const answered: { readonly id: string; readonly atMs: number }[] = [];
    const ask = async () => {
      const reply = await fetch(`${process.baseUrl}/players`, { headers: { authorization: `Bearer ${key}` } });
      answered.push({ id: reply.headers.get("x-request-id") ?? "", atMs: performance.now() });
      await reply.text();
    };
    for (const until = performance.now() + 4_000; performance.now() < until; await sleep(20)) await ask();
    const killedAtMs = performance.now();
    await process.kill();

    const server = await start();
    const blocks = readLog(server);
    const there = new Set((await walkLog(blocks, orgId, {}, 200)).requests.map(({ id }) => id));
    // A second, and time for a busy machine to come to it.
    const lost = answered.filter(({ id, atMs }) => !there.has(id) && atMs < killedAtMs - 2_500);
    expect(lost).toEqual([]);
    expect(answered.length).toBeGreaterThan(20);
    const use = await server.store.org(orgId).selectFrom("key_usage").select("requests").execute();
    expect(use.reduce((sum, { requests }) => sum + requests, 0)).toBeLessThanOrEqual(answered.length);
    expect((await call(server, "GET", "/players", { key })).status).toBe(200);
    await waitForRequests(blocks, orgId, there.size + 1);
  });
});
