import { expect, test } from "vitest";
import { dayNumberOf, endOfDayNumber, readDayNumber, startOfDayNumber, writeDayNumber } from "./roster-days.ts";

test("reads days of the calendar and nothing else", () => {
  expect(readDayNumber("1970-01-02")).toBe(1);
  for (const wrong of ["2026-02-30", "2026-13-01", "yesterday", "2026-2-1", ""]) {
    expect(readDayNumber(wrong)).toBeUndefined();
  }
});

test("a day goes to its number and back, and holds its first and last moment", () => {
  for (const text of ["1970-01-01", "2024-02-29", "2026-03-29", "2026-10-25"]) {
    const day = readDayNumber(text) ?? Number.NaN;
    expect(writeDayNumber(day)).toBe(text);
    expect(dayNumberOf(startOfDayNumber(day))).toBe(day);
    expect(dayNumberOf(endOfDayNumber(day))).toBe(day);
    expect(dayNumberOf(endOfDayNumber(day) + 1)).toBe(day + 1);
  }
});
