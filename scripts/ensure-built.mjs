/**
 * Installs what is missing, then builds the dashboard where that is needed, before `npm start`, `npm test` and the like. Runs on any Node from 20
 * on; the build itself runs on the project's own.
 *
 * A stamp inside the build says of which sources it was made; while it holds, this is over in a few milliseconds. A build is made beside the
 * one that is there and takes its place whole: a server that starts meanwhile finds the old one or the new one. Of two who build at
 * once, one does, and the other waits and finds it done.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import "./ensure-installed.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const dashboard = join(root, "dashboard");
const built = join(dashboard, "dist");
const making = join(dashboard, `dist-${process.pid}`);
const lockFile = join(dashboard, "dist.lock");
const STAMP = ".built.json";
const SOURCES = [
  "api/src",
  "dashboard/src",
  "dashboard/public",
  "dashboard/index.html",
  "dashboard/package.json",
  "dashboard/tsconfig.json",
  "dashboard/vite.config.ts",
  "package-lock.json",
  "scripts/ensure-built.mjs",
  "tsconfig.json",
];
/** Thousands of bytes that scripts of the first load may have, as gzip makes them, which every browser takes. */
const FIRST_LOAD_MAX_KB = 250;
/** Nobody builds for longer; a lock as old as this was left behind. */
const BUILD_MOST_MS = 300_000;
/** Smaller ones are not worth a second form. */
const COMPRESSED_FROM_BYTES = 1_000;

let isLockOurs = false;
const sourcesHash = hashSources();
if (sourcesHash === undefined) {
  // Only what was built is here, as in a container.
  if (!existsSync(join(built, "index.html")))
    fail("The dashboard's sources are missing. Get the whole repository again.");
} else if (process.argv.includes("--force") || !isCurrent()) await buildAlone();

async function buildAlone() {
  await takeLock();
  try {
    // The process that held the lock may have built the very same.
    if (process.argv.includes("--force") || !isCurrent()) await build();
  } finally {
    rmSync(lockFile, { force: true });
    rmSync(making, { recursive: true, force: true });
  }
}

async function build() {
  console.error("Building the dashboard (about ten seconds, once for each version) …");
  const { code, output } = await runVite();
  if (code !== 0) {
    console.error(output);
    fail(
      "The dashboard could not be built; what was tried is above. Mend what it names, or delete node_modules here and in server and dashboard, and try again. " +
        '"npx lineup serve" runs the API without it.',
    );
  }
  const sizes = await compressAll(making);
  const firstLoad = measureFirstLoad(sizes);
  if (firstLoad.gzip > FIRST_LOAD_MAX_KB * 1_000) {
    fail(
      `The dashboard's first load has ${kB(firstLoad.gzip)} of script, and ${FIRST_LOAD_MAX_KB} kB is the most. ` +
        "Load what is not needed at once by import(), or do without it:\n" +
        firstLoad.files.map((file) => `  ${kB(sizes.get(file)?.gzip ?? 0).padStart(10)}  ${file}`).join("\n"),
    );
  }
  writeFileSync(join(making, STAMP), JSON.stringify({ sources: sourcesHash }));
  putInPlace();
  const { plain, gzip: gzipped, br } = firstLoad;
  console.error(`Built. Script of the first load: ${kB(plain)}, as gzip ${kB(gzipped)}, as Brotli ${kB(br)}.`);
}

/** By the names and contents of all that a build is made of; undefined where that is not here. */
function hashSources() {
  if (!existsSync(join(dashboard, "index.html"))) return undefined;
  const hash = createHash("sha256");
  for (const source of SOURCES) {
    const path = join(root, source);
    if (!existsSync(path)) continue;
    const files = statSync(path).isDirectory() ? listFiles(path) : [path];
    for (const file of files)
      hash
        .update(`${file.slice(root.length)}\0`)
        .update(readFileSync(file))
        .update("\0");
  }
  return hash.digest("hex");
}

function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return listFiles(path);
      // Tests are no part of what is served.
      return entry.isFile() && !/\.test\.tsx?$/.test(entry.name) ? [path] : [];
    });
}

