/**
 * The packages of a release, as somebody has them who has no clone: made, installed into an empty folder, and used there with nothing of the repository in reach.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, sep } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listBrokenLinks, ROOT } from "./docs-tables.ts";

const run = promisify(execFile);
/** As a terminal of its own has it: nothing of the project that runs the tests. */
const PATH = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes(`${sep}node_modules${sep}`))
  .join(delimiter);
/** A busy machine takes minutes for it. */
const INSTALLING_MS = 900_000;
const env = { PATH, HOME: process.env.HOME, LINEUP_PORT: "0" };

let packages: string;
let folder: string;
let address: string;
let key: string;
let stopServer: () => Promise<void>;

beforeAll(async () => {
  packages = await mkdtemp(join(tmpdir(), "lineup-packages-"));
  folder = await mkdtemp(join(tmpdir(), "lineup-installed-"));
  await run("npm", ["run", "--silent", "pack", packages], { cwd: ROOT });
  const tarballs = readdirSync(packages).filter((name) => name.endsWith(".tgz"));
  const args = [
    "install",
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    ...tarballs.map((name) => join(packages, name)),
  ];
  await run("npm", args, { cwd: folder, env });
  await serve();
}, INSTALLING_MS);
afterAll(async () => {
  await stopServer?.();
  for (const one of [packages, folder]) await rm(one, { recursive: true, force: true });
});

/** With the sample; ready once it has told its key. */
async function serve(): Promise<void> {
  const child = spawn("npx", ["lineup", "serve", "--demo"], { cwd: folder, env, stdio: ["ignore", "pipe", "ignore"] });
  const exited = once(child, "exit");
  stopServer = async () => {
    child.kill("SIGTERM");
    await exited;
  };
  let told = "";
  for await (const line of createInterface(child.stdout)) {
    told += `${line}\n`;
    if (line.includes("curl")) break;
  }
  child.stdout.resume();
  key = /lineup_live_\w+/.exec(told)?.[0] ?? "";
  address = /Dashboard +(\S+)/.exec(told)?.[1] ?? "";
}

test("serve the API, the pages with their scripts, and the reference", async () => {
  const headers = { authorization: `Bearer ${key}` };
  const players = (await (await fetch(`${address}/api/public/v1/players`, { headers })).json()) as { meta: object };
  expect(players.meta).toMatchObject({ count: 40 });
  const page = await (await fetch(address)).text();
  const scripts = [...page.matchAll(/src="(\/[^"]+\.js)"/g)].map(([, path]) => path);
  expect(scripts.length).toBeGreaterThan(0);
  for (const path of [...scripts, "/docs", "/docs/scalar.js", "/openapi.json"]) {
    expect((await fetch(address + path)).status, path).toBe(200);
  }
});

test("run the commands beside the server, in the version of the repository", async () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  expect((await run("npx", ["lineup", "--version"], { cwd: folder, env })).stdout.trim()).toBe(version);
  await run("npx", ["lineup", "org", "create", "--name", "Riverside", "--tier", "Pro"], { cwd: folder, env });
  const backup = join(folder, "backup.db");
  await run("npx", ["lineup", "backup", backup], { cwd: folder, env });
  expect(existsSync(backup)).toBe(true);
  const { stdout } = await run("npx", ["lineup", "audit", "verify"], { cwd: folder, env });
  expect(stdout).toContain("The audit log is whole");
});

test("bring the documents that messages name, and name nothing else of the repository", () => {
  const root = join(folder, "node_modules/@lineup/server");
  const read = (path: string) => ({ path, text: readFileSync(join(root, path), "utf8") });
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (file) => !file.startsWith("node_modules"),
  );
  const documents = files.filter((file) => /^([A-Z]+|docs\/.+)\.md$/.test(file)).map(read);
  expect(documents.map(({ path }) => path)).toEqual(expect.arrayContaining(["README.md", "docs/operating.md"]));
  expect(documents.flatMap((one) => listBrokenLinks(one, root).map((link) => `${one.path}: ${link}`))).toEqual([]);
  const programs = files.filter((file) => /^(server|api)\/.*\.m?js$/.test(file)).map(read);
  const named = programs.flatMap(({ text }) => text.match(/(?<![/\w])docs\/[a-z-]+\.md/g) ?? []);
  expect(named).toContain("docs/operating.md");
  for (const path of new Set(named)) expect(existsSync(join(root, path)), path).toBe(true);
});

test("doctor finds all that it needs, and right", async () => {
  const { stdout } = await run("npx", ["lineup", "doctor", "--json"], { cwd: folder, env });
  const { checks } = JSON.parse(stdout) as { checks: { id: string; state: string }[] };
  expect(checks.filter(({ id }) => id === "dashboard" || id === "node").map(({ state }) => state)).toEqual([
    "ok",
    "ok",
  ]);
});

test("the SDK talks to the server", async () => {
  const program = `
    import { Lineup } from "@lineup/client";
    const lineup = new Lineup({ baseUrl: process.argv[2], key: process.argv[3] });
    let count = 0;
    for await (const player of lineup.players.list()) count += player.ign === "" ? 0 : 1;
    console.log(count);`;
  writeFileSync(join(folder, "count.mjs"), program);
  const { stdout } = await run("node", ["count.mjs", address, key], { cwd: folder, env });
  expect(stdout.trim()).toBe("40");
});

test("the list of parts names what the server and its pages are made of, and no tool of the tests", () => {
  const file = readdirSync(packages).find((name) => name.endsWith(".cdx.json")) ?? "";
  const { components } = JSON.parse(readFileSync(join(packages, file), "utf8")) as { components: { name: string }[] };
  const names = components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["fastify", "better-sqlite3", "zod", "react", "@mantine/core", "node"]));
  expect(names).not.toContain("vitest");
});
