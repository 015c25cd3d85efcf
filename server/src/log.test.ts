import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openLogStream } from "./log.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-log-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const MODULE = new URL("log.ts", import.meta.url).href;

/** Runs a program in which `log` goes to standard error. */
function start(program: string, stderr: "pipe" | number = "pipe") {
  const source = `import { openLogStream } from ${JSON.stringify(MODULE)}; const log = openLogStream(2); ${program}`;
  return spawn(process.execPath, ["--input-type=module", "-e", source], { stdio: ["pipe", "pipe", stderr] });
}

function gather(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = [];
  stream?.on("data", (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}

const exitOf = (child: ReturnType<typeof start>) => new Promise((resolve) => child.once("close", resolve));

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `line ${index}`);
}

test("writes every line once and in order, and says when all are written", async () => {
  const file = join(folder, "log");
  const descriptor = openSync(file, "a");
  const log = openLogStream(descriptor);
  const lines = numbered(50_000);
  for (const line of lines) log.write(`${line}\n`);
  await new Promise<void>((resolve) => log.flush(resolve));
  expect(readFileSync(file, "utf8")).toBe(`${lines.join("\n")}\n`);
  closeSync(descriptor);
});

test("writes a single line soon, though nothing follows it", async () => {
  const child = start('log.write("alone, with ü\\n"); process.stdin.resume();');
  const [chunk] = await new Promise<[Buffer]>((resolve) => child.stderr?.once("data", (data) => resolve([data])));
  expect(chunk.toString()).toBe("alone, with ü\n");
  child.stdin?.end();
  await exitOf(child);
});

test.each(["process.exit(3)", "process.exitCode = 3", 'throw new Error("broken")'])(
  "writes what is left when the process ends by %s",
  async (end) => {
    const child = start(`for (let i = 0; i < 2_000; i++) log.write("line " + i + "\\n"); ${end};`);
    const read = gather(child.stderr);
    expect(await exitOf(child)).not.toBe(0);
    const lines = read()
      .split("\n")
      .filter((line) => line.startsWith("line "));
    // A piece that was on its way at that moment may come behind the rest.
    expect(lines.toSorted()).toEqual(numbered(2_000).toSorted());
  },
);

test("goes on without a log when its reader is gone, and ends when it is told to", async () => {
  const child = start(`
    process.stdin.once("data", () => {
      for (let i = 0; i < 20_000; i++) log.write("nobody reads this\\n");
      log.flush(() => {
        for (let i = 0; i < 20_000; i++) log.write("nor this\\n");
        process.stdout.write("still here", () => process.exit(0));
      });
    });`);
  child.stderr?.destroy();
  child.stdin?.write("go");
  const read = gather(child.stdout);
  expect([await exitOf(child), read()]).toEqual([0, "still here"]);
});

test.runIf(process.platform === "linux")("goes on while the disk is full, and ends when it is told to", async () => {
  const full = openSync("/dev/full", "w");
  const child = start(
    `
    for (let i = 0; i < 2_000; i++) log.write("there is no room for this\\n");
    log.flush(() => setTimeout(() => {
      log.write("nor for this\\n");
      process.stdout.write("still here", () => process.exit(0));
    }, 500));`,
    full,
  );
  const read = gather(child.stdout);
  expect([await exitOf(child), read()]).toEqual([0, "still here"]);
  closeSync(full);
});

test("drops lines that nobody reads rather than fill the memory, and says how many", async () => {
  const child = start(`
    const line = "x".repeat(1023) + "\\n";
    for (let i = 0; i < 40_000; i++) log.write(line);
    process.stdout.write("written");
    process.stdin.once("data", () => log.flush(() => process.exit(0)));`);
  await new Promise((resolve) => child.stdout?.once("data", resolve));
  const read = gather(child.stderr);
  child.stdin?.write("go");
  await exitOf(child);
  const lines = read().trimEnd().split("\n");
  const { dropped } = JSON.parse(lines.at(-1) ?? "") as { dropped: number };
  expect(dropped).toBeGreaterThan(0);
  expect(lines.length - 1 + dropped).toBe(40_000);
});
