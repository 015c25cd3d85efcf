import { expect, test } from "vitest";
import { freeBytes } from "./own-bytes.ts";

test("frees bytes that are a piece by themselves", () => {
  const bytes = Buffer.alloc(90_000, "a");
  freeBytes(bytes);
  expect(bytes).toHaveLength(0);
  expect(bytes.buffer.detached).toBe(true);
});

test("leaves alone what is a part of a larger piece, such as small ones always are", () => {
  const piece = Buffer.alloc(90_000, "a");
  freeBytes(piece.subarray(0, -1));
  const small = Buffer.from("small");
  freeBytes(small);
  expect(piece).toHaveLength(90_000);
  expect(small.toString()).toBe("small");
});
