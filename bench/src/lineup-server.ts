/** Lineup as it runs in production, on a data folder of its own filled with an organization the size of a large club. */

import { writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { type RunningServer, startServer } from "@lineup/server/app";
import { readConfig } from "@lineup/server/config";
import { answerParent } from "./child.ts";
import { type Fixture, fillStore, type WantedFixture } from "./fixture.ts";

export interface LineupStart extends WantedFixture {
  readonly dataDir: string;
  /** Where data and counts are kept, if not in the folder. */
  readonly databaseUrl?: string;
  readonly redisUrl?: string;
  /** False for one that is measured without its request log. */
  readonly recordsRequests?: boolean;
}

export interface LineupStarted extends Fixture {
  readonly port: number;
}

let running: RunningServer | undefined;
const inspector = new Session();

answerParent({
  start: async (start: LineupStart): Promise<LineupStarted> => {
    const { dataDir, databaseUrl, redisUrl, recordsRequests = true, ...wanted } = start;
    let fixture: Fixture | undefined;
    const config = readConfig({
      LINEUP_DATA_DIR: dataDir,
      LINEUP_PORT: "0",
      LINEUP_DATABASE_URL: databaseUrl,
      LINEUP_REDIS_URL: redisUrl,
    });
    // Its log goes to standard error, as in production; the bench has pointed that at a file.
    running = await startServer(config, {
      recordsRequests,
      beforeListening: async (store) => {
        fixture = await fillStore(store, wanted);
      },
    });
    if (fixture === undefined) throw new Error("The store was not filled.");
    return { ...fixture, port: Number(new URL(running.address).port) };
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
