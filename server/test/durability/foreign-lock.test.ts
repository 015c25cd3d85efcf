import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readLastUsed } from "../../src/limits/journal-transfer.ts";
import { STORE_FILE } from "../../src/store/data-folder.ts";
import { call, makeKey, makeOrg, type Reply, startTestServer, type TestServer } from "../test-server.ts";
import { startServerProcess } from "./server-process.ts";

const HELD_MS = 2_000;

let server: TestServer;
let key: { readonly id: string; readonly key: string };
const children: ChildProcessWithoutNullStreams[] = [];

beforeEach(async () => {
  server = await startTestServer();
  key = await makeKey(server, await makeOrg(server));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await server.stop();
});

/** Another process in the middle of a long write, which ends when it is told to. */
async function holdWriteLock(): Promise<{ release(): Promise<void> }> {
  const program = `
    import { once } from "node:events";
    import Sqlite from ${JSON.stringify(import.meta.resolve("better-sqlite3"))};
    const database = new Sqlite(${JSON.stringify(join(server.dataDir, STORE_FILE))}, { timeout: 5000 });
    database.exec("BEGIN IMMEDIATE; UPDATE organizations SET revision = revision + 1");
    console.log("held");
    await once(process.stdin, "data");
    database.exec("COMMIT");
    database.close();
    process.exit();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program]);
  children.push(child);
  child.stderr.pipe(process.stderr);
  await once(child.stdout, "data");
  return {
    async release() {
      child.stdin.end("go\n");
      await once(child, "exit");
    },
  };
}

const read = () => call(server, "GET", "/players", { key: key.key });
const write = (ign: string) => call(server, "POST", "/players", { key: key.key, body: { ign, role: "Player" } });

async function timeReads(forMs: number): Promise<number[]> {
  const until = performance.now() + forMs;
  const tookMs: number[] = [];
  while (performance.now() < until) {
    const from = performance.now();
    expect((await read()).status).toBe(200);
    tookMs.push(performance.now() - from);
    await sleep(5);
  }
  return tookMs.sort((a, b) => a - b);
}

describe("a long write by another process", () => {
  test("holds up no read, no count of requests, and no write for longer than itself", async () => {
    await timeReads(200);
    const undisturbed = await timeReads(500);
    const lock = await holdWriteLock();
    const answered: string[] = [];
    const writes = ["a", "b", "c"].map(async (name) => {
      const reply = await write(name);
      answered.push(name);
      return reply;
    });
    const disturbed = await timeReads(HELD_MS);
    expect(answered).toEqual([]);
    const p99 = (times: readonly number[]) => times[Math.floor(times.length * 0.99)] ?? 0;
    // Waiting inside SQLite would make single reads take as long as the lock is held.
    expect(p99(disturbed)).toBeLessThan(Math.max(HELD_MS / 2, 5 * p99(undisturbed)));
    expect(readLastUsed(join(server.dataDir, "limits.db")).has(key.id)).toBe(true);
    await lock.release();
    const replies: Reply[] = await Promise.all(writes);
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(answered).toEqual(["a", "b", "c"]);
    expect((await read()).body.meta.count).toBe(3);
  });

  test("that ends by a crash lets the writes through that waited", async () => {
    await holdWriteLock();
    const waiting = write("patient");
    await read();
    children[0]?.kill("SIGKILL");
    expect((await waiting).status).toBe(201);
  });
});

describe("a second server on the same folder", () => {
  test("is refused and disturbs nothing, in this process and in another", async () => {
    const refusal = /server is running on .*Stop it first, or choose another folder with LINEUP_DATA_DIR/;
    await expect(startTestServer({ dataDir: server.dataDir })).rejects.toThrow(refusal);
    await expect(startServerProcess(server.dataDir)).rejects.toThrow(refusal);
    expect((await write("still served")).status).toBe(201);
  });

  test("starts as soon as the first was killed", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "lineup-killed-"));
    const first = await startServerProcess(dataDir);
    await first.kill();
    const second = await startServerProcess(dataDir);
    expect((await fetch(`${second.origin}/readyz`)).status).toBe(200);
    await second.kill();
    await rm(dataDir, { recursive: true });
  });
});
