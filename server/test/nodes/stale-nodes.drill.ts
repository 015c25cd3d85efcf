import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { drillCount, SEED } from "../drill-count.ts";
import { ManualClock } from "../manual-clock.ts";
import { hasRedis, makeTestDatabase, requireRedisUrl } from "../services/provided-services.ts";
import { walk } from "../stale/walk.ts";
import { TEST_SECRET } from "../test-origin.ts";
import { startTestServer } from "../test-server.ts";

const MANY = 3_000;
const STEPS = drillCount("stale-nodes", 400, MANY);
const POOL_SIZE = 3;

/**
 * What is written over one node is seen there at once and on the other within the bound. Requests are counted in Redis, whose clock
 * nobody moves; so no key is asked more of than it may have in a minute.
 */
test.skipIf(!hasRedis())(`no answer of two nodes is stale in ${STEPS} random steps, with time moving`, async () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const { url: databaseUrl, drop } = await makeTestDatabase();
  const config = { databaseUrl, redisUrl: requireRedisUrl(), databasePoolSize: POOL_SIZE };
  const dataDir = await mkdtemp(join(tmpdir(), "lineup-stale-nodes-"));
  const servers = [await startTestServer({ clock, config }), await startTestServer({ clock, config })] as const;
  const settings = { dataDir, databaseUrl, databaseDirectUrl: undefined, databasePoolSize: 2, secret: TEST_SECRET };
  const { store: elsewhere } = await openStore(settings);
  try {
    const tally = await walk({
      servers,
      clock,
      elsewhere,
      seesAtOnce: false,
      countsHere: false,
      tiers: { Enterprise: 1 },
      seed: SEED,
      steps: STEPS,
      organizations: 6,
    });
    // What comes seldom need not come in a short walk.
    if (STEPS < MANY) return;
    // Of the actions, not of the steps: how often one has to ask until a write is seen depends on the machine.
    for (const action of ["race", "write", "past", "access"]) {
      expect(tally.of("action", action), `${action}\n${tally}`).toBeGreaterThan(tally.all("action") / 200);
    }
  } finally {
    await elsewhere.close();
    for (const server of servers) await server.stop();
    await drop();
    await rm(dataDir, { recursive: true, force: true });
  }
});
