/** When snapshots are written and log rows removed; that nothing is lost by it is the walk's matter (journal-walk.drill.ts). */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_MS } from "@lineup/api/tiers";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../test/manual-clock.ts";
import { readLastUsed } from "./journal-transfer.ts";
import { MemoryLimiter, type MemoryLimiterOptions } from "./memory-limiter.ts";

const HOUR_MS = 3_600_000;

let folder: string;
let file: string;
let clock: ManualClock;
const open: MemoryLimiter[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-compaction-"));
  file = join(folder, "limits.sqlite");
  clock = new ManualClock();
});
afterEach(() => {
  for (const limiter of open.splice(0)) limiter.close();
  rmSync(folder, { recursive: true });
});

function start(options: Partial<MemoryLimiterOptions> = {}): MemoryLimiter {
  const limiter = new MemoryLimiter({ file, clock, ...options });
  open.push(limiter);
  return limiter;
}

function take(limiter: MemoryLimiter, keys: number, times = 1): void {
  for (let sent = 0; sent < times; sent++) {
    for (let key = 0; key < keys; key++) limiter.take(`key_${key}`, "Enterprise");
  }
}

function countOf(limiter: MemoryLimiter, keyId: string): number {
  return 100_000 - (limiter.peek(keyId, "Enterprise").windows[1]?.remaining ?? 0);
}

function read(sql: string): number {
  const database = new Database(file, { readonly: true });
  const result = database.prepare<[], number>(sql).pluck().get() ?? Number.NaN;
  database.close();
  return result;
}

const rowsOf = (table: "log" | "snapshots") => read(`SELECT count(*) FROM ${table}`);
const bytesOf = (table: "log" | "snapshots") => read(`SELECT total(length(admissions)) FROM ${table}`);

/** While it is there, no snapshot of one of these keys can be written. */
function refuseSnapshots(keyId = "%"): () => void {
  const intruder = new Database(file);
  intruder.exec(`CREATE TRIGGER fault BEFORE INSERT ON snapshots WHEN new.key_id LIKE '${keyId}'
                 BEGIN SELECT raise(ABORT, 'a fault'); END`);
  return () => {
    intruder.exec("DROP TRIGGER fault");
    intruder.close();
  };
}

describe("a flush", () => {
  test("appends one row for all keys, and writes snapshots of a few", () => {
    const limiter = start();
    take(limiter, 400);
    limiter.flush();
    expect(rowsOf("log")).toBe(1);
    expect(rowsOf("snapshots")).toBeGreaterThan(0);
    expect(rowsOf("snapshots")).toBeLessThan(100);
  });

  test("writes very many keys in several rows, between which requests are served", async () => {
    const limiter = start({ flushEveryMs: 1 });
    take(limiter, 1_500);
    await expect.poll(() => read("SELECT max(id) FROM log")).toBe(3);
    const keysPerRow = "SELECT max(json_array_length(admissions)) FROM log";
    expect(read(keysPerRow)).toBe(512);
    take(limiter, 20_000);
    limiter.flush();
    expect([read("SELECT max(id) FROM log"), read(keysPerRow)]).toEqual([3 + 16, 1_250]);
    limiter.close();
    expect(countOf(start(), "key_1499")).toBe(2);
  });

  test("costs in proportion to what was admitted, however many keys there are", () => {
    const limiter = start();
    take(limiter, 2_000, 20);
    for (let round = 0; round < 3; round++) {
      limiter.flush();
      take(limiter, 2_000);
    }
    limiter.flush();
    const before = read("SELECT sum(log_id) FROM snapshots");
    for (let round = 0; round < 5; round++) {
      limiter.take("key_7", "Enterprise");
      limiter.flush();
    }
    const newestId = read("SELECT max(id) FROM log");
    expect(read(`SELECT count(*) FROM snapshots WHERE log_id > ${newestId - 5}`)).toBeLessThanOrEqual(2);
    expect(before).toBeGreaterThan(0);
  });

  test("of a key that has done much does not write all of that each time", () => {
    const limiter = start();
    for (let hour = 0; hour < 20; hour++) {
      take(limiter, 1, 1_000);
      clock.advance(HOUR_MS);
    }
    limiter.take("key_1", "Enterprise");
    limiter.flush();
    limiter.take("key_0", "Enterprise");
    limiter.flush();
    const written = "SELECT log_id FROM snapshots WHERE key_id = 'key_0'";
    const atFirst = read(written);
    for (let round = 0; round < 50; round++) {
      limiter.take("key_0", "Enterprise");
      limiter.flush();
    }
    expect(read(written)).toBe(atFirst);
  });
});

