/** All wiring on one screen: what a running server is made of, and the order in which it starts and stops. */

import type { Server as TlsServer } from "node:https";
import { fileURLToPath } from "node:url";
import pino, { type DestinationStream, type Logger } from "pino";
import manifest from "../../package.json" with { type: "json" };
import { Authenticator } from "./access/authenticator.ts";
import { listAllKeyIds } from "./access/key-admin.ts";
import { type Config, describeStore } from "./config.ts";
import type { Dashboard, DashboardTools } from "./dashboard/context.ts";
import { startSweeping } from "./erasure/sweep.ts";
import { SettledEnds } from "./events/change-rows.ts";
import { startContractClock } from "./events/contract-clock.ts";
import { AnswerCache, AnswerSpans } from "./http/answer-cache.ts";
import { makeClientResolver } from "./http/client-address.ts";
import { abandon } from "./http/exchange.ts";
import { Metrics, type MetricsWorker } from "./http/metrics.ts";
import type { ArrivalLimits } from "./http/node-server.ts";
import { buildServer, type ServerTools } from "./http/server.ts";
import { followCertificate } from "./http/tls.ts";
import { type Clock, systemClock } from "./limits/clock.ts";
import { openLogStream, STANDARD_ERROR } from "./log.ts";
import type { WebhookOptions } from "./make-webhooks.ts";
import { openLimiter } from "./open-limiter.ts";
import { listeningNumber, memoryNumbers, openServerStore, requestLogNumbers } from "./open-server-store.ts";
import { openWebhooks } from "./open-webhooks.ts";
import { RequestLog } from "./request-log/request-log.ts";
import { writerOf } from "./resources/verbs.ts";
import { Closing, flush, listenHostOf, requireFreePort, throwFaults } from "./server-parts.ts";
import { hasStoreIn, lockDataFolder } from "./store/data-folder.ts";
import type { Store } from "./store/store.ts";

/** Where `npm run build` puts it. */
const DASHBOARD_DIR = fileURLToPath(new URL("../../dashboard/dist", import.meta.url));

export interface RunningServer {
  /** Where it listens, such as http://127.0.0.1:3000. */
  readonly address: string;
  readonly store: Store;
  readonly log: Logger;
  /** Rejects when the server cannot go on serving though it was not told to stop. */
  readonly failed: Promise<never>;
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
  /** Endpoints of webhooks, for tests that have their own. */
  readonly webhooks?: WebhookOptions | undefined;
  /** For one of several processes on one port, which cluster.ts starts. */
  readonly worker?: MetricsWorker | undefined;
  /** Runs when the store is open and nobody is served yet. */
  beforeListening?(store: Store): Promise<void>;
}

