import { expect, test } from "vitest";
import { listShortfalls } from "./compare.ts";
import { type Comparing, readCommandLine } from "./options.ts";
import { renderReport } from "./report.ts";
import { makeSampleReport } from "./sample-report.ts";

const required = (...args: string[]) => readCommandLine(args) as Comparing;

test("nothing falls short of what nobody required", () => {
  expect(listShortfalls(makeSampleReport(), required())).toEqual([]);
});

test("a share is required of reads alone, and each that falls short is named with its figure", () => {
  const found = listShortfalls(makeSampleReport(), required("--require", "0.8"));
  expect(found).toEqual([
    "the schedule reaches 0.70 of bare, not 0.8.",
    "expiring contracts reaches 0.75 of bare, not 0.8.",
  ]);
  expect(listShortfalls(makeSampleReport(["player"]), required("--require-cpu", "1.2"))).toEqual([
    "one player takes 1.22 times bare's processor time, not 1.2.",
  ]);
});

test("to require what is promised is to fail where that does not hold", () => {
  const found = listShortfalls(makeSampleReport(["player", "401"]), required("--require-promises"));
  expect(found).toEqual(["What is promised of a 401, processor time does not hold."]);
});

test("the report has a table for each case, all ratios in one, and what is promised", () => {
  const text = renderReport(makeSampleReport());
  expect(text).toContain("one player (575 bytes)");
  expect(text).toContain("Lineup answering one player");
  expect(text).toContain("A plain SQLite loop of one-row transactions on the same disk: 3,500/s");
  expect(text).toMatch(/\n {2}one player +0\.82 +1\.22 +1\.22 +1\.22 +1\.22 +1\.00 +0\.49 +2\.03\n/);
  expect(text).toMatch(/creates a second +1\.26 of a plain loop of transactions \(at least 1\.00\): holds/);
});
