/** `lineup move`, `backup` and `restore` with PostgreSQL, as an operator runs them. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listSchemas, makeOddStore, makePlainBackup, namesIn, sumsOf } from "../../test/copy-fixture.ts";
import { runLineup } from "../../test/run-lineup.ts";
import { hasPostgres, makeTestDatabase } from "../../test/services/provided-services.ts";
import type { TestDatabase } from "../../test/services/test-database.ts";
import { TEST_SECRET } from "../../test/test-origin.ts";
import { startTestServer } from "../../test/test-server.ts";

let folder: string;
let dataDir: string;
let temporary: string;
let database: TestDatabase;
const SECRET = "hunter2";

/** The address with a password, which a test server that trusts everybody does not look at. */
function secretUrl(): string {
  const url = new URL(database.url);
  if (url.password === "") url.password = SECRET;
  return url.href;
}

const lineup = (words: readonly string[], settings: Record<string, string> = {}) =>
  runLineup(words, { LINEUP_DATA_DIR: dataDir, TMPDIR: temporary, ...settings });
const onDatabase = (...words: readonly string[]) =>
  lineup(words, { LINEUP_DATABASE_URL: database.url, LINEUP_SECRET: TEST_SECRET });

describe.skipIf(!hasPostgres())("with PostgreSQL", () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "lineup-move-command-"));
    dataDir = join(folder, "data");
    temporary = join(folder, "temporary");
    mkdirSync(temporary);
    await makeOddStore(dataDir);
    database = await makeTestDatabase({ empty: true });
  });
  afterAll(async () => {
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("lineup move goes there by a file that holds the address, says what to do next, and shows no password", async () => {
    const file = join(folder, "address");
    writeFileSync(file, `${secretUrl()}\n`);
    const moved = await lineup(["move", "--to-file", file]);
    expect(moved).toMatchObject({ code: 0, err: expect.stringContaining("Set LINEUP_DATABASE_URL") });
    expect(moved.out).toMatch(/erasures +4,\d{3} +[0-9a-f]{12}…/);
    expect(moved.out).toMatch(/the same at both ends/);
    const again = await lineup(["move", "--to", secretUrl(), "--json"]);
    expect(again).toMatchObject({ code: 0, err: expect.stringContaining("history") });
    expect(JSON.parse(again.out)).toMatchObject({
      from: dataDir,
      to: expect.stringMatching(/^PostgreSQL at .*, database lineup_test_/),
      wasThere: true,
      tables: { organizations: { rows: 2, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    });
    expect(JSON.stringify([moved, again])).not.toContain(SECRET);
  });

  test("lineup move comes back to a folder, which then serves the same", async () => {
    const back = join(folder, "back");
    const moved = await lineup(["move", "--to", back, "--json"], { LINEUP_DATABASE_URL: database.url });
    expect(moved).toMatchObject({ code: 0 });
    expect(JSON.parse(moved.out)).toMatchObject({ to: back, wasThere: false, tables: { organizations: { rows: 2 } } });
    const listed = await runLineup(["org", "list", "--json"], { LINEUP_DATA_DIR: back });
    expect(JSON.parse(listed.out)).toEqual(JSON.parse((await onDatabase("org", "list", "--json")).out));
  });

  test("what was moved away is opened by neither command nor server, until somebody brings a store there", async () => {
    const file = join(folder, "of-the-moved.db");
    const key = "key_01m7r8d8dje4x9dq3n1ksctckk";
    for (const words of [["org", "list"], ["key", "revoke", key], ["backup", file], ["serve"]]) {
      const refused = await lineup(words);
      expect(refused).toMatchObject({
        code: 1,
        err: expect.stringMatching(/was moved to PostgreSQL at .*LINEUP_DATABASE_URL/),
      });
    }
    expect(await lineup(["move", "--to", dataDir], { LINEUP_DATABASE_URL: database.url })).toMatchObject({ code: 0 });
    expect(await lineup(["org", "list"])).toMatchObject({ code: 0 });
  });

  test("lineup backup and restore bring back what was there, and leave nothing in between", async () => {
    const file = join(folder, "taken.db");
    const made = await onDatabase("backup", file, "--json");
    expect(JSON.parse(made.out)).toEqual({ file, bytes: expect.any(Number) });
    expect((await sumsOf(file)).organizations?.rows).toBe(2);
    expect(await onDatabase("org", "delete", "Northwind", "--yes")).toMatchObject({ code: 0 });

    const server = await startTestServer({ config: { databaseUrl: database.url, databasePoolSize: 2 } });
    const refused = await onDatabase("restore", file);
    await server.stop();
    expect(refused).toMatchObject({ code: 1, out: "", err: expect.stringContaining("server is running") });

    const restored = await onDatabase("restore", file);
    const [, kept = ""] = await listSchemas(database.url);
    expect(kept).toMatch(/^lineup_before_restore_/);
    expect(restored).toMatchObject({ code: 0, out: expect.stringContaining(kept) });
    expect(restored.err).toContain(`DROP SCHEMA ${kept} CASCADE`);
    expect(await namesIn(database.url)).toEqual(["Northwind", "Southwind"]);
    expect(readdirSync(temporary)).toEqual([]);
    const json = await onDatabase("restore", await makePlainBackup(folder, "Third"), "--json");
    expect(JSON.parse(json.out)).toMatchObject({
      keptAs: expect.stringMatching(/^lineup_before_restore_/),
      migrated: 0,
    });
  });

  test("lineup move refuses what it does not understand, and says what it takes", async () => {
    const cases: readonly [words: readonly string[], code: number, message: RegExp][] = [
      [["move"], 2, /Say where to/],
      [["move", "--to", "mysql://somewhere/lineup"], 2, /postgres:\/\/, or a folder/],
      [["move", "--to", database.url, "--to-file", "x"], 2, /not both/],
      [["move", "--to", join(folder, "somewhere")], 1, /set LINEUP_DATABASE_URL/],
      [["move", "--to-file", import.meta.filename], 1, /does not hold an address/],
      [["move", "--to", "postgres://user:hunter2@[bad/x"], 2, /cannot be read/],
      [["move", "--to", database.url], 1, /holds another store/],
    ];
    for (const [words, code, message] of cases) {
      const { err, ...ended } = await lineup(words);
      expect([words, ended]).toEqual([words, { code, out: "" }]);
      expect(err).toMatch(message);
      expect(err).not.toContain(SECRET);
    }
  });
});
