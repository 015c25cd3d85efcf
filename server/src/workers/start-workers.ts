/**
 * A server of several workers on one port. This thread serves nobody: it holds the data folder, brings the store up to date, writes to the
 * embedded one for all while several write, keeps the journal of the limits, works on the file of the request log, writes the log, adds up the
 * metrics, and sees that the workers live.
 *
 * What always holds: all workers together are one node. What one has written the others see from the next request on, the limits are
 * counted together, and what only one may do, such as removing what is old, is done here.
 */
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import pino, { type Logger } from "pino";
import { listAllKeyIds } from "../access/key-admin.ts";
import type { RunningServer } from "../app.ts";
import { lowerBackgroundThreads } from "../background-threads.ts";
import { CommandError } from "../cli/failure.ts";
import { type Config, describeStore } from "../config.ts";
import { PRUNE_EVERY_MS, prunePeople } from "../identity/prune-people.ts";
import { LogWriter, logTime } from "../log-writer.ts";
import { closeForGood, openSharedLimits } from "../open-limiter.ts";
import { openRequestLog } from "../open-request-log.ts";
import { openServerStore } from "../open-server-store.ts";
import { RequestFileThread } from "../request-log/request-file-thread.ts";
import { writerOf } from "../resources/make-write.ts";
import { Closing, flush, requireFreePort, setUpOf, throwFaults } from "../server-parts.ts";
import { REQUESTS_FILE } from "../store/data-files.ts";
import { lockDataFolder } from "../store/data-folder.ts";
import { shareIds } from "../store/ids.ts";
import type { Store } from "../store/store.ts";
import type { SeenEnds } from "../store/store-ties.ts";
import { VERSION } from "../version.ts";
import { GatheredMetrics } from "./gathered-metrics.ts";
import { MarksRelay } from "./marks-relay.ts";
import { COORDINATOR, SharedWords } from "./shared-words.ts";
import { SharedWriteGate } from "./shared-write-gate.ts";
import { WorkerCrew, type WorkerLine } from "./worker-crew.ts";
import { workerNumbers } from "./worker-numbers.ts";
import { WriteDesk } from "./write-relay.ts";

const METRICS_PATIENCE_MS = 1_000;
const CATCH_UP_PATIENCE_MS = 1_000;

export interface StartWorkersOptions {
  /** Where log lines go; standard error unless told otherwise. */
  readonly logTo?: LogWriter;
  /** Hears of every worker's thread, for tests that end one. */
  onThread?(thread: Worker, number: number): void;
}

export async function startWorkers(config: Config, options: StartWorkersOptions = {}): Promise<RunningServer> {
  lowerBackgroundThreads();
  const logTo = options.logTo ?? new LogWriter(2);
  const log = pino({ level: config.logLevel, base: null, timestamp: logTime }, logTo);
  const closing = new Closing(log);
  try {
    return await start(config, options, { logTo, log, closing });
  } catch (error) {
    await closing.closeAll();
    throw error;
  }
}

interface Tools {
  readonly logTo: LogWriter;
  readonly log: Logger;
  readonly closing: Closing;
}

