/** The store as a server opens it: what befalls it is told to the server's log, and once. */
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { MetricNumber } from "./http/metrics.ts";
import { explainMarksFault, openStore } from "./store/open-store.ts";
import { findOpenness } from "./store/private-files.ts";
import type { Store } from "./store/store.ts";

/** Whoever asks whether the server is ready does not wait longer to hear that it is not. */
const READY_WITHIN_MS = 2_000;

export interface ServerStore {
  readonly store: Store;
  /** Whether changes by other servers are heard. */
  isListening(): boolean;
  /** Why the store cannot be used, in words for whoever asks; undefined when it can. */
  findFault(): Promise<string | undefined>;
}

export async function openServerStore(config: Config, log: Logger): Promise<ServerStore> {
  let isListening = true;
  const openness = findOpenness(config.dataDir);
  if (openness !== undefined) log.warn(openness);
  const { store, migrated } = await openStore(config, {
    place: config.redisUrl === undefined ? "alone" : "together",
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
