import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DAY_MS, MINUTE_MS } from "@lineup/api/tiers";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../test/manual-clock.ts";
import { AdmissionJournal } from "./admission-journal.ts";
import { systemClock } from "./clock.ts";
import { readLastUsed } from "./journal-transfer.ts";
import { MemoryLimiter, type MemoryLimiterOptions } from "./memory-limiter.ts";

let folder: string;
let file: string;
let clock: ManualClock;
const open: MemoryLimiter[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-journal-"));
  file = join(folder, "limits.sqlite");
  clock = new ManualClock();
});

afterEach(() => {
  for (const limiter of open.splice(0)) limiter.close();
  rmSync(folder, { recursive: true });
});

function openLimiter(options: Partial<MemoryLimiterOptions> = {}): MemoryLimiter {
  const limiter = new MemoryLimiter({ file, clock, ...options });
  open.push(limiter);
  return limiter;
}

/** What a new process sees: the same wall time, a monotonic clock that begins elsewhere. */
function restart(limiter: MemoryLimiter, wallJumpMs = 0): MemoryLimiter {
  limiter.close();
  clock = new ManualClock(clock.wallMs() + wallJumpMs, 17);
  return openLimiter();
}

function countBytes(table: "log" | "snapshots"): number | undefined {
  const database = new Database(file, { readonly: true });
  try {
    return database.prepare<[], number>(`SELECT total(length(admissions)) FROM ${table}`).pluck().get();
  } finally {
    database.close();
  }
}

function listSnapshots(): string[] {
  const database = new Database(file, { readonly: true });
  try {
    return database.prepare<[], string>("SELECT key_id FROM snapshots").pluck().all();
  } finally {
    database.close();
  }
}

/** Of which keys there is anything in the file that counts, or that is left to delete. */
function listKeysInFile(): string[] {
  const copy = join(folder, `copy-${performance.now()}.sqlite`);
  for (const end of ["", "-wal"]) cpSync(file + end, copy + end);
  const journal = new AdmissionJournal(copy, clock);
  const keys = [...journal.load().keys()];
  journal.close();
  return keys;
}

describe("a clean stop", () => {
  test("forgets nothing, to the millisecond", () => {
    let limiter = openLimiter();
    for (let sent = 0; sent < 700; sent++) {
      limiter.take("key_a", "Enterprise");
      clock.advance(83);
    }
    limiter.take("key_b", "Free");
    const before = [limiter.peek("key_a", "Enterprise"), limiter.peek("key_b", "Free")];
    limiter = restart(limiter);
    expect([limiter.peek("key_a", "Enterprise"), limiter.peek("key_b", "Free")]).toEqual(before);
  });

  test("forgets nothing of many keys, however much each has done", () => {
    let limiter = openLimiter();
    const keys = Array.from({ length: 200 }, (_, number) => `key_${number}`);
    for (const [number, key] of keys.entries()) {
      for (let sent = 0; sent <= number * 2; sent++) limiter.take(key, "Enterprise");
      clock.advance(7);
    }
    const before = keys.map((key) => limiter.peek(key, "Enterprise"));
    limiter = restart(limiter);
    expect(keys.map((key) => limiter.peek(key, "Enterprise"))).toEqual(before);
    expect(readLastUsed(file).get("key_150")).toBe(clock.wallMs() - 50 * 7);
  });

  test("after another, with admissions in every run, forgets nothing either", () => {
    let limiter = openLimiter();
    for (let run = 0; run < 20; run++) {
      for (let sent = 0; sent < 45; sent++) limiter.take("key_a", "Enterprise");
      clock.advance(1_000);
      limiter = restart(limiter);
    }
    expect(limiter.peek("key_a", "Enterprise").windows).toMatchObject([
      { remaining: 100, resetInMs: 40_000 },
      { remaining: 99_100, resetInMs: DAY_MS - 20_000 },
    ]);
  });

  test.each([3 * 3_600_000, -3 * 3_600_000])("after the wall clock has jumped by %d ms forgets nothing", (jumpMs) => {
    let limiter = openLimiter();
    for (let sent = 0; sent < 300; sent++) limiter.take("key_a", "Enterprise");
    limiter.flush();
    clock.advance(30_000);
    clock.jumpWall(jumpMs);
    limiter = restart(limiter);
    expect(limiter.peek("key_a", "Enterprise").windows).toMatchObject([
      { remaining: 700, resetInMs: 30_000, resetAtMs: clock.wallMs() + 30_000 },
      { remaining: 99_700, resetInMs: DAY_MS - 30_000 },
    ]);
  });
});