async function start(
  config: Config,
  options: StartWorkersOptions,
  { logTo, log, closing }: Tools,
): Promise<RunningServer> {
  if (config.databaseUrl === undefined || config.redisUrl === undefined) {
    const lock = lockDataFolder(config.dataDir);
    closing.add(() => lock.release());
  }
  // Who shares a port lets others of the same user join it. So that two servers never answer on one by mistake, it has to be
  // free for somebody who does not share.
  await requireFreePort(config);
  const words = new SharedWords();
  shareIds(words.idTicket, true);
  const gate = new SharedWriteGate(words, COORDINATOR);
  // A store that opens may tell of ends of chains for longer than a moment, and nobody is there yet to hear of them.
  let listening: WorkerCrew | undefined;
  const linesBut = (but?: WorkerLine) => [...(listening?.lines() ?? [])].filter(([, line]) => line !== but);
  const tellAll = (seen: SeenEnds, but?: WorkerLine) => {
    for (const [, line] of linesBut(but)) line.tell("marks", seen);
  };
  const marks = new MarksRelay(true, tellAll);
  const place = config.redisUrl === undefined ? "alone" : "together";
  const { store, findFault } = await openServerStore(config, log, {
    place,
    ties: { writes: words.writes, gate, marks },
  });
  closing.add(() => store.close());
  const limits = await openSharedLimits(config, { log, listKeyIds: () => listAllKeyIds(store) });
  if (limits !== undefined) closing.add(() => closeForGood(limits, log));
  const requestFile = new RequestFileThread(join(config.dataDir, REQUESTS_FILE), (notice) => log.warn(notice));
  const requestLog = openRequestLog(config, { store, log, now: Date.now, file: requestFile });
  closing.add(() => requestLog.close());
  const pruning = keepPruning(store, log);
  closing.add(() => clearInterval(pruning));
  let writtenForThem = 0;
  const metrics = new GatheredMetrics(
    workerNumbers(() => ({ serving: crew.serving, replaced: crew.replaced, writtenForThem })),
  );
  const makeWrite = writerOf(store, Date.now);
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);

  const askAll = (ask: (line: WorkerLine, number: number) => Promise<unknown>, but?: WorkerLine) =>
    // Who does not answer, or dies meanwhile, keeps nobody from the others' answers.
    Promise.allSettled(linesBut(but).map(([number, line]) => ask(line, number)));
  const crew = new WorkerCrew({
    count: config.workers,
    log,
    onThread: options.onThread,
    startOf: (number, address) => ({
      config: { ...config, databasePoolSize: Math.max(1, Math.floor(config.databasePoolSize / config.workers)) },
      number,
      port: address === undefined ? config.port : Number(new URL(address).port),
      words: words.buffer,
      limits: limits?.handle,
    }),
    onLine: (line) => {
      line.on("log", (lines) => new Promise<void>((resolve) => logTo.writeLines(Buffer.from(lines.buffer), resolve)));
      line.on("requestFile", ({ connection, sql, parameters }) => requestFile.run(connection, sql, parameters));
      line.on("findUnreadiness", findFault);
      const desk = new WriteDesk(makeWrite, (outcomes) => line.tell("written", outcomes));
      line.on("writes", (writes) => {
        writtenForThem += writes.length;
        desk.take(writes);
      });
      line.on("marks", (seen) => {
        marks.hear(seen);
        tellAll(seen, line);
      });
      line.on("catchUpOthers", async () => {
        await askAll((other) => other.ask("writeRequests", undefined, CATCH_UP_PATIENCE_MS), line);
      });
      line.on("readAllMetrics", async () => {
        await askAll(async (each, number) =>
          metrics.note(number, await each.ask("collectMetrics", undefined, METRICS_PATIENCE_MS)),
        );
        return metrics.text();
      });
    },
    repairAfter: async (number) => {
      limits?.repairAfter(number - 1);
      await gate.takeOut(number);
      await metrics.keepWhatIsLeftOf(number);
      // What it was reading in is over; where there was nothing, there is nothing to undo.
      if (config.databaseUrl === undefined && config.requestLogDays > 0) {
        await requestFile.run(`reader ${number}`, "ROLLBACK", []).catch(() => undefined);
      }
    },
    onServing: (count) => {
      words.serving = count;
    },
    onFailed: (error) =>
      failure.reject(
        new CommandError(
          `The workers keep dying as soon as they are started, the last one with: ${error.message}\nThe log says more. Start again with --workers 1 to see whether one thread can serve.`,
        ),
      ),
  });
  listening = crew;

  const address = await crew.start().catch(async (error: unknown) => {
    await crew.stop(0);
    throw error;
  });
  log.info({ address, version: VERSION, store: describeStore(config), workers: config.workers }, "listening");
  await flush(log);

  const stop = async () => {
    log.info({ drainMs: config.drainMs }, "stopping");
    const faults = await crew.stop(config.drainMs);
    for (const err of faults) log.error({ err }, "a worker could not be stopped cleanly");
    faults.push(...(await closing.closeAll()));
    log.info("stopped");
    await flush(log);
    throwFaults(faults);
  };
  let stopped: Promise<void> | undefined;
  const setUp = setUpOf({ config, store, log, address });
  return { address, store, failed: failure.promise, ...setUp, stop: () => (stopped ??= stop()) };
}

function keepPruning(store: Store, log: Logger): NodeJS.Timeout {
  return setInterval(() => {
    prunePeople(store, Date.now()).catch((err: unknown) => log.error({ err }, "what is over could not be removed"));
  }, PRUNE_EVERY_MS).unref();
}
