import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "./docs-tables.ts";

/** As large as a project can be that builds in a moment: the scripts as they are, and a page that says hello. */
let project: string;

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "lineup-build-"));
  const modules = join(project, "node_modules");
  mkdirSync(modules);
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (name !== ".lineup-installed.json") symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  }
  for (const file of [
    "package-lock.json",
    "tsconfig.json",
    "scripts",
    "dashboard/index.html",
    "dashboard/vite.config.ts",
  ]) {
    cpSync(join(ROOT, file), join(project, file), { recursive: true });
  }
  // All is installed: what lies there is this project's own.
  const node = statSync(join(modules, "node/bin/node"));
  const stamp = {
    lock: createHash("sha256")
      .update(readFileSync(join(project, "package-lock.json")))
      .digest("hex"),
    node: `${process.platform}-${process.arch}-${node.size}-${Math.trunc(node.mtimeMs)}`,
    dev: true,
  };
  writeFileSync(join(modules, ".lineup-installed.json"), JSON.stringify(stamp));
  mkdirSync(join(project, "dashboard/src"));
  mkdirSync(join(project, "dashboard/public"));
  writeFileSync(join(project, "dashboard/public/color-scheme.js"), "document.documentElement.dataset.ready = '';\n");
  writePage("hello");
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

function writePage(text: string): void {
  const lines = Array.from({ length: 300 }, (_, number) => `  "${text} ${number}",`).join("\n");
  writeFileSync(join(project, "dashboard/src/main.tsx"), `document.title = [\n${lines}\n].join("");\n`);
}

function build(...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [join(project, "scripts/ensure-built.mjs"), ...args], {
    cwd: project,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const hear = (chunk: Buffer) => {
    output += chunk;
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, output })));
}

const dist = (...path: string[]) => join(project, "dashboard/dist", ...path);

function readScript(): { name: string; text: string } {
  const name = readdirSync(dist("assets")).find((one) => one.endsWith(".js")) ?? "";
  return { name, text: readFileSync(dist("assets", name), "utf8") };
}

function listLeftovers(): string[] {
  return readdirSync(join(project, "dashboard")).filter((name) => name.startsWith("dist") && name !== "dist");
}

describe("building the dashboard", () => {
  it("is done where there is none, by one of those who find it missing, and says how large it became", async () => {
    const both = await Promise.all([build(), build()]);
    expect(both.map(({ code, output }) => [code, output])).toEqual(both.map(({ output }) => [0, output]));
    const output = both.map((one) => one.output).join("");
    expect(output.match(/Building the dashboard/g)).toHaveLength(1);
    expect(output).toMatch(/first load: [\d.]+ kB, as gzip [\d.]+ kB, as Brotli [\d.]+ kB/);
    expect(readFileSync(dist("index.html"), "utf8")).toContain("__STYLE_NONCE__");
    expect(listLeftovers()).toEqual([]);
  });

  it("puts beside each file its compressed forms, which hold the same", () => {
    const { name, text } = readScript();
    expect(brotliDecompressSync(readFileSync(dist("assets", `${name}.br`))).toString()).toBe(text);
    expect(gunzipSync(readFileSync(dist("assets", `${name}.gz`))).toString()).toBe(text);
    expect(existsSync(dist("color-scheme.js.br"))).toBe(false);
  });

  it("is not done again while its sources are what they were", async () => {
    const builtAt = statSync(dist("index.html")).mtimeMs;
    expect(await build()).toEqual({ code: 0, output: "" });
    expect(statSync(dist("index.html")).mtimeMs).toBe(builtAt);
  });

  it("is done again when a source has changed, or when it is asked for", async () => {
    writePage("changed");
    expect((await build()).output).toContain("Built.");
    expect(readScript().text).toContain("changed");
    expect((await build("--force")).output).toContain("Built.");
  });

  it("leaves the build that is there when the sources are broken, and says what to do", async () => {
    writeFileSync(join(project, "dashboard/src/main.tsx"), "const = broken");
    const { code, output } = await build();
    expect(code).toBe(1);
    expect(output).toContain("The dashboard could not be built");
    expect(output).toContain("main.tsx");
    expect(readScript().text).toContain("changed");
    expect(listLeftovers()).toEqual([]);
  });

  it("fails when the first load becomes too large, and names what is in it", async () => {
    writeFileSync(
      join(project, "dashboard/src/main.tsx"),
      `document.title = "${randomBytes(300_000).toString("base64")}";`,
    );
    const { code, output } = await build();
    expect(code).toBe(1);
    expect(output).toMatch(/first load has 30\d\.\d kB of script, and 250 kB is the most/);
    expect(output).toMatch(/kB {2}\/assets\/index-.+\.js/);
    expect(readScript().text).toContain("changed");
  });

  it("is not kept from being done by a lock that somebody who is gone has left", async () => {
    writePage("after a crash");
    const gone = spawn(process.execPath, ["-e", ""]);
    await new Promise((resolve) => gone.on("close", resolve));
    writeFileSync(join(project, "dashboard/dist.lock"), String(gone.pid));
    expect((await build()).output).toContain("Built.");
    expect(readScript().text).toContain("after a crash");
  });
});
