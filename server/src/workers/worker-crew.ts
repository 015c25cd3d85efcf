/**
 * Keeps as many workers alive as there are to be. One that dies is replaced: at once the first time, and after a growing pause when workers
 * keep dying soon after they were started. When none is left and starting them has failed again and again, the crew gives up.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import type { Logger } from "pino";
import { startThread } from "../start-thread.ts";
import { errorOf, ThreadLine } from "./thread-line.ts";
import type { ToCoordinator, ToWorker, WorkerStart } from "./worker-messages.ts";

/** Who dies sooner has died of its start. */
const SOON_MS = 10_000;
const SOON_DEATHS_MAX = 5;
const PAUSE_MIN_MS = 100;
const PAUSE_MAX_MS = 30_000;
/** After the time that a worker takes for itself to stop. */
const STOP_PATIENCE_MS = 20_000;

export type WorkerLine = ThreadLine<ToCoordinator, ToWorker>;

export interface WorkerCrewOptions {
  readonly count: number;
  readonly log: Logger;
  /** What a worker with this number is started with; the port is that which the first one took. */
  startOf(number: number, address: string | undefined): WorkerStart;
  /** Teaches the line to a new worker what may be asked over it. */
  onLine(line: WorkerLine, number: number): void;
  /** Puts in order what a dead worker may have left behind, before another gets its number. */
  repairAfter(number: number): Promise<void>;
  onServing(count: number): void;
  /** No worker serves, and none can be started. */
  onFailed(error: Error): void;
  /** Hears of every thread, for tests that end one. */
  onThread?: ((thread: Worker, number: number) => void) | undefined;
}

interface Member {
  readonly number: number;
  readonly thread: Worker;
  readonly line: WorkerLine;
  readonly startedAt: number;
  isServing: boolean;
  /** It has written down what it had, and left nothing behind. */
  hasStopped: boolean;
}

export class WorkerCrew {
  replaced = 0;
  readonly #options: WorkerCrewOptions;
  readonly #members = new Map<number, Member>();
  readonly #mending = new Set<Promise<void>>();
  #address: string | undefined;
  #soonDeaths = 0;
  #isStopping = false;

  constructor(options: WorkerCrewOptions) {
    this.#options = options;
  }

  /** Those who serve. */
  *lines(): Generator<readonly [number: number, line: WorkerLine]> {
    for (const { number, line, isServing } of this.#members.values()) if (isServing) yield [number, line];
  }

  get serving(): number {
    return this.#members.values().reduce((sum, { isServing }) => sum + Number(isServing), 0);
  }

  /** Returns where all of them listen; rejects when one cannot start. The first one takes the port, the others join it. */
  async start(): Promise<string> {
    const address = await this.#startWorker(1);
    this.#address = address;
    await Promise.all(Array.from({ length: this.#options.count - 1 }, (_, index) => this.#startWorker(index + 2)));
    return address;
  }

  /**
   * All of them stop at once, and what each could not write down is returned. What one that dies meanwhile had taken is freed, for the
   * others still write.
   */
  async stop(patienceMs: number): Promise<unknown[]> {
    this.#isStopping = true;
    await Promise.all(this.#mending);
    const ends = await Promise.allSettled(
      this.#members.values().map(async (member) => {
        const { thread, line, isServing } = member;
        try {
          if (isServing) await line.ask("stop", undefined, patienceMs + STOP_PATIENCE_MS);
          member.hasStopped = isServing;
        } finally {
          await thread.terminate();
        }
      }),
    );
    await Promise.all(this.#mending);
    return ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
  }

  #startWorker(number: number): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const start = this.#options.startOf(number, this.#address);
    const thread = startThread(new URL("./worker.ts", import.meta.url), `worker ${number}`, start);
    const { log } = this.#options;
    const line: WorkerLine = new ThreadLine(thread, (err, topic) => {
      log.error({ err, topic, worker: number }, "what a worker told could not be dealt with");
    });
    line.on("fault", ({ topic, why }) => {
      log.error({ err: errorOf(why), topic, worker: number }, "a worker could not deal with what it was told");
    });
    const member: Member = { number, thread, line, startedAt: performance.now(), isServing: false, hasStopped: false };
    this.#members.set(number, member);
    let fault: Error | undefined;
    line.on("listening", (address) => {
      member.isServing = true;
      this.#options.onServing(this.serving);
      resolve(address);
    });
    line.on("failed", (why) => {
      fault = errorOf(why);
      void thread.terminate();
    });
    this.#options.onLine(line, number);
    thread.on("error", (error) => {
      fault ??= error instanceof Error ? error : new Error(String(error));
    });
    thread.once("exit", () => {
      const reason = fault ?? new Error("The thread has ended.");
      line.end(reason);
      reject(reason);
      if (this.#address === undefined || member.hasStopped) return;
      this.#mend(this.#isStopping ? this.#repair(member) : this.#replace(member, reason));
    });
    // Whoever waits for the start hears of it; a worker that replaces another has nobody who waits.
    promise.catch(() => undefined);
    this.#options.onThread?.(thread, number);
    return promise;
  }

  #mend(work: Promise<void>): void {
    const mending = work.finally(() => this.#mending.delete(mending));
    this.#mending.add(mending);
  }

  async #repair({ number }: Member): Promise<void> {
    const { log, repairAfter } = this.#options;
    await repairAfter(number).catch((err: unknown) => {
      log.error({ err, worker: number }, "what a worker left behind as it died could not be put in order");
    });
  }

  async #replace(dead: Member, err: Error): Promise<void> {
    const { log, onServing, onFailed } = this.#options;
    const { number } = dead;
    this.#members.delete(number);
    onServing(this.serving);
    const livedMs = performance.now() - dead.startedAt;
    this.#soonDeaths = livedMs < SOON_MS ? this.#soonDeaths + 1 : 0;
    const pauseMs = this.#soonDeaths < 2 ? 0 : Math.min(PAUSE_MIN_MS * 2 ** (this.#soonDeaths - 2), PAUSE_MAX_MS);
    log.error({ err, worker: number, pauseMs }, "a worker died and is replaced; its connections are broken");
    await this.#repair(dead);
    if (this.serving === 0 && this.#soonDeaths >= SOON_DEATHS_MAX) return onFailed(err);
    // A stop does not wait for it.
    if (pauseMs > 0) await this.#pause(pauseMs);
    if (this.#isStopping) return;
    this.replaced++;
    this.#startWorker(number).then(
      () => log.info({ worker: number }, "a worker serves in the place of the one that died"),
      () => undefined,
    );
  }

  async #pause(ms: number): Promise<void> {
    const until = performance.now() + ms;
    while (!this.#isStopping && performance.now() < until) await sleep(Math.min(PAUSE_MIN_MS, ms));
  }
}
