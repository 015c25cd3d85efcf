import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LogWriter, logTime } from "./log-writer.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-log-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const MODULE = new URL("log-writer.ts", import.meta.url).href;

/** Runs a program in which `log` is a writer to standard error. */
function start(program: string) {
  const source = `import { LogWriter } from ${JSON.stringify(MODULE)}; const log = new LogWriter(2); ${program}`;
  return spawn(process.execPath, ["--input-type=module", "-e", source], { stdio: ["pipe", "pipe", "pipe"] });
}

function numbered(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${index}\n`).join("");
}

test("writes every line once and in order, and says when all are written", async () => {
  const file = join(folder, "log");
  const descriptor = openSync(file, "a");
  const log = new LogWriter(descriptor);
  for (let index = 0; index < 50_000; index++) log.write(`line ${index}\n`);
  await new Promise<void>((resolve) => log.flush(resolve));
  expect(readFileSync(file, "utf8")).toBe(numbered(50_000));
  closeSync(descriptor);
});

test("writes a single line soon, though nothing follows it", async () => {
  const child = start('log.write("alone, with ü\\n"); process.stdin.resume();');
  const [chunk] = await new Promise<[Buffer]>((resolve) => child.stderr.once("data", (data) => resolve([data])));
  expect(chunk.toString()).toBe("alone, with ü\n");
  child.stdin.end();
  await new Promise((resolve) => child.once("exit", resolve));
});

test("writes what is left when the process ends", async () => {
  const child = start('for (let i = 0; i < 2_000; i++) log.write("line " + i + "\\n"); process.exit(3);');
  const chunks: Buffer[] = [];
  child.stderr.on("data", (chunk) => chunks.push(chunk));
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect(code).toBe(3);
  expect(Buffer.concat(chunks).toString()).toBe(numbered(2_000));
});

test("goes on without a log when its reader is gone", async () => {
  const child = start(`
    process.stdin.once("data", () => {
      for (let i = 0; i < 20_000; i++) log.write("nobody reads this\\n");
      log.flush(() => process.stdout.write("still here", () => process.exit(0)));
    });`);
  child.stderr.destroy();
  child.stdin.write("go");
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk) => chunks.push(chunk));
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect([code, Buffer.concat(chunks).toString()]).toEqual([0, "still here"]);
});

test("drops lines that nobody reads rather than fill the memory, and says how many", async () => {
  const child = start(`
    const line = "x".repeat(1023) + "\\n";
    for (let i = 0; i < 40_000; i++) log.write(line);
    process.stdout.write("written");
    process.stdin.once("data", () => log.flush(() => process.exit(0)));`);
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const chunks: Buffer[] = [];
  child.stderr.on("data", (chunk) => chunks.push(chunk));
  child.stdin.write("go");
  await new Promise((resolve) => child.once("close", resolve));
  const lines = Buffer.concat(chunks).toString().trimEnd().split("\n");
  const { dropped } = JSON.parse(lines.at(-1) ?? "") as { dropped: number };
  expect(dropped).toBeGreaterThan(0);
  expect(lines.length - 1 + dropped).toBe(40_000);
});

test("stamps lines with the time in ISO 8601", () => {
  const before = Date.now();
  const { time } = JSON.parse(`{"level":30${logTime()}}`) as { time: string };
  expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(Date.parse(time)).toBeGreaterThanOrEqual(before);
});

test("writes a line that comes in parts whole and in its place, over the ends of pieces too", async () => {
  const written: Buffer[] = [];
  const log = new LogWriter({
    write: (piece, onWritten) => {
      written.push(Buffer.from(piece));
      setImmediate(onWritten, null, piece.length);
    },
    writeSync: (piece) => void written.push(Buffer.from(piece)),
    isSure: true,
  });
  const expected: string[] = [];
  for (let number = 0; number < 3_000; number++) {
    const parts = [`{"n":${number}`, ',"x":"', "x".repeat((number * 37) % 400), "", '"}\n'];
    const other = `é ${number}\n`;
    log.writeAscii(parts);
    log.write(other);
    expected.push(parts.join(""), other);
  }
  await new Promise<void>((resolve) => log.flush(resolve));
  expect(Buffer.concat(written).toString()).toBe(expected.join(""));
});

test("fills again what was written, and never what is still being read", async () => {
  const pieces = new Set<ArrayBufferLike>();
  const written: string[] = [];
  const log = new LogWriter({
    write: (piece, onWritten) => {
      pieces.add(piece.buffer);
      // In parts, and read only at the last moment.
      const count = Math.min(piece.length, 100_000);
      setImmediate(() => {
        written.push(piece.toString("latin1", 0, count));
        onWritten(null, count);
      });
    },
    writeSync: (piece) => void written.push(piece.toString("latin1")),
    isSure: true,
  });
  const lines = Array.from({ length: 60 }, (_, number) => `${String(number).repeat(100_000)}\n`);
  for (const [number, line] of lines.entries()) {
    log.writeAscii([line]);
    // At first several at once, and later one after another is written.
    if (number < 12 && number % 4 !== 3) continue;
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
  }
  await new Promise<void>((resolve) => log.flush(resolve));
  expect(written.join("")).toBe(lines.join(""));
  expect(pieces.size).toBeLessThan(10);
});
