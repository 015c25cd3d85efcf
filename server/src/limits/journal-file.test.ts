import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_MS } from "@lineup/api/tiers";
import Database from "better-sqlite3";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../test/manual-clock.ts";
import { JournalUnreadableError, listGaps, readGaps } from "./journal-file.ts";
import { readLastUsed } from "./journal-transfer.ts";
import { MemoryLimiter } from "./memory-limiter.ts";
import { AdmissionRing } from "./ring.ts";

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
  const limiter = new MemoryLimiter({ file: path, clock });
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
    expect(limiter.readLastUsed(["key_a"])).toEqual(new Map([["key_a", usedAtMs]]));
    limiter.flush();
    expect(readLastUsed(file)).toEqual(new Map([["key_a", usedAtMs]]));
    clock.advance(2 * DAY_MS);
    for (let round = 0; round < 3; round++) limiter.flush();
    expect(limiter.keyCount).toBe(0);
    expect(limiter.readLastUsed(["key_a", "key_b"])).toEqual(new Map([["key_a", usedAtMs]]));
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
    expect(limiter.readLastUsed(["key_a"])).toEqual(new Map([["key_a", usedAtMs]]));
  });
});

test("what is written of any part of a ring comes back to the millisecond", () => {
  const anyAges = fc.array(fc.oneof(fc.nat(1_000), fc.nat(DAY_MS - 1)), { maxLength: 60 });
  fc.assert(
    fc.property(anyAges, fc.nat(60), fc.nat(60), (ages, first, end) => {
      const nowMs = 7 * DAY_MS;
      const times = ages.map((age) => nowMs - age).sort((a, b) => a - b);
      const ring = new AdmissionRing();
      for (const timeMs of times) ring.push(timeMs);
      const part = [first, Math.min(end, times.length)] as const;
      const written = JSON.parse(JSON.stringify(listGaps(ring, ...part, nowMs)));
      expect(readGaps(written, nowMs)).toEqual(times.slice(...part));
    }),
  );
});

describe("a file that is no sound journal stops the start and is named", () => {
  function makeJournal(): void {
    const limiter = openLimiter();
    for (let number = 0; number < 400; number++) limiter.take(`key_${number}`, "Free");
    // Now some have a snapshot, and the log has all.
    limiter.flush();
    clock.advance(1_000);
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

  const CHANGES = {
    "a snapshot cut short":
      "UPDATE snapshots SET admissions = substr(admissions, 1, length(admissions) - 1) WHERE key_id = 'key_7'",
    "a time in a snapshot that is none": `UPDATE snapshots SET admissions = '[5,"x"]' WHERE key_id = 'key_7'`,
    "a snapshot of something else": `UPDATE snapshots SET admissions = '{"a":1}' WHERE key_id = 'key_7'`,
    "a snapshot that is later than the log": "UPDATE snapshots SET log_id = 90 WHERE key_id = 'key_7'",
    "a snapshot from the future": "UPDATE snapshots SET written_ms = written_ms + 86400000 WHERE key_id = 'key_7'",
    "snapshots and no log": "DELETE FROM log",
    "a log row cut short": "UPDATE log SET admissions = substr(admissions, 1, length(admissions) - 1) WHERE id = 2",
    "a time that is later than its log row": `UPDATE log SET admissions = '[["key_7",[5,6]]]' WHERE id = 2`,
    "a log row missing":
      "INSERT INTO log SELECT 4, written_ms, drift_ms, boot_id, offset_ms, forgotten, admissions FROM log WHERE id = 2",
    "a log row that was there already":
      "INSERT INTO log SELECT 3, written_ms, drift_ms, boot_id, offset_ms, forgotten, admissions FROM log WHERE id = 1",
    "admissions that go back": `UPDATE log SET admissions = '[["key_399",[99000]]]' WHERE id = 2`,
  };

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
    ["a journal with a page of snapshots overwritten", () => overwriteRootPage("snapshots")],
    ["a journal with a page of the log overwritten", () => overwriteRootPage("log")],
    ...Object.entries(CHANGES).map(([name, sql]): [string, () => void] => [
      `a journal with ${name}`,
      () => {
        makeJournal();
        change(sql);
      },
    ]),
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
