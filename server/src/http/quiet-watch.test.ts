import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { QuietWatch } from "./quiet-watch.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function makeOne(watch: QuietWatch) {
  const one = {
    quietSince: watch.now as number | undefined,
    told: 0,
    onQuiet: () => {
      one.told++;
      watch.delete(one);
    },
  };
  watch.add(one);
  return one;
}

it.each([10, 999, 1_000, 1_001, 73_000])(
  "tells of whoever was quiet for %i ms, not sooner and hardly later",
  (quietMs) => {
    const watch = new QuietWatch(quietMs);
    makeOne(watch);
    const tickMs = Math.min(1_000, quietMs);
    for (const sinceTickMs of [0, 1, Math.floor(tickMs / 2), tickMs - 1]) {
      vi.advanceTimersByTime(sinceTickMs);
      const one = makeOne(watch);
      vi.advanceTimersByTime(quietMs - 1);
      expect(one.told, `${sinceTickMs} ms after a tick`).toBe(0);
      vi.advanceTimersByTime(2 * tickMs + 1);
      expect(one.told, `${sinceTickMs} ms after a tick`).toBe(1);
      // To the next tick.
      makeOne(watch);
      const before = watch.now;
      while (watch.now === before) vi.advanceTimersByTime(1);
    }
  },
);

it("counts from what came or went last, and tells of nobody while something is under way", () => {
  const watch = new QuietWatch(5_000);
  const one = makeOne(watch);
  for (let second = 0; second < 30; second++) {
    vi.advanceTimersByTime(1_000);
    one.quietSince = watch.now;
  }
  one.quietSince = undefined;
  vi.advanceTimersByTime(60_000);
  expect(one.told).toBe(0);
  one.quietSince = watch.now;
  vi.advanceTimersByTime(7_000);
  expect(one.told).toBe(1);
});

it("has no clock running while nobody is watched", () => {
  const watch = new QuietWatch(5_000);
  expect(vi.getTimerCount()).toBe(0);
  const [one, other] = [makeOne(watch), makeOne(watch)];
  expect(vi.getTimerCount()).toBe(1);
  watch.delete(one);
  expect(vi.getTimerCount()).toBe(1);
  watch.delete(other);
  expect(vi.getTimerCount()).toBe(0);
  makeOne(watch);
  expect(vi.getTimerCount()).toBe(1);
});
