import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runLineup } from "../../test/run-lineup.ts";
import { call, makeKey, makeOrg, startTestServer } from "../../test/test-server.ts";
import { backupTo } from "./backup.ts";
import { STORE_FILE } from "./data-folder.ts";
import { restoreFrom } from "./restore-store.ts";
import { openSqliteStore } from "./sqlite.ts";

/** What a server leaves in its folder beside the store. */
const OTHERS = ["secret", "audit-marks", "limits.db", "requests.db"];

let folder: string;
let served: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lineup-lost-"));
  served = join(folder, "served");
  const server = await startTestServer({ dataDir: served });
  const { key } = await makeKey(server, await makeOrg(server));
  await call(server, "GET", "/teams", { key });
  await server.stop();
  expect(readdirSync(served)).toEqual(expect.arrayContaining([...OTHERS, STORE_FILE]));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function copyOf(name: string): string {
  const dataDir = join(folder, name);
  cpSync(served, dataDir, { recursive: true });
  return dataDir;
}

describe("a store that is gone is not replaced by an empty one", () => {
  test.each([...OTHERS, `${STORE_FILE}-wal`])("beside %s alone", async (name) => {
    const dataDir = join(folder, `beside-${name}`);
    mkdirSync(dataDir);
    cpSync(join(served, name === `${STORE_FILE}-wal` ? STORE_FILE : name), join(dataDir, name));
    const file = join(dataDir, STORE_FILE);
    const refused = new RegExp(`${file} is missing.*it holds ${name}\\..*npx lineup restore FILE.*move ${name} away`);
    await expect(openSqliteStore(dataDir)).rejects.toThrow(refused);
    expect(readdirSync(dataDir)).toEqual([name]);
    rmSync(join(dataDir, name));
    await (await openSqliteStore(dataDir)).store.close();
  });

  test("nor is one that was emptied", async () => {
    const dataDir = copyOf("emptied");
    truncateSync(join(dataDir, STORE_FILE), 0);
    await expect(openSqliteStore(dataDir)).rejects.toThrow(/lineup\.db is empty.*npx lineup restore FILE/);
  });

  test("by a server or a command, and a restore brings it back", async () => {
    const dataDir = copyOf("commands");
    const backup = join(folder, "backup.db");
    await backupTo(dataDir, backup);
    rmSync(join(dataDir, STORE_FILE));
    await expect(startTestServer({ dataDir })).rejects.toThrow(/lineup\.db is missing.*npx lineup restore FILE/);
    const commands = [["migrate"], ["audit", "verify"]].map((words) => runLineup(words, { LINEUP_DATA_DIR: dataDir }));
    for (const finished of await Promise.all(commands)) {
      const err = expect.stringMatching(/^Error: \S+lineup\.db is missing.*npx lineup restore FILE/);
      expect(finished).toMatchObject({ code: 1, out: "", err });
    }
    expect(readdirSync(dataDir)).not.toContain(STORE_FILE);
    await restoreFrom(dataDir, backup);
    await (await startTestServer({ dataDir })).stop();
  });
});

test("a folder whose first start was cut off at its beginning is still a new one", async () => {
  const dataDir = join(folder, "cut-off");
  mkdirSync(dataDir);
  for (const name of ["server.lock", "commands.lock", STORE_FILE]) writeFileSync(join(dataDir, name), "");
  await (await openSqliteStore(dataDir)).store.close();
});
