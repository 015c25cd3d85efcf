import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { call, makeKey, makeOrg, startTestServer } from "../../test/test-server.ts";
import { offerSetUp } from "../identity/first-owner.ts";
import { findOpenness } from "./private-files.ts";

let dataDir: string;
let umask: number;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "lineup-open-"));
  umask = process.umask(0);
});
afterEach(() => {
  process.umask(umask);
  rmSync(dataDir, { recursive: true, force: true });
});

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** What is written under another name first may have its own by now. */
function listOpen(): string[] {
  const modes = readdirSync(dataDir).map((name) => statSync(join(dataDir, name), { throwIfNoEntry: false })?.mode);
  return modes.filter((mode) => mode !== undefined && (mode & 0o777) !== 0o600).map(String);
}

test("a folder that is open to all stays so, the log says how to close it, and no file in it is open", async () => {
  chmodSync(dataDir, 0o777);
  const server = await startTestServer({ dataDir });
  await offerSetUp(server.store, dataDir);
  const { key } = await makeKey(server, await makeOrg(server));
  await call(server, "GET", "/teams", { key });
  const served = readdirSync(dataDir);
  const openWhileServed = listOpen();
  await server.stop();
  expect([openWhileServed, listOpen()]).toEqual([[], []]);
  expect(served).toEqual(expect.arrayContaining(["lineup.db-wal", "limits.db", "secret", "setup-token"]));
  expect(modeOf(dataDir)).toBe("777");
  expect(server.logged()).toMatch(
    new RegExp(`"level":40.*mode 777\\): they can remove its files.*chmod 700 ${dataDir}"`),
  );
});

test.each([
  ["755", "they can see which files it holds"],
  ["770", "they can remove its files"],
  ["750", undefined],
  ["700", undefined],
])("of a folder with mode %s the log says: %s", (mode, said) => {
  chmodSync(dataDir, Number.parseInt(mode, 8));
  const openness = findOpenness(dataDir);
  if (said === undefined) expect(openness).toBeUndefined();
  else expect(openness).toContain(said);
});
