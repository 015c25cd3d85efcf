import { expect, it, vi } from "vitest";
import { KEY_RANDOM_LENGTH } from "../access/key-format.ts";
import { RepeatedHead } from "./repeated-head.ts";

/** In memory that can be had in words, with something behind it. */
function aligned(text: string): [Buffer, Int32Array] {
  const memory = Buffer.alloc(4 * Math.ceil(text.length / 4) + 4, "?");
  memory.write(text, "latin1");
  return [memory.subarray(0, text.length), new Int32Array(memory.buffer, memory.byteOffset, memory.length / 4)];
}

const lengths = [0, 1, 2, 3, 4, 5, 6, 7, 500];
const places = lengths.flatMap((before) => lengths.map((after) => [before, after] as const));

it.each(places)(
  "knows what it was told but for the key, with %i bytes before that and %i behind it",
  (before, after) => {
    const repeated = new RepeatedHead();
    const textOf = (key: string) => `${"b".repeat(before)}${key.repeat(KEY_RANDOM_LENGTH)}${"a".repeat(after)}`;
    repeated.note(Buffer.from(textOf("k")), before);
    expect(repeated.findKey(...aligned(textOf("k")))).toBe(before);
    expect(repeated.findKey(...aligned(textOf("K")))).toBe(before);
    expect(repeated.findKey(...aligned(`${textOf("k")}a`))).toBe(-1);
    expect(repeated.findKey(...aligned(textOf("k").slice(1)))).toBe(-1);
    for (let at = 0; at < textOf("k").length; at++) {
      const isInKey = at >= before && at < before + KEY_RANDOM_LENGTH;
      const other = `${textOf("k").slice(0, at)}x${textOf("k").slice(at + 1)}`;
      expect(repeated.findKey(...aligned(other)), `another byte at ${at}`).toBe(isInKey ? before : -1);
    }
  },
);

it("has no key in its memory", () => {
  const allocated = vi.spyOn(Buffer, "alloc");
  const key = "0123456789abcdefghijklmnopqrstuvwxyzABCD".slice(0, KEY_RANDOM_LENGTH);
  const repeated = new RepeatedHead();
  for (const text of [`before ${key} behind`, `${"x".repeat(600)}${key}`])
    repeated.note(Buffer.from(text), text.indexOf(key));
  const rooms = allocated.mock.results.map(({ value }) => (value as Buffer).toString("latin1"));
  allocated.mockRestore();
  expect(rooms.filter((room) => room.includes("before") || room.includes("xxx"))).toHaveLength(2);
  for (const room of rooms) expect(room).not.toContain(key.slice(0, 4));
});

it("knows only what it was told last, and nothing once it has forgotten", () => {
  const repeated = new RepeatedHead();
  const key = "k".repeat(KEY_RANDOM_LENGTH);
  expect(repeated.findKey(...aligned(""))).toBe(-1);
  for (const text of [`one ${key} long`, `another ${key} that is much longer ${"x".repeat(2_000)}`, `a third ${key}`]) {
    repeated.note(Buffer.from(text), text.indexOf(key));
    expect(repeated.findKey(...aligned(text))).toBe(text.indexOf(key));
  }
  expect(repeated.findKey(...aligned(`one ${key} long`))).toBe(-1);
  repeated.forget();
  expect(repeated.findKey(...aligned(`a third ${key}`))).toBe(-1);
  expect(repeated.findKey(...aligned(""))).toBe(-1);
});
