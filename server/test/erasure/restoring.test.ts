/** What was erased stays erased: also where an older backup is restored, and where the process that erased was killed. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { erasePerson } from "../../src/erasure/erase-person.ts";
import { startServerProcess } from "../durability/server-process.ts";
import { runLineup } from "../run-lineup.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, startTestServer, type TestServer } from "../test-server.ts";
import { dropTestStore, openTestStore, runSql } from "../test-store.ts";
import { deletePerson, findLeft, type KnownPerson, makeKnownPerson, readAll } from "./known-person.ts";

let folder: string;
let dataDir: string;
let server: TestServer;
let person: KnownPerson;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "lineup-restoring-"));
  dataDir = join(folder, "data");
  server = await startTestServer({ dataDir });
  person = await makeKnownPerson(server);
  await person.owner.do("listRequests", { path: { orgId: person.orgId } });
});
afterEach(async () => {
  await server.stop();
  await dropTestStore(dataDir);
  rmSync(folder, { recursive: true, force: true });
});

const lineup = (...words: string[]) => runLineup(words, { LINEUP_DATA_DIR: dataDir });

test("an older backup that is restored brings nobody back", async () => {
  const beside = await makeKnownPerson(server);
  const backup = join(folder, "older.db");
  expect(await lineup("backup", backup)).toMatchObject({ code: 0 });
  await person.owner.do("erasePerson", { path: { orgId: person.orgId, recordId: person.playerId } });
  await server.stop();
  const { code, out } = await lineup("restore", backup, "--json");
  expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ erasedAgain: person.recordIds.length })]);
  expect(findLeft(await readAll(dataDir), person.values)).toEqual([]);
  expect(findLeft(await readAll(dataDir), beside.values)).not.toEqual([]);
  expect(await lineup("audit", "verify")).toMatchObject({ code: 0 });
  const listed = await runSql(dataDir, "SELECT record_id FROM erasures WHERE org_id = ?", person.orgId);
  expect(listed.map((row) => row.record_id).toSorted()).toEqual(person.recordIds.toSorted());
  server = await startTestServer({ dataDir });
  const gone = await call(server, "GET", `/players/${person.playerId}`, { key: person.key });
  const there = await call(server, "GET", `/players/${beside.playerId}`, { key: beside.key });
  expect([gone.status, there.status]).toEqual([404, 200]);
});

test.each(["before", "after"])(
  "a backup from %s a deletion brings back nobody who was erased after it",
  async (when) => {
    const backup = join(folder, "older.db");
    if (when === "before") expect(await lineup("backup", backup)).toMatchObject({ code: 0 });
    await deletePerson(person);
    if (when === "after") expect(await lineup("backup", backup)).toMatchObject({ code: 0 });
    await person.owner.do("erasePerson", { path: { orgId: person.orgId, recordId: person.playerId } });
    await server.stop();
    expect(await lineup("restore", backup)).toMatchObject({ code: 0 });
    expect(findLeft(await readAll(dataDir), person.values)).toEqual([]);
    expect(await lineup("audit", "verify")).toMatchObject({ code: 0 });
    server = await startTestServer({ dataDir });
    expect((await call(server, "GET", `/players/${person.playerId}`, { key: person.key })).status).toBe(404);
  },
);

test("a server that is killed once the person is gone leaves the rest to the next", async () => {
  await server.stop();
  // As far as it came: the transaction is committed, and nothing was swept.
  const store = await openTestStore(dataDir);
  await erasePerson(store, person.orgId, person.playerId, TEST_ORIGIN);
  await store.close();
  expect(findLeft(await readAll(dataDir), person.values)).not.toEqual([]);
  const first = await startServerProcess(dataDir);
  await first.kill();
  const second = await startServerProcess(dataDir);
  try {
    await expect.poll(async () => findLeft(await readAll(dataDir), person.values), { interval: 500 }).toEqual([]);
  } finally {
    second.signal("SIGTERM");
    await second.exited;
  }
  expect(await lineup("audit", "verify")).toMatchObject({ code: 0 });
  server = await startTestServer({ dataDir });
});
