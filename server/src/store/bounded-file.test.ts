import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  constants,
  globSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readBounded } from "./bounded-file.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-bounded-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function makePipe(name: string): string {
  const path = join(folder, name);
  execFileSync("mkfifo", [path]);
  return path;
}

test("reads a file that is as large as it may be, and no larger one", () => {
  const file = join(folder, "file");
  const bytes = Buffer.alloc(3 * 1024 * 1024, "lineup");
  writeFileSync(file, bytes);
  expect(readBounded(file, bytes.length).equals(bytes)).toBe(true);
  expect(() => readBounded(file, bytes.length - 1)).toThrow(`${file} cannot be read: it is larger than 3 MB.`);
  writeFileSync(file, "");
  expect(readBounded(file, 10)).toHaveLength(0);
});

test.skipIf(process.platform !== "linux")("goes by what it reads, not by the size that is told", () => {
  // Its size is told as 0.
  expect(readBounded("/proc/self/status", 64 * 1024).toString()).toContain("Name:");
  expect(() => readBounded("/proc/self/status", 100)).toThrow("larger than");
});

test("reads neither a device nor a folder, through links either", () => {
  const link = join(folder, "link");
  symlinkSync("/dev/zero", link);
  expect(() => readBounded(link, 10)).toThrow(
    `${link} cannot be read: it is a device, not a file. Name the right file.`,
  );
  expect(() => readBounded(folder, 10)).toThrow("it is a folder");
});

test("does not wait for somebody to write into a pipe", () => {
  expect(() => readBounded(makePipe("idle"), 10)).toThrow("it is a pipe that nobody writes into");
});

test("reads no more of a pipe than of a file", () => {
  const pipe = makePipe("busy");
  const writer = openSync(pipe, constants.O_RDWR);
  try {
    writeSync(writer, Buffer.alloc(2_000));
    expect(() => readBounded(pipe, 1_000)).toThrow("larger than 1 KB");
  } finally {
    closeSync(writer);
  }
});

test("waits for what somebody writes into the pipe that a shell hands over", async () => {
  const module = new URL("./bounded-file.ts", import.meta.url).href;
  const script = `import { readBounded } from ${JSON.stringify(module)};
    process.stderr.write("ready");
    process.stdout.write(readBounded("/dev/stdin", 100));`;
  const program = `cat | '${process.execPath}' --input-type=module -e '${script}'`;
  const shell = spawn("sh", ["-c", program], { stdio: ["pipe", "pipe", "pipe"] });
  const read = text(shell.stdout);
  await once(shell.stderr, "data");
  shell.stdin.end("a secret");
  expect(await read).toBe("a secret");
});

test("nothing else in the server reads a file", () => {
  const sources = globSync("**/*.ts", { cwd: join(import.meta.dirname, "..") }).filter(
    (file) => !/\.(test|drill)\.ts$/.test(file),
  );
  const readers = sources.filter((file) =>
    /\b(readFile|readFileSync|createReadStream|readSync)\b/.test(
      readFileSync(join(import.meta.dirname, "..", file), "utf8"),
    ),
  );
  // The name of the machine's boot is the system's.
  expect(readers.sort()).toEqual(["limits/clock.ts", "store/bounded-file.ts"]);
});
