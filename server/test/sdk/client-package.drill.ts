/**
 * The SDK as it is installed: its package made, looked at by those who know packages, and used on every runtime and under every TypeScript that it is promised for.
 * Runtimes and compilers come from the npm registry into a folder that goes with the run; one that cannot be had is a line that says so, and skipped.
 */
import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blocksOf, ROOT, readDocument } from "../docs-tables.ts";
import { isDrill } from "../drill-count.ts";
import { call, makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";

const run = promisify(execFile);
const STEP_MS = 300_000;
const STEP = { timeout: STEP_MS };
const SIZE_MOST_BYTES = 15_000;
const SYSTEM = `${process.platform}-${process.arch}`;

interface Tool {
  /** As npm installs it, under a name of its own. */
  readonly wanted: string;
  readonly file: string;
  readonly args?: readonly string[];
}

/** Those without the installation scripts that would fetch them from elsewhere. */
const RUNTIMES: Readonly<Record<string, Tool>> = {
  "Node 20": { wanted: `npm:node-${SYSTEM}@20`, file: "bin/node" },
  "Node 22": { wanted: `npm:node-${SYSTEM}@22`, file: "bin/node" },
  "Node 26": { wanted: `npm:node-${SYSTEM}@26`, file: "bin/node" },
  Bun: { wanted: `npm:@oven/bun-${SYSTEM}@1`, file: "bin/bun" },
  Deno: { wanted: `npm:@deno/${SYSTEM}-glibc@2`, file: "deno", args: ["run", "--allow-net", "--allow-env"] },
};
const COMPILERS: Readonly<Record<string, Tool>> = {
  "TypeScript 5.0": { wanted: "npm:typescript@5.0.4", file: "bin/tsc" },
  "TypeScript 5.9": { wanted: "npm:typescript@5.9.3", file: "bin/tsc" },
  "TypeScript 7": { wanted: "npm:typescript@7.0.2", file: "bin/tsc" },
};

const PROGRAM = `
import { etagOf, Lineup, LineupError, verifyWebhook } from "@lineup/client";

const { ADDRESS: baseUrl = "", KEY: key = "", SECRET: secret = "", HEADERS: headers = "", BODY: body = "" } = process.env;
const lineup = new Lineup({ baseUrl, key });
const from = await lineup.changes.latest();
const made = await lineup.players.create({ ign: "Vex", role: "Player" });
const changed = await lineup.players.update(made.id, { ign: "Vexx" }, { ifMatch: etagOf(made) });
const refused = await lineup.players.update(made.id, { ign: "" }).catch((error: unknown) => error instanceof LineupError && error.code);
const igns: string[] = [];
for await (const { ign } of lineup.players.list({ limit: 1 })) igns.push(ign);
const types: string[] = [];
for await (const { changes } of lineup.changes.follow({ from })) {
  for (const { type } of changes) types.push(type);
  break;
}
const event = await verifyWebhook({ body, headers: JSON.parse(headers) as Record<string, string>, secret });
const aborted = await lineup.me({ signal: AbortSignal.abort(new Error("enough")) }).catch((error: Error) => error.message);
console.log(JSON.stringify({ ign: changed.ign, refused, igns, types, event: event.type, aborted }));
`;
const EXPECTED = {
  ign: "Vexx",
  refused: "VALIDATION_ERROR",
  igns: ["Vexx"],
  types: ["player.created", "player.updated"],
  event: "webhook.ping",
  aborted: "enough",
};

let folder: string;
let tarball: string;
let installed: string;
let server: TestServer;

beforeAll(async () => {
  if (!isDrill) return;
  server = await startTestServer();
  folder = await mkdtemp(join(tmpdir(), "lineup-client-"));
  await run("npm", ["run", "--silent", "pack", folder], { cwd: ROOT });
  tarball = join(folder, readdirSync(folder).find((name) => name.startsWith("lineup-client-")) ?? "");
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await install(tarball, "@types/node@26.6.6");
  installed = join(folder, "node_modules/@lineup/client");
}, STEP_MS);

afterAll(async () => {
  await server?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

function install(...packages: readonly string[]) {
  const quietly = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--force"];
  return run("npm", ["install", ...quietly, ...packages], { cwd: folder });
}

/** Where it is; undefined, and a line, where it cannot be had. */
async function findTool(name: string, { wanted, file }: Tool): Promise<string | undefined> {
  const alias = name.toLowerCase().replaceAll(/\W/g, "-");
  const path = join(folder, "node_modules", alias, file);
  await install(`${alias}@${wanted}`).catch(() => undefined);
  if (existsSync(path)) return path;
  console.log(`${name} cannot be had here (${wanted}), so that the SDK is not tried with it.`);
  return undefined;
}

/** Both what it prints and what it complains of, where it fails. */
async function runTool(command: string, ...args: readonly string[]): Promise<string> {
  return run(command, args, { cwd: folder }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => Promise.reject(new Error(`${command} failed:\n${stdout}${stderr}`)),
  );
}

describe.skipIf(!isDrill)("the package", () => {
  it("is small, stands on nothing, and holds what it should", () => {
    const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(manifest).toMatchObject({ name: "@lineup/client", version });
    for (const field of ["dependencies", "peerDependencies", "devDependencies", "scripts"])
      expect(manifest[field]).toBeUndefined();
    expect(readdirSync(installed).toSorted()).toEqual(["LICENSE", "README.md", "dist", "examples", "package.json"]);
    expect(readdirSync(join(installed, "dist")).toSorted()).toEqual(["index.d.ts", "index.js"]);
    const [code, types] = ["index.js", "index.d.ts"].map((file) => readFileSync(join(installed, "dist", file), "utf8"));
    expect(gzipSync(code ?? "").length).toBeLessThan(SIZE_MOST_BYTES);
    for (const text of [code, types]) expect(text).not.toMatch(/\bfrom ["']|\bimport\(|\brequire\(|zod|@lineup\/api/);
  });

  it("has nothing that publint and attw find", async () => {
    const tool = (name: string) => join(ROOT, "node_modules/.bin", name);
    expect(await runTool(tool("publint"), installed, "--strict")).toContain("All good!");
    // Ends with a fault where it finds one.
    expect(await runTool(tool("attw"), tarball, "--profile", "esm-only")).toContain("@lineup/client");
  });

  it.for(Object.entries(RUNTIMES))("works on %s", STEP, async ([name, tool], { skip }) => {
    const path = await findTool(name, tool);
    if (path === undefined) return skip(`${name} cannot be had here.`);
    const { key } = await makeKey(server, await makeOrg(server));
    const secret = Buffer.from("the secret of a test, long enough").toString("base64");
    const body = '{"type":"webhook.ping"}';
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const digest = createHmac("sha256", Buffer.from(secret, "base64"))
      .update(`ping_1.${timestamp}.${body}`)
      .digest("base64");
    const headers = { "webhook-id": "ping_1", "webhook-timestamp": timestamp, "webhook-signature": `v1,${digest}` };
    // Node 20 knows no types: what is between a colon and a bracket or an equals sign here.
    const program = PROGRAM.replaceAll(/(?<=\w): (?:unknown|Error|string\[\])|as Record<string, string>/g, "");
    await writeFile(join(folder, "program.mjs"), program);
    const env = {
      ADDRESS: server.origin,
      KEY: key,
      SECRET: `whsec_${secret}`,
      HEADERS: JSON.stringify(headers),
      BODY: body,
    };
    const options = { cwd: folder, env: { ...env, HOME: folder } };
    const { stdout } = await run(path, [...(tool.args ?? []), "program.mjs"], options);
    expect(JSON.parse(stdout)).toEqual(EXPECTED);
    expect((await call(server, "GET", "/players", { key })).body.meta.count).toBe(1);
  });

  const blocks = blocksOf(readDocument("sdk/README.md").text, "ts");
  const strictest = {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    skipLibCheck: false,
    noEmit: true,
    target: "es2022",
  };
  const settings = {
    "Node's types alone": { module: "nodenext", lib: ["es2022"], types: ["node"] },
    "the browser's types alone": { module: "esnext", moduleResolution: "bundler", lib: ["es2022", "dom"], types: [] },
  };

  it.for(Object.entries(COMPILERS))("is checked by %s", STEP, async ([name, tool], { skip }) => {
    const path = await findTool(name, tool);
    if (path === undefined) return skip(`${name} cannot be had here.`);
    // Of Node's types an old compiler understands not all; what is promised under it is the package's own.
    const ofNode = name === "TypeScript 5.0" ? [] : [["Node's types alone", [...blocks, PROGRAM]] as const];
    const ofBrowser = ["the browser's types alone", ['export * from "@lineup/client";']] as const;
    for (const [setting, modules] of [...ofNode, ofBrowser]) {
      for (const [index, code] of modules.entries()) await writeFile(join(folder, `module-${index}.ts`), code);
      const files = modules.map((_, index) => `module-${index}.ts`);
      const compilerOptions = { ...strictest, ...settings[setting] };
      await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
      await runTool(process.execPath, path, "-p", "tsconfig.json");
    }
  });
});
