/** Whole stores out of and into files and PostgreSQL: what comes out is what went in, as it was at one moment. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ENDPOINTS } from "@lineup/api/endpoints";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { insertTeams, makeTeam } from "../../test/contract/seed-records.ts";
import { administer, makeOddBackup, makePlainBackup, sumsOf } from "../../test/copy-fixture.ts";
import { findContradictions } from "../../test/durability/store-consistency.ts";
import { hasPostgres, makeTestDatabase } from "../../test/services/provided-services.ts";
import type { TestDatabase } from "../../test/services/test-database.ts";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { call, makeKey, startTestServer, type TestServer } from "../../test/test-server.ts";
import { createKey } from "../access/key-admin.ts";
import { listOrganizations } from "../access/organizations.ts";
import { withArchive } from "./archive-file.ts";
import { backupPostgresTo, backupTo } from "./backup.ts";
import { listTables, type StoreSums } from "./copy-rows.ts";
import { openPostgresStore } from "./postgres.ts";
import type { PostgresAddress } from "./postgres-snapshot.ts";
import { restoreFrom, restoreIntoPostgres } from "./restore-store.ts";

/** Below what the tier allows in a minute: two requests each. */
const WRITTEN_MAX = 490;

let folder: string;
let database: TestDatabase;
let address: PostgresAddress;
let odd: string;
let oddSums: StoreSums;
let number = 0;

async function takeBackup(): Promise<string> {
  const file = join(folder, `taken-${++number}.db`);
  await backupPostgresTo(address, folder, file);
  return file;
}

/** What every list of every organization answers. */
async function readAnswers(config: { readonly databaseUrl: string | undefined }, dataDir: string): Promise<unknown[]> {
  const server = await startTestServer({ config, dataDir });
  try {
    const answers: unknown[] = [];
    const lists = ENDPOINTS.filter(({ method, path }) => method === "GET" && !path.includes("{") && path !== "/me");
    for (const { id: orgId } of await listOrganizations(server.store)) {
      const { key } = await makeKey(server, orgId);
      for (const { path } of lists) answers.push((await call(server, "GET", path, { key })).body.data);
    }
    return answers;
  } finally {
    await server.stop();
  }
}

