import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ROOT } from "./docs-tables.ts";

/** A project that needs nothing but its own Node. */
let project: string;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "lineup-installed-"));
  const modules = join(project, "node_modules");
  mkdirSync(join(modules, "node"), { recursive: true });
  mkdirSync(join(project, "scripts"));
  cpSync(join(ROOT, "scripts/ensure-installed.mjs"), join(project, "scripts/ensure-installed.mjs"));
  const lock = JSON.stringify({ packages: { "node_modules/node": { version: "26.10.0" } } });
  writeFileSync(join(project, "package-lock.json"), lock);
  writeFileSync(join(modules, ".package-lock.json"), lock);
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

function ensureInstalled(): { status: number | null; output: string } {
  const script = join(project, "scripts/ensure-installed.mjs");
  // Without npm's own variables, which would say to run what is installed with npm's Node.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("npm_")));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8", env });
  return { status, output: stdout + stderr };
}

describe("installing", () => {
  it("takes the machine's Node where the one that Lineup brings does not run", () => {
    // As on Alpine: it is fetched and put where it belongs, and the system cannot run it.
    const fetching = [
      'const { mkdirSync, writeFileSync, appendFileSync } = require("node:fs");',
      'mkdirSync("bin", { recursive: true });',
      'writeFileSync("bin/node", "for another system", { mode: 0o755 });',
      'appendFileSync("tries", "one\\n");',
    ];
    const folder = join(project, "node_modules/node");
    writeFileSync(join(folder, "installArchSpecificPackage.js"), fetching.join("\n"));
    mkdirSync(join(project, "node_modules/.bin"));
    writeFileSync(join(project, "node_modules/.bin/node"), "for another system", { mode: 0o755 });

    const first = ensureInstalled();
    expect(first).toMatchObject({ status: 0, output: expect.stringContaining(process.version) });
    expect(existsSync(join(folder, "bin"))).toBe(false);
    expect(readdirSync(join(project, "node_modules/.bin"))).toEqual([]);

    // The next start has nothing left to do.
    rmSync(join(folder, "tries"));
    expect(ensureInstalled()).toEqual({ status: 0, output: "" });
    expect(existsSync(join(folder, "tries"))).toBe(false);
  });
});