describe("the log", () => {
  test("stays in proportion to the snapshots, however long it runs and however often it is begun anew", () => {
    let limiter = start();
    for (let round = 0; round < 300; round++) {
      take(limiter, 60, 10);
      limiter.flush();
      clock.advance(61_000);
      if (round % 50 === 49) {
        limiter.close();
        limiter = start();
      }
      if (round > 100) expect(bytesOf("log")).toBeLessThan(bytesOf("snapshots") / 2 + 60 * 512);
    }
    expect(rowsOf("snapshots")).toBe(60);
    expect(rowsOf("log")).toBeLessThan(100);
  });

  test("has no row for which no key waits, but the newest", () => {
    const limiter = start();
    for (let round = 0; round < 200; round++) {
      limiter.take("key_a", "Free");
      limiter.flush();
      clock.advance(1_000);
    }
    expect(rowsOf("log")).toBeLessThan(20);
    for (const table of ["log", "snapshots"] as const) expect(rowsOf(table)).toBeGreaterThan(0);
  });

  test("lets go of a key that no longer exists", () => {
    let limiter = start();
    take(limiter, 2);
    limiter.close();
    limiter = start({ knownKeyIds: new Set(["key_1"]) });
    for (let round = 0; round < 100; round++) {
      limiter.take("key_1", "Enterprise");
      limiter.flush();
    }
    expect(read("SELECT count(*) FROM log WHERE instr(admissions, 'key_0') > 0")).toBe(0);
    expect([rowsOf("snapshots"), [...readLastUsed(file).keys()]]).toEqual([1, ["key_1"]]);
  });
});

describe("a snapshot that cannot be written", () => {
  test("does not keep what is admitted from the file, and is made up for", () => {
    const limiter = start();
    take(limiter, 50);
    const allow = refuseSnapshots("key_1");
    for (let tried = 1; tried <= 20; tried++) {
      limiter.take("key_7", "Enterprise");
      expect(() => limiter.flush()).toThrow("a fault");
      expect([rowsOf("log"), readLastUsed(file).get("key_7")]).toEqual([tried, clock.wallMs()]);
      clock.advance(1_000);
    }
    allow();
    for (let round = 0; round < 60; round++) {
      take(limiter, 50);
      limiter.flush();
    }
    expect([rowsOf("snapshots"), rowsOf("log") < 60]).toEqual([50, true]);
    limiter.close();
    expect(countOf(start(), "key_7")).toBe(1 + 20 + 60);
  });

  test("is told of once, while all goes on being written", async () => {
    const errors: string[] = [];
    const limiter = start({ flushEveryMs: 1, onError: (error) => errors.push(String(error)) });
    const allow = refuseSnapshots();
    for (let round = 1; round <= 5; round++) {
      limiter.take("key_a", "Free");
      await expect.poll(() => rowsOf("log")).toBe(round);
    }
    expect(errors).toHaveLength(1);
    allow();
  });

  test("of an idle key does not keep what others are admitted for from the file", () => {
    const limiter = start();
    limiter.take("key_idle", "Enterprise");
    limiter.flush();
    clock.advance(DAY_MS);
    const allow = refuseSnapshots("key_idle");
    for (let tried = 0; tried < 3; tried++) {
      limiter.take("key_busy", "Enterprise");
      expect(() => limiter.flush()).toThrow("a fault");
      expect(readLastUsed(file).get("key_busy")).toBe(clock.wallMs());
      clock.advance(1_000);
    }
    allow();
  });

  test("does not keep a stop from coming", () => {
    const limiter = start();
    limiter.take("key_a", "Enterprise");
    const allow = refuseSnapshots();
    expect(() => limiter.flush()).toThrow("a fault");
    limiter.take("key_a", "Enterprise");
    limiter.close();
    allow();
    expect(countOf(start(), "key_a")).toBe(2);
  });
});

