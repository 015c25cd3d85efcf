import Sqlite, { type Database } from "better-sqlite3";
import { type Kysely, type SelectQueryBuilder, sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { searchMatches } from "./record-rows.ts";
import { handleOn, PreparedConnection } from "./sqlite-driver.ts";

interface Tables {
  notes: { id: number; text: string };
}

let sqlite: Database;
let db: Kysely<Tables>;
beforeAll(() => {
  sqlite = new Sqlite(":memory:");
  sqlite.exec("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
  const add = sqlite.prepare("INSERT INTO notes VALUES (?, ?)");
  for (let id = 1; id <= 20; id++) add.run(id, `NOTE ${id}`);
  db = handleOn<Tables>(new PreparedConnection(sqlite));
});
afterAll(() => sqlite.close());

function textOf(query: SelectQueryBuilder<Tables, "notes", { id: number }>): string {
  return query.compile().sql;
}

it("gives as many as are asked for, and as many more as were left out", async () => {
  const ids = db.selectFrom("notes").select("id").orderBy("id");
  const read = async (query: typeof ids) => (await query.execute()).map(({ id }) => id);
  for (const limit of [0, 1, 7, 20, 21, Number.MAX_SAFE_INTEGER]) {
    expect(await read(ids.limit(limit))).toEqual(Array.from({ length: Math.min(limit, 20) }, (_, at) => at + 1));
  }
  expect(await read(ids.limit(3).offset(18))).toEqual([19, 20]);
  expect(await read(ids.limit(sql<number>`1 + 1`))).toEqual([1, 2]);
});

it("leaves no parameter alone of which SQLite would look at the value", () => {
  const ids = db.selectFrom("notes").select("id");
  expect(textOf(ids.limit(3))).toMatch(/ limit \? \+ 0$/);
  expect(textOf(ids.where(searchMatches("text", "x")))).toContain("like ('' || ?) escape");
});

it("finds what a text holds, whatever stands in it", async () => {
  const find = async (wanted: string) =>
    (await db.selectFrom("notes").select("id").where(searchMatches("text", wanted)).execute()).map(({ id }) => id);
  expect(await find("note 2")).toEqual([2, 20]);
  expect(await find("%")).toEqual([]);
});
