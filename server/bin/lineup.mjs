#!/usr/bin/env node
/**
 * Starts the lineup command on a Node that can run it. Lineup is TypeScript run as it stands, which an older Node cannot do;
 * the project brings the Node it needs, and this file runs itself again with that one. A server is also begun again on the right one, to be
 * given what keeps its memory small (`serve-flags.mjs`).
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
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
  const { run } = await import("../src/main.ts");
  await run(process.argv.slice(2));
}

function startWithOwnNode() {
  const node = ["node_modules/node/bin/node.exe", "node_modules/node/bin/node", "node_modules/.bin/node"]
    .map((path) => fileURLToPath(new URL(`../../${path}`, import.meta.url)))
    .find((path) => existsSync(path));
  if (node === undefined) {
    const root = fileURLToPath(new URL("../..", import.meta.url));
    console.error(`Lineup needs Node ${NODE_MAJOR_MIN}, which it brings along, and it is not installed yet.`);
    console.error(`Run "node scripts/ensure-installed.mjs" in ${root}, then try again.`);
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
    console.error(
      `Lineup's own Node (${node}) cannot be run: ${error.message}. Delete node_modules and run "npm start".`,
    );
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    process.exit(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
  });
}
