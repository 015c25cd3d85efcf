/**
 * What integrators do with /openapi.json: lint it, make a client of it, compile that under strict TypeScript, and call a server.
 *
 * The tools come from the npm registry into a folder of their own, which goes with the run: together they are larger than all that the
 * project depends on, and one of them brings a package that reports its installation, so that no script of theirs is run.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isDrill } from "./drill-count.ts";
import { makeKey, makeOrg, startTestServer, type TestServer } from "./test-server.ts";

const TOOLS = [
  "@stoplight/spectral-cli@6.16.3",
  "openapi-typescript@7.13.0",
  "openapi-fetch@0.17.0",
  "@hey-api/openapi-ts@0.99.0",
  "typescript@5.9.3",
];
/** What the tools depend on is taken as it was then. */
const AS_OF = "2026-11-15";
const STEP_MS = 300_000;

const run = promisify(execFile);
let server: TestServer;
let folder: string;

beforeAll(async () => {
  if (!isDrill) return;
  server = await startTestServer();
  folder = await mkdtemp(join(tmpdir(), "lineup-clients-"));
  const document = await fetch(`${server.origin}/openapi.json`);
  await writeAll({
    "openapi.json": await document.text(),
    "package.json": JSON.stringify({ private: true, type: "module" }),
    "tsconfig.json": JSON.stringify(TSCONFIG),
    ".spectral.yaml": 'extends: [["spectral:oas", "recommended"]]\n',
    "use-openapi-fetch.ts": USE_OPENAPI_FETCH,
    "use-hey-api.ts": USE_HEY_API,
  });
  const quietly = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", `--before=${AS_OF}`];
  await run("npm", ["install", ...quietly, ...TOOLS], { cwd: folder });
}, STEP_MS);

afterAll(async () => {
  await server?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    module: "nodenext",
    target: "es2023",
    lib: ["es2023", "dom", "dom.iterable"],
    types: [],
    outDir: "out",
  },
};

/** Both print what they got. A role is one of the known ones: neither any text, nor one that no game has. */
const USE_OPENAPI_FETCH = `import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Role = components["schemas"]["Player"]["role"];
const isUnion: string extends Role ? false : true = true;
// @ts-expect-error No game has this role.
const wrong: Role = "Goalkeeper";
const fault: Error = new Error("the language's own");

export async function use(baseUrl: string, key: string) {
  const client = createClient<paths>({
    baseUrl,
    headers: { authorization: \`Bearer \${key}\` },
    querySerializer: { array: { style: "form", explode: false } },
  });
  const player = await client.POST("/players", { body: { ign: "Vex", role: "Player" } });
  const prospect = await client.POST("/prospects", { body: { ign: "Nyx" } });
  const list = (updatedSince: number | string) =>
    client.GET("/players", { params: { query: { updatedSince, role: ["Player", "Captain"] } } });
  const role: Role | undefined = player.data?.data.role;
  const refused = await client.POST("/players", { body: { ign: "Vex", role: "Duelist" } });
  return {
    player: player.data?.data,
    prospect: prospect.data?.data,
    lists: [await list(0), await list("2020-01-01"), await list("2020-01-01T00:00:00Z")].map(({ data }) => data?.meta.count),
    role,
    code: refused.error?.error.code,
    checks: [isUnion, wrong, fault.message],
  };
}
`;

const USE_HEY_API = `import { createClient } from "./hey/client/index.js";
import { createPlayer, createProspect, type ErrorEnvelope, listPlayers, type Player } from "./hey/index.js";

const isUnion: string extends Player["role"] ? false : true = true;
// @ts-expect-error No game has this role.
const wrong: Player["role"] = "Goalkeeper";
const fault: Error = new Error("the language's own");

export async function use(baseUrl: string, key: string) {
  const client = createClient({ baseUrl, auth: () => key });
  const player = await createPlayer({ client, body: { ign: "Vex", role: "Player" } });
  const prospect = await createProspect({ client, body: { ign: "Nyx" } });
  const list = (updatedSince: number | string) =>
    listPlayers({ client, query: { updatedSince, role: ["Player", "Captain"] } });
  const role: Player["role"] | undefined = player.data?.data.role;
  const refused = await createPlayer({ client, body: { ign: "Vex", role: "Duelist" } });
  const envelope: ErrorEnvelope | undefined = refused.error;
  return {
    player: player.data?.data,
    prospect: prospect.data?.data,
    lists: [await list(0), await list("2020-01-01"), await list("2020-01-01T00:00:00Z")].map(({ data }) => data?.meta.count),
    role,
    code: envelope?.error.code,
    checks: [isUnion, wrong, fault.message],
  };
}
`;

async function writeAll(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

/** What a tool of the folder says; where it fails, that is the reason. */
async function runTool(script: string, ...args: readonly string[]): Promise<string> {
  return run(process.execPath, [join("node_modules", script), ...args], { cwd: folder }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => Promise.reject(new Error(`${script} failed:\n${stdout}${stderr}`)),
  );
}

describe.skipIf(!isDrill)("the document that is served", () => {
  it(
    "has nothing that Spectral's recommended rules find",
    async () => {
      const args = ["lint", "openapi.json", "--ruleset", ".spectral.yaml", "--fail-severity", "hint"];
      expect(await runTool("@stoplight/spectral-cli/dist/index.js", ...args)).toContain("No results");
    },
    STEP_MS,
  );

  it.each([
    [
      "openapi-typescript",
      ["openapi-typescript/bin/cli.js", "openapi.json", "--output", "schema.ts"],
      "use-openapi-fetch",
    ],
    [
      "hey-api",
      [
        "@hey-api/openapi-ts/bin/run.js",
        "--input",
        "openapi.json",
        "--output",
        "hey",
        "--client",
        "@hey-api/client-fetch",
      ],
      "use-hey-api",
    ],
  ] as const)(
    "becomes a client by %s that compiles, and makes a player of two fields",
    async (_, [script, ...args], program) => {
      await runTool(script, ...args);
      await writeAll({ "tsconfig.json": JSON.stringify({ ...TSCONFIG, files: [`${program}.ts`] }) });
      await runTool("typescript/bin/tsc", "--project", "tsconfig.json");
      const { use } = await import(join(folder, "out", `${program}.js`));
      const { key } = await makeKey(server, await makeOrg(server));
      expect(await use(server.baseUrl, key)).toMatchObject({
        player: { ign: "Vex", role: "Player", realName: "", contractStatus: "unsigned", status: "active" },
        prospect: { ign: "Nyx", realName: "", game: "Other", stage: "identified", priority: "medium" },
        lists: [1, 1, 1],
        role: "Player",
        code: "INVALID_ROLE",
        checks: [true, "Goalkeeper", "the language's own"],
      });
    },
    STEP_MS,
  );
});
