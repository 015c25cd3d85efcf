/** All wiring on one screen: what a running server is made of, and the order in which it starts and stops. */

import type { Server as TlsServer } from "node:https";
import { fileURLToPath } from "node:url";
import pino, { type DestinationStream, type Logger } from "pino";
import { Authenticator } from "./access/authenticator.ts";
import { listAllKeyIds } from "./access/key-admin.ts";
import { type Config, describeStore } from "./config.ts";
import { AnswerCache } from "./http/answer-cache.ts";
import { makeClientResolver } from "./http/client-address.ts";
import { type MetricNumber, Metrics } from "./http/metrics.ts";
import type { ArrivalLimits } from "./http/node-server.ts";
import { buildServer, type ServerTools } from "./http/server.ts";
import { followCertificate } from "./http/tls.ts";
import { type OfferedSetUp, offerSetUp } from "./identity/setup-token.ts";
import { type Clock, systemClock } from "./limits/clock.ts";
import { LogWriter, logTime } from "./log-writer.ts";
import { DashboardLoader } from "./open-dashboard.ts";
import { openLimiter } from "./open-limiter.ts";
import { openRequestLog, requestLogNumbers } from "./open-request-log.ts";
import { lockDataFolder } from "./store/data-folder.ts";
import { openStore } from "./store/open-store.ts";
import type { Store } from "./store/store.ts";
import { VERSION } from "./version.ts";

/** Where `npm run build` puts it. */
const DASHBOARD_DIR = fileURLToPath(new URL("../../dashboard/dist", import.meta.url));
/** What is still under way this long after the last call is cut off, so that a stop always ends. */
const STOP_DEADLINE_MS = 8_000;
const SWEEP_EVERY_MS = 50;
/** Whoever asks whether the server is ready does not wait longer to hear that it is not. */
const READY_WITHIN_MS = 2_000;

export interface RunningServer {
  /** Where it listens, such as http://127.0.0.1:3000. */
  readonly address: string;
  readonly store: Store;
  /** While nobody has an account: makes the token that opens the set-up page. */
  offerSetUp(): Promise<OfferedSetUp | undefined>;
  /** Writes the token down as the last line of the log so far, whatever the log's level: it is told nowhere else. */
  announceSetUp(offered: OfferedSetUp): Promise<void>;
  /** Announces, drains, finishes what is under way, writes everything down. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** Where log lines go; standard error unless told otherwise. */
  readonly logTo?: DestinationStream;
  /** The time, for tests that cannot wait for it. */
  readonly clock?: Clock;
  /** How slow a client may be, for tests that cannot wait for it. */
  readonly arrival?: ArrivalLimits;
  /** False to neither record requests nor count how much keys are used, for measurements of what that costs. */
  readonly recordsRequests?: boolean;
  /** Runs when the store is open and nobody is served yet. */
  beforeListening?(store: Store): Promise<void>;
}

