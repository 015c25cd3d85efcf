import { describe, expect, it, onTestFinished } from "vitest";
import { FlushTimer, KEYS_MAX, keysAfter, type Slice, waitAfter } from "./flush-timer.ts";

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
  expect([0, 24, 25, 60, 149, 150, 10_000].map(keysAfter)).toEqual([32, 32, 64, 128, 1_024, KEYS_MAX, KEYS_MAX]);
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
    onError: (error) => errors.push(String(error)),
  });
  onTestFinished(() => timer.stop());
  await done.promise;
  expect(errors).toEqual(["Error: pass 1", "Error: pass 5"]);
});
