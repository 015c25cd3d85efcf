import { afterAll, beforeAll, expect, test } from "vitest";
import { addDays, addMonths, atTime, dayOf, rangeOf, readDay, spanOf, startOfDay, turnPage } from "./calendar-days.ts";

const HOUR_MS = 3_600_000;
const zoneBefore = process.env.TZ;

beforeAll(() => {
  process.env.TZ = "Europe/Berlin";
});

afterAll(() => {
  if (zoneBefore === undefined) delete process.env.TZ;
  else process.env.TZ = zoneBefore;
});

test("reads days that there are, and nothing else", () => {
  expect(readDay("2028-02-29")).toBe("2028-02-29");
  for (const no of ["2026-02-29", "2026-13-01", "2026-1-1", "today", "", 20261118, undefined]) {
    expect(readDay(no)).toBeUndefined();
  }
});

test("counts days as days where the clocks change: one has 23 hours, one 25", () => {
  expect(startOfDay("2026-03-30") - startOfDay("2026-03-29")).toBe(23 * HOUR_MS);
  expect(startOfDay("2026-10-26") - startOfDay("2026-10-25")).toBe(25 * HOUR_MS);
  expect(addDays("2026-03-28", 2)).toBe("2026-03-30");
  expect(addDays("2026-10-26", -2)).toBe("2026-10-24");
  expect(dayOf(startOfDay("2026-10-25"))).toBe("2026-10-25");
  expect(dayOf(startOfDay("2026-10-25") + 24.5 * HOUR_MS)).toBe("2026-10-25");
});

test("gives a time of a day in the viewer's zone, in summer and in winter", () => {
  expect(atTime("2026-07-01", 18, 30)).toBe(Date.UTC(2026, 6, 1, 16, 30));
  expect(atTime("2026-12-01", 18, 30)).toBe(Date.UTC(2026, 11, 1, 17, 30));
});

test("shows whole weeks from Monday on of a month and a week, and four weeks of the agenda", () => {
  expect(rangeOf("month", "2026-11-18")).toEqual({ from: "2026-10-26", until: "2026-12-07" });
  expect(rangeOf("month", "2027-02-10")).toEqual({ from: "2027-02-01", until: "2027-03-01" });
  expect(rangeOf("week", "2026-11-22")).toEqual({ from: "2026-11-16", until: "2026-11-23" });
  expect(rangeOf("agenda", "2026-11-18")).toEqual({ from: "2026-11-18", until: "2026-12-16" });
});

test("a week in which the clocks change lasts an hour less or more", () => {
  const spring = spanOf(rangeOf("week", "2026-03-29"));
  const autumn = spanOf(rangeOf("week", "2026-10-25"));
  expect(spring.until - spring.from).toBe((7 * 24 - 1) * HOUR_MS);
  expect(autumn.until - autumn.from).toBe((7 * 24 + 1) * HOUR_MS);
});

test("turns pages forth and back, at the end of a month too", () => {
  expect(addMonths("2026-01-31", 1)).toBe("2026-02-28");
  expect(addMonths("2026-12-15", 1)).toBe("2027-01-15");
  expect(turnPage("month", "2026-03-31", -1)).toBe("2026-02-28");
  expect(turnPage("week", "2026-12-30", 1)).toBe("2027-01-06");
  expect(turnPage("agenda", "2026-11-18", -1)).toBe("2026-10-21");
});
