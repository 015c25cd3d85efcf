import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as breathe, setTimeout as sleep } from "node:timers/promises";
import Sqlite, { type Database as SqliteConnection } from "better-sqlite3";
import { array, assert, asyncProperty, constantFrom } from "fast-check";
import { CompiledQuery, type Kysely, sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ask } from "./direct-handle.ts";
import type { Database } from "./schema.ts";
import { SqliteTransactions } from "./sqlite-driver.ts";
import { type GroupMode, WriteGroups } from "./write-groups.ts";

let folder: string;
let file: string;
let sqlite: SqliteConnection;
let other: SqliteConnection;
let groups: WriteGroups;
let ended: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-groups-"));
  file = join(folder, "groups.db");
  sqlite = new Sqlite(file, { timeout: 0 });
  sqlite.pragma("journal_mode = WAL");
  // The journal is not begun anew, so that all commits stand in it.
  sqlite.pragma("wal_autocheckpoint = 0");
  sqlite.exec(`
    CREATE TABLE notes (text TEXT PRIMARY KEY);
    CREATE TABLE debts (note TEXT REFERENCES notes (text) DEFERRABLE INITIALLY DEFERRED)`);
  other = new Sqlite(file, { timeout: 0 });
  ended = 0;
  groups = new WriteGroups(new SqliteTransactions(sqlite, "BEGIN IMMEDIATE"), {
    onEnd: () => ended++,
    groupMs: Number.POSITIVE_INFINITY,
  });
});
afterEach(() => {
  sqlite.close();
  other.close();
  rmSync(folder, { recursive: true });
});

type Db = Kysely<Database>;

const insert = async (db: Db, text: string) => {
  await sql`INSERT INTO notes VALUES (${text})`.execute(db);
};
const NEVER = CompiledQuery.raw("INSERT INTO notes VALUES ('never')");
const failAfterReading = async (db: Db) => {
  await sql`SELECT text FROM notes`.execute(db);
  throw new Error("given up");
};
const writeAndRead = (db: Db) => sql`INSERT INTO notes VALUES ('never') RETURNING text`.execute(db);
const add = (text: string, mode: GroupMode = "grouped") => groups.write(mode, (db) => insert(db, text));
/** Passes while it runs, and makes the commit fail. */
const oweSomething = () =>
  groups.write("grouped", async (db) => {
    await sql`INSERT INTO debts VALUES ('nobody')`.execute(db);
  });
/** As others see it. */
const notes = () => other.prepare("SELECT text FROM notes ORDER BY rowid").pluck().all() as string[];
const statuses = (settled: readonly PromiseSettledResult<unknown>[]) => settled.map(({ status }) => status);

const [HEADER_BYTES, FRAME_HEADER_BYTES] = [32, 24];

/** How often something was committed, by the journal: the last page of each commit says how large the file has become. */
function countCommits(): number {
  const journal = readFileSync(`${file}-wal`);
  const frameBytes = FRAME_HEADER_BYTES + journal.readUInt32BE(8);
  let commits = 0;
  for (let at = HEADER_BYTES; at + frameBytes <= journal.length; at += frameBytes) {
    if (journal.readUInt32BE(at + 4) > 0) commits++;
  }
  return commits;
}

async function commitsOf(work: () => Promise<unknown>): Promise<number> {
  const before = countCommits();
  await work();
  return countCommits() - before;
}

