/**
 * What several nodes do together, measured on servers of its own: `npm run nodes -- exact`, `revocations`, `redis-away` or
 * `kill-postgres`, each with a number of repeats; without a word, all of them as docs/scaling.md tells them.
 */
import { Client } from "pg";
import { sendBurst } from "../server/test/nodes/exact-limits.ts";
import { type NodeGroup, startNodes } from "../server/test/nodes/node-group.ts";
import { runPostgresKillRounds } from "../server/test/nodes/postgres-killed.ts";
import { measureOutage, stopAndRestart } from "../server/test/nodes/redis-outage.ts";
import { measureRevocations } from "../server/test/nodes/revocations.ts";
import { type OwnPostgres, startOwnPostgres } from "../server/test/services/postgres.ts";
import { type OwnRedis, startOwnRedis } from "../server/test/services/redis.ts";

const [what = "all", asked] = process.argv.slice(2);
const measurements: Readonly<Record<string, (repeats: number | undefined) => Promise<void>>> = {
  exact: measureExactness,
  revocations: measureAllRevocations,
  "redis-away": measureOutages,
  "kill-postgres": killPostgres,
};
const chosen = what === "all" ? Object.values(measurements) : [measurements[what]];
const repeats = asked === undefined ? undefined : Number(asked);
if (chosen.includes(undefined) || (repeats !== undefined && !(Number.isInteger(repeats) && repeats > 0))) {
  console.error(`Usage: npm run nodes -- [${Object.keys(measurements).join(" | ")}] [REPEATS]`);
  process.exit(2);
}
for (const measure of chosen) await measure?.(repeats);

async function withNodes(
  clocksMs: readonly number[],
  work: (group: NodeGroup, redis: OwnRedis, postgres: OwnPostgres) => Promise<void>,
): Promise<void> {
  const [postgres, redis] = await Promise.all([startOwnPostgres({ fsync: true }), startOwnRedis()]);
  try {
    const group = await startNodes({ databaseUrl: postgres.url("postgres"), redisUrl: redis.url, clocksMs });
    try {
      await work(group, redis, postgres);
    } finally {
      await group.stop();
    }
  } finally {
    await redis.stop();
    await postgres.remove();
  }
}

async function measureExactness(repeats = 20): Promise<void> {
  for (const clocksMs of [
    [0, 0, 0, 0],
    [0, 5_000, -5_000, 10_000],
  ]) {
    await withNodes(clocksMs, async (group) => {
      const admitted: number[] = [];
      for (let repeat = 0; repeat < repeats; repeat++) {
        const burst = await sendBurst(group, 5_000, 2_000);
        if (burst.others > 0) throw new Error(`${burst.others} requests were answered neither 200 nor 429.`);
        admitted.push(burst.admitted);
      }
      const right = admitted.filter((count) => count === 1_000).length;
      console.log(
        `Four nodes, clocks ${clocksMs.map((ms) => `${ms / 1_000} s`).join(", ")}: 1,000 of 5,000 admitted in ${right} of ${repeats} repeats` +
          (right === repeats ? "." : ` (${admitted.join(", ")}).`),
      );
    });
  }
}

async function measureAllRevocations(repeats = 200): Promise<void> {
  await withNodes([0, 0, 0, 0], async (group, _redis, postgres) => {
    const heard = await measureRevocations(group, { count: repeats, together: 1, askEveryMs: 2, giveUpAfterMs: 5_000 });
    console.log(`Revoked on one of four nodes, until the last refuses: ${describe(heard)}.`);
    const client = new Client({ connectionString: postgres.url("postgres") });
    await client.connect();
    await client.query("ALTER TABLE lineup.settings DISABLE TRIGGER ALL");
    await client.end();
    const unheard = await measureRevocations(group, {
      count: repeats,
      together: 20,
      askEveryMs: 25,
      giveUpAfterMs: 6_000,
    });
    console.log(`The same without notifications: ${describe(unheard)}.`);
  });
}

function describe({ count, p50Ms, p99Ms, maxMs }: Awaited<ReturnType<typeof measureRevocations>>): string {
  const [p50, p99, max] = [p50Ms, p99Ms, maxMs].map((ms) => `${ms.toFixed(1)} ms`);
  return `${count} keys, p50 ${p50}, p99 ${p99}, max ${max}`;
}

async function measureOutages(repeats = 1): Promise<void> {
  for (let repeat = 0; repeat < repeats; repeat++) {
    await withNodes([0, 0, 0, 0], async (group, redis) => {
      const outage = await measureOutage(group, { awayMs: 10_000, requestsPerSecond: 100, ...stopAndRestart(redis) });
      console.log(
        `Redis stopped for 10 s under ${outage.requests} requests: ${outage.failed} of them answered 5xx; ` +
          `at most ${outage.mostInAMinute} of ${outage.limit} admitted in a minute (${outage.admittedWhileAway} while it was away); ` +
          `slowest answer ${outage.slowestMs.toFixed(0)} ms; counting in Redis again ${outage.returnedAfterMs.toFixed(0)} ms after it was back.`,
      );
    });
  }
}

async function killPostgres(repeats = 25): Promise<void> {
  const report = await runPostgresKillRounds(repeats);
  console.log(
    `PostgreSQL killed ${report.rounds} times: ${report.acknowledged} writes acknowledged, ${report.lost} lost; ` +
      `${report.failed} answered INTERNAL_ERROR, ${report.keptThoughFailed} of them there all the same; ` +
      `served again at most ${report.slowestReturnMs.toFixed(0)} ms after it was back.`,
  );
}
