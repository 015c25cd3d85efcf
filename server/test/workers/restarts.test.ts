/** What stays the same when the number of workers changes. */
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runLineup } from "../../src/cli/run-lineup.ts";
import { makeId } from "../../src/store/ids.ts";
import { openTestStore } from "../test-store.ts";
import {
  makeCallers,
  makeDataDir,
  makeKey,
  makeOrg,
  removeDataDir,
  startServe,
  type WorkerServer,
} from "./worker-server.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await makeDataDir();
});
afterEach(() => removeDataDir(dataDir));

async function countAdmitted(server: WorkerServer, key: string, requests: number): Promise<number> {
  const callers = makeCallers(server, 8);
  const answers = await Promise.all(
    Array.from({ length: requests }, (_, index) => callers[index % callers.length]?.call(key, "GET", "/teams")),
  );
  for (const caller of callers) caller.close();
  return answers.filter((answer) => answer?.status === 200).length;
}

describe("a server that is started again with another number of workers", () => {
  test("forgets no request that was counted", async () => {
    let server = await startServe(["--workers", "3"], dataDir);
    const { key } = await makeKey(server, await makeOrg(server, "Pro"));
    expect(await countAdmitted(server, key, 120)).toBe(120);
    for (const [workers, admitted] of [
      [1, 90],
      [2, 60],
      [3, 30],
    ] as const) {
      expect(await server.stop()).toBe(0);
      server = await startServe(["--workers", String(workers)], dataDir);
      expect(await countAdmitted(server, key, admitted + (workers === 3 ? 50 : 0))).toBe(admitted);
    }
    expect(await server.stop()).toBe(0);
  });

  test("starts though it has much to tell before there is any worker", async () => {
    // As a version before the audit log left them: each gets a chain as the server starts, which takes longer than what is told is gathered.
    await (await openTestStore(dataDir)).close();
    const sqlite = new Sqlite(join(dataDir, "lineup.db"));
    const insert = sqlite.prepare(
      "INSERT INTO organizations (id, name, tier, created_at, updated_at) VALUES (?, 'Older', 'Free', 0, 0)",
    );
    sqlite.transaction(() => {
      for (let made = 0; made < 3_000; made++) insert.run(makeId("org"));
    })();
    sqlite.close();
    const server = await startServe(["--workers", "2"], dataDir);
    const { key } = await makeKey(server, await makeOrg(server, "Pro"));
    expect(await countAdmitted(server, key, 8)).toBe(8);
    expect(await server.stop()).toBe(0);
  });
});

describe("the number of workers", () => {
  test.each(["0", "65", "-1", "two", "1.5"])("is refused as %s, with what to write instead", async (workers) => {
    const byOption = await runLineup(["serve", `--workers=${workers}`], { LINEUP_DATA_DIR: dataDir });
    expect(byOption.code).toBe(2);
    expect(byOption.err).toContain(
      `--workers must be a whole number from 1 to 64, or auto for one a core, not "${workers}".`,
    );
  });

  test("is refused in the settings, too", async () => {
    const bySetting = await runLineup(["serve"], { LINEUP_DATA_DIR: dataDir, LINEUP_WORKERS: "many" });
    expect(bySetting.code).toBe(1);
    expect(bySetting.err).toContain(
      'LINEUP_WORKERS must be a whole number from 1 to 64, or auto for one a core, not "many".',
    );
  });

  test("does not let two servers answer on one port", async () => {
    const first = await startServe(["--workers", "2"], dataDir);
    const other = await makeDataDir();
    const { port } = new URL(first.origin);
    const second = await runLineup(["serve", "--workers", "2"], { LINEUP_DATA_DIR: other, LINEUP_PORT: port });
    expect(second.code).toBe(1);
    expect(second.err).toContain(`Another program listens on 127.0.0.1, port ${port}.`);
    expect(await first.stop()).toBe(0);
    await removeDataDir(other);
  });
});
