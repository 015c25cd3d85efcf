/** The store as a server opens it: what befalls it is told to the server's log, and once. */
import { join } from "node:path";
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import { counter, gauge, type MetricNumber } from "./http/metrics.ts";
import type { RequestRecorder } from "./request-log/request-recorder.ts";
import { AuditSealer } from "./store/audit-chain.ts";
import { explainBrokenChain, explainMarksFault, openStore } from "./store/open-store.ts";
import { findOpenness } from "./store/private-files.ts";
import { findSecret, SECRET_FILE } from "./store/secret-file.ts";
import type { MemoryUse, Store } from "./store/store.ts";

/** Anyone who asks whether the server is ready does not wait longer to hear that it is not. */
const READY_WITHIN_MS = 2_000;

export async function openServerStore(config: Config, log: Logger) {
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
  if (await isSealedByOthers(store, findSecret(config))) log.warn(explainOther(config));
  return {
    store,
    /** Whether changes by other servers are heard. */
    isListening: () => isListening,
    /** Why the store cannot be used, in words for the one who asks; undefined when it can. */
    findFault: makeReadinessCheck(store, log),
  };
}

const OTHER_SECRET =
  "the audit log was sealed with another LINEUP_SECRET, and never with this one. If other servers run with that one, stop this server and set it here too: " +
  "what it writes is a break in the log. If the secret was changed or lost, docs/people-and-audit.md says what becomes of older entries";

function explainOther({ dataDir, databaseUrl, secret }: Config): string {
  if (secret !== undefined || databaseUrl !== undefined) return OTHER_SECRET;
  const file = join(dataDir, SECRET_FILE);
  return (
    `the secret that belongs to this store is missing: the one in ${file} has never sealed its audit log. Stop this server, and put the file "secret" of the folder ` +
    "that the store comes from, or your copy of it, in its place: without it second factors and the secrets of webhooks cannot be opened, nor older entries of the log " +
    "vouched for. If it is lost, docs/people-and-audit.md says what becomes of them"
  );
}

async function isSealedByOthers({ audit }: Store, secret: string | undefined): Promise<boolean> {
  const seals = audit.selectFrom("audit_seals").select("mark").limit(1);
  if ((await seals.execute()).length === 0) return false;
  if (secret === undefined) return true;
  return (await seals.where("mark", "=", new AuditSealer(secret).mark).execute()).length === 0;
}

export function listeningNumber(isListening: () => boolean): MetricNumber {
  return gauge(
    "lineup_database_listening",
    "Whether changes by other servers are heard: 1, or 0 while the database is away. Always 1 with the embedded store.",
    () => Number(isListening()),
  );
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
  const [found, missed] = [
    `${things} that were asked for and in memory.`,
    `${things} that were asked for and had to be looked up.`,
  ];
  return [
    gauge(`lineup_${what}s_remembered`, `${things} in memory.`, () => use().entries),
    counter(`lineup_${what}_memory_hits_total`, found, () => use().hits),
    counter(`lineup_${what}_memory_misses_total`, missed, () => use().misses),
  ];
}

export function requestLogNumbers(recorder: Pick<RequestRecorder, "recorded" | "dropped" | "faults">): MetricNumber[] {
  return [
    counter("lineup_request_log_recorded_total", "Requests written to the request log.", () => recorder.recorded),
    counter(
      "lineup_request_log_dropped_total",
      "Requests left out of the request log, because it could not be written fast enough or they were refusals without end.",
      () => recorder.dropped,
    ),
    counter(
      "lineup_request_log_faults_total",
      "Times that the request log or the use of keys could not be written; it is tried again.",
      () => recorder.faults,
    ),
  ];
}
