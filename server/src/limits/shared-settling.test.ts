import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MINUTE_MS } from "@lineup/api/tiers";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openLastUses } from "./journal-last-uses.ts";
import { ManualClock } from "./manual-clock.ts";
import { openMemoryLimiter } from "./memory-limiter.ts";
import { createSharedLimits, joinSharedLimits } from "./shared-limiter.ts";
import { acquireLock, releaseLock } from "./shared-lock.ts";
import { FIRST_WORKER, RECORD_LOCK, RECORD_WORDS, SharedMemory } from "./shared-memory.ts";

const HOUR_MS = 3_600_000;

let folder: string;
let file: string;
let clock: ManualClock;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-shared-settling-"));
  file = join(folder, "limits.sqlite");
  clock = new ManualClock();
});
afterEach(() => rmSync(folder, { recursive: true }));

function count(table: "passes" | "last_uses"): number | undefined {
  const database = new Database(file, { readonly: true });
  const rows = database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get();
  database.close();
  return rows;
}

test("workers find in the file what a run before has left in passes", () => {
  const alone = openMemoryLimiter({ file, clock });
  alone.take("key_a", "Free");
  alone.close();
  expect([count("passes"), count("last_uses")]).toEqual([1, 0]);
  const limits = createSharedLimits({ file, clock, workers: 1 });
  const lastUses = openLastUses(file);
  expect([count("passes"), lastUses.get("key_a")]).toEqual([0, clock.wallMs()]);
  lastUses.database.close();
  limits.close();
});

test("workers begin where that cannot be settled at the start, and it is made up for", () => {
  const alone = openMemoryLimiter({ file, clock });
  for (let sent = 0; sent < 130; sent++) alone.take("key_a", "Enterprise");
  clock.advance(20 * HOUR_MS);
  for (let sent = 0; sent < 70; sent++) alone.take("key_a", "Enterprise");
  alone.close();
  const intruder = new Database(file);
  intruder.exec("CREATE TRIGGER fault BEFORE INSERT ON last_uses BEGIN SELECT raise(ABORT, 'a fault'); END");
  // Set back, the clock stands at the last that was written, so that the first are twenty hours old, and the last new.
  clock = new ManualClock(clock.wallMs() - 10 * HOUR_MS, 3);
  const errors: string[] = [];
  const limits = createSharedLimits({ file, clock, workers: 1, onError: (error) => errors.push(String(error)) });
  const worker = joinSharedLimits(limits.handle, 0, { clock });
  expect(errors).toEqual(["SqliteError: a fault"]);
  worker.take("key_a", "Enterprise");
  intruder.exec("DROP TRIGGER fault");
  intruder.close();
  worker.close();
  limits.close();
  for (const [awayMs, left] of [
    [4 * HOUR_MS - 1, 201],
    [1, 71],
    [20 * HOUR_MS - 1, 71],
    [1, 0],
  ] as const) {
    clock = new ManualClock(clock.wallMs() + awayMs, 3);
    const later = openMemoryLimiter({ file, clock });
    expect(later.peek("key_a", "Enterprise").windows[1]?.remaining).toBe(100_000 - left);
    later.close();
  }
});

test("passes stay while a key of theirs is locked by a worker that may be dead", () => {
  const limits = createSharedLimits({ file, clock, workers: 1 });
  const worker = joinSharedLimits(limits.handle, 0, { clock });
  for (let key = 0; key < 300; key++) worker.take(`key_${key}`, "Free");
  // The first 256 are looked at by this flush, whether they are idle, and the others by the next.
  limits.flush();
  clock.advance(MINUTE_MS);
  const { words } = new SharedMemory(limits.handle);
  const lock = 5 * RECORD_WORDS + RECORD_LOCK;
  acquireLock(words, lock, FIRST_WORKER, 10);
  limits.flush();
  expect([count("passes"), count("last_uses")]).toEqual([1, 299]);
  releaseLock(words, lock);
  limits.flush();
  expect([count("passes"), count("last_uses")]).toEqual([0, 300]);
  worker.close();
  limits.close();
});