describe("a key", () => {
  test("that is idle before it has a snapshot leaves memory and file, but for its last use", () => {
    const limiter = start();
    take(limiter, 9);
    const usedAt = clock.wallMs();
    clock.advance(DAY_MS);
    for (let round = 0; round < 3; round++) limiter.flush();
    expect([limiter.keyCount, bytesOf("snapshots")]).toEqual([0, 9 * "[]".length]);
    expect(readLastUsed(file)).toEqual(new Map(Array.from({ length: 9 }, (_, key) => [`key_${key}`, usedAt])));
    limiter.take("key_7", "Enterprise");
    limiter.close();
    expect(countOf(start(), "key_7")).toBe(1);
  });

  test("that was never written before all of it had left the window has its last use all the same", () => {
    const limiter = start();
    limiter.take("key_a", "Free");
    const usedAt = clock.wallMs();
    clock.advance(2 * DAY_MS);
    limiter.close();
    expect(readLastUsed(file)).toEqual(new Map([["key_a", usedAt]]));
    expect(countOf(start(), "key_a")).toBe(0);
  });

  test("has the last use of a run before, by the clock of that run, with a snapshot or without", () => {
    let limiter = start();
    limiter.take("key_a", "Free");
    const usedAt = clock.wallMs();
    limiter.close();
    clock = new ManualClock(clock.wallMs() + 5_000, 3);
    limiter = start();
    clock.jumpWall(30_000);
    const shown = () => [limiter.readLastUsed(["key_a"]), readLastUsed(file)];
    const expected = new Map([["key_a", usedAt]]);
    expect([rowsOf("snapshots"), ...shown()]).toEqual([0, expected, expected]);
    for (let round = 0; round < 2; round++) limiter.flush();
    expect([rowsOf("snapshots"), ...shown()]).toEqual([1, expected, expected]);
  });

  test("does not count again what had left the window before it could be written, whatever the clock says later", () => {
    const limiter = start();
    take(limiter, 1, 5);
    limiter.flush();
    const intruder = new Database(file);
    intruder.exec("BEGIN IMMEDIATE");
    take(limiter, 1, 5);
    expect(() => limiter.flush()).toThrow(/locked/);
    clock.advance(DAY_MS);
    take(limiter, 1, 3);
    intruder.exec("ROLLBACK");
    intruder.close();
    limiter.close();
    clock = new ManualClock(clock.wallMs() - 2 * DAY_MS, 3);
    expect(countOf(start(), "key_0")).toBe(3);
  });

  test("that comes back after weeks counts nothing of what its snapshot has from before", () => {
    let limiter = start();
    take(limiter, 1, 5);
    limiter.flush();
    expect(rowsOf("snapshots")).toBe(1);
    limiter.close();
    // So long that the 32 bits of a time in memory begin anew.
    clock = new ManualClock(clock.wallMs() + 2 ** 32 + HOUR_MS, 3);
    limiter = start();
    take(limiter, 1);
    limiter.close();
    expect(countOf(start(), "key_0")).toBe(1);
  });

  test("counts what was admitted in the future for as long as if it were now, whether the log or its snapshot has it", () => {
    let limiter = start();
    take(limiter, 2, 20);
    limiter.flush();
    expect(rowsOf("snapshots")).toBe(1);
    take(limiter, 2, 1);
    limiter.close();
    clock = new ManualClock(clock.wallMs() - 10 * HOUR_MS, 3);
    limiter = start();
    take(limiter, 2, 1);
    limiter.close();
    clock = new ManualClock(clock.wallMs() + DAY_MS - 1, 3);
    limiter = start();
    expect([countOf(limiter, "key_0"), countOf(limiter, "key_1")]).toEqual([22, 22]);
    limiter.close();
    clock = new ManualClock(clock.wallMs() + 1, 3);
    limiter = start();
    expect([countOf(limiter, "key_0"), countOf(limiter, "key_1")]).toEqual([0, 0]);
  });
});
