/** Two nodes on one PostgreSQL: a write is made once under its key, and one of two who have seen the same record wins, wherever they ask. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { drillCount } from "../drill-count.ts";
import { canStart, hasPostgres, makeTestDatabase } from "../services/provided-services.ts";
import { type OwnRedis, startOwnRedis } from "../services/redis.ts";
import type { TestDatabase } from "../services/test-database.ts";
import { makeKey, makeOrg, type TestServer } from "../test-server.ts";
import { createAtOnce, raceUpdates } from "../write-races.ts";
import { type NodeGroup, startNodes } from "./node-group.ts";

const RACES = drillCount("two-writers", 25, 1_000);

describe.skipIf(!hasPostgres() || !canStart("redis"))("two nodes", () => {
  let database: TestDatabase;
  let redis: OwnRedis;
  let group: NodeGroup;
  const start = () => startNodes({ databaseUrl: database.url, redisUrl: redis.url, clocksMs: [0, 2_000] });
  const first = () => group.nodes[0] as TestServer;
  beforeAll(async () => {
    [database, redis] = await Promise.all([makeTestDatabase(), startOwnRedis()]);
    group = await start();
  });
  afterAll(async () => {
    await group?.stop();
    await redis?.stop();
    await database?.drop();
  });

  it("make one record of 50 requests at once under one Idempotency-Key, and tell all of it, also once they were started anew", async () => {
    const made = await makeKey(first(), await makeOrg(first()));
    const once = await createAtOnce(group.nodes, made, 50);
    expect(once).toEqual({ statuses: [201], answers: 1, made: 1, players: 1 });
    await group.stop();
    group = await start();
    const again = await createAtOnce(group.nodes, made, 50);
    expect(again).toEqual({ statuses: [201], answers: 1, made: 0, players: 1 });
  });

  it("make one of two updates at once of what both have seen", async () => {
    const raced = await raceUpdates(group.nodes, await makeOrg(first()), RACES);
    expect(raced).toEqual({ races: RACES, fair: RACES });
  });
});