describe("a start", () => {
  test("counts the time that has passed since", () => {
    let limiter = openLimiter();
    limiter.take("key_a", "Free");
    limiter = restart(limiter, DAY_MS - 1);
    expect(limiter.peek("key_a", "Free").windows).toMatchObject([{ remaining: 10 }, { remaining: 99, resetInMs: 1 }]);
    limiter = restart(limiter, 1);
    expect(limiter.peek("key_a", "Free").windows).toMatchObject([{ remaining: 10 }, { remaining: 100, resetInMs: 0 }]);
  });

  test("counts admissions from the future as made now, and from then on keeps to that", () => {
    let limiter = openLimiter();
    for (let sent = 0; sent < 10; sent++) limiter.take("key_a", "Free");
    limiter = restart(limiter, -10 * 3_600_000);
    expect(limiter.take("key_a", "Free")).toMatchObject({ admitted: false, governing: { resetInMs: MINUTE_MS } });
    clock.advance(DAY_MS - 1);
    limiter = restart(limiter);
    expect(limiter.peek("key_a", "Free").windows[1]).toMatchObject({ remaining: 90, resetInMs: 1 });
    limiter = restart(limiter, 1);
    expect(limiter.peek("key_a", "Free").windows[1]).toMatchObject({ remaining: 100 });
  });

  test("on a machine that does not know the time yet counts everything as now and goes on writing", () => {
    let limiter = openLimiter();
    limiter.take("key_a", "Free");
    clock.jumpWall(10 * 365 * DAY_MS);
    limiter.take("key_a", "Free");
    limiter = restart(limiter, -clock.wallMs());
    expect(limiter.take("key_a", "Free").windows[0]).toMatchObject({ remaining: 7, resetInMs: MINUTE_MS });
    limiter.flush();
    limiter = restart(limiter);
    expect(limiter.peek("key_a", "Free").windows[0]).toMatchObject({ remaining: 7, resetInMs: MINUTE_MS });
  });

  test("clears the file of what no longer counts", () => {
    let limiter = openLimiter();
    for (let number = 0; number < 600; number++) limiter.take(`key_${number}`, "Free");
    limiter = restart(limiter, DAY_MS);
    for (let round = 0; round < 5; round++) limiter.flush();
    expect([countBytes("snapshots"), limiter.keyCount]).toEqual([600 * "[]".length, 0]);
    expect([listKeysInFile().length, readLastUsed(file).size]).toEqual([0, 600]);
  });
});

