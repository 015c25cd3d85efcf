/**
 * Installs what is missing before `npm start`, `npm test` and the like, so that each works from a fresh clone. Runs on any
 * Node from 20 on and needs nothing installed.
 *
 * A stamp in node_modules says for which package-lock.json everything was found in place; while it holds, this is over in a
 * few milliseconds. Without it, npm's own record of what lies in node_modules is compared with package-lock.json, so that
 * an install by hand counts as well. Packages are added to what is there rather than wiped first, because a server may be
 * running from it.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const modules = join(root, "node_modules");
const stampFile = join(modules, ".lineup-installed.json");
const lockText = readFileSync(join(root, "package-lock.json"), "utf8");
const isDevWanted = process.argv.includes("--dev");
const links = ["node", "node.cmd"].map((name) => join(modules, ".bin", name));
const nodeMajor = Number(process.versions.node.split(".")[0]);
/** The least that runs the TypeScript as it stands; as in server/bin/lineup.mjs. */
const NODE_MAJOR_MIN = 26;
const STOPS = ["SIGINT", "SIGTERM", "SIGHUP"];
/** Workspaces have some packages of their own. */
const DELETE = "delete node_modules here and in server and dashboard";

if (nodeMajor < 20) {
  fail(`Lineup needs Node 20 or newer to install itself; this is ${process.version}. Install a newer Node first.`);
}
if (!isStamped()) await install();

async function install() {
  const hasDev = isInPlace(true);
  if (!hasDev && (isDevWanted || !isInPlace(false))) {
    // Development tools that are there stay.
    await runNpm(isDevWanted || holdsDevPackages());
  }
  await ensureOwnNode();
  writeStamp(isInPlace(true));
}

async function runNpm(withDev) {
  const args = [
    // Takes the versions of the lock file, as `npm ci` does, but does not wipe what is there. It leaves the lock file as it is.
    "install",
    "--no-save",
    // NODE_ENV=production would leave them out.
    withDev ? "--include=dev" : "--omit=dev",
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    "--engine-strict=false",
    // Nothing here needs an install script but the Node below, which is seen to by itself. Older npm would try to compile
    // what already comes as a binary, and fail on a machine without a compiler.
    "--ignore-scripts",
  ];
  const tools = withDev ? " and its development tools" : "";
  console.error(`Installing what Lineup needs${tools} (once, about half a minute) …`);
  const { code, output } = await run(...npmCommand(), args, root);
  if (code !== 0) {
    console.error(output);
    fail(`npm ${args.join(" ")} failed; its output is above. Mend what it names, or ${DELETE}, and try again.`);
  }
}

/** The Node that Lineup runs on comes with a package whose install script brings it. */
async function ensureOwnNode() {
  if (!ownNodeRuns() && !(await installOwnNode())) return;
  if (isLinked()) return;
  // npm links only what is there, and the binary was not yet; without the link, scripts would run on the machine's Node.
  const { output } = await run(...npmCommand(), ["rebuild", "node", "--ignore-scripts"], root);
  if (isLinked()) return;
  console.error(output);
  fail(`The Node that Lineup runs on could not be linked; what was tried is above. To try again, ${DELETE}.`);
}

function isLinked() {
  return links.some((link) => existsSync(link));
}

/**
 * False where none is made for this machine, as for Alpine, whose C library is another. Lineup then runs on the machine's own, if that is
 * new enough.
 */
async function installOwnNode() {
  const folder = join(modules, "node");
  const { output } = await run(
    process.env.npm_node_execpath ?? process.execPath,
    ["installArchSpecificPackage.js"],
    [],
    folder,
  );
  if (ownNodeRuns()) return true;
  if (nodeMajor < NODE_MAJOR_MIN) {
    console.error(output);
    fail(
      `The Node that Lineup runs on could not be installed; what was tried is above. To try again, ${DELETE}; ` +
        `or install Node ${NODE_MAJOR_MIN} or newer on this machine, which does as well.`,
    );
  }
  // What does not run must not be found before what does.
  for (const path of [join(modules, "node", "bin"), ...links]) rmSync(path, { recursive: true, force: true });
  console.error(`The Node that Lineup brings does not run here; it runs on this machine's, ${process.version}.`);
  return false;
}

