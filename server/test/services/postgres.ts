/** PostgreSQL servers that belong to one test, with data of their own, which it may stop, kill and start again. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { findPlainUser, requirePostgresPrograms } from "./binaries.ts";
import { startOnFreePort } from "./free-port.ts";
import { killFamily } from "./process-family.ts";
import {
  makeServiceFolder,
  type ServiceFolder,
  type ServiceProcess,
  type ServiceUser,
  startServiceProcess,
  waitUntilServing,
} from "./service-process.ts";

export interface OwnPostgres {
  /** For the superuser postgres, who needs no password. The database postgres is there from the beginning. */
  url(database: string): string;
  readonly port: number;
  /** Fast ends transactions and writes everything down; immediate leaves it to the next start. */
  stop(mode: "fast" | "immediate"): Promise<void>;
  /** SIGKILL to every process at once: the data is as a crash of the machine leaves it, but for what fsync is about. */
  kill(): Promise<void>;
  /** Again on the same data and port, after stop or kill. Returns when it accepts connections. */
  start(): Promise<void>;
  /** Its processes, if any, and its folder. May be called twice. */
  remove(): Promise<void>;
}

export interface OwnPostgresOptions {
  /** False is faster, and loses transactions that were confirmed when it is killed. True unless told. */
  readonly fsync?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
  /**
   * C, unless told: no letter beyond ASCII has a case there, which no code may rely on. "en-US" sorts as people do, by ICU,
   * which PostgreSQL has since version 15. Else a locale of the system.
   */
  readonly locale?: string;
}

const run = promisify(execFile);

const UNSAFE_BUT_FAST = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };

export async function startOwnPostgres(options: OwnPostgresOptions = {}): Promise<OwnPostgres> {
  const programs = requirePostgresPrograms();
  const user = findPlainUser();
  const folder = makeServiceFolder("postgres", user);
  const data = join(folder.path, "data");
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    // Kept in the folder, so that nothing outlives a kill.
    dynamic_shared_memory_type: "mmap",
    ...(options.fsync === false ? UNSAFE_BUT_FAST : {}),
    ...options.settings,
  };
  const start = (port: number) =>
    startOnPort(join(programs, "postgres"), folder, user, { ...settings, port: String(port) });

  let first: { readonly port: number; readonly running: ServiceProcess };
  try {
    await initialize(join(programs, "initdb"), data, user, options.locale ?? "C");
    first = await startOnFreePort(async (port) => ({ port, running: await start(port) }));
  } catch (error) {
    await folder.remove();
    throw error;
  }
  const { port } = first;
  let { running } = first;
  const kill = () => killFamily(running);
  return {
    url: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    port,
    stop: (mode) => running.end(mode === "fast" ? "SIGINT" : "SIGQUIT"),
    kill,
    async start() {
      if (!running.hasExited()) throw new Error("PostgreSQL is still running.");
      running = await start(port);
    },
    async remove() {
      await running.end("SIGQUIT");
      await removeSharedMemory(data);
      await folder.remove();
    },
  };
}

async function initialize(initdb: string, data: string, user: ServiceUser | undefined, locale: string): Promise<void> {
  const sorting =
    locale === "en-US" ? ["--locale=C", "--locale-provider=icu", "--icu-locale=en-US"] : [`--locale=${locale}`];
  const args = [
    "-D",
    data,
    "-U",
    "postgres",
    "-A",
    "trust",
    "-E",
    "UTF8",
    "--no-sync",
    "--no-instructions",
    ...sorting,
  ];
  await run(initdb, args, { cwd: "/", env: { PATH: process.env.PATH }, ...(user === undefined ? {} : user) });
}

async function startOnPort(
  file: string,
  folder: ServiceFolder,
  user: ServiceUser | undefined,
  settings: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const data = join(folder.path, "data");
  const args = ["-D", data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
  const running = startServiceProcess({ file, args, folder, user, endAtOnce: "SIGQUIT" });
  await waitUntilServing("PostgreSQL", running, () => {
    const { pid, status } = readLockFile(data);
    return pid === running.pid && status === "ready";
  });
  return running;
}

/** What a running server writes about itself into its data, and a killed one leaves there. */
function readLockFile(data: string) {
  let lines: readonly string[] = [];
  try {
    lines = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
  } catch {}
  return {
    pid: Number(lines[0] ?? 0),
    /** The number of its shared memory stands behind the key of it. */
    sharedMemory: lines[6]?.trim().split(/\s+/)[1],
    status: lines[7]?.trim(),
  };
}

/** A few bytes, with which a start makes sure that nothing is left of the last; anyone who never starts again leaves them behind. */
async function removeSharedMemory(data: string): Promise<void> {
  const { sharedMemory } = readLockFile(data);
  if (sharedMemory !== undefined) await run("ipcrm", ["-m", sharedMemory]).catch(() => {});
}
