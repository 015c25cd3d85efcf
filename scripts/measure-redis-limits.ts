/**
 * What counting in Redis costs, measured on a server of its own: `node scripts/measure-redis-limits.ts`. Prints the memory of a key's
 * list, the time of the script beside that of a bare INCR and EXPIRE in the same run, and how many requests one node gets decided.
 */
import { MINUTE_MS, TIER_NAMES, TIERS } from "@lineup/api/tiers";
import { mergeAdmissions } from "../server/src/limits/redis-admissions.ts";
import { openRedisLimiter } from "../server/src/limits/redis-limiter.ts";
import { connectToRedis, makeScript, type RedisLink } from "../server/src/limits/redis-link.ts";
import { countKey, stateName, timesName } from "../server/src/limits/redis-scripts.ts";
import { startOwnRedis } from "../server/test/services/redis.ts";

const BARE = makeScript("local n = redis.call('INCR', KEYS[1]) redis.call('EXPIRE', KEYS[1], ARGV[1]) return n");
const ROUNDS = 40;
const PER_ROUND = 400;
const NODE_REQUESTS = 200_000;
const NODE_KEYS = 400;
const AT_ONCE = 500;

const redis = await startOwnRedis();
try {
  const link = await connectToRedis(redis.url, 5_000);
  await measureMemory(link);
  await measureTime(link, "nothing has left a window", 100, 0);
  await measureTime(link, "one request has left the minute", 600, 1_000);
  await measureTime(link, "one has left the minute and one the day", 90_000, 1_000);
  await measureMerge(link);
  link.destroy();
  await measureNode(redis.url);
} finally {
  await redis.stop();
}

async function measureMemory(link: RedisLink): Promise<void> {
  await countKey(link, "take", "key_00000000000000000000000000", "Free");
  const lone = await readMemory(link, "key_00000000000000000000000000");
  console.log(`Memory of a key: ${lone} bytes after one request;`);
  for (const tier of TIER_NAMES) {
    const { perDay, perMinute } = TIERS[tier];
    const keyId = `key_full${tier.padEnd(22, "0")}`;
    let nowMs = Date.now();
    for (let sent = 0; sent < perDay; sent += perMinute, nowMs += MINUTE_MS) {
      const atOnce = Math.min(perMinute, perDay - sent);
      await Promise.all(Array.from({ length: atOnce }, () => countKey(link, "take", keyId, tier, nowMs)));
    }
    const bytes = await readMemory(link, keyId);
    console.log(`  ${tier}, ${perDay} requests: ${bytes} bytes, ${(bytes / perDay).toFixed(1)} a request`);
  }
}

async function readMemory(link: RedisLink, keyId: string): Promise<number> {
  let bytes = 0;
  for (const name of [timesName(keyId), stateName(keyId)]) {
    bytes += Number(await link.send(name, ["MEMORY", "USAGE", name, "SAMPLES", "0"]));
  }
  return bytes;
}

/** After so many requests, each a step after the one before. Redis's clock cannot be hurried, so the script is told the time. */
async function measureTime(link: RedisLink, what: string, before: number, stepMs: number): Promise<void> {
  let keyId = `key_time${before}_0`;
  let nowMs = Date.now();
  const take = () => {
    nowMs += stepMs;
    return countKey(link, "take", keyId, "Enterprise", nowMs);
  };
  for (let sent = 0; sent < before; sent += 100) await Promise.all(Array.from({ length: 100 }, take));
  const bare: number[] = [];
  const own: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    if (stepMs === 0) keyId = `key_time${before}_${round}`;
    bare.push(await runMany(link, () => link.run(BARE, ["linebp:bare"], ["86400"])));
    own.push(await runMany(link, take));
  }
  const ratio = median(own.map((cost, round) => cost / (bare[round] ?? Number.NaN)));
  const [ownUs, bareUs] = [median(own).toFixed(1), median(bare).toFixed(1)];
  console.log(`The script, where ${what}: ${ownUs} µs, bare ${bareUs} µs: ${ratio.toFixed(2)} times`);
}

/** Microseconds a run, as Redis itself counts them. */
async function runMany(link: RedisLink, run: () => Promise<unknown>): Promise<number> {
  await run();
  await link.send("", ["CONFIG", "RESETSTAT"]);
  for (let sent = 0; sent < PER_ROUND; sent += 100) await Promise.all(Array.from({ length: 100 }, run));
  const stats = String(await link.send("", ["INFO", "commandstats"]));
  return Number(/cmdstat_evalsha:calls=\d+,usec=(\d+)/.exec(stats)?.[1]) / PER_ROUND;
}

async function measureMerge(link: RedisLink): Promise<void> {
  const startMs = Date.now() - 80_000_000;
  const spread = (count: number, offsetMs: number) =>
    Array.from({ length: count }, (_, index) => startMs + Math.floor((index * 80_000_000) / count) + offsetMs);
  const tookMs: number[] = [];
  for (let round = 0; round < 9; round++) {
    const key = { keyId: `key_merge${round}`, lastUsedAt: undefined };
    await mergeAdmissions(link, { ...key, admissions: spread(75_000, 0) }, "a:1");
    const before = await readCpuMs(link);
    await mergeAdmissions(link, { ...key, admissions: spread(4_096, 7) }, "b:1");
    tookMs.push((await readCpuMs(link)) - before);
  }
  console.log(`Giving back 4,096 admissions in between 75,000 others: ${median(tookMs).toFixed(1)} ms`);
}

/** Of Redis's processor so far. */
async function readCpuMs(link: RedisLink): Promise<number> {
  const text = String(await link.send("", ["INFO", "cpu"]));
  const seconds = (name: string) => Number(new RegExp(`${name}:([\\d.]+)`).exec(text)?.[1]);
  return (seconds("used_cpu_user_main_thread") + seconds("used_cpu_sys_main_thread")) * 1_000;
}

async function measureNode(url: string): Promise<void> {
  const limiter = await openRedisLimiter({ url });
  const startedAt = performance.now();
  for (let sent = 0; sent < NODE_REQUESTS; sent += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) =>
        limiter.take(`key_node${(sent + index) % NODE_KEYS}`, "Enterprise"),
      ),
    );
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(
    `One node: ${Math.round(NODE_REQUESTS / seconds)} requests decided a second, ${AT_ONCE} under way at a time`,
  );
  if (limiter.counts.outages > 0) console.log("Redis went away meanwhile, so this figure says nothing.");
  await limiter.close();
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