/** A server in this process. */
export async function startServer(config: Config, options: StartOptions = {}): Promise<RunningServer> {
  const { worker } = options;
  const logTo = options.logTo ?? openLogStream(STANDARD_ERROR);
  const base = worker === undefined ? null : { worker: worker.id };
  const log = pino({ level: config.logLevel, base, timestamp: pino.stdTimeFunctions.isoTime }, logTo);
  // One line for the whole server, which the process that started the workers writes.
  const announce = worker === undefined ? log.info.bind(log) : log.debug.bind(log);
  const closing = new Closing(log);
  // Servers that keep nothing in the folder may share it.
  if (config.databaseUrl === undefined || config.redisUrl === undefined) {
    const lock = lockDataFolder(config.dataDir);
    closing.add(() => lock.release());
  }
  try {
    // No store is made for a server that cannot listen. Where there is one, clients may be waiting, whom this look would cut off.
    if (config.databaseUrl === undefined && !hasStoreIn(config.dataDir)) await requireFreePort(config);
    const { store, isListening, findFault } = await openServerStore(config, log);
    closing.add(() => store.close());
    const clock = options.clock ?? systemClock;
    const opened = await openLimiter(config, { clock, log, listKeyIds: () => listAllKeyIds(store) });
    const { limiter } = opened;
    closing.add(() => opened.close());
    await options.beforeListening?.(store);

    const stopping = new AbortController();
    const cache = new AnswerCache();
    const now = options.clock === undefined ? Date.now : () => clock.wallMs();
    const requestLog = new RequestLog({
      store,
      dataDir: config.dataDir,
      retentionDays: config.requestLogDays,
      now,
      onFault: (what, err) => log.error({ err }, `${what} cannot be written; trying again`),
      onRecovery: (what) => log.info(`${what} can be written again`),
      onNotice: (notice) => log.warn(notice),
    });
    closing.add(() => requestLog.close());
    const sweeping = startSweeping({
      store,
      blocks: requestLog.blocks,
      recorder: requestLog.recorder,
      now,
      onFault: (err) => log.error({ err }, "what is left of erased people cannot be swept; trying again"),
      onRecovery: () => log.info("what is left of erased people is swept again"),
    });
    closing.add(() => sweeping.stop());
    const sendsHere = options.clock !== undefined;
    const sending = openWebhooks(config, { store, log, now, options: options.webhooks, sendsHere });
    closing.add(() => sending.close());
    const { webhooks } = sending;
    let dashboard: Promise<Dashboard> | undefined;
    const loadDashboard = (): Promise<Dashboard> => {
      dashboard ??= openDashboard(config, { store, limiter, requestLog, webhooks, now }, log).catch(
        (error: unknown) => {
          dashboard = undefined;
          throw error;
        },
      );
      return dashboard;
    };
    // Also where it is just being loaded.
    closing.add(async () => (await dashboard?.catch(() => undefined))?.tools.identity.close());
    const authenticator = new Authenticator(store);
    const makeWrite = writerOf(store, now);
    const numbers = [
      listeningNumber(isListening),
      ...memoryNumbers("key", "Keys", () => authenticator.memory),
      ...memoryNumbers("revision", "Revisions of organizations", () => store.revisionMemory),
      ...requestLogNumbers(requestLog.recorder),
      ...opened.numbers,
      ...sending.numbers,
    ];
    const metrics = new Metrics(cache, numbers, worker);
    const tools: ServerTools = {
      pipeline: {
        store,
        authenticator,
        limiter,
        cache,
        spans: new AnswerSpans(),
        now,
        makeWrite,
        changesDays: config.changesDays,
        settledEnds: store.kind === "postgres" ? new SettledEnds() : undefined,
      },
      actions: { publicUrl: config.publicUrl, now, loadDashboard },
      resolveClient: makeClientResolver(config.trustedProxies),
      log,
      requestLines: log.isLevelEnabled("info") ? logTo : undefined,
      requestLog: options.recordsRequests === false ? undefined : requestLog.recorder,
      metrics,
      answerAssistant: async (request, response) => {
        try {
          const { exchangeMcp } = await import("./mcp/mcp-exchange.ts");
          await exchangeMcp({ ...tools, version: manifest.version, publicUrl: config.publicUrl }, request, response);
        } catch (error) {
          // It may not be possible to load it.
          abandon(tools, request.socket, error);
        }
      },
    };
    const { app, close } = await buildServer(tools, {
      version: manifest.version,
      dashboardDir: DASHBOARD_DIR,
      tls: config.tls,
      // Few servers are asked for calendars, and the rest need not load what writes them.
      readCalendar: async (token) => {
        const { readCalendarFeed } = await import("./calendar/calendar-file.ts");
        const onFault = (err: unknown) => log.error({ err }, "the use of a calendar link could not be noted");
        return readCalendarFeed(store, { token, now: now(), onFault });
      },
      stopping: stopping.signal,
      arrival: options.arrival,
      metricsToken: config.metricsToken,
      findUnreadiness: async () => (stopping.signal.aborted ? "the server is stopping" : findFault()),
      findDegradation: () =>
        isListening() ? opened.findDegradation() : "changes by other servers are not being heard",
    });
    const host = listenHostOf(config);
    // Where the system can, it spreads connections over workers by itself: one that dies then takes along only those it has.
    const reusePort = worker !== undefined && process.platform === "linux";
    const place = { host, port: config.port, backlog: 4_096, reusePort };
    await sending.ready;
    const address = await app.listen(place);
    const contractClock = startContractClock({
      store,
      now,
      onFault: (error) => log.error({ err: error }, "the ends of contracts could not be looked at; trying again"),
    });
    const unfollow = config.tls && followCertificate(app.server as unknown as TlsServer, config.tls, log);
    announce({ address, version: manifest.version, store: describeStore(config) }, "listening");
    // Whatever the caller prints next comes after it.
    await flush(log);

    const stop = async () => {
      stopping.abort();
      announce({ drainMs: config.drainMs }, "stopping");
      await new Promise((resolve) => setTimeout(resolve, config.drainMs));
      unfollow?.();
      await Promise.all([close(), contractClock.stop()]);
      const faults = await closing.closeAll();
      announce("stopped");
      await flush(log);
      throwFaults(faults);
    };
    let stopped: Promise<void> | undefined;
    const failed = new Promise<never>(() => undefined);
    return { address, store, log, failed, stop: () => (stopped ??= stop()) };
  } catch (error) {
    await closing.closeAll();
    throw error;
  }
}

/**
 * What stands behind the dashboard's pages. The authentication library alone takes a third of a second to load, which a server that
 * only answers the API never needs: so all of it is loaded when somebody opens a page or takes an action, and those who come meanwhile
 * wait for it. What could not be loaded is tried again by the next.
 */
async function openDashboard(
  { secret, mail, publicUrl, dataDir }: Config,
  tools: Omit<DashboardTools, "identity">,
  log: Logger,
): Promise<Dashboard> {
  const [{ ACTION_VERBS: verbs }, { openIdentity }] = await Promise.all([
    import("./dashboard/verbs.ts"),
    import("./identity/identity.ts"),
  ]);
  const { store, limiter } = tools;
  const takeAddress = async (address: string) => {
    const { admitted, governing } = await limiter.takeAddress(address);
    return admitted ? 0 : Math.max(1, governing.resetInMs);
  };
  const identity = await openIdentity({ store, secret, mail, publicUrl, dataDir, takeAddress, log });
  return { verbs, tools: { ...tools, identity } };
}
