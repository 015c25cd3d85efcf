import { brotliDecompressSync, gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Coding, chooseCoding, Encodings, encodeBody } from "./encoded-answer.ts";

const DECODE = { br: brotliDecompressSync, gzip: gunzipSync };

describe.each(["br", "gzip"] as const)("an answer in %s", (coding: Coding) => {
  test("decodes to what would have been sent plain, whatever it holds", async () => {
    const piece = fc.uint8Array({ maxLength: 70_000 }).map((bytes) => Buffer.from(bytes));
    const end = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 2_000 });
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 4 }), end, async (pieces, last) => {
        const body = Buffer.concat(await encodeBody(coding, pieces, last, undefined));
        expect(DECODE[coding](body)).toEqual(Buffer.concat([...pieces, Buffer.from(last)]));
      }),
      { numRuns: 60 },
    );
  });

  test("decodes with the longest end there may be, and refuses a longer one", async () => {
    const end = "x".repeat(0xffff);
    const body = Buffer.concat(await encodeBody(coding, [Buffer.from("data")], end, undefined));
    expect(DECODE[coding](body).toString()).toBe(`data${end}`);
    await expect(encodeBody(coding, [Buffer.from("data")], `${end}x`, undefined)).rejects.toThrow("too long");
  });

  test("is compressed once for all who ask, and told of by its size", async () => {
    let grown = 0;
    const kept = new Encodings((bytes) => {
      grown += bytes;
    });
    const plain = [Buffer.from(JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ id, ign: "Somebody" }))))];
    const [one, other] = await Promise.all(["A", "B"].map((end) => encodeBody(coding, plain, end, kept)));
    expect(one?.[0]).toBe(other?.[0]);
    expect(grown).toBeGreaterThan(0);
    expect(grown).toBeLessThan((plain[0]?.length ?? 0) / 5);
    expect(await encodeBody(coding, plain, "C", kept)).toHaveLength(one?.length ?? 0);
    expect(grown).toBe((one ?? []).slice(0, -1).reduce((sum, part) => sum + part.length, 0));
  });
});

test.each([
  [undefined, true, undefined],
  ["", true, undefined],
  ["identity", true, undefined],
  ["gzip", true, "gzip"],
  ["GZIP, deflate, br", true, "br"],
  ["gzip, br", false, "gzip"],
  ["br", false, undefined],
  ["gzip;q=1.0, br;q=0.5", true, "gzip"],
  ["gzip;q=0, br;q=0", true, undefined],
  ["gzip;q=0, *", true, "br"],
  ["*", false, "gzip"],
  ["*;q=0", true, undefined],
  ["gzip;q=nonsense", true, undefined],
] as const)("who accepts %j, in one piece: %s, gets %s", (accepted, isOnePiece, expected) => {
  expect(chooseCoding(accepted, isOnePiece)).toBe(expected);
});