describe("writers who come together", () => {
  const names = Array.from({ length: 20 }, (_, index) => `n${index}`);

  test("share one commit, and go in the order they came", async () => {
    expect(await commitsOf(() => Promise.all(names.map((name) => add(name))))).toBe(1);
    expect(notes()).toEqual(names);
    expect(ended).toBe(1);
  });

  test("never interleave, however often each lets others go first", async () => {
    const steps: string[] = [];
    const work = (name: string) =>
      groups.write("grouped", async (db) => {
        for (const step of ["begins", "goes on", "ends"]) {
          steps.push(`${name} ${step}`);
          await insert(db, `${name} ${step}`);
          await Promise.resolve();
        }
      });
    await Promise.all(["a", "b"].map(work));
    expect(steps).toEqual(["a begins", "a goes on", "a ends", "b begins", "b goes on", "b ends"]);
  });

  test("are told nothing before all of it is committed, neither that it is done nor that it was refused", async () => {
    const seen = new Map<string, number>();
    const note = (name: string) => () => seen.set(name, notes().length);
    const done = names.map((name) => add(name).then(note(name)));
    const refused = groups.write("grouped", async () => Promise.reject(new Error("refused")));
    const last = add("last");
    await Promise.all([...done, refused.catch(note("refused")), last]);
    expect(new Set(seen.values())).toEqual(new Set([names.length + 1]));
  });

  test("see what those before them wrote, as if it were committed", async () => {
    const [, second] = await Promise.all([
      add("first"),
      groups.write("grouped", async (db) => (await sql`SELECT text FROM notes`.execute(db)).rows),
    ]);
    expect(second).toEqual([{ text: "first" }]);
  });

  test("do not fall with one that fails, whose work is undone before the next begins", async () => {
    const fail = () =>
      groups.write("grouped", async (db) => {
        await insert(db, "never");
        throw new Error("given up");
      });
    const results = await Promise.allSettled([add("kept"), fail(), add("kept"), add("never"), add("also kept")]);
    expect(statuses(results)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled", "fulfilled"]);
    expect(notes()).toEqual(["kept", "never", "also kept"]);
    expect(sqlite.inTransaction).toBe(false);
  });

  describe("and one of which fails", () => {
    let runs: Record<string, number>;
    const count = (name: string) => {
      runs[name] = (runs[name] ?? 0) + 1;
    };
    const counted = (name: string) =>
      groups.write("grouped", (db) => {
        count(name);
        return insert(db, name);
      });
    const failing = (fail: (db: Db) => Promise<unknown>) =>
      groups.write("grouped", (db) => {
        count("failing");
        return fail(db);
      });
    beforeEach(() => {
      runs = {};
    });

    test("run once, where it has written nothing", async () => {
      const refuse = async (db: Db) => {
        await sql`SELECT text FROM notes`.execute(db);
        throw new Error("refused");
      };
      const results = await Promise.allSettled([counted("a"), failing(refuse), counted("b")]);
      expect(statuses(results)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(runs).toEqual({ a: 1, failing: 1, b: 1 });
      expect(notes()).toEqual(["a", "b"]);
    });

    test.each<[string, (db: Db) => Promise<unknown>]>([
      ["has written", (db) => insert(db, "never").then(() => Promise.reject(new Error("given up")))],
      ["has written and been given rows for it", (db) => writeAndRead(db).then(() => Promise.reject(new Error("no")))],
      ["tried to", (db) => insert(db, "a")],
      ["has written and then read", (db) => insert(db, "never").then(() => failAfterReading(db))],
      ["has written at once", async (db) => Promise.reject(await ask(db, NEVER, []))],
    ])("run again from the first to that one, where it %s, and what it wrote is undone", async (_, fail) => {
      const together = () => Promise.allSettled([counted("a"), failing(fail), counted("b"), counted("c")]);
      let results: PromiseSettledResult<unknown>[] = [];
      expect(await commitsOf(async () => (results = await together()))).toBe(1);
      expect(statuses(results)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
      expect(runs).toEqual({ a: 2, failing: 2, b: 1, c: 1 });
      expect(notes()).toEqual(["a", "b", "c"]);
      expect(ended).toBe(1);
    });

    test("give up in time, also where another process was quicker when they ran again", async () => {
      let entered = 0;
      const prepare = sqlite.prepare.bind(sqlite);
      vi.spyOn(sqlite, "prepare").mockImplementation((text) => {
        const statement = prepare(text);
        if (text !== "BEGIN IMMEDIATE") return statement;
        const run = statement.run.bind(statement);
        statement.run = () => {
          if (++entered === 2) other.exec("BEGIN IMMEDIATE");
          return run();
        };
        return statement;
      });
      groups = new WriteGroups(new SqliteTransactions(sqlite, "BEGIN IMMEDIATE"), {
        onEnd: () => ended++,
        patienceMs: 100,
      });
      const slow = failing(async (db) => {
        await insert(db, "slow");
        // Longer than anybody waits for his turn.
        await sleep(150);
        throw new Error("given up");
      });
      await expect(slow).rejects.toThrow("The store was busy for too long");
      other.exec("ROLLBACK");
      expect([runs, notes()]).toEqual([{ failing: 1 }, []]);
      await add("after");
      expect(notes()).toEqual(["after"]);
    });
  });

  test("all fail where SQLite has given the transaction up and one of them took that for nothing", async () => {
    await add("there");
    const failUnnoticed = () =>
      groups.write("grouped", async (db) => {
        await sql`INSERT OR ROLLBACK INTO notes VALUES ('there')`.execute(db).catch(() => undefined);
      });
    const results = await Promise.allSettled([add("a"), failUnnoticed(), add("b")]);
    expect(statuses(results)).toEqual(["rejected", "rejected", "fulfilled"]);
    expect(notes()).toEqual(["there", "b"]);
  });

  test("all fail where the commit does, also one that was refused for what another wrote, and nothing stays", async () => {
    const results = await Promise.allSettled([add("a"), oweSomething(), add("a"), add("b")]);
    expect(statuses(results)).toEqual(Array(4).fill("rejected"));
    for (const result of results) expect(String((result as PromiseRejectedResult).reason)).toMatch(/FOREIGN KEY/);
    expect(notes()).toEqual([]);
    expect([sqlite.inTransaction, ended]).toEqual([false, 1]);
    await add("a");
    expect(notes()).toEqual(["a"]);
  });

  test("all fail where SQLite gives the whole transaction up, and those after them go on", async () => {
    await add("there");
    const failFatally = () =>
      groups.write("grouped", async (db) => {
        await sql`INSERT OR ROLLBACK INTO notes VALUES ('there')`.execute(db);
      });
    const results = await Promise.allSettled([add("a"), failFatally(), add("b")]);
    expect(statuses(results)).toEqual(["rejected", "rejected", "fulfilled"]);
    const [first, second] = results as PromiseRejectedResult[];
    expect(first?.reason.cause).toBe(second?.reason);
    expect(String(second?.reason)).toMatch(/UNIQUE/);
    expect(notes()).toEqual(["there", "b"]);
  });

  test("are divided where they are many, so that nobody waits for hundreds", async () => {
    const many = Array.from({ length: 200 }, (_, index) => `m${String(index).padStart(3, "0")}`);
    expect(await commitsOf(() => Promise.all(many.map((name) => add(name))))).toBeGreaterThanOrEqual(4);
    expect(notes()).toEqual(many);
  });

  test("are refused beyond a thousand that wait, instead of waiting without end", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const first = groups.write("alone", () => released);
    await breathe();
    const waiting = Array.from({ length: 1_050 }, (_, index) => add(`n${index}`));
    const settled = Promise.allSettled(waiting);
    await expect(waiting.at(-1)).rejects.toThrow("Too many transactions are waiting");
    release();
    await first;
    expect(statuses(await settled).filter((status) => status === "fulfilled")).toHaveLength(1_000);
  });

  test("are not reached by what another has left running", async () => {
    let left: Promise<unknown> | undefined;
    const careless = groups.write("grouped", async (db) => {
      left = breathe().then(() => insert(db, "too late"));
      left.catch(() => {});
    });
    await Promise.all([careless, add("a")]);
    await expect(left).rejects.toThrow("The transaction has ended");
    expect(notes()).toEqual(["a"]);
  });
});

describe("work that takes its time", () => {
  test("has a transaction to itself, for which nobody before it waits, and after which the others share one", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const before = [add("a"), add("b")];
    const long = groups.write("alone", async (db) => {
      await insert(db, "long");
      await released;
    });
    const after = [add("c"), add("d")];
    await Promise.all(before);
    expect(notes()).toEqual(["a", "b"]);
    release();
    expect(await commitsOf(() => Promise.all([long, ...after]))).toBe(2);
    expect(notes()).toEqual(["a", "b", "long", "c", "d"]);
  });

  test("and did not say so closes its group to newcomers", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const slow = groups.write("grouped", async (db) => {
      await insert(db, "slow");
      await released;
    });
    await breathe();
    await breathe();
    const newcomer = add("newcomer");
    release();
    expect(await commitsOf(() => Promise.all([slow, newcomer]))).toBe(2);
    expect(notes()).toEqual(["slow", "newcomer"]);
  });

  test("and fails is undone, runs once, and holds up nobody", async () => {
    let runs = 0;
    const failing = groups.write("alone", async (db) => {
      runs++;
      await insert(db, "never");
      await sleep(5);
      throw new Error("given up");
    });
    const results = await Promise.allSettled([failing, add("kept")]);
    expect(statuses(results)).toEqual(["rejected", "fulfilled"]);
    expect(notes()).toEqual(["kept"]);
    expect(runs).toBe(1);
  });
});

