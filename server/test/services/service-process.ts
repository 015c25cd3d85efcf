/**
 * Processes of real services, each in a folder of its own. Nothing is left behind, however the test process ends: every folder
 * stands in one that a keeper watches over, a small shell that outlives us and tidies up when the pipe to us closes. Services are in
 * process groups of their own, so that Ctrl+C in the terminal reaches the test process first, which then stops them in order.
 */
import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export interface ServiceUser {
  readonly uid: number;
  readonly gid: number;
}

export interface ServiceFolder {
  readonly path: string;
  remove(): Promise<void>;
}

export interface ServiceProcess {
  readonly pid: number;
  /** Settles when it has ended. */
  readonly exited: Promise<void>;
  hasExited(): boolean;
  signal(name: NodeJS.Signals): void;
  /** Sends the signal and waits for the end, which comes by SIGKILL where the signal has not brought it in ten seconds. */
  end(name: NodeJS.Signals): Promise<void>;
  /** What it has written so far, its last 4,000 characters. */
  log(): string;
}

export interface ServiceCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly folder: ServiceFolder;
  /** Undefined is the present user. */
  readonly user?: ServiceUser | undefined;
  /** What the keeper sends. */
  readonly endAtOnce?: NodeJS.Signals;
}

const KEEPER = fileURLToPath(new URL("keeper.sh", import.meta.url));
const END_MS = 10_000;
const START_MS = 20_000;

let root: string | undefined;

function requireRoot(): string {
  if (root !== undefined) return root;
  const made = realpathSync(mkdtempSync(join(tmpdir(), `lineup-services-${process.pid}-`)));
  // Services that give up the rights of root must get through to their own folders.
  chmodSync(made, 0o711);
  const keeper = spawn("sh", [KEEPER, made], { cwd: "/", detached: true, stdio: ["pipe", "ignore", "ignore"] });
  keeper.unref();
  // The pipe is a socket for Node, and must not keep us from ending.
  if ("unref" in keeper.stdin && typeof keeper.stdin.unref === "function") keeper.stdin.unref();
  // A worker whose test run was killed would go on with its tests, and keep what they have, for as long as they take. Its own
  // process.exit is vitest's, which refuses.
  process.once("disconnect", () => {
    process.emit("exit", 1);
    process.kill(process.pid, "SIGKILL");
  });
  root = made;
  return made;
}

export function makeServiceFolder(name: string, user?: ServiceUser): ServiceFolder {
  const path = mkdtempSync(join(requireRoot(), `${name}-`));
  if (user !== undefined) chownSync(path, user.uid, user.gid);
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Starts it, without waiting until it serves. Its environment is empty but for the path, so that nothing of ours steers it. */
export function startServiceProcess(command: ServiceCommand): ServiceProcess {
  const { folder, user } = command;
  const logFile = join(folder.path, "log");
  const processFile = join(folder.path, "process");
  const log = openSync(logFile, "a");
  const child: ChildProcess = spawn(command.file, command.args, {
    cwd: folder.path,
    env: { PATH: process.env.PATH },
    detached: true,
    stdio: ["ignore", log, log],
    ...(user === undefined ? {} : user),
  });
  closeSync(log);
  const { pid } = child;
  let ended = false;
  const exited = new Promise<void>((resolve) => {
    const settle = () => {
      ended = true;
      rmSync(processFile, { force: true });
      resolve();
    };
    child.once("exit", settle);
    // Where it could not even be started, the log stays empty and this is all there is to say.
    child.once("error", (error) => {
      if (pid === undefined) writeFileSync(logFile, `${error.message}\n`);
      settle();
    });
  });
  if (pid !== undefined) writeFileSync(processFile, `${(command.endAtOnce ?? "SIGKILL").slice(3)} ${pid}\n`);
  child.unref();
  const signal = (name: NodeJS.Signals) => {
    if (!ended) child.kill(name);
  };
  return {
    pid: pid ?? 0,
    exited,
    hasExited: () => ended,
    signal,
    async end(name) {
      signal(name);
      signal("SIGCONT");
      const timer = setTimeout(() => signal("SIGKILL"), END_MS);
      await exited;
      clearTimeout(timer);
    },
    log: () => readFileSync(logFile, "utf8").slice(-4000),
  };
}

/** Asks again and again until it is so; throws, with what the process wrote, when it has ended or the time is up. */
export async function waitUntilServing(
  name: string,
  running: ServiceProcess,
  isServing: () => Promise<boolean> | boolean,
): Promise<void> {
  const deadline = performance.now() + START_MS;
  while (!(await isServing())) {
    if (running.hasExited()) throw new Error(`${name} ended instead of starting: ${running.log()}`);
    if (performance.now() > deadline) {
      await running.end("SIGKILL");
      throw new Error(`${name} does not serve ${START_MS / 1000} s after its start: ${running.log()}`);
    }
    await sleep(10);
  }
}