function isCurrent() {
  try {
    return JSON.parse(readFileSync(join(built, STAMP), "utf8")).sources === sourcesHash;
  } catch {
    return false;
  }
}

async function takeLock() {
  const givenUpAt = Date.now() + BUILD_MOST_MS;
  while (Date.now() < givenUpAt) {
    try {
      const file = openSync(lockFile, "wx");
      writeSync(file, String(process.pid));
      closeSync(file);
      isLockOurs = true;
      return;
    } catch (error) {
      if (error.code !== "EEXIST") {
        fail(
          `The dashboard cannot be built here: ${error.message}. Make the folder writable, or build it elsewhere and copy it.`,
        );
      }
    }
    if (isLeftBehind()) rmSync(lockFile, { force: true });
    else await sleep(100);
  }
  fail(`Another build of the dashboard does not end. If there is none, delete ${lockFile} and try again.`);
}

/** The process that wrote it has gone, or it is older than any build. A lock without a number is being written this moment. */
function isLeftBehind() {
  try {
    const pid = Number(readFileSync(lockFile, "utf8"));
    if (Date.now() - statSync(lockFile).mtimeMs > BUILD_MOST_MS) return true;
    if (pid === 0) return false;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

function runVite() {
  const node = ["node.exe", "node"]
    .map((name) => join(root, "node_modules/node/bin", name))
    .find((file) => existsSync(file));
  const vite = ["dashboard/node_modules", "node_modules"]
    .map((folder) => join(root, folder, "vite/bin/vite.js"))
    .find((file) => existsSync(file));
  if (vite === undefined) return { code: 1, output: "vite is not installed." };
  const args = [vite, "build", "--outDir", making, "--emptyOutDir", "--logLevel", "warn"];
  const child = spawn(node ?? process.execPath, args, {
    cwd: dashboard,
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ code: 1, output: error.message }));
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

/** Beside each file that gains by it, its form as Brotli and as gzip. Returns the sizes, by path from the build's folder. */
async function compressAll(folder) {
  const sizes = new Map();
  const files = listFiles(folder).filter((file) => /\.(css|js|json|svg|txt|webmanifest)$/.test(file));
  await Promise.all(
    files.map(async (file) => {
      const bytes = readFileSync(file);
      const [br, gzipped] = await Promise.all([
        promisify(brotliCompress)(bytes, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
            [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
          },
        }),
        promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
      ]);
      sizes.set(file.slice(folder.length).replaceAll("\\", "/"), {
        plain: bytes.length,
        br: br.length,
        gzip: gzipped.length,
      });
      if (bytes.length < COMPRESSED_FROM_BYTES) return;
      writeFileSync(`${file}.br`, br);
      writeFileSync(`${file}.gz`, gzipped);
    }),
  );
  return sizes;
}

/** What the page itself makes the browser fetch before anything is shown: its scripts, and the modules that these begin with. */
function measureFirstLoad(sizes) {
  const page = readFileSync(join(making, "index.html"), "utf8");
  const scripts = [...page.matchAll(/<(?:script|link)\b[^>]*?\b(?:src|href)="(\/[^"]+\.js)"/g)].map(([, path]) => path);
  if (scripts.length === 0) fail("The built page has no script. Look at dashboard/index.html.");
  if (!page.includes("__STYLE_NONCE__"))
    fail("The built page has no place for the nonce. Look at dashboard/index.html.");
  const total = { plain: 0, gzip: 0, br: 0 };
  for (const path of scripts) for (const form of ["plain", "gzip", "br"]) total[form] += sizes.get(path)?.[form] ?? 0;
  return { ...total, files: scripts };
}

/** A folder can take the place of another only where there is none, so the old one is moved out of the way first. */
function putInPlace() {
  const old = join(dashboard, `dist-${process.pid}-old`);
  if (existsSync(built)) renameSync(built, old);
  renameSync(making, built);
  rmSync(old, { recursive: true, force: true });
}

function kB(bytes) {
  return `${(bytes / 1_000).toFixed(1)} kB`;
}

function fail(message) {
  console.error(message);
  if (isLockOurs) rmSync(lockFile, { force: true });
  rmSync(making, { recursive: true, force: true });
  process.exit(1);
}
