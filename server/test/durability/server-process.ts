/** Starts, watches and ends servers that run as processes of their own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { storeEnvOf } from "../test-store.ts";

export interface ServerProcess {
  readonly pid: number;
  readonly origin: string;
  readonly baseUrl: string;
  /** What it has written to standard error so far: its log. */
  log(): string;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Settles when it has ended. */
  readonly exited: Promise<Exit>;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process that has loaded the server and waits. */
export interface SpareProcess {
  /** Throws, with what the process said, where the server refuses to start. */
  start(): Promise<ServerProcess>;
  discard(): Promise<void>;
}

const CHILD = fileURLToPath(new URL("serve-child.ts", import.meta.url));
const COMMAND = fileURLToPath(new URL("../../bin/lineup.mjs", import.meta.url));
/** Loading is most of what a start costs; the command keeps what it compiled in the same place. */
const COMPILE_CACHE = fileURLToPath(new URL("../../../node_modules/.cache/lineup", import.meta.url));
const ADDRESS = /https?:\/\/[\w.:[\]]+:\d+/;
const living = new Set<ChildProcess>();
// A run that is ended in the middle leaves no server behind.
process.on("exit", () => {
  for (const child of living) child.kill("SIGKILL");
});

export async function prepareServer(
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<SpareProcess> {
  return prepare([CHILD], { ...(await storeEnvOf(dataDir)), LINEUP_PORT: "0", ...env });
}

export async function startServerProcess(
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  return (await prepareServer(dataDir, env)).start();
}

/** The server as operators run it. */
export async function startServeCommand(
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  return prepare([COMMAND, "serve"], { ...(await storeEnvOf(dataDir)), LINEUP_PORT: "0", ...env }).start();
}

function prepare(args: readonly string[], env: Readonly<Record<string, string>>): SpareProcess {
  const always = { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE };
  const child = spawn(process.execPath, args, { env: { ...always, ...env }, stdio: "pipe" });
  living.add(child);
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  // A process that is killed takes its end of the pipe with it.
  child.stdin.on("error", () => {});
  const exited = once(child, "close").then(([code, signal]): Exit => {
    living.delete(child);
    return { code, signal };
  });
  const lines = createInterface({ input: child.stdout });
  const address = new Promise<string | undefined>((resolve) => {
    lines.on("line", (line) => {
      const found = ADDRESS.exec(line)?.[0];
      if (found !== undefined) resolve(found);
    });
    lines.once("close", () => resolve(undefined));
  });
  const end = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  return {
    discard: end,
    async start() {
      child.stdin.end("go\n");
      const origin = await address;
      if (origin === undefined) {
        await exited;
        throw new Error(log);
      }
      return {
        pid: child.pid ?? 0,
        origin,
        baseUrl: `${origin}/api/public/v1`,
        log: () => log,
        kill: end,
        signal: (name) => void child.kill(name),
        exited,
      };
    },
  };
}
