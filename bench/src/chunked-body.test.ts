import { expect, test } from "vitest";
import { ChunkedBody } from "./chunked-body.ts";

const WIRE = Buffer.from("5\r\nhello\r\n1\r\n,\r\nA\r\n wide worl\r\n1\r\nd\r\n0\r\n\r\n");

test("a body is the same however its bytes arrive", () => {
  for (let step = 1; step <= WIRE.length; step++) {
    const body = new ChunkedBody();
    const parts: Buffer[] = [];
    for (let at = 0; at < WIRE.length; at += step) {
      expect(body.isWhole).toBe(false);
      parts.push(...body.read(WIRE.subarray(at, at + step)));
    }
    expect(Buffer.concat(parts).toString()).toBe("hello, wide world");
    expect(body.isWhole).toBe(true);
  }
});

test("what is no chunk is refused, and so is what comes after the last", () => {
  expect(() => new ChunkedBody().read(Buffer.from("zz\r\nhello\r\n"))).toThrow('"zz" is not the size of a chunk');
  expect(() => new ChunkedBody().read(Buffer.from("x".repeat(100)))).toThrow("is none");
  expect(() => new ChunkedBody().read(Buffer.from("0\r\n\r\nHTTP/1.1"))).toThrow("More bytes came");
});
