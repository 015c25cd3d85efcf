/**
 * A server of several processes on one port (`serve --workers N`), by node:cluster. Each worker is a whole server, a node like those on other
 * machines: PostgreSQL and Redis tie them together, and nothing else. The primary serves nobody. It brings the store up to date, starts the workers,
 * replaces those that die, writes their log lines, and stops them together. Workers end when the primary does.
 */
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pino, { type DestinationStream, type Logger } from "pino";
import { AggregatorRegistry } from "prom-client";
import manifest from "../../package.json" with { type: "json" };
import { type RunningServer, startServer } from "./app.ts";
import { CommandError } from "./cli/output.ts";
import { type Config, describeStore, readConfig } from "./config.ts";
import type { MetricsWorker } from "./http/metrics.ts";
import { openLogStream, STANDARD_ERROR } from "./log.ts";
import { openServerStore } from "./open-server-store.ts";
import { Closing, flush, requireFreePort, throwFaults } from "./server-parts.ts";
import { codeOf, reasonOf } from "./store/store-error.ts";

const COMMAND = fileURLToPath(new URL("../bin/lineup.mjs", import.meta.url));
/** Workers that die soon after they were started are replaced so many times in a row, each time after a longer pause. */
const FAILED_STARTS_MAX = 5;
const PAUSE_MS = 500;
/** One that has served for this long has started well. */
const SETTLED_AFTER_MS = 30_000;
/** Of each worker, whatever the setting says: one for what takes long, one for all else, one to spare. */
const POOL_MIN = 3;
/** Beyond the time to drain; by then a worker has cut off its last connection. */
const STOP_PATIENCE_MS = 20_000;

interface Fault {
  readonly message: string;
  readonly code: string | undefined;
}

type ToPrimary =
  | { readonly type: "serving"; readonly address: string }
  | { readonly type: "failed"; readonly fault: Fault }
  | { readonly type: "readMetrics" };
type ToWorker = { readonly type: "stop" } | { readonly type: "metrics"; readonly text: string | undefined };

export async function startCluster(config: Config, workers: number): Promise<RunningServer> {
  const logTo = openLogStream(STANDARD_ERROR);
  const log = pino({ level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime }, logTo);
  const closing = new Closing(log);
  try {
    const port = await requireFreePort(config);
    const { store } = await openServerStore(config, log);
    closing.add(() => store.close());
    const pool = new WorkerPool({ LINEUP_WORKERS: String(workers), LINEUP_PORT: String(port) }, workers, log, logTo);
    const address = await pool.start();
    log.info({ address, version: manifest.version, store: describeStore(config), workers }, "listening");
    await flush(log);
    const stop = async () => {
      log.info({ drainMs: config.drainMs }, "stopping");
      const faults = await pool.stop(config.drainMs);
      faults.push(...(await closing.closeAll()));
      log.info("stopped");
      await flush(log);
      throwFaults(faults);
    };
    let stopped: Promise<void> | undefined;
    return { address, store, log, failed: pool.failed, stop: () => (stopped ??= stop()) };
  } catch (error) {
    await closing.closeAll();
    throw error;
  }
}

class WorkerPool {
  readonly #env: Readonly<Record<string, string>>;
  readonly #count: number;
  readonly #log: Logger;
  readonly #logTo: DestinationStream;
  readonly #metrics = new AggregatorRegistry();
  readonly #failure = Promise.withResolvers<never>();
  /** Rejects when workers keep dying before they serve. */
  readonly failed = this.#failure.promise;
  #failedStarts = 0;
  #isStopping = false;

  constructor(env: Readonly<Record<string, string>>, count: number, log: Logger, logTo: DestinationStream) {
    this.#env = env;
    this.#count = count;
    this.#log = log;
    this.#logTo = logTo;
    this.failed.catch(() => undefined);
    cluster.setupPrimary({ exec: COMMAND, args: ["serve"], silent: true });
  }

