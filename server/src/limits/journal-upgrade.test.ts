import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_MS } from "@lineup/api/tiers";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ManualClock } from "../../test/manual-clock.ts";
import { openLastUses, readLastUsed } from "./journal-last-uses.ts";
import { openMemoryLimiter } from "./memory-limiter.ts";

const HOUR_MS = 3_600_000;
const DRIFT_MS = 60_000;

let folder: string;
let file: string;
let clock: ManualClock;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-upgrade-"));
  file = join(folder, "limits.sqlite");
  clock = new ManualClock();
  makeFirstForm();
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A journal as the first version of its form left it: two keys, one of them in two chunks, and one of which only the last use is left. */
function makeFirstForm(): void {
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
  const addChunk = database.prepare("INSERT INTO admissions VALUES (?, ?, ?, ?)");
  addChunk.run("key_a", 0, 100, timesOf(28, timelineMs));
  addChunk.run("key_a", 1, 128, timesOf(12, timelineMs));
  addChunk.run("key_b", 0, 0, timesOf(3, timelineMs));
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

test("a journal of the first form is read by others before a server has opened it, and left as it is", () => {
  expect(readLastUsed(file)).toEqual(LAST_USES());
  const lastUses = openLastUses(file);
  expect([lastUses.get("key_old"), lastUses.get("key_none")]).toEqual([LAST_USES().get("key_old"), undefined]);
  expect(lastUses.database.pragma("user_version", { simple: true })).toBe(1);
  lastUses.database.close();
});

test("a journal of the first form goes on in the process with all that it has", () => {
  for (let run = 0; run < 3; run++) {
    const limiter = openMemoryLimiter({ file, clock });
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

test("a journal of the second form goes on by the wall clock, and from then on by the boot's", () => {
  clock = new ManualClock(clock.wallMs(), 5_000, "this boot");
  openMemoryLimiter({ file, clock }).close();
  const database = new Database(file);
  database.exec("ALTER TABLE timeline DROP COLUMN boot_id; ALTER TABLE timeline DROP COLUMN offset_ms");
  database.pragma("user_version = 2");
  database.close();
  clock.jumpWall(HOUR_MS);
  for (let run = 0; run < 2; run++) {
    const limiter = openMemoryLimiter({ file, clock });
    expect(limiter.peek("key_b", "Free").windows[1]).toMatchObject({ remaining: 97, resetInMs: DAY_MS - 2 * HOUR_MS });
    limiter.take("key_a", "Enterprise");
    limiter.close();
    clock.jumpWall(HOUR_MS);
  }
});
