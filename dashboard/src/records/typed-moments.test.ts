import { expect, test } from "vitest";
import { readDay, readMoment, writeDay, writeMoment } from "./typed-moments.ts";

test("reads what it wrote, to the minute", () => {
  const at = new Date(2026, 2, 29, 19, 30).getTime();
  expect([writeDay(at), writeMoment(at)]).toEqual(["2026-03-29", "2026-03-29T19:30"]);
  expect(readMoment(writeMoment(at))).toBe(at);
  expect(readDay(writeDay(at))).toBe(new Date(2026, 2, 29).getTime());
});

test("ends a day with its last millisecond, however long the day is", () => {
  for (const [month, date] of [
    [2, 29],
    [9, 25],
    [11, 31],
  ] as const) {
    const end = readDay(writeDay(new Date(2026, month, date, 12).getTime()), "end") ?? 0;
    expect(end + 1).toBe(new Date(2026, month, date + 1).getTime());
  }
});

test("takes nothing else for a day or a moment", () => {
  expect([readDay(""), readDay("soon"), readMoment(""), readMoment("2026-03-29")]).toEqual(Array(4).fill(undefined));
});

test("leaves a year as it stands while it is typed", () => {
  for (const day of ["0002-06-30", "0020-06-30", "0202-06-30", "2028-06-30"]) {
    expect([writeDay(readDay(day) ?? 0), writeDay(readDay(day, "end") ?? 0)]).toEqual([day, day]);
  }
});
