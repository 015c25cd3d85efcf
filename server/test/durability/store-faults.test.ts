import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readdirSync, rmdirSync, statSync, writeSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { STORE_FILE } from "../../src/store/data-folder.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, makeOrg, type Reply, startTestServer, type TestServer } from "../test-server.ts";
import { startServerProcess } from "./server-process.ts";
import { findContradictions } from "./store-consistency.ts";

const PAGE_BYTES = 4_096;
const NOBODY = 65_534;

let folder: string;
let dataDir: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lineup-faults-"));
  dataDir = join(folder, "data");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Nothing of the inside is told to the client, and all of it stands in the log under the request's id. */
function expectInternalError(server: TestServer, reply: Reply, inLog: RegExp): void {
  expect([reply.status, reply.body.error.code]).toEqual([500, "INTERNAL_ERROR"]);
  expect(reply.text).not.toMatch(/sqlite|database|disk|malformed|lineup\.db|\/tmp|stack/i);
  const { requestId } = reply.body.meta;
  const line = server
    .logged()
    .split("\n")
    .find((one) => one.includes(requestId));
  expect(line).toMatch(inLog);
  expect(JSON.parse(line ?? "{}")).toMatchObject({ requestId, status: 500, code: "INTERNAL_ERROR" });
}

async function addPlayer(server: TestServer, key: string, name: string): Promise<Reply> {
  const stats = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`stat-${index}`, name.padEnd(100, "-")]));
  return call(server, "POST", "/players", { key, body: { ign: name, role: "Player", stats } });
}

describe("a file that is damaged while it is served yields right answers or none", () => {
  const damages: readonly [string, (file: string) => Promise<void>][] = [
    ["pages of zeros", async (file) => overwriteMiddle(file, 0)],
    ["pages of something else", async (file) => overwriteMiddle(file, 0xb7)],
    ["an end that is gone", async (file) => truncate(file, Math.floor(pagesOf(file) / 3) * PAGE_BYTES)],
  ];

  test.each(damages)("%s", async (_, damage) => {
    const { key, shown } = await seedPlayers(200);
    const server = await startTestServer({ dataDir });
    await damage(join(dataDir, STORE_FILE));
    const replies = new Map<string, Reply>();
    for (const id of shown.keys()) replies.set(id, await call(server, "GET", `/players/${id}`, { key }));
    const failed: Reply[] = [];
    for (const [id, reply] of replies) {
      if (reply.status === 200) expect(reply.body.data).toEqual(shown.get(id));
      else failed.push(reply);
    }
    expect(failed.length).toBeGreaterThan(0);
    for (const reply of failed) expectInternalError(server, reply, /SQLITE_(CORRUPT|IOERR|NOTADB)/);
    const list = await call(server, "GET", "/players", { key });
    if (list.status === 200) expect(list.body.data).toEqual([...shown.values()]);
    else expectInternalError(server, list, /SQLITE_(CORRUPT|IOERR|NOTADB)/);
    await server.stop();
    await expect(startTestServer({ dataDir })).rejects.toThrow(/lineup\.db is damaged.*Restore a backup/);
  });

  async function seedPlayers(count: number) {
    const server = await startTestServer({ dataDir });
    const { key } = await makeKey(server, await makeOrg(server));
    const shown = new Map<string, unknown>();
    for (let made = 0; made < count; made++) {
      const { body } = await addPlayer(server, key, `p${made}`);
      shown.set(body.data.id, body.data);
    }
    await server.stop();
    return { key, shown };
  }

  function pagesOf(file: string): number {
    return Math.floor(statSync(file).size / PAGE_BYTES);
  }

  /** In place, as a disk or another program would. */
  function overwriteMiddle(file: string, fill: number): void {
    const pages = pagesOf(file);
    const bytes = Buffer.alloc(Math.floor(pages / 3) * PAGE_BYTES, fill);
    const descriptor = openSync(file, constants.O_WRONLY);
    writeSync(descriptor, bytes, 0, bytes.length, Math.floor(pages / 3) * PAGE_BYTES);
    closeSync(descriptor);
  }
});

