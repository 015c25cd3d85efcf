import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Sqlite, { type Database } from "better-sqlite3";
import { Kysely, sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isBusy, sqliteDialect } from "./sqlite-driver.ts";

let folder: string;
let sqlite: Database;
let other: Database;
let db: Kysely<{ notes: { text: string } }>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-driver-"));
  const file = join(folder, "driver.db");
  sqlite = new Sqlite(file, { timeout: 0 });
  sqlite.pragma("journal_mode = WAL");
  sqlite.exec("CREATE TABLE notes (text TEXT UNIQUE)");
  other = new Sqlite(file, { timeout: 0 });
  db = new Kysely({ dialect: sqliteDialect(sqlite, "transactions") });
});
afterEach(async () => {
  await db.destroy();
  other.close();
  rmSync(folder, { recursive: true });
});

const add = (text: string) => db.transaction().execute((trx) => trx.insertInto("notes").values({ text }).execute());
const notes = () => other.prepare("SELECT text FROM notes ORDER BY rowid").pluck().all();

describe("writers of one process", () => {
  test("go one after the other, in the order they came, however long each takes", async () => {
    const running: string[] = [];
    const write = (text: string) =>
      db.transaction().execute(async (trx) => {
        running.push(text);
        await trx
          .insertInto("notes")
          .values({ text: `${text} begins` })
          .execute();
        await sleep(5);
        await trx
          .insertInto("notes")
          .values({ text: `${text} ends` })
          .execute();
      });
    await Promise.all(["a", "b", "c"].map(write));
    expect(running).toEqual(["a", "b", "c"]);
    expect(notes()).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  });

  test("do not see or end each other's transactions when one fails", async () => {
    const failing = db.transaction().execute(async (trx) => {
      await trx.insertInto("notes").values({ text: "never" }).execute();
      await sleep(5);
      throw new Error("given up");
    });
    const results = await Promise.allSettled([failing, add("kept"), add("kept"), add("also kept")]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected", "fulfilled"]);
    expect(notes()).toEqual(["kept", "also kept"]);
    expect(sqlite.inTransaction).toBe(false);
  });

  test("are refused beyond a thousand that wait, instead of waiting without end", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const first = db.transaction().execute(() => released);
    const waiting = Array.from({ length: 1_050 }, (_, index) => add(`n${index}`));
    const settled = Promise.allSettled(waiting);
    await expect(waiting.at(-1)).rejects.toThrow("Too many transactions are waiting");
    release();
    await first;
    expect((await settled).filter(({ status }) => status === "fulfilled")).toHaveLength(1_000);
  });
});

describe("a writer that finds another process writing", () => {
  test("gives up when its patience ends, also while it waits behind others, and not only after them", async () => {
    const patienceMs = 150;
    const impatient = new Kysely<{ notes: { text: string } }>({
      dialect: sqliteDialect(sqlite, "transactions", patienceMs),
    });
    other.exec("BEGIN IMMEDIATE");
    const startedAt = performance.now();
    const write = (text: string) =>
      impatient.transaction().execute((trx) => trx.insertInto("notes").values({ text }).execute());
    const waitedMs = await Promise.all(
      ["a", "b", "c", "d", "e"].map((text) => write(text).catch(() => performance.now() - startedAt)),
    );
    other.exec("ROLLBACK");
    // Each waiting its full time after the one before, the last would give up after five times as long.
    for (const ms of waitedMs) expect(ms).toBeLessThan(patienceMs * 3);
    expect(notes()).toEqual([]);
    await write("after");
    expect(notes()).toEqual(["after"]);
  });

  test("waits without holding up the process, and then writes", async () => {
    other.exec("BEGIN IMMEDIATE");
    let isWritten = false;
    const write = add("patient").then(() => {
      isWritten = true;
    });
    let turns = 0;
    const until = performance.now() + 300;
    let longestMs = 0;
    while (performance.now() < until) {
      const from = performance.now();
      await new Promise((resolve) => setImmediate(resolve));
      longestMs = Math.max(longestMs, performance.now() - from);
      turns++;
    }
    expect([isWritten, turns > 100]).toEqual([false, true]);
    expect(longestMs).toBeLessThan(200);
    other.exec("COMMIT");
    await write;
    expect(notes()).toEqual(["patient"]);
  });

  test("passes on every other error at once", async () => {
    sqlite.exec("BEGIN");
    await expect(add("nested")).rejects.toThrow(/within a transaction/);
    sqlite.exec("ROLLBACK");
    expect(isBusy(new Error("database is locked"))).toBe(false);
    await add("after");
    expect(notes()).toEqual(["after"]);
  });
});

test("a transaction that SQLite has ended by itself does not stop those after it", async () => {
  await add("first");
  const conflict = db.transaction().execute(async (trx) => {
    await trx.insertInto("notes").values({ text: "second" }).execute();
    await sql`INSERT OR ROLLBACK INTO notes VALUES ('first')`.execute(trx);
  });
  await expect(conflict).rejects.toThrow(/UNIQUE/);
  await add("third");
  expect(notes()).toEqual(["first", "third"]);
});

test("statements are prepared once, and only so many are kept", async () => {
  let prepared = 0;
  const prepare = sqlite.prepare.bind(sqlite);
  sqlite.prepare = ((source: string) => {
    prepared++;
    return prepare(source);
  }) as typeof sqlite.prepare;
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

describe("a connection that reads", () => {
  test("sees one state in a transaction, whatever is written meanwhile, and each query of another the latest", async () => {
    await add("before");
    const open = () => new Sqlite(join(folder, "driver.db"), { readonly: true });
    const states = new Kysely<{ notes: { text: string } }>({ dialect: sqliteDialect(open(), "transactions") });
    const queries = new Kysely<{ notes: { text: string } }>({ dialect: sqliteDialect(open(), "queries") });
    const count = async (from: typeof states) => (await from.selectFrom("notes").selectAll().execute()).length;
    const seen = await states.transaction().execute(async (trx) => {
      const first = await count(trx);
      await add("meanwhile");
      return [first, await count(trx), await count(queries)];
    });
    expect(seen).toEqual([1, 1, 2]);
    expect(await count(states)).toBe(2);
    await Promise.all([states.destroy(), queries.destroy()]);
  });
});
