import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { makeZip } from "./zip-file.ts";

const FILES = [
  { name: "teams.csv", text: "externalId,name\r\na,Älpha\r\n" },
  { name: "players.csv", text: "" },
];

test("an archive lists every file with its place, size and sum, and holds each as it is", () => {
  const bytes = Buffer.from(makeZip(FILES, new Date(2026, 4, 20, 12, 30, 10)));
  const end = bytes.length - 22;
  expect(bytes.readUInt32LE(end)).toBe(0x06054b50);
  expect(bytes.readUInt16LE(end + 10)).toBe(FILES.length);
  let entry = bytes.readUInt32LE(end + 16);
  for (const { name, text } of FILES) {
    const data = Buffer.from(text);
    expect(bytes.readUInt32LE(entry)).toBe(0x02014b50);
    expect(bytes.readUInt32LE(entry + 16)).toBe(crc32(data));
    expect([bytes.readUInt32LE(entry + 20), bytes.readUInt32LE(entry + 24)]).toEqual([data.length, data.length]);
    const nameLength = bytes.readUInt16LE(entry + 28);
    expect(bytes.toString("utf8", entry + 46, entry + 46 + nameLength)).toBe(name);
    const local = bytes.readUInt32LE(entry + 42);
    expect(bytes.readUInt32LE(local)).toBe(0x04034b50);
    const from = local + 30 + bytes.readUInt16LE(local + 26);
    expect(bytes.subarray(from, from + data.length)).toEqual(data);
    entry += 46 + nameLength;
  }
  expect(entry).toBe(end);
});
