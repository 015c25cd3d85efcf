import { describe, expect, it } from "vitest";
import { makeKey } from "../access/key-format.ts";
import { HeaderReader, remember } from "./header-reader.ts";

const KEY = makeKey();
const USUAL = ["Host: api.example", `Authorization: Bearer ${KEY}`, "User-Agent: scout/1.0"];

function rememberLines(lines: readonly string[]) {
  const chunk = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  const headers = new HeaderReader().read(chunk, 0, chunk.length);
  if (headers === undefined) throw new Error("These lines are not plain.");
  return remember(chunk, 0, chunk.length - 2, headers);
}

describe("what is remembered of headers", () => {
  it("is all of them but the random part of the key", () => {
    const remembered = rememberLines(USUAL);
    const text = Buffer.from(remembered?.bytes ?? []).toString("latin1");
    expect(text).toBe(`${USUAL.join("\r\n")}\r\n`.replace(KEY.slice("lineup_live_".length), "\0".repeat(38)));
    expect(remembered?.lines.map(({ meaning, value }) => [meaning, value])).toEqual([
      ["host", "api.example"],
      ["authorization", ""],
      ["user-agent", "scout/1.0"],
    ]);
  });

  it.each([
    ["stands in a cookie, too", [...USUAL, `Cookie: session=${KEY}`]],
    ["stands before itself", [`Referer: ${KEY}`, ...USUAL]],
    ["stands elsewhere alone", [USUAL[0] ?? "", `Cookie: Bearer ${KEY}`, "Authorization: Basic eA=="]],
    ["has another form", USUAL.with(1, `Authorization: Bearer  ${KEY}`)],
    ["is followed by more", USUAL.with(1, `Authorization: Bearer ${KEY}x`)],
    ["is not there", USUAL.toSpliced(1, 1)],
  ])("is nothing where a key %s", (_, lines) => {
    expect(rememberLines(lines)).toBeUndefined();
  });
});
