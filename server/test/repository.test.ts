import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "./docs-tables.ts";

interface LockedPackage {
  readonly version?: string;
  readonly link?: boolean;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const FOLDER = "node_modules/";

describe("the lock file", () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Readonly<Record<string, LockedPackage>>;
  };

  /** The package that Node would load under this name from the package at this path. */
  function findLocked(name: string, from: string): LockedPackage | undefined {
    const found = packages[from === "" ? FOLDER + name : `${from}/${FOLDER}${name}`];
    if (found !== undefined || from === "") return found;
    const parent = from.slice(0, Math.max(0, from.lastIndexOf(FOLDER) - 1));
    return findLocked(name, parent);
  }

  it("holds the builds of every package for all systems", () => {
    const missing = Object.entries(packages).flatMap(([path, { version, optionalDependencies = {} }]) =>
      Object.entries(optionalDependencies)
        .filter(([name, wanted]) => {
          const locked = findLocked(name, path)?.version;
          return locked === undefined || (/^\d/.test(wanted) && locked !== wanted);
        })
        .map(([name, wanted]) => `${path}@${version} lacks ${name}@${wanted}`),
    );
    expect(missing).toEqual([]);
  });

  it("says by what each package is recognized, and names no registry", () => {
    const faulty = Object.entries(packages)
      .filter(([path, { link }]) => path.includes(FOLDER) && link !== true)
      .filter(([, { integrity, resolved }]) => integrity === undefined || resolved !== undefined)
      .map(([path]) => path);
    expect(faulty).toEqual([]);
  });
});

describe("what is ignored", () => {
  let clone: string;

  beforeAll(() => {
    clone = mkdtempSync(join(tmpdir(), "lineup-ignored-"));
    execFileSync("git", ["init", "--quiet", "--template=", clone]);
    cpSync(join(ROOT, ".gitignore"), join(clone, ".gitignore"));
  });
  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  function listIgnored(paths: readonly string[]): string[] {
    // What the machine's owner ignores everywhere says nothing about this repository.
    const args = ["-C", clone, "-c", `core.excludesFile=${devNull}`, "check-ignore", "--stdin"];
    const { status, stdout, stderr } = spawnSync("git", args, { input: paths.join("\n"), encoding: "utf8" });
    // It ends with 1 where none is ignored.
    if (status !== 0 && status !== 1) throw new Error(`git check-ignore failed: ${stderr}`);
    return stdout.split("\n").filter((path) => path !== "");
  }

  it("holds what is installed, built, stored or secret", () => {
    const paths = [
      "node_modules/zod/package.json",
      "server/node_modules/zod/package.json",
      "data/lineup.db",
      "data/secret",
      "dist/openapi.json",
      "dashboard/dist/index.html",
      "dashboard/dist-4711/index.html",
      "dashboard/dist-4711-old/index.html",
      "dashboard/dist.lock",
      "sdk/dist/index.js",
      "screenshots/keys-desktop-dark.png",
      "secrets/lineup-secret",
      "lineup-backup.db",
      "server/.env",
    ];
    expect(listIgnored(paths)).toEqual(paths);
  });

  it("holds no source, whatever its folder is called", () => {
    const names = ["data", "dist", "coverage", "screenshots", "secrets"];
    const folders = [
      "api/src",
      "dashboard/src",
      "server/src",
      "server/src/store",
      "server/test",
      "bench/src",
      "sdk/src",
      "docs",
    ];
    const paths = folders.flatMap((folder) => names.map((name) => `${folder}/${name}/file.ts`));
    expect(listIgnored([...paths, "dashboard/distances.ts"])).toEqual([]);
  });

  it("is not sent to those who build an image either", () => {
    const read = (file: string) => readFileSync(join(ROOT, file), "utf8").trim().split("\n");
    // Docker begins every entry at the top, and Git only those with a slash before their end.
    const wanted = read(".gitignore").map((entry) =>
      entry
        .replace(/\/$/, "")
        .replace(/^(?!\/)/, "**/")
        .replace(/^\//, ""),
    );
    expect(read(".dockerignore")).toEqual(expect.arrayContaining(wanted));
    expect(read(".dockerignore").filter((entry) => entry.startsWith("**/dist"))).toEqual([]);
  });
});
