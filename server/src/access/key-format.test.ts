import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { isKeyShaped, KEY_LENGTH, KEY_PREFIX, makeKey } from "./key-format.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The rule once more, as plainly as it can be said. */
function hasForm(text: string): boolean {
  if (!/^lineup_live_[0-9A-Za-z]{38}$/.test(text)) return false;
  const told = [...text.slice(-6)].reduce((sum, character) => sum * 62 + BASE62.indexOf(character), 0);
  return told === crc32(text.slice(0, -6));
}

it("knows every key that is made", () => {
  for (let made = 0; made < 1_000; made++) {
    const key = makeKey();
    expect(key).toHaveLength(KEY_LENGTH);
    expect([isKeyShaped(key), hasForm(key)], key).toEqual([true, true]);
  }
});

it("knows no key with another character in it, wherever that is and whatever it is", () => {
  const key = makeKey();
  for (let at = 0; at < KEY_LENGTH; at++) {
    for (const character of [
      ...BASE62,
      "",
      " ",
      "-",
      "_",
      "/",
      ":",
      "@",
      "[",
      "`",
      "{",
      "\u00e9",
      "\u0130",
      "\u{1f3ae}",
    ]) {
      const text = key.slice(0, at) + character + key.slice(at + 1);
      expect(isKeyShaped(text), text).toBe(text === key);
    }
  }
});

it("agrees with the rule on whatever is like a key", () => {
  const digit = fc.constantFrom(...BASE62, ..."-_ \u00ff\u0141");
  fc.assert(
    fc.property(fc.array(digit, { minLength: 36, maxLength: 40 }), (digits) => {
      const text = KEY_PREFIX + digits.join("");
      expect(isKeyShaped(text)).toBe(hasForm(text));
    }),
  );
  for (const text of ["", KEY_PREFIX, "x".repeat(KEY_LENGTH), makeKey().toUpperCase()])
    expect(isKeyShaped(text)).toBe(false);
});
