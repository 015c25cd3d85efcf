import { describe, expect, it, onTestFinished } from "vitest";
import { FlushTimer, KEYS_MAX, keysAfter, SETTLED_MAX, type Slice, settledAfter, waitAfter } from "./flush-timer.ts";

describe("the pause between two passes", () => {
  it("is what it should be while passes are short", () => {
    expect(waitAfter(0, 700)).toBe(700);
    expect(waitAfter(50, 700)).toBe(650);
  });

  it("leaves no admission unwritten for a second, however long a pass takes that the disk can keep up with", () => {
    for (let passMs = 0; passMs <= 300; passMs += 10) {
      // Behind its slice at once, written at the end of the next pass, which takes as long again.
      expect(passMs + waitAfter(passMs, 700) + 2 * passMs).toBeLessThanOrEqual(900);
    }
    expect(waitAfter(5_000, 700)).toBe(0);
  });
});

it("writes little at a time at first, and ever more in a pass that takes long", () => {
  expect([0, 24, 25, 60, 99, 100, 10_000].map(keysAfter)).toEqual([512, 512, 1_024, 2_048, 4_096, KEYS_MAX, KEYS_MAX]);
});

it("goes through one pass at a time, and tells each slice where it stands", async () => {
  const slices: Slice[] = [];
  const done = Promise.withResolvers<void>();
  const timer = new FlushTimer({
    everyMs: 1,
    flushSlice: (slice) => {
      slices.push(slice);
      if (slices.length === 9) done.resolve();
      return slices.length % 3 !== 0;
    },
    settleSlice: () => false,
    onError: (error) => done.reject(error),
  });
  onTestFinished(() => timer.stop());
  await done.promise;
  expect(slices.slice(0, 9).map(({ isFirst }) => isFirst)).toEqual([
    true,
    false,
    false,
    true,
    false,
    false,
    true,
    false,
    false,
  ]);
});

it("tells of the first failure of a streak, and goes on", async () => {
  const errors: unknown[] = [];
  const done = Promise.withResolvers<void>();
  let passes = 0;
  const timer = new FlushTimer({
    everyMs: 1,
    flushSlice: () => {
      passes++;
      if (passes === 6) done.resolve();
      if (passes === 4) return false;
      throw new Error(`pass ${passes}`);
    },
    settleSlice: () => false,
    onError: (error) => errors.push(String(error)),
  });
  onTestFinished(() => timer.stop());
  await done.promise;
  expect(errors).toEqual(["Error: pass 1", "Error: pass 5"]);
});

it("settles little at a time at first, and more where that takes long", () => {
  expect([0, 999, 1_000, 6_999, 7_000, 60_000].map(settledAfter)).toEqual([8, 8, 16, 512, SETTLED_MAX, SETTLED_MAX]);
});

it("lets settle between two passes until it is time for the next, and goes on with it then", async () => {
  const done = Promise.withResolvers<void>();
  const acts: string[] = [];
  let settled = 0;
  const timer = new FlushTimer({
    everyMs: 3,
    flushSlice: () => {
      acts.push("pass");
      return false;
    },
    settleSlice: () => {
      if (acts.at(-1) !== "settle") acts.push("settle");
      const until = performance.now() + 1;
      while (performance.now() < until);
      settled++;
      if (settled === 20) done.resolve();
      return settled < 20;
    },
    onError: (error) => done.reject(error),
  });
  onTestFinished(() => timer.stop());
  await done.promise;
  expect(acts.length).toBeGreaterThan(4);
  expect(acts.filter((act) => act === "pass").length).toBeGreaterThanOrEqual(acts.length / 2);
});

it("tells once of what cannot be settled, and writes all the same", async () => {
  const errors: unknown[] = [];
  const done = Promise.withResolvers<void>();
  let passes = 0;
  const timer = new FlushTimer({
    everyMs: 1,
    flushSlice: () => {
      passes++;
      if (passes === 5) done.resolve();
      return false;
    },
    settleSlice: () => {
      throw new Error("not now");
    },
    onError: (error) => errors.push(String(error)),
  });
  onTestFinished(() => timer.stop());
  await done.promise;
  expect(errors).toEqual(["Error: not now"]);
});
