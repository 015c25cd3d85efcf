/**
 * What stands behind the dashboard's pages. The authentication library alone takes a third of a second to load, which a server that
 * only answers the API never needs: so all of it is loaded when somebody opens a page or takes an action, and those who come meanwhile
 * wait for it. What could not be loaded is tried again by the next.
 */
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { Dashboard, Webhooks } from "./dashboard/context.ts";
import type { Identity } from "./identity/identity.ts";
import type { Limiter } from "./limits/windows.ts";
import type { RequestLog } from "./request-log/request-log.ts";
import type { Store } from "./store/store.ts";

export interface DashboardParts {
  readonly config: Pick<Config, "secret" | "mail" | "publicUrl" | "dataDir">;
  readonly store: Store;
  readonly limiter: Limiter;
  readonly requestLog: RequestLog;
  readonly webhooks: Webhooks;
  readonly log: Logger;
  readonly now: () => number;
}

export class DashboardLoader {
  readonly #parts: DashboardParts;
  #loading: Promise<{ readonly dashboard: Dashboard; readonly identity: Identity }> | undefined;

  constructor(parts: DashboardParts) {
    this.#parts = parts;
  }

  async load(): Promise<Dashboard> {
    this.#loading ??= this.#open().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return (await this.#loading).dashboard;
  }

  /** Waits for what is under way, also for a loading. */
  async close(): Promise<void> {
    const loaded = await this.#loading?.catch(() => undefined);
    await loaded?.identity.close();
  }

  async #open(): Promise<{ dashboard: Dashboard; identity: Identity }> {
    const { config, store, limiter, requestLog, webhooks, log, now } = this.#parts;
    const [{ ACTION_VERBS: verbs }, { openIdentity }] = await Promise.all([
      import("./dashboard/verbs.ts"),
      import("./identity/identity.ts"),
    ]);
    const { secret, mail, publicUrl, dataDir } = config;
    const takeAddress = async (address: string) => {
      const { admitted, governing } = await limiter.takeAddress(address);
      return admitted ? 0 : Math.max(1, governing.resetInMs);
    };
    const identity = await openIdentity({ store, secret, mail, publicUrl, dataDir, takeAddress, log });
    return { dashboard: { verbs, tools: { store, identity, limiter, requestLog, webhooks, now } }, identity };
  }
}