export async function startServer(config: Config, options: StartOptions = {}): Promise<RunningServer> {
  const logTo = options.logTo ?? new LogWriter(2);
  const log = pino({ level: config.logLevel, base: null, timestamp: logTime }, logTo);
  const closing: (() => Promise<void> | void)[] = [];
  // Servers that keep nothing in the folder may share it.
  if (config.databaseUrl === undefined || config.redisUrl === undefined) {
    const lock = lockDataFolder(config.dataDir);
    closing.push(() => lock.release());
  }
  const closeAll = async () => {
    const faults: unknown[] = [];
    for (const close of closing.reverse()) {
      // What cannot be closed must not keep the rest open.
      await Promise.try(close).catch((err) => {
        log.error({ err }, "could not be closed cleanly");
        faults.push(err);
      });
    }
    return faults;
  };
  try {
    let isListening = true;
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
      onMarksFault: (err) =>
        log.warn({ err }, "how far the audit log goes cannot be kept in LINEUP_DATA_DIR; make the folder writable"),
    });
    closing.push(() => store.close());
    if (migrated > 0) log.info({ migrated }, "brought the schema up to date");
    const clock = options.clock ?? systemClock;
    const opened = await openLimiter(config, { clock, log, listKeyIds: () => listAllKeyIds(store) });
    const { limiter } = opened;
    closing.push(() => limiter.close());
    await options.beforeListening?.(store);

    let isStopping = false;
    const cache = new AnswerCache();
    const now = options.clock === undefined ? Date.now : () => clock.wallMs();
    const requestLog = openRequestLog(config, { store, log, now });
    closing.push(() => requestLog.close());
    const dashboard = new DashboardLoader({ config, store, limiter, requestLog, log });
    closing.push(() => dashboard.close());
    const tools: ServerTools = {
      pipeline: { store, authenticator: new Authenticator(store), limiter, cache, now },
      actions: { publicUrl: config.publicUrl, now, loadDashboard: () => dashboard.load() },
      resolveClient: makeClientResolver(config.trustedProxies),
      log,
      writeRequestLine: log.isLevelEnabled("info") ? (line) => logTo.write(line) : undefined,
      requestLog: options.recordsRequests === false ? undefined : requestLog.recorder,
      metrics: new Metrics(cache, [
        listeningNumber(() => isListening),
        ...requestLogNumbers(requestLog.recorder),
        ...opened.numbers,
      ]),
    };
    const findStoreFault = makeReadinessCheck(store, log);
    const app = await buildServer(tools, {
      version: VERSION,
      dashboardDir: DASHBOARD_DIR,
      tls: config.tls,
      arrival: options.arrival,
      metricsToken: config.metricsToken,
      findUnreadiness: async () => (isStopping ? "the server is stopping" : findStoreFault()),
      findDegradation: () => (isListening ? opened.findDegradation() : "changes by other servers are not being heard"),
    });
    // While draining, every answer asks its client to come back over a new connection, which leads to another server.
    app.server.prependListener("request", (_request, response) => {
      if (isStopping) response.shouldKeepAlive = false;
    });
    // For a name with two addresses the framework would open a second server, which none of what follows knows of.
    const host = config.host.toLowerCase() === "localhost" ? "127.0.0.1" : config.host;
    const address = await app.listen({ host, port: config.port, backlog: 4_096 });
    const unfollow = config.tls && followCertificate(app.server as unknown as TlsServer, config.tls, log);
    log.info({ address, version: VERSION, store: describeStore(config) }, "listening");
    // Whatever the caller prints next comes after it.
    await flush(log);

    const stop = async () => {
      isStopping = true;
      log.info({ drainMs: config.drainMs }, "stopping");
      await new Promise((resolve) => setTimeout(resolve, config.drainMs));
      unfollow?.();
      const cutOff = setTimeout(() => app.server.closeAllConnections(), STOP_DEADLINE_MS);
      // Closing ends the connections that are idle then; those that were busy fall idle later and would be waited for.
      const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_EVERY_MS);
      await app.close();
      clearInterval(sweep);
      clearTimeout(cutOff);
      const faults = await closeAll();
      log.info("stopped");
      await flush(log);
      if (faults.length > 0)
        throw new AggregateError(faults, "Not everything could be written down; the log says what.");
    };
    let stopped: Promise<void> | undefined;
    return {
      address,
      store,
      offerSetUp: () => offerSetUp(store, config.dataDir),
      announceSetUp: async ({ token, file, fault: err }) => {
        const page = `${config.publicUrl ?? address}/setup`;
        const place = file === undefined ? `; the file for it could not be written in ${config.dataDir}` : "";
        log
          .child({}, { level: "warn" })
          .warn(
            { page, file, token, err },
            `nobody has an account yet: the set-up page asks for this token, which works once${place}`,
          );
        await flush(log);
      },
      stop: () => (stopped ??= stop()),
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

export function listeningNumber(isListening: () => boolean): MetricNumber {
  return {
    name: "lineup_database_listening",
    help: "Whether changes by other servers are heard: 1, or 0 while the database is away. Always 1 with the embedded store.",
    kind: "gauge",
    read: () => Number(isListening()),
  };
}

function flush(log: Logger): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()));
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
