#!/usr/bin/env node
/**
 * Starts the lineup command on a Node that can run it. Lineup is TypeScript run as it stands, which an older Node cannot do;
 * the project brings the Node it needs, and this file runs itself again with that one. A server is also begun again on the right one, to be
 * given what keeps its memory small (`sparing.mjs`).
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { SPARING_FLAGS, sparingEnvironment } from "./sparing.mjs";

const NODE_MAJOR_MIN = 26;

if (Number(process.versions.node.split(".")[0]) < NODE_MAJOR_MIN) startWithOwnNode();
else if (isToBeginAgain()) beginAgain();
else await start();

/** Only to serve, which lasts. Whoever has given Node a size, or talks to this process over a channel that would be lost, is left alone. */
function isToBeginAgain() {
  const given = [...process.execArgv, process.env.NODE_OPTIONS ?? ""].join(" ");
  const isPossible = process.execve !== undefined && process.platform !== "win32" && process.channel === undefined;
  return isPossible && process.argv[2] === "serve" && !given.includes("semi-space-size");
}

/** In the same process, whose place in the system stays what it was: its id, its parent, its open files. */
function beginAgain() {
  const args = [...SPARING_FLAGS, ...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  process.execve(process.execPath, [process.execPath, ...args], sparingEnvironment(process.env, hasWorkers()));
}

function hasWorkers() {
  return process.env.LINEUP_WORKERS !== undefined || process.argv.some((argument) => argument.startsWith("--workers"));
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
  const node = ["node_modules/node/bin/node", "node_modules/node/bin/node.exe", "node_modules/.bin/node"]
    .map((path) => fileURLToPath(new URL(`../../${path}`, import.meta.url)))
    .find((path) => existsSync(path));
  if (node === undefined) {
    const root = fileURLToPath(new URL("../..", import.meta.url));
    console.error(`Lineup needs Node ${NODE_MAJOR_MIN}, which it brings along, and it is not installed yet.`);
    console.error(`Run "node scripts/ensure-installed.mjs" in ${root}, then try again.`);
    process.exit(1);
  }
  const args = [...SPARING_FLAGS, ...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(node, args, {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: sparingEnvironment(process.env, hasWorkers()),
  });
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
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
