/** What a server is built of beside its pipeline, where a test is about that alone: no dashboard, no TLS, always ready. */
import { join } from "node:path";

export const NO_DASHBOARD = {
  publicUrl: undefined,
  now: Date.now,
  loadDashboard: () => Promise.reject(new Error("no dashboard")),
};

export const bareSite = (dataDir: string) => ({
  version: "0",
  dashboardDir: join(dataDir, "nowhere"),
  tls: undefined,
  readCalendar: async () => undefined,
  metricsToken: undefined,
  findUnreadiness: async () => undefined,
  findDegradation: () => undefined,
});
