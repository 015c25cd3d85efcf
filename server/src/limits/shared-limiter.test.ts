import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_MS, MINUTE_MS, TIER_NAMES } from "@lineup/api/tiers";
import Database from "better-sqlite3";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { readSharedMemory } from "../../test/limits/shared-memory-check.ts";
import { readLastUsed } from "./journal-last-uses.ts";
import { ManualClock } from "./manual-clock.ts";
import { openMemoryLimiter } from "./memory-limiter.ts";
import type { SharedLimits, SharedLimitsOptions } from "./shared-coordinator.ts";
import { createSharedLimits, joinSharedLimits, type SharedLimiter } from "./shared-limiter.ts";
import { SLOTS_PER_PAGE } from "./shared-memory.ts";

let folder: string;
let file: string;
let clock: ManualClock;
const open: { close(): void }[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-shared-"));
  file = join(folder, "limits.sqlite");
  clock = new ManualClock();
});

afterEach(() => {
  for (const opened of open.splice(0)) opened.close();
  rmSync(folder, { recursive: true });
});

function start(options: Partial<SharedLimitsOptions> = {}): {
  limits: SharedLimits;
  workers: [SharedLimiter, SharedLimiter];
} {
  const limits = createSharedLimits({ file, clock, workers: 2, ...options });
  const workers: [SharedLimiter, SharedLimiter] = [
    joinSharedLimits(limits.handle, 0, { clock }),
    joinSharedLimits(limits.handle, 1, { clock }),
  ];
  open.push(...workers, limits);
  return { limits, workers };
}

function burst(size: number, take: () => { admitted: boolean }): number {
  let admitted = 0;
  for (let sent = 0; sent < size; sent++) if (take().admitted) admitted++;
  return admitted;
}

const act = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("take" as const), who: fc.nat(4), times: fc.nat(70) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("peek" as const), who: fc.nat(4) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("takeAddress" as const), who: fc.nat(7), times: fc.nat(40) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("peekAddress" as const), who: fc.nat(7) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      ms: fc.constantFrom(0, 1, 500, 20_000, 59_999, MINUTE_MS, DAY_MS / 3, DAY_MS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("setWall" as const), ms: fc.integer({ min: -DAY_MS, max: DAY_MS }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("flush" as const) }) },
);

