import { expect, test } from "vitest";
import { median, pairedRatio, percentile, transpose } from "./statistics.ts";

test("the median is the middle value, whatever the order, and the mean of two", () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([10, 2, 4, 100])).toBe(7);
  expect(median([])).toBeNaN();
});

test("a percentile is a value that was measured, by nearest rank", () => {
  const hundred = Float64Array.from({ length: 100 }, (_, index) => index + 1);
  expect(percentile(hundred, 0.5)).toBe(50);
  expect(percentile(hundred, 0.99)).toBe(99);
  expect(percentile(hundred, 1)).toBe(100);
  expect(percentile([7], 0.01)).toBe(7);
  expect(percentile([], 0.5)).toBeNaN();
});

test("ratios are taken within a round, so that a disturbed round spoils itself alone", () => {
  expect(pairedRatio([50, 5, 60], [100, 10, 100])).toEqual({ median: 0.5, min: 0.5, max: 0.6 });
});

test("what was measured of each is put together, round by round", () => {
  expect(
    transpose([
      ["a1", "b1"],
      ["a2", "b2"],
      ["a3", "b3"],
    ]),
  ).toEqual([
    ["a1", "a2", "a3"],
    ["b1", "b2", "b3"],
  ]);
  expect(transpose([])).toEqual([]);
});
