/** The store as a server opens it: what befalls it is told to the server's log, and once. */
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { MetricNumber } from "./http/metrics.ts";
import { RequestLog } from "./request-log/request-log.ts";
import type { RequestRecorder } from "./request-log/request-recorder.ts";
import { explainBrokenChain, explainMarksFault, openStore } from "./store/open-store.ts";
import { findOpenness } from "./store/private-files.ts";
import type { MemoryUse, Store } from "./store/store.ts";

/** Anyone who asks whether the server is ready does not wait longer to hear that it is not. */
const READY_WITHIN_MS = 2_000;

export interface ServerStore {
  readonly store: Store;
  /** Whether changes by other servers are heard. */
  isListening(): boolean;
  /** Why the store cannot be used, in words for the one who asks; undefined when it can. */
  findFault(): Promise<string | undefined>;
}

export async function openServerStore(config: Config, log: Logger): Promise<ServerStore> {
  let isListening = true;
  const openness = findOpenness(config.dataDir);
  if (openness !== undefined) log.warn(openness);
  const { store, migrated, converted } = await openStore(config, {
    lock: config.redisUrl === undefined ? "alone" : "together",
    onLost: (err) => {
      isListening = false;
      log.error({ err }, "changes by other servers are not heard; nothing is served from memory until they are");
    },
    onBack: () => {
      isListening = true;
      log.info("changes by other servers are heard again");
    },
    onIdleFault: (err) => log.warn({ err }, "an idle connection to the database broke"),
    onMarksFault: (err) => log.warn({ err }, explainMarksFault(err)),
  });
  if (migrated > 0) log.info({ migrated }, "brought the schema up to date");
  const { entries, broken } = converted ?? { entries: 0, broken: [] };
  if (entries > 0) log.info({ entries }, "made the audit log ready for erasing");
  for (const chain of broken) log.error(chain, explainBrokenChain(chain));
  return { store, isListening: () => isListening, findFault: makeReadinessCheck(store, log) };
}

export function listeningNumber(isListening: () => boolean): MetricNumber {
  return {
    name: "lineup_database_listening",
    help: "Whether changes by other servers are heard: 1, or 0 while the database is away. Always 1 with the embedded store.",
    kind: "gauge",
    read: () => Number(isListening()),
  };
}

/** Anybody may ask whether the server is ready, as often as they like; only the log says what is wrong inside, and only once. */
function makeReadinessCheck(store: Store, log: Logger): () => Promise<string | undefined> {
  let isFaulty = false;
  return async () => {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error("The store did not answer in time.")), READY_WITHIN_MS);
    try {
      await Promise.race([store.ping(), late.promise]);
      if (isFaulty) log.info("the store can be used again");
      isFaulty = false;
      return undefined;
    } catch (err) {
      if (!isFaulty) log.error({ err }, "the store cannot be used");
      isFaulty = true;
      return "the store cannot be used; the log says why";
    } finally {
      clearTimeout(timer);
    }
  };
}

export function memoryNumbers(what: "key" | "revision", things: string, use: () => MemoryUse): MetricNumber[] {
  return [
    { name: `lineup_${what}s_remembered`, help: `${things} in memory.`, kind: "gauge", read: () => use().entries },
    {
      name: `lineup_${what}_memory_hits_total`,
      help: `${things} that were asked for and in memory.`,
      kind: "counter",
      read: () => use().hits,
    },
    {
      name: `lineup_${what}_memory_misses_total`,
      help: `${things} that were asked for and had to be looked up.`,
      kind: "counter",
      read: () => use().misses,
    },
  ];
}

export interface OpenRequestLogOptions {
  readonly store: Store;
  readonly log: Logger;
  now(): number;
}

export function openRequestLog(
  config: Pick<Config, "dataDir" | "requestLogDays">,
  { store, log, now }: OpenRequestLogOptions,
): RequestLog {
  return new RequestLog({
    store,
    dataDir: config.dataDir,
    keptDays: config.requestLogDays,
    now,
    onFault: (what, err) => log.error({ err }, `${what} cannot be written; trying again`),
    onRecovery: (what) => log.info(`${what} can be written again`),
    onNotice: (notice) => log.warn(notice),
  });
}

export function requestLogNumbers(recorder: Pick<RequestRecorder, "recorded" | "dropped" | "faults">): MetricNumber[] {
  return [
    {
      name: "lineup_request_log_recorded_total",
      help: "Requests written to the request log.",
      kind: "counter",
      read: () => recorder.recorded,
    },
    {
      name: "lineup_request_log_dropped_total",
      help: "Requests left out of the request log, because it could not be written fast enough or they were refusals without end.",
      kind: "counter",
      read: () => recorder.dropped,
    },
    {
      name: "lineup_request_log_faults_total",
      help: "Times that the request log or the use of keys could not be written; it is tried again.",
      kind: "counter",
      read: () => recorder.faults,
    },
  ];
}
