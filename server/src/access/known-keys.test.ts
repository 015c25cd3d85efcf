import { expect, it } from "vitest";
import { digestKey, hashKey, hashOfDigest, makeKey } from "./key-format.ts";
import { KnownKeys } from "./known-keys.ts";

it("finds what was remembered by the whole digest, not by the bits that lead to it", () => {
  const known = new KnownKeys<string>(10);
  const digest = digestKey(makeKey());
  const other = `${digest.slice(0, -1)}${digest.endsWith("a") ? "b" : "a"}`;
  known.remember(digest, "one");
  expect(known.find(digest)).toBe("one");
  expect(known.find(other)).toBeUndefined();
  known.remember(other, "two");
  expect(known.find(other)).toBe("two");
  expect(known.find(digest)).toBeUndefined();
});

it("remembers no more than it may, and lets the first go", () => {
  const known = new KnownKeys<number>(3);
  const digests = [1, 2, 3, 4].map(() => digestKey(makeKey()));
  for (const [index, digest] of digests.entries()) known.remember(digest, index);
  expect(known.size).toBe(3);
  expect(digests.map((digest) => known.find(digest))).toEqual([undefined, 1, 2, 3]);
  known.forgetAll();
  expect(digests.map((digest) => known.find(digest))).toEqual([undefined, undefined, undefined, undefined]);
});

it("makes of a digest the hash that is kept", () => {
  const key = makeKey();
  expect(hashOfDigest(digestKey(key))).toBe(hashKey(key));
});