describe("a store that is full refuses writes, goes on reading, and writes again when there is room", () => {
  const fillings: [string, (server: TestServer) => Promise<() => Promise<void>>][] = [
    ["by its own limit of pages", limitPages],
  ];
  // A disk of our own needs the right to mount one. Where nobody has it, the limit of pages stands for both: to SQLite
  // they are the same error.
  if (canMount()) fillings.push(["by a full disk", fillDisk]);

  test.each(fillings)("%s", async (kind, fill) => {
    await mkdir(dataDir);
    const isMounted = kind === "by a full disk";
    if (isMounted) execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", dataDir]);
    try {
      const server = await startTestServer({ dataDir });
      const { key } = await makeKey(server, await makeOrg(server));
      const first = await addPlayer(server, key, "first");
      expect(first.status).toBe(201);
      const free = await fill(server);
      const refused = await fillUp(server, key);
      expectInternalError(server, refused, /SQLITE_(FULL|IOERR)/);
      const read = await call(server, "GET", `/players/${first.body.data.id}`, { key });
      expect(read.body.data).toEqual(first.body.data);
      const before = await call(server, "GET", "/players", { key });
      expectInternalError(server, await addPlayer(server, key, "none"), /SQLITE_(FULL|IOERR)/);
      expect((await call(server, "GET", "/players", { key })).body.data).toEqual(before.body.data);
      await free();
      const after = await addPlayer(server, key, "after");
      expect(after.status).toBe(201);
      expect((await call(server, "GET", "/players", { key })).body.data).toEqual([
        ...before.body.data,
        after.body.data,
      ]);
      await server.stop();
      expect(await findContradictions(dataDir)).toEqual([]);
    } finally {
      if (isMounted) execFileSync("umount", ["-l", dataDir]);
    }
  });

  test.skipIf(!canMount())("and stops on a full disk without a fault, and says what it leaves out", async () => {
    await mkdir(dataDir);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", dataDir]);
    try {
      const server = await startTestServer({ dataDir });
      const { key } = await makeKey(server, await makeOrg(server, "Free"));
      const { data } = (await addPlayer(server, key, "confirmed")).body;
      const free = await fillDisk();
      await call(server, "GET", "/players", { key });
      await server.stop();
      expect(server.logged()).toMatch(/"level":40.*the disk is full: what was counted .*limits\.db/);
      expect(server.logged()).toMatch(/"level":40.*left out: \d requests of the request log; how much keys were used/);
      expect(server.logged()).not.toContain("could not be closed cleanly");
      await free();
      const next = await startTestServer({ dataDir });
      expect((await call(next, "GET", "/players", { key })).body.data).toEqual([data]);
      await next.stop();
    } finally {
      execFileSync("umount", ["-l", dataDir]);
    }
  });

  /** Writes until it is refused. */
  async function fillUp(server: TestServer, key: string): Promise<Reply> {
    for (let made = 0; made < 500; made++) {
      const reply = await addPlayer(server, key, `f${made}`);
      if (reply.status !== 201) return reply;
    }
    throw new Error("The store was never full.");
  }

  async function limitPages(server: TestServer) {
    const set = (pages: number) =>
      server.store.writeAccess(TEST_ORIGIN, async (operator) => {
        await sql`PRAGMA max_page_count = ${sql.lit(pages)}`.execute(operator);
      });
    await set(1);
    return () => set(1_000_000);
  }

  async function fillDisk() {
    const ballast = join(dataDir, "ballast");
    await writeFile(ballast, Buffer.alloc(16 * 1024 * 1024)).catch(() => {});
    return () => rm(ballast);
  }

  function canMount(): boolean {
    const trial = mkdtempSync(join(tmpdir(), "lineup-mount-"));
    try {
      execFileSync("mount", ["-t", "tmpfs", "tmpfs", trial], { stdio: "ignore" });
      execFileSync("umount", [trial], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    } finally {
      rmdirSync(trial);
    }
  }
});

describe("a store that cannot be written is not served", () => {
  /** Rights do not bind the administrator, so the server gives them up first. */
  const env: Record<string, string> = process.getuid?.() === 0 ? { TEST_CHILD_UID: String(NOBODY) } : {};

  beforeEach(async () => {
    const server = await startTestServer({ dataDir });
    await server.stop();
    for (const path of [folder, dataDir]) await chmod(path, 0o777);
    for (const name of readdirSync(dataDir)) await chmod(join(dataDir, name), 0o666);
  });

  test("because of its file", async () => {
    await chmod(join(dataDir, STORE_FILE), 0o444);
    await expect(startServerProcess(dataDir, env)).rejects.toThrow(/lineup\.db cannot be written.*write access/);
  });

  test("because of its folder", async () => {
    await chmod(dataDir, 0o555);
    await expect(startServerProcess(dataDir, env)).rejects.toThrow(/server\.lock cannot be written.*write access/);
    await chmod(dataDir, 0o777);
  });

  test("and is served as soon as it can be", async () => {
    const server = await startServerProcess(dataDir, env);
    expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
    await server.kill();
  });
});
