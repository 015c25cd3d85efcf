/**
 * What stands behind the dashboard's pages. The authentication library alone takes a third of a second to load, which a server that
 * only answers the API never needs: so all of it is loaded when somebody opens a page or takes an action, and those who come meanwhile
 * wait for it. What could not be loaded is tried again by the next.
 */
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { Dashboard, Webhooks } from "./dashboard/context.ts";
import type { Limiter } from "./limits/windows.ts";
import type { RequestLog } from "./request-log/request-log.ts";
import type { Store } from "./store/store.ts";

interface DashboardParts {
  readonly config: Pick<Config, "secret" | "mail" | "publicUrl" | "dataDir">;
  readonly store: Store;
  readonly limiter: Limiter;
  readonly requestLog: RequestLog;
  readonly webhooks: Webhooks;
  readonly log: Logger;
  readonly now: () => number;
}

export function makeDashboardLoader(parts: DashboardParts) {
  let loading: ReturnType<typeof open> | undefined;
  return {
    load: async (): Promise<Dashboard> => {
      loading ??= open(parts).catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      return (await loading).dashboard;
    },
    /** Waits for what is under way, also for a loading. */
    close: async (): Promise<void> => {
      const loaded = await loading?.catch(() => undefined);
      await loaded?.identity.close();
    },
  };
}

async function open({ config, store, limiter, requestLog, webhooks, log, now }: DashboardParts) {
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
  const dashboard: Dashboard = { verbs, tools: { store, identity, limiter, requestLog, webhooks, now } };
  return { dashboard, identity };
}
