/** Lineup as it runs in production, on a store that was filled before with what the cases ask for. */

import { writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import type { Tier } from "@lineup/api/tiers";
import { setTier } from "@lineup/server/access/organizations";
import { type RunningServer, startServer } from "@lineup/server/app";
import { readConfig } from "@lineup/server/config";
import { answerParent } from "./child.ts";
import { ORIGIN, SECRET } from "./fill-organization.ts";
import type { StorePlace } from "./fill-store.ts";

export interface LineupStart extends StorePlace {
  /** Where requests are counted, if not in the process. */
  readonly redisUrl?: string;
  /** False for one that is measured without its request log. */
  readonly recordsRequests?: boolean;
}

export interface TierChange {
  readonly orgId: string;
  readonly tier: Tier;
}

let running: RunningServer | undefined;
const inspector = new Session();

answerParent({
  /** Returns its port. */
  start: async ({ dataDir, databaseUrl, redisUrl, recordsRequests = true }: LineupStart): Promise<number> => {
    const config = readConfig({
      LINEUP_DATA_DIR: dataDir,
      LINEUP_PORT: "0",
      // For the case in which every request is to come from another address; without forwarding headers it changes nothing.
      LINEUP_TRUST_PROXY: "127.0.0.1",
      LINEUP_DATABASE_URL: databaseUrl,
      LINEUP_REDIS_URL: redisUrl,
      LINEUP_SECRET: SECRET,
    });
    // Its log goes to standard error, as in production; the bench has pointed that at a file.
    running = await startServer(config, { recordsRequests });
    return Number(new URL(running.address).port);
  },
  setTier: async ({ orgId, tier }: TierChange) => {
    if (running !== undefined) await setTier(running.store, orgId, tier, ORIGIN);
  },
  startProfile: async () => {
    inspector.connect();
    await inspector.post("Profiler.enable");
    await inspector.post("Profiler.start");
  },
  writeProfile: async (file: string) => {
    const { profile } = await inspector.post("Profiler.stop");
    inspector.disconnect();
    writeFileSync(file, JSON.stringify(profile));
  },
  stop: () => running?.stop(),
});
