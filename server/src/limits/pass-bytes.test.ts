import { DAY_MS } from "@lineup/api/tiers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createKeyAdmissions, type KeyAdmissions } from "./key-admissions.ts";
import { PassBytes, readPassBytes } from "./pass-bytes.ts";

const NOW_MS = 7 * DAY_MS;

type Read = [keyId: string, first: number, times: number[]];

function makeKey(keyId: string, first: number, ages: readonly number[], written = 0): KeyAdmissions {
  const key = createKeyAdmissions(keyId);
  for (const age of ages.toSorted((a, b) => b - a)) key.ring.push(NOW_MS - age);
  key.nextNumber = first + ages.length;
  key.writtenTo = first + written;
  return key;
}

function read(bytes: Buffer, writtenMs: number): Read[] {
  const found: Read[] = [];
  readPassBytes(bytes, writtenMs, (...entry) => found.push(entry));
  return found;
}

test("brings back every key, number and time, of as many keys as there are, again and again", () => {
  const anyKey = fc.record({
    keyId: fc.oneof(fc.uuid(), fc.string(), fc.string({ unit: "grapheme", maxLength: 300 })),
    first: fc.oneof(
      fc.nat(200),
      fc.maxSafeNat().map((number) => Math.floor(number / 2)),
    ),
    ages: fc.array(fc.oneof(fc.nat(1_000), fc.nat(DAY_MS - 1)), { minLength: 1, maxLength: 40 }),
  });
  const pass = new PassBytes();
  fc.assert(
    fc.property(fc.array(anyKey, { maxLength: 60 }), (keys) => {
      pass.clear();
      for (const { keyId, first, ages } of keys) expect(pass.add(makeKey(keyId, first, ages), NOW_MS)).toBe(true);
      const timeline = 1_700_000_000_000;
      expect(read(pass.bytes, timeline)).toEqual(
        keys.map(({ keyId, first, ages }) => [
          keyId,
          first,
          ages.toSorted((a, b) => b - a).map((age) => timeline - age),
        ]),
      );
    }),
  );
});

test("has room for keys that have done very much", () => {
  const pass = new PassBytes();
  const ages = Array.from({ length: 100_000 }, (_, number) => number * 800);
  for (const keyId of ["key_a", "key_b"]) pass.add(makeKey(keyId, 0, ages), NOW_MS);
  expect(read(pass.bytes, NOW_MS).map(([keyId, , times]) => [keyId, times.length])).toEqual([
    ["key_a", 100_000],
    ["key_b", 100_000],
  ]);
});

test("takes only what is not written and still counts, and nothing of a key of which nothing does", () => {
  const pass = new PassBytes();
  expect(pass.add(makeKey("key_a", 5, [40, 30, 20], 2), NOW_MS)).toBe(true);
  expect(pass.add(makeKey("key_b", 0, [DAY_MS, DAY_MS - 1, 0]), NOW_MS)).toBe(true);
  expect(pass.add(makeKey("key_c", 0, [DAY_MS + 7]), NOW_MS)).toBe(false);
  expect(read(pass.bytes, NOW_MS)).toEqual([
    ["key_a", 7, [NOW_MS - 20]],
    ["key_b", 1, [NOW_MS - DAY_MS + 1, NOW_MS]],
  ]);
});

test("counts as made now what another thread says is a moment ahead", () => {
  const pass = new PassBytes();
  const ring = { length: 2, newestMs: NOW_MS + 1, advance: () => {}, ageMs: (index: number) => 3 - 4 * index };
  pass.add({ ...createKeyAdmissions("key_a"), ring, nextNumber: 2 }, NOW_MS);
  expect(read(pass.bytes, NOW_MS)).toEqual([["key_a", 0, [NOW_MS - 3, NOW_MS]]]);
});

test("refuses bytes that end in the midst of a key, wherever they do, or go beyond what can be", () => {
  const pass = new PassBytes();
  pass.add(makeKey("key_a", 300, [500, 300, 2]), NOW_MS);
  const whole = Buffer.from(pass.bytes);
  for (let length = 1; length < whole.length; length++) {
    expect(() => read(whole.subarray(0, length), NOW_MS)).toThrow();
  }
  const name = [1, 0x61];
  for (const entry of [
    [...name, 0, 0],
    [...name, 0, 1, ...Array(9).fill(0xff), 1],
    [...name, 0, 2, 5, 6],
    [...name, 0, 100, 1],
  ]) {
    expect(() => read(Buffer.from(entry), NOW_MS)).toThrow();
  }
});
