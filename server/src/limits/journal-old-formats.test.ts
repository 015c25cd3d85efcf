import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_MS } from "@lineup/api/tiers";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ManualClock } from "../../test/manual-clock.ts";
import { readLastUsed } from "./journal-transfer.ts";
import { MemoryLimiter } from "./memory-limiter.ts";

const HOUR_MS = 3_600_000;
const DRIFT_MS = 60_000;

let folder: string;
let file: string;
let clock: ManualClock;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-old-formats-"));
  file = join(folder, "limits.sqlite");
  clock = new ManualClock();
  makeFirstFormat();
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A journal as the first version left it: two keys, one of them in two rows, and one of which only the last use is left. */
function makeFirstFormat(): void {
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  database.exec(`
    PRAGMA application_id = 0x4c6e754a;
    PRAGMA user_version = 1;
    CREATE TABLE admissions (key_id TEXT NOT NULL, chunk INTEGER NOT NULL, first_number INTEGER NOT NULL, times BLOB NOT NULL,
      PRIMARY KEY (key_id, chunk)) STRICT, WITHOUT ROWID;
    CREATE TABLE last_uses (key_id TEXT NOT NULL PRIMARY KEY, last_used_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE timeline (id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), drift_ms INTEGER NOT NULL) STRICT;
    INSERT INTO timeline VALUES (1, ${DRIFT_MS});
  `);
  const timelineMs = clock.wallMs() - DRIFT_MS - HOUR_MS;
  const addRow = database.prepare("INSERT INTO admissions VALUES (?, ?, ?, ?)");
  addRow.run("key_a", 0, 100, timesOf(28, timelineMs));
  addRow.run("key_a", 1, 128, timesOf(12, timelineMs));
  addRow.run("key_b", 0, 0, timesOf(3, timelineMs));
  const addLastUse = database.prepare("INSERT INTO last_uses VALUES (?, ?)");
  for (const [keyId, lastUsedAt] of LAST_USES()) addLastUse.run(keyId, lastUsedAt);
  database.close();
}

const LAST_USES = () =>
  new Map([
    ["key_a", clock.wallMs() - HOUR_MS],
    ["key_b", clock.wallMs() - HOUR_MS],
    ["key_old", clock.wallMs() - 9 * DAY_MS],
  ]);

function timesOf(count: number, timeMs: number): Buffer {
  const times = Buffer.alloc(count * 6);
  for (let at = 0; at < times.length; at += 6) times.writeUIntBE(timeMs, at, 6);
  return times;
}

/** What the second format had more, with a log: of two keys that are not in rows, of one as it was before and after it was forgotten. */
function makeSecondFormat(): void {
  change(`
    CREATE TABLE passes (id INTEGER NOT NULL PRIMARY KEY, written_ms INTEGER NOT NULL, drift_ms INTEGER NOT NULL, admissions BLOB NOT NULL) STRICT;
    CREATE TABLE forgotten (key_id TEXT NOT NULL PRIMARY KEY, pass INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    ALTER TABLE last_uses ADD COLUMN settled_pass INTEGER NOT NULL DEFAULT 0;
    UPDATE last_uses SET settled_pass = 4;
    INSERT INTO forgotten VALUES ('key_c', 4);
    PRAGMA user_version = 2;
  `);
  const database = new Database(file);
  const addPass = database.prepare("INSERT INTO passes VALUES (?, ?, ?, ?)");
  const writtenMs = clock.wallMs() - DRIFT_MS - HOUR_MS;
  addPass.run(4, writtenMs, DRIFT_MS, Buffer.concat([passOf("key_a", 100, [9_000, 0]), passOf("key_c", 0, [9_000])]));
  addPass.run(5, writtenMs + 500, DRIFT_MS, Buffer.concat([passOf("key_b", 3, [400, 150]), passOf("key_c", 0, [300])]));
  database.close();
}

function makeThirdFormat(boot: { id: string; offsetMs: number }): void {
  makeSecondFormat();
  change(`
    ALTER TABLE timeline ADD COLUMN boot_id TEXT;
    ALTER TABLE timeline ADD COLUMN offset_ms INTEGER;
    UPDATE timeline SET boot_id = '${boot.id}', offset_ms = ${boot.offsetMs};
    PRAGMA user_version = 3;
  `);
}

