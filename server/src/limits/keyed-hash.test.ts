import { expect, test } from "vitest";
import { hashText } from "./keyed-hash.ts";

const KEY = { low: 0x03020100, high: 0x07060504 };

/** The first of those that the Linux kernel tests its own HalfSipHash-1-3 with. */
const PUBLISHED = [0x5814c896, 0xe7e864ca, 0xbc4b0e30, 0x01539939, 0x7e059ea6, 0x88e3d89b, 0xa0080b65, 0x9d38d9d6];

test.each([...PUBLISHED.entries()])("the hash of the first %d bytes is the published one", (length, published) => {
  const text = String.fromCharCode(...Array.from({ length }, (_, byte) => byte));
  expect(hashText(text, KEY) >>> 0).toBe(published);
});

test("another key gives another hash", () => {
  expect(hashText("192.0.2.1", KEY)).not.toBe(hashText("192.0.2.1", { ...KEY, high: KEY.high ^ 1 }));
});
