import { expect, test } from "vitest";
import { sayAge, sayDaysUntil, sayExactly, sayUtcDay, sayUtcExactly } from "./time-words.ts";

const NOW = Date.UTC(2026, 10, 15, 12);
const MINUTE = 60_000;
const DAY = 86_400_000;

test.each([
  [0, "just now"],
  [-59_999, "just now"],
  [2_000, "just now"],
  [30_000, "in less than a minute"],
  [-3 * MINUTE, "3 minutes ago"],
  [-90 * MINUTE, "1 hour ago"],
  [-DAY, "yesterday"],
  [4 * DAY, "in 4 days"],
  [-31 * DAY, "15 Oct 2026"],
])("says %d ms from now as %s", (difference, words) => {
  expect(sayAge(NOW + difference, NOW)).toBe(words);
});

test("says exact times with their seconds and zone", () => {
  expect(sayExactly(NOW)).toMatch(/15 November 2026.*\d\d:00:00 \S+/);
});

test("counts the days of the calendar in UTC, not spans of 24 hours", () => {
  const evening = Date.UTC(2026, 10, 15, 22);
  expect(sayDaysUntil(Date.UTC(2026, 10, 15, 23), evening)).toBe("today");
  expect(sayDaysUntil(Date.UTC(2026, 10, 16, 1), evening)).toBe("tomorrow");
  expect(sayDaysUntil(Date.UTC(2026, 10, 18, 23, 59), evening)).toBe("in 3 days");
  expect(sayDaysUntil(Date.UTC(2026, 10, 18, 0), evening)).toBe("in 3 days");
});

test("says days in UTC from their first millisecond to their last", () => {
  for (const at of [Date.UTC(2026, 6, 31), Date.UTC(2026, 7, 1) - 1]) {
    expect(sayUtcDay(at)).toBe("31 Jul 2026");
    expect(sayUtcExactly(at)).toMatch(/31 July 2026.* UTC/);
  }
});
