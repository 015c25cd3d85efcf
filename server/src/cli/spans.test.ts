import { describe, expect, test } from "vitest";
import { requireExpiry, requireOverlap } from "./key.ts";

const NOW = Date.UTC(2026, 4, 20, 12);

describe("an expiry", () => {
  test.each([
    ["90d", NOW + 90 * 86_400_000],
    [" 12H ", NOW + 12 * 3_600_000],
    ["2027-01-31", Date.UTC(2027, 0, 31)],
    ["2027-01-31T12:00:00+01:00", Date.UTC(2027, 0, 31, 11)],
    [String(NOW + 1), NOW + 1],
  ])("may be %j", (text, moment) => expect(requireExpiry(text, NOW)).toBe(moment));

  test.each([
    ["20270131", "write 2027-01-31"],
    ["2026-05-20", "later"],
    ["soon", "such as 90d"],
    ["999999999d", "such as 90d"],
  ])("refuses %j and says what to write", (text, hint) => {
    expect(() => requireExpiry(text, NOW)).toThrow(hint);
  });
});

test("an overlap is a span, or none", () => {
  expect(["0", "30m", "365d"].map(requireOverlap)).toEqual([0, 1_800_000, 365 * 86_400_000]);
  expect(() => requireOverlap("20270131")).toThrow("24h");
  for (const text of ["366d", "9999d", "999999999d"]) expect(() => requireOverlap(text)).toThrow("at most 365d");
});
