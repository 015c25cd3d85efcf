import { expect, test } from "vitest";
import { findInitials } from "./initials.ts";

test.each([
  ["Kim Novak", "KN"],
  ["  ada   de  lovelace ", "AL"],
  ["Sam", "S"],
  ["<i>Sam</i> 🏆", "I"],
  ["🏆 𝒜da 🏆", "𝒜"],
  ["e\u0301lodie", "E\u0301"],
  ["김 민준", "김민"],
])("takes whole letters of %s", (name, initials) => {
  expect(findInitials(name)).toBe(initials);
});

test("finds none where there is no letter", () => {
  expect(findInitials("🏆 !!")).toBeUndefined();
  expect(findInitials("")).toBeUndefined();
});
