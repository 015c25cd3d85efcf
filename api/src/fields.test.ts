import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as field from "./fields.ts";

const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;

describe("a text", () => {
  it("is counted in characters, whatever UTF-16 makes of them", () => {
    void fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "é", "ß", "漢", "😀", "👩"), { maxLength: 70 }), (characters) => {
        expect(accepts(field.ign, characters.join(""))).toBe(characters.length >= 1 && characters.length <= 64);
      }),
    );
  });

  it("is trimmed, and then holds what was between", () => {
    expect(field.ign.parse(" \t\u00a0 a b \r\n")).toBe("a b");
    expect(accepts(field.ign, " \t ")).toBe(false);
    expect(field.shortTextOrEmpty.parse("   ")).toBe("");
  });

  it("holds no control character, of which a line break in notes is none", () => {
    for (let code = 0; code < 0xa0; code++) {
      const text = `a${String.fromCodePoint(code)}b`;
      const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
      expect(accepts(field.shortText, text), `U+${code.toString(16)}`).toBe(!isControl);
      expect(accepts(field.notes, text), `U+${code.toString(16)} in notes`).toBe(
        !isControl || code === 10 || code === 13,
      );
    }
  });

  it("holds no half of a surrogate pair", () => {
    for (const text of ["\ud800", "\udfff", "a\ud83d", "\ude00\ud83d"]) expect(accepts(field.notes, text)).toBe(false);
    expect(accepts(field.notes, "\ud83d\ude00")).toBe(true);
  });
});

describe("a number", () => {
  it("has one zero, so that none is a change of the other", () => {
    for (const schema of [field.timestamp, field.integer(0, 9), field.rating]) expect(schema.parse(-0)).toBe(0);
    expect(field.stats.parse({ kda: -0 })).toEqual({ kda: 0 });
    expect(field.stats.parse({ kda: -1.5 })).toEqual({ kda: -1.5 });
  });
});

describe("a URL", () => {
  it.each([
    "https://example.com",
    "https://example.com/a?b#c",
    "HTTPS://EXAMPLE.COM",
    "https://[::1]/a",
    "https://ä.de/ü",
  ])("may be %s", (url) => expect(accepts(field.httpsUrl, url)).toBe(true));

  it.each([
    "http://example.com",
    "ftp://example.com",
    "//example.com",
    "example.com",
    "https://",
    "https:///a",
    "https:a",
    "https:\\\\example.com",
    "https:example.com/?a=://",
    "https://a b",
    "javascript:alert(1)//https://x",
    `https://example.com/${"a".repeat(2_048)}`,
    "",
    1,
    null,
  ])("may not be %j", (url) => expect(accepts(field.httpsUrl, url)).toBe(false));

  it("of a page may be plain http", () => expect(accepts(field.webUrl, "http://example.com")).toBe(true));
});

describe("a country", () => {
  it.each(["SE", "XK", "se", "SWE", "EU", "UK", ""])("%j is judged by ISO 3166-1", (code) => {
    expect(accepts(field.countryCode, code)).toBe(code === "SE");
  });
});

describe("a time zone", () => {
  it.each(["Europe/Berlin", "UTC", "America/Argentina/Buenos_Aires"])("may be %s", (name) => {
    expect(accepts(field.ianaTimezone, name)).toBe(true);
  });
  it.each(["+02:00", "Europe/Nowhere", "", "CEST+2", "Europe/Berlin; DROP"])("may not be %j", (name) => {
    expect(accepts(field.ianaTimezone, name)).toBe(false);
  });

  it("writes the name of a time zone as it is spelled", () => {
    expect(field.ianaTimezone.parse("europe/BERLIN")).toBe("Europe/Berlin");
    expect(field.ianaTimezone.parse("US/Eastern")).toBe("US/Eastern");
  });
});

describe("a dictionary", () => {
  it("keeps names that objects have by nature as names", () => {
    const parsed = field.stats.parse(JSON.parse('{"__proto__":1,"constructor":2,"toString":"3"}'));
    expect(Object.entries(parsed)).toEqual([
      ["__proto__", 1],
      ["constructor", 2],
      ["toString", "3"],
    ]);
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  });

  it("names every entry that is wrong", () => {
    const result = field.externalIds.safeParse({ ok: "1", Bad: "1", "": "1", empty: "", number: 1 });
    expect(result.error?.issues.map(({ path }) => path.join("."))).toEqual(["Bad", "", "empty", "number"]);
  });

  it("refuses numbers that JSON cannot carry", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) expect(accepts(field.stats, { value })).toBe(false);
  });

  it.each([[[]], ["x"], [1], [null], [true]])("is not %j", (value) => expect(accepts(field.stats, value)).toBe(false));
});

describe("a name from a client", () => {
  it("is made fit for an error message", () => {
    expect(field.printableName("a\u0000b\ud800")).toBe("a\ufffdb\ufffd");
    expect(field.printableName("x".repeat(500))).toHaveLength(65);
  });
});
