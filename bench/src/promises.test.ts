import { expect, test } from "vitest";
import { isKept, renderPromises } from "./promises.ts";
import { makeSampleReport } from "./sample-report.ts";

test("what is promised is judged by the medians of the run", () => {
  const { promises } = makeSampleReport();
  const verdicts = Object.fromEntries(promises.map(({ what, holds }) => [what, holds]));
  expect(verdicts).toMatchObject({
    "one player, requests a second": true,
    "one player, processor time": true,
    "one player on PostgreSQL and Redis, requests a second": true,
    "a 304, requests a second": true,
    "a 401, processor time": false,
    "a 429, processor time": true,
    "creates a second": true,
  });
});

test("nothing is promised of what was not measured", () => {
  expect(makeSampleReport(["schedule"]).promises).toEqual([]);
});

test("what lies exactly on its bound holds", () => {
  const bound = { what: "it", measured: 0.8, bound: 0.8, unit: "of bare" };
  expect(isKept({ ...bound, sense: "at least" })).toBe(true);
  expect(isKept({ ...bound, sense: "at most" })).toBe(true);
  expect(isKept({ ...bound, measured: 0.79, sense: "at least" })).toBe(false);
  expect(renderPromises([{ ...bound, measured: 0.5, sense: "at least" }])).toEqual([
    "  it  0.50 of bare (at least 0.80): FALLS SHORT",
  ]);
});
