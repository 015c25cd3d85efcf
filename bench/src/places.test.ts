import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Comparing, readCommandLine, UsageError } from "./options.ts";
import { preparePlaces } from "./places.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-bench-places-"));
  writeFileSync(join(folder, "file"), "precious");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function prepare(...args: string[]): void {
  preparePlaces(readCommandLine(["--data", join(folder, "data"), ...args]) as Comparing);
}

test("folders are made with those above them", () => {
  prepare("--data", join(folder, "a", "b"), "--profile", join(folder, "c", "d"), "--json", join(folder, "r.json"));
  expect(["a/b", "c/d"].map((name) => existsSync(join(folder, name)))).toEqual([true, true]);
  expect(existsSync(join(folder, "r.json"))).toBe(false);
  mkdirSync(join(folder, "there"));
  prepare("--data", join(folder, "there"), "--json", join(folder, "file"));
});

test.each([
  ["--json", () => join(folder, "nowhere", "r.json"), "there is no folder"],
  ["--json", () => join(folder, "file", "r.json"), "there is no folder"],
  ["--json", () => folder, "is the name of no file"],
  ["--json", () => "", "is the name of no file"],
  ["--json", () => join(folder, "x".repeat(300)), "cannot be written (ENAMETOOLONG)"],
  ["--data", () => join(folder, "file"), "cannot be used as a folder (EEXIST)"],
  ["--data", () => join(folder, "file", "data"), "cannot be used as a folder"],
  ["--profile", () => join(folder, "file"), "cannot be used as a folder (EEXIST)"],
])("%s is refused before anything is measured where nothing can be left (%#)", (option, place, reason) => {
  expect(() => prepare(option, place())).toThrow(UsageError);
  expect(() => prepare(option, place())).toThrow(reason);
});

test.runIf(process.platform === "linux")(
  "a folder that the system has no room for is refused, and not tried for ever",
  () => {
    expect(() => prepare("--data", "/proc/lineup-bench/data")).toThrow("cannot be used as a folder");
  },
);
