import { isIPv4 } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseIPv4 } from "./ipv4.ts";

describe("an IPv4 address", () => {
  it.each([
    ["0.0.0.0", 0],
    ["0.0.1.2", 258],
    ["10.0.0.1", 0x0a00_0001],
    ["255.255.255.255", 0xffff_ffff],
  ])("is a number: %s", (text, number) => {
    expect(parseIPv4(text)).toBe(number);
  });

  const part = fc.oneof(fc.nat(260).map(String), fc.constantFrom("", "00", "01", "256", "+1", " 1", "1e1", "٣", "-0"));
  const texts = fc.oneof(
    fc.array(part, { minLength: 3, maxLength: 5 }).map((parts) => parts.join(".")),
    fc.ipV4(),
    fc.ipV6(),
    fc.string({ unit: fc.constantFrom(..."0123456789.:") }),
    fc.string(),
  );

  it("is what node:net takes for one, and nothing else", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const parts = isIPv4(text) ? text.split(".").map(Number) : undefined;
        const number = parts?.reduce((sum, one) => sum * 256 + one, 0) ?? -1;
        expect(parseIPv4(text)).toBe(number);
      }),
      { numRuns: 5_000 },
    );
  });
});