test("who comes the moment the last group has ended is not forgotten", async () => {
  let hops = 0;
  // However many steps after the end of the last one the next comes.
  for (; hops < 20; hops++) {
    await add(`first ${hops}`);
    for (let hop = 0; hop < hops; hop++) await Promise.resolve();
    await Promise.all([add(`second ${hops}`), add(`third ${hops}`)]);
  }
  expect(notes()).toHaveLength(3 * hops);
});

test("what is written soon alone does not wait for the disk", async () => {
  const readSynchronous = (mode: GroupMode) =>
    groups.write(mode, async (db) => (await sql`PRAGMA synchronous`.execute(db)).rows[0]);
  const order: readonly GroupMode[] = ["grouped", "soon", "alone", "soon", "grouped"];
  const found = await Promise.all(order.map(readSynchronous));
  expect(found).toEqual([2, 1, 2, 1, 2].map((synchronous) => ({ synchronous })));
});

describe("a writer that finds another process writing", () => {
  test("gives up when its patience ends, also while it waits behind others, and not only after them", async () => {
    const patienceMs = 1_000;
    const impatient = new WriteGroups(new SqliteTransactions(sqlite, "BEGIN IMMEDIATE"), {
      onEnd: () => {},
      patienceMs,
    });
    other.exec("BEGIN IMMEDIATE");
    const startedAt = performance.now();
    const write = (text: string, mode: GroupMode = "alone") => impatient.write(mode, (db) => insert(db, text));
    const waitedMs = await Promise.all(
      ["a", "b", "c", "d", "e"].map((text) => write(text).catch(() => performance.now() - startedAt)),
    );
    other.exec("ROLLBACK");
    // Each waiting its full time after the one before, the last would give up after five times as long.
    for (const ms of waitedMs) expect(ms).toBeLessThan(patienceMs * 3);
    expect(notes()).toEqual([]);
    await Promise.all([write("after"), write("and after", "grouped")]);
    expect(notes()).toEqual(["after", "and after"]);
  });

  test("waits without holding up the process, and then writes", async () => {
    other.exec("BEGIN IMMEDIATE");
    let isWritten = false;
    const write = Promise.all([add("patient"), add("too")]).then(() => {
      isWritten = true;
    });
    let turns = 0;
    for (const until = performance.now() + 300; performance.now() < until; turns++) await breathe();
    expect([isWritten, turns > 100]).toEqual([false, true]);
    other.exec("COMMIT");
    await write;
    expect(notes()).toEqual(["patient", "too"]);
  });

  test("passes on every other error at once", async () => {
    await add("before");
    sqlite.exec("BEGIN");
    await expect(add("nested")).rejects.toThrow(/within a transaction/);
    sqlite.exec("ROLLBACK");
    await add("after");
    expect(notes()).toEqual(["before", "after"]);
  });
});

