import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite, { type Database } from "better-sqlite3";
import { type Kysely, sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LentConnection } from "./direct-handle.ts";
import type { Database as Schema } from "./schema.ts";
import { handleOn, PreparedConnection, SqliteTransactions } from "./sqlite-driver.ts";
import { isBusy } from "./store-error.ts";
import { WriteGroups } from "./write-groups.ts";

interface Tables {
  notes: { text: string };
}

let folder: string;
let writer: Database;
let reader: Database;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-driver-"));
  const file = join(folder, "driver.db");
  writer = new Sqlite(file, { timeout: 0 });
  writer.pragma("journal_mode = WAL");
  writer.exec("CREATE TABLE notes (text TEXT UNIQUE)");
  reader = new Sqlite(file, { readonly: true });
});
afterEach(() => {
  writer.close();
  reader.close();
  rmSync(folder, { recursive: true });
});

function snapshotsOf(connection: Database, patienceMs = 30_000) {
  const groups = new WriteGroups(new SqliteTransactions(connection, "BEGIN"), { patienceMs });
  return {
    read: <T>(work: (db: Kysely<Tables>) => Promise<T>) =>
      groups.write("alone", (db: Kysely<Schema>) => work(db as unknown as Kysely<Tables>)),
  };
}

const add = (text: string) => writer.prepare("INSERT INTO notes VALUES (?)").run(text);

test("a transaction sees one state whatever is written meanwhile, and each query outside of one the latest", async () => {
  add("before");
  const snapshots = snapshotsOf(reader);
  const other = new Sqlite(join(folder, "driver.db"), { readonly: true });
  const queries = handleOn<Tables>(new PreparedConnection(other));
  const count = async (from: Kysely<Tables>) => (await from.selectFrom("notes").selectAll().execute()).length;
  const seen = await snapshots.read(async (db) => {
    const first = await count(db);
    add("meanwhile");
    return [first, await count(db), await count(queries)];
  });
  expect(seen).toEqual([1, 1, 2]);
  expect(await snapshots.read(count)).toBe(2);
  other.close();
});

test("transactions that read go one after another, and wait neither in numbers without end nor for ever", async () => {
  const snapshots = snapshotsOf(reader, 100);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
  const first = snapshots.read(() => {
    begin();
    return released;
  });
  await hasBegun;
  const waiting = Array.from({ length: 1_050 }, () => snapshots.read(async () => {}));
  const settled = Promise.allSettled(waiting);
  await expect(waiting.at(-1)).rejects.toThrow("Too many transactions are waiting");
  await expect(waiting[0]).rejects.toThrow("busy for too long");
  expect((await settled).every(({ status }) => status === "rejected")).toBe(true);
  release();
  await first;
  await snapshots.read((db) => db.selectFrom("notes").selectAll().execute());
});

test("statements are prepared once, and only so many are kept", async () => {
  let prepared = 0;
  const prepare = writer.prepare.bind(writer);
  writer.prepare = ((source: string) => {
    prepared++;
    return prepare(source);
  }) as typeof writer.prepare;
  const db = handleOn<Tables>(new PreparedConnection(writer));
  const select = (number: number) => sql`select ${sql.lit(number)} as number`.execute(db);
  for (let round = 0; round < 3; round++) for (let number = 0; number < 500; number++) await select(number);
  expect(prepared).toBe(500);
  // One more pushes out the one unused for longest, and only that.
  await select(500);
  await select(499);
  expect(prepared).toBe(501);
  expect((await select(0)).rows).toEqual([{ number: 0 }]);
  expect(prepared).toBe(502);
});

test("a connection that was lent answers nothing once it was taken back", async () => {
  const lent = new LentConnection(new PreparedConnection(writer));
  const db = handleOn<Tables>(lent);
  await db.insertInto("notes").values({ text: "in time" }).execute();
  lent.takeBack();
  const late = async () => db.insertInto("notes").values({ text: "late" }).execute();
  await expect(late()).rejects.toThrow("The transaction has ended");
  expect(writer.prepare("SELECT text FROM notes").pluck().all()).toEqual(["in time"]);
  expect(() => db.transaction()).toThrow();
});

test("only what SQLite itself calls busy is taken for it", () => {
  expect(isBusy(new Error("database is locked"))).toBe(false);
  writer.exec("BEGIN IMMEDIATE");
  const other = new Sqlite(join(folder, "driver.db"), { timeout: 0 });
  const begin = () => other.exec("BEGIN IMMEDIATE");
  expect(begin).toThrow(expect.objectContaining({ code: "SQLITE_BUSY" }));
  try {
    begin();
  } catch (error) {
    expect(isBusy(error)).toBe(true);
  }
  other.close();
  writer.exec("ROLLBACK");
});
