import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite, { type Database } from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STORE_FILE } from "./data-folder.ts";
import { openSqliteStore } from "./sqlite.ts";

let folder: string;
let database: Database;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lineup-sizes-"));
  const { store } = await openSqliteStore(folder);
  await store.close();
  database = new Sqlite(join(folder, STORE_FILE), { readonly: true });
});
afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("a large organization is not read whole", () => {
  test.each([
    ["assignments_by_player", "SELECT * FROM assignments WHERE org_id = 'o' AND player_id = 'p'"],
    ["assignments_by_player", "SELECT * FROM assignments WHERE org_id = 'o' AND player_id IN ('p', 'q', 'r')"],
    ["assignments_by_import_id", "SELECT * FROM assignments WHERE org_id = 'o' AND import_id IN ('a', 'b', 'c')"],
    ["players_by_team", "SELECT * FROM players WHERE org_id = 'o' AND team_id IN ('t', 'u')"],
    ["players_by_update", "SELECT * FROM players WHERE org_id = 'o' AND updated_at >= 1"],
    ["contracts_by_player", "UPDATE contracts SET updated_at = 1 WHERE org_id = 'o' AND player_id = 'p'"],
  ])("but by %s: %s", (index, statement) => {
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${statement}`).all() as { detail: string }[];
    expect(steps.map((step) => step.detail).join()).toContain(index);
  });

  test("and every size is one of an index that there is", () => {
    const missing = database
      .prepare(
        "SELECT idx FROM sqlite_stat1 WHERE NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = idx AND tbl_name = tbl)",
      )
      .pluck()
      .all();
    expect(missing).toEqual([]);
  });
});