describe("a start in the same boot of the machine", () => {
  const HOUR_MS = 3_600_000;

  beforeEach(() => {
    clock = new ManualClock(Date.UTC(2026, 0, 1), 5_000, "this boot");
  });

  const endings = {
    "a clean stop": (limiter: MemoryLimiter) => {
      limiter.close();
      return file;
    },
    "a kill": (limiter: MemoryLimiter) => {
      limiter.flush();
      const copy = join(folder, "killed.sqlite");
      for (const end of ["", "-wal"]) cpSync(file + end, copy + end);
      return copy;
    },
  };

  test.each([
    ["a clean stop", HOUR_MS],
    ["a clean stop", -HOUR_MS],
    ["a kill", HOUR_MS],
    ["a kill", -HOUR_MS],
  ] as const)("after %s counts the time that has passed, though the wall clock was set by %d ms", (ending, jumpMs) => {
    const before = openLimiter();
    for (let sent = 0; sent < 10; sent++) before.take("key_a", "Free");
    const left = endings[ending](before);
    clock.advance(20_000);
    clock.jumpWall(jumpMs);
    const limiter = openLimiter({ file: left });
    expect(limiter.take("key_a", "Free")).toMatchObject({ admitted: false, governing: { resetInMs: 40_000 } });
    expect(limiter.peek("key_a", "Free").windows[1]).toMatchObject({ remaining: 90, resetInMs: DAY_MS - 20_000 });
    clock.advance(40_000);
    expect(limiter.take("key_a", "Free").admitted).toBe(true);
  });

  test("and, after a reboot, by the wall clock, but for what it was set back", () => {
    const reboot = (wallMs: number) => {
      limiter.close();
      clock = new ManualClock(wallMs, 17, `boot at ${wallMs}`);
      return openLimiter();
    };
    let limiter = openLimiter();
    limiter.take("key_a", "Free");
    limiter = reboot(clock.wallMs() + 10 * HOUR_MS);
    limiter.take("key_a", "Free");
    limiter = reboot(clock.wallMs() - HOUR_MS);
    expect(limiter.peek("key_a", "Free").windows).toMatchObject([
      { remaining: 9, resetInMs: MINUTE_MS },
      { remaining: 98, resetInMs: DAY_MS - 10 * HOUR_MS },
    ]);
  });
});

