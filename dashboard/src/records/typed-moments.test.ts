import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readDay, readMoment, writeDay, writeMoment } from "./typed-moments.ts";

const zoneBefore = process.env.TZ;

describe.each(["America/Los_Angeles", "UTC", "Asia/Kolkata"])("in %s", (zone) => {
  beforeAll(() => {
    process.env.TZ = zone;
  });
  afterAll(() => {
    if (zoneBefore === undefined) delete process.env.TZ;
    else process.env.TZ = zoneBefore;
  });

  test("reads times as the clocks there show them, and what it wrote, to the minute", () => {
    const at = new Date(2026, 2, 29, 19, 30).getTime();
    expect(writeMoment(at)).toBe("2026-03-29T19:30");
    expect(readMoment(writeMoment(at))).toBe(at);
  });

  test("takes a day for one in UTC, as a file does, from its first millisecond to its last", () => {
    const [start, end] = [Date.UTC(2026, 6, 31), Date.UTC(2026, 7, 1) - 1];
    expect([readDay("2026-07-31"), readDay("2026-07-31", "end")]).toEqual([start, end]);
    expect([writeDay(start), writeDay(end)]).toEqual(["2026-07-31", "2026-07-31"]);
  });

  test("leaves a year as it stands while it is typed", () => {
    for (const day of ["0002-06-30", "0020-06-30", "0202-06-30", "2028-06-30"]) {
      expect([writeDay(readDay(day) ?? 0), writeDay(readDay(day, "end") ?? 0)]).toEqual([day, day]);
    }
  });
});

test("takes nothing else for a day or a moment", () => {
  expect([readDay(""), readDay("soon"), readMoment(""), readMoment("2026-03-29")]).toEqual(Array(4).fill(undefined));
});
