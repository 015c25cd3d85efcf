#!/usr/bin/env node
/**
 * Starts the lineup command on a Node that can run it. Lineup is TypeScript run as it stands, which an older Node cannot do;
 * the project brings the Node it needs, and this file runs itself again with that one. A server is also begun again on the right one, to be
 * given what keeps its memory small (`serve-flags.mjs`).
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { missingFlags, serveEnvironment } from "./serve-flags.mjs";

const NODE_MAJOR_MIN = 26;
const isServing = process.argv[2] === "serve";

if (Number(process.versions.node.split(".")[0]) < NODE_MAJOR_MIN) startWithOwnNode();
else {
  if (lacksServeSettings()) beginAgain();
  await start();
}

/** Only to serve, which lasts. */
function lacksServeSettings() {
  return isServing && (flagsToAdd().length > 0 || process.env.MALLOC_ARENA_MAX === undefined);
}

function flagsToAdd() {
  return isServing ? missingFlags(process.execArgv, process.env.NODE_OPTIONS) : [];
}

/** In the same process, whose place in the system stays what it was: its id, its parent, what it reads and writes. Where that cannot be, it goes on. */
function beginAgain() {
  const hasChannel = process.channel !== undefined;
  // Of the files that a process was given, only the first three stay open.
  const hasFiles = Object.values(process.env).some((value) => /^\/(dev|proc\/self)\/fd\//.test(value));
  if (process.platform === "win32" || process.execve === undefined || hasChannel || hasFiles) return;
  const args = [...flagsToAdd(), ...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  try {
    process.execve(process.execPath, [process.execPath, ...args], serveEnvironment(process.env));
  } catch {
    // It takes more memory than it might, and does all that it should.
  }
}

async function start() {
  // Run by the older Node below, this process ends with it, however that ends.
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel?.unref();
  const { enableCompileCache } = await import("node:module");
  // Within the project, not in a folder that others can write: what lies there is run.
  enableCompileCache(fileURLToPath(new URL("../../node_modules/.cache/lineup", import.meta.url)));
  const { run } = await import("../src/main.ts").catch(explainMissing);
  await run(process.argv.slice(2));
}

/** A package that is not there, or only in part. */
function explainMissing(error) {
  if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
  console.error(`${error.message}.`);
  console.error(
    "Part of what Lineup needs is not installed. Delete node_modules, here and in server and dashboard, and install again.",
  );
  process.exit(1);
}

/** In the repository the package `node` brings it; where Lineup was installed from its own package, the one made for this machine. */
function findOwnNode() {
  const { resolve } = createRequire(import.meta.url);
  const machine = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  for (const name of ["node", `node-${machine}`, `node-bin-${machine}`]) {
    try {
      const folder = join(dirname(resolve(`${name}/package.json`)), "bin");
      const file = ["node.exe", "node"].map((one) => join(folder, one)).find((one) => existsSync(one));
      if (file !== undefined) return file;
    } catch {
      // Not installed; the next may be.
    }
  }
  return undefined;
}

function startWithOwnNode() {
  const node = findOwnNode();
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const isClone = existsSync(join(root, "scripts/ensure-installed.mjs"));
  if (node === undefined) {
    const installs = isClone
      ? `Run "node scripts/ensure-installed.mjs" in ${root}`
      : `Install Lineup again without --omit=optional, or install Node ${NODE_MAJOR_MIN} on this machine`;
    console.error(`Lineup needs Node ${NODE_MAJOR_MIN}, which it brings along, and it is not installed yet.`);
    console.error(`${installs}, then try again.`);
    process.exit(1);
  }
  const args = [...flagsToAdd(), ...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(node, args, {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: isServing ? serveEnvironment(process.env) : process.env,
  });
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  // Windows tells everybody on the terminal by itself, and ends at once who is told so by another.
  const pass = process.platform === "win32" ? () => {} : (signal) => child.kill(signal);
  for (const signal of signals) process.on(signal, pass);
  child.on("error", (error) => {
    const installs = isClone ? 'run "npm start"' : `install Lineup again, or Node ${NODE_MAJOR_MIN} on this machine`;
    console.error(`Lineup's own Node (${node}) cannot be run: ${error.message}. Delete node_modules and ${installs}.`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    process.exit(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
  });
}
