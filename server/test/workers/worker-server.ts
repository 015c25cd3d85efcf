/** Servers of several workers, as processes of their own, and clients that each keep to one connection. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { json, text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { BASE_PATH } from "@lineup/api/endpoint";
import { PERMISSIONS } from "@lineup/api/permissions";
import type { Tier } from "@lineup/api/tiers";
import { createKey, type MadeKey } from "../../src/access/key-admin.ts";
import { createOrganization } from "../../src/access/organizations.ts";
import type { Store } from "../../src/store/store.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import type { LooseBody } from "../test-server.ts";
import { openTestStore, storeEnvOf } from "../test-store.ts";

const CHILD = fileURLToPath(new URL("serve-workers-child.ts", import.meta.url));
const COMMAND = fileURLToPath(new URL("../../bin/lineup.mjs", import.meta.url));
/** Loading is most of what a start costs; the command keeps what it compiled in the same place. */
const COMPILE_CACHE = fileURLToPath(new URL("../../../node_modules/.cache/lineup", import.meta.url));
const ADDRESS = /https?:\/\/127\.0\.0\.1:\d+/;
const living = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of living) child.kill("SIGKILL");
});

export interface WorkerServer {
  readonly origin: string;
  readonly dataDir: string;
  /** As a command has it, beside the server. */
  readonly store: Store;
  log(): string;
  /** Ends one worker's thread at once; only of a server that `startWithEnds` started. */
  endWorker(number: number): void;
  /** As an operator stops it; returns the exit code. */
  stop(): Promise<number | null>;
  /** Its exit code, when it has ended. */
  readonly exited: Promise<number | null>;
}

/** The command as operators run it. */
export function startServe(words: readonly string[], dataDir: string, env: Record<string, string> = {}) {
  return start([COMMAND, "serve", ...words], dataDir, env);
}

/** A server whose workers can be ended one by one. */
export function startWithEnds(workers: number, dataDir: string, env: Record<string, string> = {}) {
  return start([CHILD], dataDir, { LINEUP_WORKERS: String(workers), ...env });
}

export function makeDataDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), "lineup-workers-"));
}

export function removeDataDir(dataDir: string): Promise<void> {
  return rm(dataDir, { recursive: true, force: true });
}

async function start(args: readonly string[], dataDir: string, env: Record<string, string>): Promise<WorkerServer> {
  const settings = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    ...(await storeEnvOf(dataDir)),
    LINEUP_PORT: "0",
    ...env,
  };
  const child = spawn(process.execPath, args, { env: settings, stdio: "pipe" });
  living.add(child);
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (some: string) => {
    log += some;
  });
  child.stdin.on("error", () => {});
  const ended = once(child, "close").then(([code]) => {
    living.delete(child);
    return code as number | null;
  });
  let origin: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    origin = ADDRESS.exec(line)?.[0];
    if (origin !== undefined) break;
  }
  if (origin === undefined) throw new Error(`The server did not start, and ended with ${await ended}:\n${log}`);
  child.stdout.resume();
  const store = await openTestStore(dataDir);
  const stop = async () => {
    await store.close();
    child.kill("SIGTERM");
    return ended;
  };
  let stopped: Promise<number | null> | undefined;
  return {
    origin,
    dataDir,
    store,
    log: () => log,
    exited: ended,
    endWorker: (number) => void child.stdin.write(`end ${number}\n`),
    stop: () => (stopped ??= stop()),
  };
}

export async function makeOrg(server: WorkerServer, tier: Tier): Promise<string> {
  return (await createOrganization(server.store, { name: "Workers", tier }, TEST_ORIGIN)).id;
}

export function makeKey(server: WorkerServer, orgId: string): Promise<MadeKey> {
  const wanted = { orgId, name: "Worker key", permissions: PERMISSIONS, expiresAt: null };
  return createKey(server.store, wanted, TEST_ORIGIN);
}

export interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: LooseBody;
}

/** Keeps to one connection, and so to one worker. */
export class Caller {
  static sent = 0;
  readonly #origin: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Under the API's prefix. */
  async call(key: string, method: string, path: string, body?: unknown): Promise<Answer> {
    Caller.sent++;
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const sent = request(this.#origin + BASE_PATH + path, { method, headers, agent: this.#agent });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = await once(sent, "response");
    return { status: response.statusCode, headers: response.headers, body: await json(response) };
  }

  async readText(path: string): Promise<string> {
    const sent = request(this.#origin + path, { agent: this.#agent }).end();
    const [response] = await once(sent, "response");
    return text(response);
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** So many that every worker has some, in as good as any run. */
export function makeCallers(server: Pick<WorkerServer, "origin">, count = 24): Caller[] {
  return Array.from({ length: count }, () => new Caller(server.origin));
}

/** The sum of a metric over its labels. */
export function sumOf(metrics: string, name: string, labels: RegExp = /^/): number {
  const lines = metrics.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return lines.filter((line) => labels.test(line)).reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}