describe("while serving", () => {
  test("the file has no more of a busy key than twice what counts", () => {
    const limiter = openLimiter();
    for (let hour = 0; hour < 100; hour++) {
      for (let sent = 0; sent < 150; sent++) limiter.take("key_a", "Enterprise");
      limiter.flush();
      clock.advance(3_600_000);
    }
    const bytesOfADay = 24 * 150 * "0,".length;
    expect(countBytes("snapshots")).toBeGreaterThan(bytesOfADay / 2);
    expect((countBytes("snapshots") ?? 0) + (countBytes("log") ?? 0)).toBeLessThan(2 * bytesOfADay);
  });

  test("a copy of the files taken after a flush, without a stop, holds all that was admitted before it", () => {
    const limiter = openLimiter();
    for (let sent = 0; sent < 300; sent++) limiter.take("key_a", "Enterprise");
    limiter.flush();
    limiter.take("key_a", "Enterprise");
    const copy = join(folder, "copy.sqlite");
    for (const end of ["", "-wal"]) cpSync(file + end, copy + end);
    expect(openLimiter({ file: copy }).peek("key_a", "Enterprise").windows[1]?.remaining).toBe(99_700);
  });

  test("a kill forgets at most what was admitted in the last second", async () => {
    const script = `
      import { writeSync } from "node:fs";
      import { MemoryLimiter } from ${JSON.stringify(new URL("./memory-limiter.ts", import.meta.url).href)};
      const limiter = new MemoryLimiter({ file: ${JSON.stringify(file)} });
      setInterval(() => {
        if (limiter.take("key_a", "Enterprise").admitted) writeSync(1, Date.now() + "\\n");
      }, 4);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const closed = once(child, "close");
    const times: number[] = [];
    for await (const line of createInterface(child.stdout)) {
      times.push(Number(line));
      if (Number(line) - (times[0] ?? 0) >= 1_800) child.kill("SIGKILL");
    }
    await closed;
    const lastMs = times.at(-1) ?? 0;
    const mustCount = times.filter((time) => time <= lastMs - 1_000).length;
    const { remaining } = openLimiter({ clock: systemClock }).peek("key_a", "Enterprise").windows[1] ?? {
      remaining: Number.NaN,
    };
    expect(mustCount).toBeGreaterThan(20);
    expect(100_000 - remaining).toBeGreaterThanOrEqual(mustCount);
  });

  test("a failing write is reported once a streak, loses nothing, and is made up for", async () => {
    const errors: unknown[] = [];
    let limiter = openLimiter({ flushEveryMs: 5, onError: (error) => errors.push(error) });
    const intruder = new Database(file);
    for (let streak = 1; streak <= 2; streak++) {
      intruder.exec("BEGIN IMMEDIATE");
      for (let sent = 0; sent < 4; sent++) limiter.take("key_a", "Free");
      await expect.poll(() => errors.length).toBe(streak);
      expect(() => limiter.flush()).toThrow(/locked/);
      // Many more flushes fall due meanwhile, and all of them fail.
      await new Promise((resolve) => setTimeout(resolve, 150));
      expect(errors).toHaveLength(streak);
      intruder.exec("ROLLBACK");
      await expect.poll(() => readLastUsed(file).get("key_a")).toBe(clock.wallMs());
      clock.advance(1_000);
    }
    intruder.close();
    limiter = restart(limiter);
    expect(limiter.peek("key_a", "Free").windows[0]?.remaining).toBe(2);
  });
});

describe("a key that no longer exists", () => {
  /** A start at which only these are known. */
  function restartKnowing(limiter: MemoryLimiter, ...keyIds: string[]): MemoryLimiter {
    limiter.close();
    return openLimiter({ knownKeyIds: new Set(keyIds) });
  }

  test("is not counted after a start, though the log has more of it than its snapshot, and leaves no snapshot behind", () => {
    let limiter = openLimiter();
    for (let number = 0; number < 600; number++) limiter.take(`key_${number}`, "Free");
    limiter.flush();
    for (let number = 0; number < 600; number++) limiter.take(`key_${number}`, "Free");
    expect(listSnapshots().length).toBeGreaterThan(1);
    limiter = restartKnowing(limiter, "key_5");
    expect([limiter.keyCount, limiter.peek("key_5", "Free").windows[1]?.remaining]).toEqual([1, 98]);
    for (let round = 0; round < 100; round++) {
      limiter.take("key_5", "Enterprise");
      limiter.flush();
    }
    for (const keyIds of [listSnapshots(), [...readLastUsed(file).keys()], listKeysInFile()]) {
      expect(keyIds).toEqual(["key_5"]);
    }
  });

  test("does not keep a server from starting where its snapshot cannot be removed, which is made up for", () => {
    let limiter = openLimiter();
    for (let sent = 0; sent < 300; sent++) limiter.take("key_a", "Enterprise");
    limiter.take("key_b", "Free");
    limiter.flush();
    const intruder = new Database(file);
    intruder.exec("CREATE TRIGGER fault BEFORE DELETE ON snapshots BEGIN SELECT raise(ABORT, 'a fault'); END");
    limiter = restartKnowing(limiter, "key_b");
    expect(listSnapshots()).toContain("key_a");
    expect(() => limiter.flush()).toThrow("a fault");
    intruder.exec("DROP TRIGGER fault");
    intruder.close();
    limiter.flush();
    expect(listSnapshots()).toEqual(["key_b"]);
    expect(limiter.peek("key_b", "Free").windows[1]?.remaining).toBe(99);
  });
});

test("what a failed write had not written is written by the next", () => {
  const limiter = openLimiter();
  for (let number = 0; number < 40; number++) limiter.take(`key_${number}`, "Free");
  const intruder = new Database(file);
  intruder.exec("CREATE TRIGGER fault BEFORE INSERT ON log BEGIN SELECT raise(ABORT, 'a fault'); END");
  expect(() => limiter.flush()).toThrow("a fault");
  intruder.exec("DROP TRIGGER fault");
  intruder.close();
  expect([countBytes("snapshots"), countBytes("log")]).toEqual([0, 0]);
  limiter.flush();
  expect([readLastUsed(file).size, listKeysInFile().length]).toEqual([40, 40]);
});
