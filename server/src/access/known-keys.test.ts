import { expect, it } from "vitest";
import { digestKey, hashKey, hashOfDigest, KEY_LENGTH, KEY_PREFIX, makeKey } from "./key-format.ts";
import { KnownKeys } from "./known-keys.ts";

it("finds what was remembered of a key, wherever in a text it stands", () => {
  const known = new KnownKeys<string>(10);
  const key = makeKey();
  known.remember(key, "one");
  expect(known.find(key)).toBe("one");
  expect(known.find(`Bearer ${key}`, "Bearer ".length)).toBe("one");
  expect(known.find(`Bearer ${key}`)).toBeUndefined();
  expect(known.find(`${key} `)).toBeUndefined();
});

it("finds nothing by a key that differs in one character, whichever that is", () => {
  const known = new KnownKeys<string>(10);
  const key = makeKey();
  known.remember(key, "one");
  for (let at = 0; at < KEY_LENGTH; at++) {
    const lowest = key.charCodeAt(at) ^ 1;
    for (const code of [
      lowest,
      key.charCodeAt(at) ^ 0x80,
      key.charCodeAt(at) + 0x100,
      key.charCodeAt(at) + 0x1_00 * 0x41,
    ]) {
      const other = key.slice(0, at) + String.fromCharCode(code) + key.slice(at + 1);
      expect(known.find(other), `${other} instead of ${key}`).toBeUndefined();
    }
  }
});

it("finds nothing by a key whose characters stand in another order", () => {
  const known = new KnownKeys<string>(10);
  const start = KEY_PREFIX.length;
  const key = `${KEY_PREFIX}${"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZab"}`;
  known.remember(key, "one");
  for (let at = start; at + 1 < KEY_LENGTH; at++) {
    const swapped = key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2);
    expect(known.find(swapped), swapped).toBeUndefined();
  }
});

it("does not let a character beyond a byte run into the one beside it", () => {
  const known = new KnownKeys<string>(10);
  // As a pair of bytes, "A" and "B" are what "A" and a character of 0x4200 would be, were the latter's upper byte added to the former.
  const rest = "0".repeat(36);
  known.remember(`${KEY_PREFIX}AB${rest}`, "one");
  expect(known.find(`${KEY_PREFIX}\u4241\u0000${rest}`)).toBeUndefined();
  known.remember(`${KEY_PREFIX}\u4241\u0000${rest}`, "two");
  expect(known.size).toBe(1);
});

it("tells thousands of keys apart", () => {
  const known = new KnownKeys<number>(5_000);
  const keys = Array.from({ length: 5_000 }, makeKey);
  for (const [index, key] of keys.entries()) known.remember(key, index);
  // Two may share the bits that lead to them, which happens to one pair in eighty runs; then the first is gone, and never taken for the other.
  const found = keys.map((key) => known.find(key));
  expect(found.every((value, index) => value === index || value === undefined)).toBe(true);
  expect(found.filter((value) => value === undefined).length).toBeLessThan(10);
});

it("remembers no more than it may, and lets the first go", () => {
  const known = new KnownKeys<number>(3);
  const keys = [1, 2, 3, 4].map(makeKey);
  for (const [index, key] of keys.entries()) known.remember(key, index);
  expect(known.size).toBe(3);
  expect(keys.map((key) => known.find(key))).toEqual([undefined, 1, 2, 3]);
  known.forgetAll();
  expect(keys.map((key) => known.find(key))).toEqual([undefined, undefined, undefined, undefined]);
});

it("makes of a digest the hash that is kept", () => {
  const key = makeKey();
  expect(hashOfDigest(digestKey(key))).toBe(hashKey(key));
});
