import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_MS, MINUTE_MS } from "@lineup/api/tiers";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../test/manual-clock.ts";
import { JournalUnreadableError } from "./journal-file.ts";
import { readLastUsed } from "./journal-last-uses.ts";
import { type MemoryLimiter, openMemoryLimiter } from "./memory-limiter.ts";

let folder: string;
let file: string;
let clock: ManualClock;
const open: MemoryLimiter[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-journal-file-"));
  file = join(folder, "limits.sqlite");
  clock = new ManualClock();
});

afterEach(() => {
  for (const limiter of open.splice(0)) limiter.close();
  rmSync(folder, { recursive: true });
});

function openLimiter(path = file): MemoryLimiter {
  const limiter = openMemoryLimiter({ file: path, clock });
  open.push(limiter);
  return limiter;
}

describe("the last use of a key", () => {
  test("is known at once in the process and after a flush outside, and outlives the windows", () => {
    const limiter = openLimiter();
    expect(readLastUsed(join(folder, "none.sqlite"))).toEqual(new Map());
    limiter.take("key_a", "Free");
    const usedAtMs = clock.wallMs();
    clock.advance(10);
    expect(limiter.findLastUsed("key_a")).toBe(usedAtMs);
    limiter.flush();
    expect(readLastUsed(file)).toEqual(new Map([["key_a", usedAtMs]]));
    clock.advance(2 * DAY_MS);
    for (let round = 0; round < 3; round++) limiter.flush();
    expect([limiter.keyCount, limiter.findLastUsed("key_a"), limiter.findLastUsed("key_b")]).toEqual([
      0,
      usedAtMs,
      undefined,
    ]);
    limiter.close();
    expect(readLastUsed(file).get("key_a")).toBe(usedAtMs);
  });

  test("is not moved by a refused request", () => {
    const limiter = openLimiter();
    for (let sent = 0; sent < 10; sent++) limiter.take("key_a", "Free");
    const usedAtMs = clock.wallMs();
    clock.advance(5_000);
    limiter.take("key_a", "Free");
    limiter.flush();
    expect(limiter.findLastUsed("key_a")).toBe(usedAtMs);
  });
});

describe("a file that is no sound journal stops the start and is named", () => {
  function makeJournal(): void {
    const limiter = openLimiter();
    for (let number = 0; number < 400; number++) limiter.take(`key_${number}`, "Free");
    limiter.flush();
    clock.advance(MINUTE_MS);
    // Now these are settled, and what comes is in a pass.
    limiter.flush();
    for (let number = 0; number < 400; number++) limiter.take(`key_${number}`, "Free");
    limiter.close();
  }

  function overwriteRootPage(table: string): void {
    makeJournal();
    const database = new Database(file);
    const page =
      database.prepare<[string], number>("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck().get(table) ?? 0;
    database.close();
    const bytes = readFileSync(file);
    bytes.fill(0xaa, (page - 1) * 4096, page * 4096);
    writeFileSync(file, bytes);
  }

  function change(sql: string): void {
    const database = new Database(file);
    database.exec(sql);
    database.close();
  }

  test.each<[string, () => void]>([
    ["text", () => writeFileSync(file, "this is no database, though it is long enough to be looked at".repeat(40))],
    [
      "a journal of a later version",
      () => {
        makeJournal();
        change("PRAGMA user_version = 99");
      },
    ],
    [
      "a journal cut short",
      () => {
        makeJournal();
        truncateSync(file, 8192);
      },
    ],
    ["a journal with a page of admissions overwritten", () => overwriteRootPage("admissions")],
    ["a journal with a page of last uses overwritten", () => overwriteRootPage("last_uses")],
    [
      "a journal with half a timestamp",
      () => {
        makeJournal();
        change("UPDATE admissions SET times = x'0102' WHERE key_id = 'key_7'");
      },
    ],
    ["a journal with a page of passes overwritten", () => overwriteRootPage("passes")],
    [
      "a journal with a pass cut short",
      () => {
        makeJournal();
        change("UPDATE passes SET admissions = substr(admissions, 1, length(admissions) - 1)");
      },
    ],
    [
      "a journal with a pass that was there already",
      () => {
        makeJournal();
        change("INSERT INTO passes SELECT id + 1, written_ms, drift_ms, admissions FROM passes");
      },
    ],
  ])("%s", (_, damage) => {
    damage();
    const attempt = () => openLimiter();
    expect(attempt).toThrow(JournalUnreadableError);
    expect(attempt).toThrow(file);
  });

  test("another SQLite file, which is left as it was", () => {
    change("CREATE TABLE players (id TEXT); PRAGMA user_version = 1");
    const before = readFileSync(file);
    expect(() => openLimiter()).toThrow(/another kind of SQLite file/);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("a folder that does not exist", () => {
    const missing = join(folder, "none", "limits.sqlite");
    expect(() => openLimiter(missing)).toThrow(missing);
  });
});