function ownNodeRuns() {
  const file = findOwnNode();
  return file !== undefined && spawnSync(file, ["--version"]).status === 0;
}

function findOwnNode() {
  return ["node.exe", "node"].map((name) => join(modules, "node", "bin", name)).find((file) => existsSync(file));
}

/** Whether npm's record of node_modules has every package of the lock file that is needed, in its version. */
function isInPlace(withDev) {
  const record = readJson(join(modules, ".package-lock.json"))?.packages;
  if (record === undefined) return false;
  return Object.entries(JSON.parse(lockText).packages).every(([path, wanted]) => {
    if (!path.includes("node_modules/") || ((wanted.dev || wanted.devOptional) && !withDev)) return true;
    const found = record[path];
    // An optional package is left out where it is made for another machine.
    if (found === undefined) return wanted.optional === true || wanted.devOptional === true || wanted.peer === true;
    return (wanted.link || found.version === wanted.version) && existsSync(join(root, path));
  });
}

function holdsDevPackages() {
  const record = readJson(join(modules, ".package-lock.json"))?.packages ?? {};
  return Object.values(record).some((entry) => entry.dev === true);
}

function isStamped() {
  const stamp = readJson(stampFile);
  return (
    stamp !== undefined &&
    stamp.lock === hashOfLock() &&
    stamp.node === describeNode() &&
    (isLinked() || findOwnNode() === undefined) &&
    (stamp.dev || !isDevWanted)
  );
}

function writeStamp(dev) {
  const stamp = { lock: hashOfLock(), node: describeNode(), dev };
  try {
    mkdirSync(modules, { recursive: true });
    writeFileSync(stampFile, JSON.stringify(stamp));
  } catch {
    // In a folder that cannot be written the next start looks again, which costs it a moment.
  }
}

/** The binary that was run when the stamp was written is taken to run still. */
function describeNode() {
  const file = findOwnNode();
  if (file === undefined) return `the machine's ${process.version}`;
  const { size, mtimeMs } = statSync(file);
  return `${process.platform}-${process.arch}-${size}-${Math.trunc(mtimeMs)}`;
}

function hashOfLock() {
  return createHash("sha256").update(lockText).digest("hex");
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** The npm that is running this, with the Node that runs it; else the one in the path. */
function npmCommand() {
  const { npm_execpath: npm, npm_node_execpath: node } = process.env;
  if (npm?.endsWith("npm-cli.js") && node !== undefined) return [node, [npm]];
  return [process.platform === "win32" ? "npm.cmd" : "npm", []];
}

function run(command, firstArgs, args, cwd) {
  // The project's own tools must not be found while they are being replaced.
  const path = (process.env.PATH ?? "").split(delimiter).filter((one) => !one.includes(`node_modules${sep}.bin`));
  const child = spawn(command, [...firstArgs, ...args], {
    cwd,
    env: { ...process.env, PATH: path.join(delimiter) },
    stdio: ["ignore", "pipe", "pipe"],
    shell: command.endsWith(".cmd"),
  });
  // Anyone who gives up waits until the child has ended: what that still writes or removes would meet the next install.
  let isStopped = false;
  const stop = (signal) => {
    if (!isStopped) console.error("Stopping the installation …");
    isStopped = true;
    // A terminal has told the child of Ctrl-C by itself.
    if (signal !== "SIGINT") child.kill(signal);
  };
  for (const signal of STOPS) process.on(signal, stop);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ code: 1, output: `${command}: ${error.message}` }));
    child.on("close", (code) => {
      for (const signal of STOPS) process.off(signal, stop);
      if (isStopped) process.exit(130);
      resolve({ code: code ?? 1, output });
    });
  });
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