describe.skipIf(!hasPostgres())("a whole store", () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "lineup-copies-"));
    odd = await makeOddBackup(folder);
    oddSums = await sumsOf(odd);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    database = await makeTestDatabase({ empty: true });
    address = { url: database.url, setting: "LINEUP_DATABASE_URL" };
  });
  afterEach(() => database.drop());

  test("goes into PostgreSQL and comes back the same, row for row, in the same order, whatever its texts hold", async () => {
    expect(oddSums.erasures?.rows).toBeGreaterThan(4_000);
    for (const [table, { rows }] of Object.entries(oddSums)) expect([table, rows > 0]).toEqual([table, true]);
    const steps: string[] = [];
    const restored = await restoreIntoPostgres(address, odd, {
      onProgress: (done, total, phase) => steps.push(`${phase} ${done} of ${total}`),
    });
    expect(restored).toEqual({ keptAs: undefined, migrated: 0 });
    const total = Object.values(oddSums).reduce((sum, { rows }) => sum + rows, 0);
    expect(steps).toEqual(expect.arrayContaining([`copying ${total} of ${total}`, `checking ${total} of ${total}`]));

    const taken = await takeBackup();
    expect(await sumsOf(taken)).toEqual(oddSums);
    const dataDir = join(folder, "back");
    await restoreFrom(dataDir, taken);
    await backupTo(dataDir, join(folder, "back.db"));
    expect(await sumsOf(join(folder, "back.db"))).toEqual(oddSums);
  });

  test("answers the same from either engine, after going there and back", async () => {
    const [embedded, back] = [join(folder, "embedded"), join(folder, "answers")];
    await restoreFrom(embedded, odd);
    await restoreIntoPostgres(address, odd);
    await restoreFrom(back, await takeBackup());
    const wanted = await readAnswers({ databaseUrl: undefined }, embedded);
    expect(JSON.stringify(wanted).length).toBeGreaterThan(100_000);
    expect(await readAnswers({ databaseUrl: database.url }, join(folder, "unused"))).toEqual(wanted);
    expect(await readAnswers({ databaseUrl: undefined }, back)).toEqual(wanted);
  });

  test("is backed up as of one moment, while a server never stops writing", async () => {
    await restoreIntoPostgres(address, await makePlainBackup(folder, "Busy"));
    const server = await startTestServer({ config: { databaseUrl: database.url, databasePoolSize: 4 } });
    try {
      const { writing, stop } = await startWriting(server);
      const files: string[] = [];
      for (let round = 0; round < 5; round++) files.push(await takeBackup());
      stop();
      const written = await writing;
      const counts: number[] = [];
      for (const [round, file] of files.entries()) {
        const dataDir = join(folder, `moment-${round}`);
        await restoreFrom(dataDir, file);
        expect(await findContradictions(dataDir)).toEqual([]);
        counts.push((await sumsOf(file)).players?.rows ?? 0);
      }
      expect(counts).toEqual(counts.toSorted((a, b) => a - b));
      expect(counts.at(-1)).toBeGreaterThan(counts[0] ?? 0);
      expect(counts.at(-1)).toBeLessThanOrEqual(written);
    } finally {
      await server.stop();
    }
  });

  test("has the same tables and columns in either engine, and all of them are copied", async () => {
    const { store } = await openPostgresStore({ url: database.url, poolSize: 1 });
    await store.close();
    const columns = await administer(database.url, async (client) => {
      const { rows } = await client.query(
        "SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_schema = 'lineup'",
      );
      return rows.map((row) => String(row.name));
    });
    const own = ["schema_steps.step", "schema_steps.name", "schema_steps.taken_at"];
    // The log of requests is kept for days and does not travel; an embedded store has it in another file.
    const logged = columns.filter((name) => name.startsWith("request_blocks."));
    expect(logged.length).toBeGreaterThan(0);
    const copied = await withArchive(odd, async (archive) => {
      const tables = await archive.ask(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
        [],
      );
      expect(
        listTables()
          .map(({ name }) => name)
          .toSorted(),
      ).toEqual(tables.map(({ name }) => String(name)).toSorted());
      return listTables().flatMap((shape) => shape.columns.map((column) => `${shape.name}.${column.name}`));
    });
    expect(columns.toSorted()).toEqual([...copied, ...own, ...logged].toSorted());
  });

  test("is not backed up from a database that holds none, or one of another version", async () => {
    const file = join(folder, "none.db");
    await expect(backupPostgresTo(address, folder, file)).rejects.toThrow(/holds no Lineup store.*LINEUP_DATABASE_URL/);
    await restoreIntoPostgres(address, odd);
    await administer(database.url, (client) => client.query("UPDATE lineup.schema_steps SET step = step + 99"));
    await expect(backupPostgresTo(address, folder, file)).rejects.toThrow(/newer version of Lineup/);
    await administer(database.url, (client) => client.query("DELETE FROM lineup.schema_steps"));
    await expect(backupPostgresTo(address, folder, file)).rejects.toThrow(/lineup migrate/);
  });
});

/** Players come to a team and go to the other, until told to stop. Ends with how many have come. */
async function startWriting(server: TestServer) {
  const [organization] = await listOrganizations(server.store);
  const orgId = organization?.id ?? "";
  const teams = [makeTeam({ game: "LoL" }), makeTeam({ game: "LoL" })];
  await server.store.writeOrg(orgId, TEST_ORIGIN, (org) => insertTeams(org, teams));
  const { key } = await createKey(server.store, { orgId, name: "Writer", permissions: ["players:write"] }, TEST_ORIGIN);
  let isStopped = false;
  const write = async () => {
    let made = 0;
    for (; !isStopped && made < WRITTEN_MAX; made++) {
      const player = { ign: `P${made}`, role: "Mid", teamId: teams[0]?.id, externalIds: { test: `p${made}` } };
      const { body, status } = await call(server, "POST", "/players", { key, body: player });
      expect(status).toBe(201);
      const moved = { teamId: teams[1]?.id };
      expect((await call(server, "PATCH", `/players/${body.data.id}`, { key, body: moved })).status).toBe(200);
    }
    return made;
  };
  const stop = () => {
    isStopped = true;
  };
  return { writing: write(), stop };
}
