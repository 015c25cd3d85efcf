import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findMeantDay, parseInstant } from "./instants.ts";

describe("a moment", () => {
  it("is read back from milliseconds and from ISO 8601, whichever moment it is", () => {
    const years0to9999 = fc.integer({ min: Date.UTC(0, 0, 1) - 1_900 * 31_557_600_000, max: Date.UTC(9999, 11, 31) });
    void fc.assert(
      fc.property(years0to9999, (ms) => {
        expect(parseInstant(String(ms))).toBe(ms);
        const iso = new Date(ms).toISOString();
        if (/^\d{4}-/.test(iso)) {
          expect(parseInstant(iso)).toBe(ms);
          expect(parseInstant(iso.replace("Z", ""))).toBe(ms);
        }
      }),
    );
  });

  it("takes an offset for what it is: the same moment seen from elsewhere", () => {
    const offsets = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
    void fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_102_444_800_000 }), offsets, (ms, minutes) => {
        const local = new Date(ms + minutes * 60_000).toISOString().slice(0, -1);
        const sign = minutes < 0 ? "-" : "+";
        const [hh, mm] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((n) =>
          String(n).padStart(2, "0"),
        );
        for (const offset of [`${sign}${hh}:${mm}`, `${sign}${hh}${mm}`]) {
          expect(parseInstant(local + offset), local + offset).toBe(ms);
          // An unencoded plus sign reaches us as a space.
          expect(parseInstant((local + offset).replace("+", " "))).toBe(ms);
        }
      }),
    );
  });

  it.each([
    ["2024-02-29", Date.UTC(2024, 1, 29)],
    ["2000-02-29", Date.UTC(2000, 1, 29)],
    ["0001-01-01", -62_135_596_800_000],
    ["0000-01-01", -62_167_219_200_000],
    ["2026-01-01T12:30", Date.UTC(2026, 0, 1, 12, 30)],
    ["2026-01-01T12:30:15.1239", Date.UTC(2026, 0, 1, 12, 30, 15, 123)],
    ["2026-01-01T12:30:15,5Z", Date.UTC(2026, 0, 1, 12, 30, 15, 500)],
    ["2026", 2026],
    ["-0", 0],
  ])("%s is %i", (text, ms) => expect(parseInstant(text)).toBe(ms));

  it.each([
    "",
    " ",
    "now",
    "2023-02-29",
    "1900-02-29",
    "2026-00-01",
    "2026-13-01",
    "2026-04-31",
    "2026-01-00",
    "2026-1-01",
    "2026-01",
    "2026-W01-1",
    "2026-001",
    "2026-01-01T24:00",
    "2026-01-01T12",
    "2026-01-01T12:60",
    "2026-01-01T12:30:60",
    "2026-01-01 12:30",
    "2026-01-01T12:30+24:00",
    "2026-01-01T12:30+01:60",
    "2026-01-01Z",
    "+1",
    "1.0",
    "1e12",
    "8640000000000001",
    "-8640000000000001",
    "12345678901234567",
    "２０２６-01-01",
  ])("%j is none", (text) => expect(parseInstant(text)).toBeUndefined());

  it("never makes a number of text that is not one", () => {
    void fc.assert(
      fc.property(fc.string(), (text) => {
        const ms = parseInstant(text);
        expect(ms === undefined || Number.isSafeInteger(ms)).toBe(true);
      }),
    );
  });
});

describe("eight digits", () => {
  it.each([
    ["20260131", "2026-01-31"],
    ["19000101", "1900-01-01"],
    ["20240229", "2024-02-29"],
    ["29991231", "2999-12-31"],
  ])("%s mean the day %s, though they are milliseconds to those who ask for them", (text, day) => {
    expect(findMeantDay(text)).toBe(day);
    expect(parseInstant(text)).toBe(Number(text));
  });

  it.each(["20260230", "20261301", "18991231", "30000101", "2026013", "202601311", "-20260131", "2026-01-31", ""])(
    "%j mean no day",
    (text) => expect(findMeantDay(text)).toBeUndefined(),
  );
});