/** What a member does, and what may happen before the next one comes. */
const KINDS = ["writes", "refuses", "conflicts", "writes alone", "fails alone", "turns", "owes", "pause"] as const;
type Kind = (typeof KINDS)[number];

test("a write that was told it is done is there, in order, and no other is, whatever happens between them", async () => {
  await assert(
    asyncProperty(array(constantFrom<Kind[]>(...KINDS), { maxLength: 40 }), async (kinds) => {
      const done: string[] = [];
      other.exec("DELETE FROM debts; DELETE FROM notes");
      const running = kinds.map(async (kind, index) => {
        const name = `${index}`;
        // Those after a pause come a turn later, while the ones before are at work.
        for (const earlier of kinds.slice(0, index)) if (earlier === "pause") await breathe();
        const mode = kind.endsWith("alone") ? "alone" : "grouped";
        const work = groups.write(mode, async (db) => {
          await insert(db, name);
          if (kind === "turns") await breathe();
          if (kind === "owes") await sql`INSERT INTO debts VALUES ('nobody')`.execute(db);
          if (kind === "conflicts") await insert(db, name);
          if (kind === "refuses" || kind === "fails alone") throw new Error("refused");
        });
        await work.then(
          () => {
            done.push(name);
            // Who is told so finds it there, as everybody else does.
            expect(notes()).toContain(name);
            expect(["writes", "writes alone", "turns", "pause"]).toContain(kind);
          },
          () => expect(notes()).not.toContain(name),
        );
      });
      await Promise.all(running);
      expect(notes()).toEqual(done);
      expect(sqlite.inTransaction).toBe(false);
      // Without a commit that fails, only those fail who wanted to.
      if (!kinds.includes("owes")) {
        const willing = kinds.flatMap((kind, index) => (/^(writes|turns|pause)/.test(kind) ? [`${index}`] : []));
        expect(new Set(done)).toEqual(new Set(willing));
      }
    }),
    { numRuns: 150 },
  );
});

describe("what fails around a transaction", () => {
  test("is told to all who wait, and keeps nobody from writing after it", async () => {
    const faults = [new Error("Nobody hears of the end."), undefined];
    groups = new WriteGroups(new SqliteTransactions(sqlite, "BEGIN IMMEDIATE"), {
      onEnd: () => {
        const fault = faults.shift();
        if (fault !== undefined) throw fault;
      },
    });
    const alone = (text: string) => groups.write("alone", (db) => insert(db, text));
    const settled = await Promise.allSettled([alone("told of the fault"), alone("waits behind it")]);
    expect(settled.map((one) => one.status === "rejected" && one.reason.message)).toEqual([
      "Nobody hears of the end.",
      "Nobody hears of the end.",
    ]);
    await alone("after it");
    expect(notes()).toContain("after it");
    expect(notes()).not.toContain("waits behind it");
  });
});