  /** Returns the address once all of them serve there. */
  async start(): Promise<string> {
    const starting = Array.from({ length: this.#count }, () => this.#fork());
    try {
      const [address = ""] = await Promise.all(starting);
      return address;
    } catch (error) {
      this.#isStopping = true;
      for (const worker of listWorkers()) worker.process.kill("SIGKILL");
      throw error;
    }
  }

  /** Returns what went wrong. */
  async stop(drainMs: number): Promise<unknown[]> {
    this.#isStopping = true;
    const faults: unknown[] = [];
    await Promise.all(
      listWorkers().map(async (worker) => {
        const timer = setTimeout(() => worker.process.kill("SIGKILL"), drainMs + STOP_PATIENCE_MS);
        const exited = once(worker, "exit");
        tell(worker, { type: "stop" });
        const [code, signal] = await exited;
        clearTimeout(timer);
        if (code !== 0) faults.push(new Error(`A worker did not stop cleanly (${signal ?? `exit code ${code}`}).`));
      }),
    );
    return faults;
  }

  /** Resolves with its address when it serves; from then on it is replaced whenever it dies. */
  #fork(): Promise<string> {
    const worker = cluster.fork(this.#env);
    const serving = Promise.withResolvers<string>();
    let fault: Fault | undefined;
    let hasServed = false;
    const settled = setTimeout(() => {
      if (hasServed) this.#failedStarts = 0;
    }, SETTLED_AFTER_MS).unref();
    for (const stream of [worker.process.stdout, worker.process.stderr]) forwardLines(stream, this.#logTo);
    worker.on("message", (message: ToPrimary) => {
      if (message.type === "serving") {
        hasServed = true;
        settled.refresh();
        serving.resolve(message.address);
      }
      if (message.type === "failed") fault = message.fault;
      if (message.type === "readMetrics") void this.#sendMetrics(worker);
    });
    // A message that did not reach a worker that has just died; or a process that could not be made at all, which never exits.
    worker.on("error", (err) => {
      this.#log.warn({ err, worker: worker.id }, "a worker cannot be reached");
      serving.reject(err);
    });
    worker.once("exit", (code, signal) => {
      clearTimeout(settled);
      if (this.#isStopping) return serving.reject(new Error("The server is stopping."));
      if (!hasServed) return serving.reject(toError(fault, signal ?? `exit code ${code}`));
      this.#log.error({ worker: worker.id, code, signal }, "a worker died and is replaced");
      void this.#replace(new Error(`A worker ended (${signal ?? `exit code ${code}`}).`));
    });
    return serving.promise;
  }

  async #replace(died: Error): Promise<void> {
    for (let reason: unknown = died; !this.#isStopping; ) {
      if (++this.#failedStarts > FAILED_STARTS_MAX) return this.#fail(reason);
      await sleep((this.#failedStarts - 1) * PAUSE_MS);
      if (this.#isStopping) return;
      try {
        await this.#fork();
        return;
      } catch (err) {
        if (this.#isStopping) return;
        this.#log.error({ err }, "a worker could not be started");
        reason = err;
      }
    }
  }

  #fail(error: unknown): void {
    this.#failure.reject(
      new CommandError(
        `Workers keep dying as soon as they are started, the last one with: ${reasonOf(error)}\nThe log says more. ` +
          "Start again with --workers 1 to see whether one process can serve.",
      ),
    );
  }

  async #sendMetrics(worker: Worker): Promise<void> {
    const text = await this.#metrics.clusterMetrics().catch(() => undefined);
    tell(worker, { type: "metrics", text });
  }
}

function listWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}

function tell(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}

function toError(fault: Fault | undefined, ending: string): Error {
  if (fault === undefined) return new Error(`A worker ended before it served (${ending}).`);
  return Object.assign(new CommandError(fault.message), fault.code === undefined ? {} : { code: fault.code });
}

/** Whole lines at a time, so that those of several workers stand beside each other and never within. */
function forwardLines(from: NodeJS.ReadableStream | null, to: DestinationStream): void {
  let rest = "";
  from?.setEncoding("utf8");
  from?.on("data", (text: string) => {
    const end = text.lastIndexOf("\n") + 1;
    if (end > 0) to.write(rest + text.slice(0, end));
    rest = end > 0 ? text.slice(end) : rest + text;
  });
  from?.on("end", () => rest !== "" && to.write(`${rest}\n`));
  from?.on("error", () => undefined);
}

/** In a worker: serves until the primary says stop. */
export async function serveAsWorker(): Promise<void> {
  // The primary hears them too, and says when to stop.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  try {
    const config = readConfig();
    const workers = Number(config.workers);
    const poolSize = Math.max(POOL_MIN, Math.floor(config.databasePoolSize / workers));
    const starting = startServer({ ...config, databasePoolSize: poolSize }, { worker: metricsOverPrimary() });
    process.on("message", (message: ToWorker) => {
      if (message.type !== "stop") return;
      starting
        .then((running) => running.stop())
        .then(
          () => process.exit(0),
          () => process.exit(1),
        );
    });
    send({ type: "serving", address: (await starting).address });
  } catch (error) {
    const message = reasonOf(error);
    const code = codeOf(error) || undefined;
    process.send?.({ type: "failed", fault: { message, code } } satisfies ToPrimary, () => process.exit(1));
  }
}

/** The primary adds nothing up: each number bears the worker it is of. */
function metricsOverPrimary(): MetricsWorker {
  /** Of all who ask until the primary has answered. */
  let reading: PromiseWithResolvers<string> | undefined;
  process.on("message", (message: ToWorker) => {
    if (message.type !== "metrics") return;
    if (message.text === undefined) reading?.reject(new Error("The other workers did not tell their metrics in time."));
    else reading?.resolve(message.text);
    reading = undefined;
  });
  return {
    id: cluster.worker?.id ?? 0,
    share: (registry) => {
      AggregatorRegistry.setRegistries(registry);
      // It is what answers the primary.
      new AggregatorRegistry();
    },
    readAll: () => {
      if (reading === undefined) {
        reading = Promise.withResolvers<string>();
        send({ type: "readMetrics" });
      }
      return reading.promise;
    },
  };
}

function send(message: ToPrimary): void {
  process.send?.(message);
}
