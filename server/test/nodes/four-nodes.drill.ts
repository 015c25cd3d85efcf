/** Four nodes that count in one Redis and read from one PostgreSQL: exact together, coherent, and served while Redis is away. */
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { drillCount, isDrill } from "../drill-count.ts";
import { canStart, hasPostgres, makeTestDatabase } from "../services/provided-services.ts";
import { type OwnRedis, startOwnRedis } from "../services/redis.ts";
import type { TestDatabase } from "../services/test-database.ts";
import { call, makeKey, makeOrg } from "../test-server.ts";
import { sendBurst } from "./exact-limits.ts";
import { type NodeGroup, startNodes } from "./node-group.ts";
import { measureOutage, stopAndRestart } from "./redis-outage.ts";
import { measureRevocations } from "./revocations.ts";
import { waitUntil } from "./wait-until.ts";

const BURSTS = drillCount("four-nodes", 1, 10);
const NODES_APART_MS = [0, 5_000, -5_000, 10_000];

describe.skipIf(!hasPostgres() || !canStart("redis"))("four nodes", () => {
  let database: TestDatabase;
  let redis: OwnRedis;
  let group: NodeGroup;
  beforeAll(async () => {
    [database, redis] = await Promise.all([makeTestDatabase(), startOwnRedis()]);
    group = await startNodes({ databaseUrl: database.url, redisUrl: redis.url, clocksMs: NODES_APART_MS });
  });
  afterAll(async () => {
    await group?.stop();
    await redis?.stop();
    await database?.drop();
  });

  it("with clocks 5 s apart admit exactly the limit of a key that asks all of them at once", async () => {
    for (let burst = 0; burst < BURSTS; burst++) {
      const requests = isDrill ? 5_000 : 1_600;
      expect(await sendBurst(group, requests, 1_000)).toEqual({
        admitted: 1_000,
        refused: requests - 1_000,
        others: 0,
      });
    }
  });

  it("show a write of one to a reader of another within a second, and one after another on its own node at once", async () => {
    const [one, other] = group.nodes;
    if (one === undefined || other === undefined) throw new Error("There are no nodes.");
    const { key } = await makeKey(one, await makeOrg(one));
    const count = async (node: typeof one) => (await call(node, "GET", "/players", { key })).body.meta.count;
    for (let written = 1; written <= 10; written++) {
      await count(other);
      await call(one, "POST", "/players", { key, body: { ign: `p${written}`, role: "Player" } });
      expect(await count(one)).toBe(written);
      await waitUntil(
        "the other node shows it",
        async () => (await count(other)) === written,
        isDrill ? 1_000 : 10_000,
      );
    }
  });

  it("all refuse a revoked key within a second", async () => {
    const delays = await measureRevocations(group, { count: 20, together: 1, askEveryMs: 5, giveUpAfterMs: 5_000 });
    // Of a few on a busy machine, one may be late; where nobody is told, it takes up to five seconds.
    expect(isDrill ? delays.maxMs : delays.p50Ms).toBeLessThan(1_000);
  });

  it("all refuse a revoked key within five seconds where nobody was told", async () => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query("ALTER TABLE lineup.settings DISABLE TRIGGER ALL");
      const options = { count: 10, together: 10, askEveryMs: 25, giveUpAfterMs: 6_000 };
      const delays = await measureRevocations(group, options);
      expect(delays.maxMs).toBeLessThan(5_000);
    } finally {
      await client.query("ALTER TABLE lineup.settings ENABLE TRIGGER ALL");
      await client.end();
    }
  });

  it("answer every request while Redis is gone and empty afterwards, within the limit, and return by themselves", async () => {
    const outage = await measureOutage(group, { awayMs: 3_000, requestsPerSecond: 100, ...stopAndRestart(redis) });
    expect(outage).toMatchObject({ failed: 0, limit: 300 });
    expect(outage.mostInAMinute).toBeLessThanOrEqual(300);
    expect(outage.admittedWhileAway).toBeGreaterThan(50);
    const [node] = group.nodes;
    const metrics = await (await fetch(`${node?.origin}/metrics`)).text();
    const counted = Number(/^lineup_redis_outages_total (\d+)$/m.exec(metrics)?.[1]);
    expect(metrics).toMatch(/^lineup_redis_up 1$/m);
    expect(metrics).toMatch(/^lineup_redis_nodes 4$/m);
    const told = readOutages(node?.logged() ?? "");
    // A machine that holds Redis or a node up for long makes outages of its own; this one is told of once, however long it takes.
    expect(told.filter(({ isAway, at }) => isAway && at > outage.wentAt && at < outage.cameAt).length).toBeLessThan(2);
    expect(told.map(({ isAway }) => isAway)).toEqual(
      Array.from({ length: 2 * counted }, (_, index) => index % 2 === 0),
    );
    expect(counted).toBeGreaterThan(0);
  });
});

/** What a node has told of Redis, in its order. */
function readOutages(log: string): { readonly at: number; readonly isAway: boolean }[] {
  return log
    .split("\n")
    .filter((line) => /Redis is (away|back)/.test(line))
    .map((line) => ({ at: Date.parse(JSON.parse(line).time), isAway: line.includes("Redis is away") }));
}
