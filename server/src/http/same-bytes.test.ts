import { expect, it } from "vitest";
import { areSameBytes } from "./same-bytes.ts";

const ONE = Buffer.from("GET /players");
const OTHER = new Uint8Array(Buffer.from("/players"));

it.each([
  [4, 0, 8, true],
  [4, 0, 0, true],
  [0, 0, 1, false],
  [5, 1, 7, true],
  [4, 0, 9, false],
  [11, 7, 1, true],
  [12, 0, 1, false],
  [0, 8, 1, false],
])("tells from %i and %i on whether %i bytes are the same: the last is %s", (oneStart, otherStart, length, isSame) => {
  expect(areSameBytes(ONE, oneStart, OTHER, otherStart, length)).toBe(isSame);
  expect(areSameBytes(OTHER, otherStart, ONE, oneStart, length)).toBe(isSame);
});
