import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isoTime } from "./iso-time.ts";

describe("a moment as a text", () => {
  test("is what Date says of it, whatever was asked before", () => {
    const moment = fc.oneof(
      fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }),
      // Close to each other, and on both sides of a second's end.
      fc.integer({ min: 1_799_999_998_000, max: 1_800_000_002_000 }),
      fc.integer({ min: -2_000, max: 2_000 }),
    );
    fc.assert(
      fc.property(fc.array(moment, { maxLength: 20 }), (moments) => {
        for (const ms of moments) expect(isoTime(ms)).toBe(new Date(ms).toISOString());
      }),
    );
  });

  test("does not exist of what is no moment, as with Date", () => {
    expect(() => isoTime(Number.NaN)).toThrow(RangeError);
    expect(() => isoTime(8_640_000_000_000_001 + 1_000)).toThrow(RangeError);
  });
});