describe("workers that take turns", () => {
  test("say to the letter what the engine in the process says, of keys and of addresses", () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const own = new ManualClock();
        const alone = openMemoryLimiter({
          file: join(folder, `${crypto.randomUUID()}.sqlite`),
          clock: own,
          maxAddresses: 5,
        });
        const limits = createSharedLimits({
          file: join(folder, `${crypto.randomUUID()}.sqlite`),
          clock: own,
          workers: 3,
          maxAddresses: 5,
        });
        const workers = [0, 1, 2].map((worker) => joinSharedLimits(limits.handle, worker, { clock: own }));
        let turn = 0;
        const next = () => workers[turn++ % workers.length] as SharedLimiter;
        try {
          for (const one of acts) {
            if (one.do === "wait") own.advance(one.ms);
            else if (one.do === "setWall") own.jumpWall(one.ms);
            else if (one.do === "flush") {
              alone.flush();
              limits.flush();
              expect(limits.keyCount).toBe(alone.keyCount);
            } else if (one.do === "peek") {
              const tier = TIER_NAMES[one.who % 4] ?? "Free";
              expect(next().peek(`key_${one.who}`, tier)).toEqual(alone.peek(`key_${one.who}`, tier));
            } else if (one.do === "peekAddress") {
              expect(next().peekAddress(`192.0.2.${one.who}`)).toEqual(alone.peekAddress(`192.0.2.${one.who}`));
            } else {
              for (let sent = 0; sent <= one.times; sent++) {
                const tier = TIER_NAMES[(one.who + (sent % 9 === 0 ? 1 : 0)) % 4] ?? "Free";
                if (one.do === "take")
                  expect(next().take(`key_${one.who}`, tier)).toEqual(alone.take(`key_${one.who}`, tier));
                else expect(next().takeAddress(`192.0.2.${one.who}`)).toEqual(alone.takeAddress(`192.0.2.${one.who}`));
              }
            }
          }
          readSharedMemory(limits.handle);
        } finally {
          alone.close();
          limits.close();
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe("the windows of addresses", () => {
  const left = (worker: SharedLimiter) =>
    ["1", "2", "3", "4"].map((end) => worker.peekAddress(`192.0.2.${end}`).governing.remaining);

  test("are given up when full of others, the least recently used first, whichever worker used it", () => {
    const { workers } = start({ maxAddresses: 3 });
    for (const [turn, end] of ["1", "2", "3", "1", "4"].entries()) workers[turn % 2]?.takeAddress(`192.0.2.${end}`);
    expect(left(workers[0])).toEqual([58, 60, 59, 59]);
  });

  test("are given up when nothing counts in them, before any that still counts", () => {
    const { workers } = start({ maxAddresses: 3 });
    workers[0].takeAddress("192.0.2.1");
    workers[1].takeAddress("192.0.2.2");
    clock.advance(MINUTE_MS - 1);
    workers[1].takeAddress("192.0.2.1");
    workers[0].takeAddress("192.0.2.3");
    clock.advance(1);
    workers[1].takeAddress("192.0.2.4");
    expect(left(workers[0])).toEqual([59, 60, 59, 59]);
  });
});

describe("memory", () => {
  test("lets go of keys that have been idle for a day, and workers notice", () => {
    const { limits, workers } = start();
    for (let number = 0; number < 1_000; number++) workers[number % 2]?.take(`key_${number}`, "Free");
    clock.advance(DAY_MS - 1);
    workers[0].take("key_7", "Free");
    for (let round = 0; round < 10; round++) limits.flush();
    expect(limits.keyCount).toBe(1_000);
    clock.advance(1);
    for (let round = 0; round < 10; round++) limits.flush();
    expect(limits.keyCount).toBe(1);
    // The records of the others are now those of new keys.
    for (let number = 1_000; number < 1_999; number++) workers[1].take(`key_${number}`, "Free");
    expect(burst(20, () => workers[0].take("key_3", "Free"))).toBe(10);
    expect(workers[0].peek("key_1500", "Free").windows[1]?.remaining).toBe(99);
    expect(workers[0].peek("key_9", "Free").windows[1]?.remaining).toBe(100);
    expect(readSharedMemory(limits.handle).keys.size).toBe(1_001);
  });

  test("grows with the keys and what they do, and every worker sees the same of it", () => {
    const { limits, workers } = start();
    workers[1].take("key_0", "Enterprise");
    for (let number = 1; number < 3_000; number++) workers[0].take(`key_${number}`, "Free");
    // A key that the other remembers goes on where its views did not yet reach.
    clock.advance(MINUTE_MS);
    burst(500, () => workers[0].take("key_0", "Enterprise"));
    clock.advance(30_000);
    expect(workers[1].take("key_0", "Enterprise").windows).toMatchObject([
      { remaining: 499, resetInMs: 30_000 },
      { remaining: 99_498 },
    ]);
    clock.advance(30_000);
    expect(workers[1].peek("key_0", "Enterprise").windows[0]).toMatchObject({ remaining: 999, resetInMs: 30_000 });
    burst(1_000, () => workers[0].take("key_2999", "Enterprise"));
    for (let number = 1; number < 3_000; number++) {
      const left = number === 2_999 ? 0 : 98;
      expect(workers[1].take(`key_${number}`, "Free").windows[1]?.remaining).toBe(left);
    }
    const { keys, pagesUsed } = readSharedMemory(limits.handle);
    expect([keys.size, pagesUsed]).toEqual([3_000, 3_010]);
    limits.flush();
    expect(readLastUsed(file).size).toBe(3_000);
  });

  test("is used again: keys that grow and shrink day after day take no more than the largest at one time", () => {
    const { limits, workers } = start();
    const rounds = 12;
    for (let round = 0; round < rounds; round++) {
      for (let minute = 0; minute < 5; minute++) {
        for (const [number, worker] of workers.entries()) {
          burst(1_000, () => worker.take(`key_${round % 3}_${number}`, "Enterprise"));
        }
        clock.advance(MINUTE_MS);
      }
      clock.advance(DAY_MS);
      // A key leaves memory after it was written.
      for (let flushed = 0; flushed < 2; flushed++) limits.flush();
    }
    const { pagesMade } = readSharedMemory(limits.handle);
    expect(pagesMade).toBeLessThan(2 * (5_000 / SLOTS_PER_PAGE + 2) + 20);
  });

  test("that is full forgets nothing: who needs more fails, all others are counted, and time makes room", () => {
    const { limits, workers } = start({ maxPages: 4, maxKeys: 3 });
    expect(burst(200, () => workers[0].take("key_a", "Pro"))).toBe(200);
    expect(burst(100, () => workers[1].take("key_b", "Pro"))).toBe(100);
    expect(burst(100, () => workers[1].take("key_c", "Pro"))).toBe(100);
    expect(() => workers[0].take("key_d", "Pro")).toThrow(/is full/);
    expect(burst(56, () => workers[0].take("key_a", "Pro"))).toBe(56);
    expect(() => workers[1].take("key_a", "Pro")).toThrow(/is full: 512 requests count/);
    expect(workers[0].peek("key_a", "Pro").windows[1]?.remaining).toBe(10_000 - 256);
    expect(workers[0].take("key_b", "Pro").windows[1]?.remaining).toBe(10_000 - 101);
    clock.advance(DAY_MS);
    expect(workers[1].take("key_a", "Pro").windows[1]?.remaining).toBe(9_999);
    for (let flushed = 0; flushed < 2; flushed++) limits.flush();
    expect(workers[0].take("key_d", "Pro").windows[1]?.remaining).toBe(9_999);
    readSharedMemory(limits.handle);
  });

  test("has no place for a key id longer than any that Lineup makes", () => {
    const { workers } = start();
    expect(() => workers[0].take("k".repeat(61), "Free")).toThrow(/at most 60 characters/);
    expect(() => workers[0].take("key_\u{1f600}", "Free")).toThrow(/Latin-1/);
    expect(workers[0].take("k".repeat(60), "Free").admitted).toBe(true);
  });

  test("is handed to workers by number, and to no more than there are", () => {
    const { limits } = start();
    expect(() => joinSharedLimits(limits.handle, 2)).toThrow(/number from 0 to 1/);
  });
});

describe("the journal", () => {
  test("brings all of it back, to the engine in the process and from it", () => {
    let { limits, workers } = start();
    for (let sent = 0; sent < 700; sent++) {
      workers[sent % 2]?.take("key_a", "Enterprise");
      clock.advance(83);
      if (sent % 45 === 0) limits.flush();
    }
    workers[1].take("key_b", "Free");
    const before = [workers[0].peek("key_a", "Enterprise"), workers[0].peek("key_b", "Free")];
    limits.close();
    clock = new ManualClock(clock.wallMs(), 17);
    const alone = openMemoryLimiter({ file, clock });
    expect([alone.peek("key_a", "Enterprise"), alone.peek("key_b", "Free")]).toEqual(before);
    alone.take("key_b", "Free");
    alone.close();
    clock = new ManualClock(clock.wallMs(), 2 ** 33);
    ({ limits, workers } = start());
    expect(workers[0].peek("key_a", "Enterprise")).toEqual(before[0]);
    expect(workers[1].peek("key_b", "Free").windows[1]?.remaining).toBe(98);
  });

  test("is written by itself, and a failing write is reported once a streak, loses nothing, and is made up for", async () => {
    const errors: unknown[] = [];
    const { limits, workers } = start({ flushEveryMs: 5, onError: (error) => errors.push(error) });
    const intruder = new Database(file);
    for (let streak = 1; streak <= 2; streak++) {
      intruder.exec("BEGIN IMMEDIATE");
      burst(4, () => workers[streak - 1]?.take("key_a", "Free") ?? { admitted: false });
      await vi.waitFor(() => expect(errors).toHaveLength(streak));
      expect(() => limits.flush()).toThrow(/locked/);
      intruder.exec("ROLLBACK");
      await vi.waitFor(() => expect(readLastUsed(file).get("key_a")).toBe(clock.wallMs()));
      clock.advance(1_000);
    }
    intruder.close();
    limits.close();
    const alone = openMemoryLimiter({ file, clock });
    expect(alone.peek("key_a", "Free").windows[0]?.remaining).toBe(2);
    alone.close();
  });

  test("keeps nothing of keys that are not known, and a worker that comes with one begins anew", () => {
    const { limits, workers } = start();
    for (let number = 0; number < 600; number++) workers[0].take(`key_${number}`, "Free");
    limits.flush();
    burst(5, () => workers[1].take("key_new", "Free"));
    limits.pruneKeys(new Set(["key_5"]));
    expect(limits.keyCount).toBe(1);
    expect(limits.readLastUsed(["key_new", "key_9", "key_5"])).toEqual(new Map([["key_5", clock.wallMs()]]));
    expect(workers[1].take("key_new", "Free").windows[1]?.remaining).toBe(99);
    limits.flush();
    expect([...readLastUsed(file).keys()].sort()).toEqual(["key_5", "key_new"]);
    limits.close();
    const alone = openMemoryLimiter({ file, clock });
    expect([alone.keyCount, alone.peek("key_new", "Free").windows[1]?.remaining]).toEqual([2, 99]);
    alone.close();
  });

  test("and memory together know when a key was last used, in every thread", () => {
    let { limits, workers } = start();
    const keys = ["key_a", "key_b", "key_c"];
    workers[0].take("key_a", "Free");
    const usedAt = clock.wallMs();
    for (const asked of [...workers, limits]) expect(asked.readLastUsed(keys)).toEqual(new Map([["key_a", usedAt]]));
    clock.advance(5_000);
    limits.flush();
    for (const asked of [...workers, limits]) expect(asked.readLastUsed(keys)).toEqual(new Map([["key_a", usedAt]]));
    limits.close();
    clock = new ManualClock(clock.wallMs() + 3 * DAY_MS, 9);
    ({ limits, workers } = start());
    workers[1].take("key_b", "Free");
    const expected = new Map([
      ["key_a", usedAt],
      ["key_b", clock.wallMs()],
    ]);
    for (const asked of [...workers, limits]) expect(asked.readLastUsed(keys)).toEqual(expected);
  });
});