function change(sql: string): void {
  const database = new Database(file);
  database.exec(sql);
  database.close();
}

/** A key in the bytes of the old log: seven bits of a number in each, the lowest first. */
function passOf(keyId: string, first: number, gaps: readonly number[]): Buffer {
  const bytes = (number: number): number[] =>
    number < 0x80 ? [number] : [(number & 0x7f) | 0x80, ...bytes(Math.floor(number / 0x80))];
  const numbers = [first, gaps.length, ...gaps].flatMap(bytes);
  return Buffer.from([keyId.length, ...Buffer.from(keyId), ...numbers]);
}

const IN_LOG = () =>
  new Map([
    ["key_b", clock.wallMs() - HOUR_MS + 250],
    ["key_c", clock.wallMs() - HOUR_MS + 200],
  ]);

function readFormat(): unknown {
  const database = new Database(file, { readonly: true });
  const version = database.pragma("user_version", { simple: true });
  database.close();
  return version;
}

test("a journal of any old format is read by others before a server has opened it, and left as it is", () => {
  expect([readLastUsed(file), readFormat()]).toEqual([LAST_USES(), 1]);
  makeSecondFormat();
  expect([readLastUsed(file), readFormat()]).toEqual([new Map([...LAST_USES(), ...IN_LOG()]), 2]);
});

test("a journal of the first format goes on with all that it has", () => {
  for (let run = 0; run < 3; run++) {
    const limiter = new MemoryLimiter({ file, clock });
    expect(limiter.peek("key_a", "Enterprise").windows[1]).toMatchObject({
      remaining: 100_000 - 40 - run,
      resetInMs: DAY_MS - HOUR_MS,
    });
    expect(limiter.peek("key_b", "Free").windows[1]?.remaining).toBe(97);
    limiter.take("key_a", "Enterprise");
    limiter.close();
    expect(readLastUsed(file)).toEqual(new Map([...LAST_USES(), ["key_a", clock.wallMs()]]));
  }
});

test("a journal of the second format goes on by the wall clock, and from then on by the boot's", () => {
  makeSecondFormat();
  clock = new ManualClock(clock.wallMs() + HOUR_MS, 5_000, "this boot");
  for (let run = 0; run < 2; run++) {
    const limiter = new MemoryLimiter({ file, clock });
    expect(limiter.peek("key_b", "Free").windows[1]).toMatchObject({ remaining: 95, resetInMs: DAY_MS - 2 * HOUR_MS });
    limiter.take("key_a", "Enterprise");
    limiter.close();
    clock.jumpWall(HOUR_MS);
  }
});

test("a journal of the third format goes on by its boot's clock, with its log, and without what was forgotten", () => {
  const lastUses = new Map([...LAST_USES(), ...IN_LOG()]);
  clock = new ManualClock(clock.wallMs(), 5_000, "this boot");
  makeThirdFormat({ id: "this boot", offsetMs: clock.wallMs() - DRIFT_MS - 5_000 });
  clock.jumpWall(-5 * HOUR_MS);
  for (let run = 0; run < 2; run++) {
    const limiter = new MemoryLimiter({ file, clock });
    const remaining = ["key_a", "key_b", "key_c"].map((keyId) => limiter.peek(keyId, "Basic").windows[1]?.remaining);
    expect(remaining).toEqual([1_000 - 40, 1_000 - 5, 1_000 - 1]);
    expect(limiter.peek("key_c", "Basic").windows[1]?.resetInMs).toBe(DAY_MS - HOUR_MS + 200);
    expect(limiter.readLastUsed([...lastUses.keys()])).toEqual(lastUses);
    limiter.close();
  }
  expect([readLastUsed(file), readFormat()]).toEqual([lastUses, 4]);
});

test("a journal of an old format that cannot be read stops the start, and is left as it is", () => {
  makeSecondFormat();
  change("UPDATE passes SET admissions = substr(admissions, 1, length(admissions) - 1)");
  expect(() => new MemoryLimiter({ file, clock })).toThrow(/ends too soon.*Move it/);
  makeRowsOdd();
  expect(() => new MemoryLimiter({ file, clock })).toThrow(/Move it/);
  expect(readFormat()).toBe(2);
});

function makeRowsOdd(): void {
  change("DELETE FROM passes; UPDATE admissions SET times = x'0102' WHERE key_id = 'key_b'");
}
