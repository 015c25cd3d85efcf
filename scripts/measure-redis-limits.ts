/**
 * What counting in Redis costs, measured on a server of its own: `node scripts/measure-redis-limits.ts`. Prints the memory of a key's
 * ring, the time of the script beside that of a bare INCR and EXPIRE in the same run, and how many requests one node gets decided.
 */
import { MINUTE_MS, TIER_NAMES, TIERS } from "@lineup/api/tiers";
import { openRedisLimiter } from "../server/src/limits/redis-limiter.ts";
import { connectToRedis, type RedisArguments, type RedisLink } from "../server/src/limits/redis-link.ts";
import { MERGE_SCRIPT, mergeArguments } from "../server/src/limits/redis-merge-script.ts";
import { givenName, laneName, lastUseName, makeScript, ringName } from "../server/src/limits/redis-ring-layout.ts";
import { type LaneHolder, takePlace } from "../server/src/limits/redis-take-place.ts";
import { startOwnRedis } from "../server/test/services/redis.ts";

const BARE = makeScript("local n = redis.call('INCR', KEYS[1]) redis.call('EXPIRE', KEYS[1], ARGV[1]) return n");
const ROUNDS = 60;
const PER_ROUND = 400;
const NODE_REQUESTS = 200_000;
const NODE_KEYS = 400;
const AT_ONCE = 500;

const redis = await startOwnRedis();
try {
  const link = await connectToRedis({ url: redis.url, timeoutMs: 5_000 });
  await measureMemory(link);
  await measureTime(link, 1);
  await measureTime(link, 100);
  await measureLeaving(link);
  await measureMerge(link);
  link.destroy();
  await measureNode(redis.url);
} finally {
  await redis.stop();
}

async function measureMemory(link: RedisLink): Promise<void> {
  const lone = "key_00000000000000000000000000";
  await takePlace(link, lone, "Free", { lane: undefined });
  console.log(`Memory of a ring: ${await readMemory(link, lone)} bytes after one request;`);
  for (const tier of TIER_NAMES) {
    const { perDay, perMinute } = TIERS[tier];
    const keyId = `key_full${tier.padEnd(22, "0")}`;
    const startMs = Date.now() - Math.ceil(perDay / perMinute) * MINUTE_MS;
    const times = Array.from({ length: perDay }, (_, index) => startMs + Math.floor((index * MINUTE_MS) / perMinute));
    // As requests would have filled it, block by block, and then in one piece, as it is given back.
    for (const [how, bytes] of [
      ["request by request", await fillByRequests(link, keyId, times)],
      ["given back", await fillAtOnce(link, `${keyId}x`, times)],
    ] as const) {
      console.log(`  ${tier}, ${perDay} requests, ${how}: ${bytes} bytes, ${(bytes / perDay).toFixed(1)} a request`);
    }
  }
}

async function fillByRequests(link: RedisLink, keyId: string, times: readonly number[]): Promise<number> {
  // Told times begin at the present, for the key would expire at once in the past.
  const shiftMs = Date.now() - (times[0] ?? 0);
  const holder: LaneHolder = { lane: undefined };
  for (let start = 0; start < times.length; start += 5_000) {
    const some = times.slice(start, start + 5_000);
    await Promise.all(some.map((time) => takePlace(link, keyId, "Enterprise", holder, time + shiftMs)));
  }
  return readMemory(link, keyId);
}

async function fillAtOnce(link: RedisLink, keyId: string, times: readonly number[]): Promise<number> {
  const names = [ringName(keyId), lastUseName(keyId), givenName(keyId)] as const;
  await link.run(MERGE_SCRIPT, names, mergeArguments({ node: "node", batch: 1 }, times));
  return readMemory(link, keyId);
}

async function readMemory(link: RedisLink, keyId: string): Promise<number> {
  let bytes = 0;
  for (const name of [ringName(keyId), laneName(keyId)]) {
    bytes += Number(await link.send(name, ["MEMORY", "USAGE", name, "SAMPLES", "0"]));
  }
  return bytes;
}

interface Cost {
  /** Until the answer, in microseconds. */
  readonly wall: number;
  /** Of Redis's main thread, for all that a command costs it. */
  readonly cpu: number;
  /** As Redis itself counts the run of a script. */
  readonly own: number;
}

async function measureTime(link: RedisLink, atOnce: number): Promise<void> {
  const bare: Cost[] = [];
  const take: Cost[] = [];
  const strange: Cost[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const keyId = `key_time${String(round).padStart(22, "0")}`;
    const ring = ringName(keyId);
    const counter = ring.replace("lineup", "linebp");
    // A key in use, whose ring has its size already, and none of whose requests leaves a window meanwhile.
    const times = Array.from({ length: 500 }, (_, index) => Date.now() - 3_600_000 + index);
    const names = [ring, lastUseName(keyId), givenName(keyId)] as const;
    await link.run(MERGE_SCRIPT, names, mergeArguments({ node: "node", batch: 1 }, times));
    const holder: LaneHolder = { lane: undefined };
    for (let sent = 0; sent < 2; sent++) await takePlace(link, keyId, "Enterprise", holder);
    await link.run(BARE, [counter], ["86400"]);
    bare.push(await runMany(link, atOnce, () => link.run(BARE, [counter], ["86400"])));
    // The last comes a minute later, and puts into the ring what went by the lane: so its cost is in the average.
    const laterMs = Date.now() + 2 * MINUTE_MS;
    const takeOne = (index: number) =>
      takePlace(link, keyId, "Enterprise", holder, index === PER_ROUND - 1 ? laterMs : undefined);
    take.push(await runMany(link, atOnce, takeOne));
    for (let sent = 0; sent < 2; sent++) await takePlace(link, `${keyId}s`, "Enterprise", { lane: undefined });
    strange.push(await runMany(link, atOnce, () => takePlace(link, `${keyId}s`, "Enterprise", { lane: undefined })));
  }
  console.log(atOnce === 1 ? "One request at a time:" : `${atOnce} requests in one write:`);
  for (const [what, name] of [
    ["until the answer", "wall"],
    ["of Redis's processor", "cpu"],
    ["for the script alone", "own"],
  ] as const) {
    const [a, b] = [median(bare.map((cost) => cost[name])), median(take.map((cost) => cost[name]))];
    const ratio = median(take.map((cost, round) => cost[name] / (bare[round]?.[name] ?? Number.NaN)));
    const strangeRatio = median(strange.map((cost, round) => cost[name] / (bare[round]?.[name] ?? Number.NaN)));
    console.log(
      `  ${what}: ${b.toFixed(2)} µs, bare script ${a.toFixed(2)} µs: ${ratio.toFixed(2)} times, without a ticket ${strangeRatio.toFixed(2)}`,
    );
  }
}

/** A key in steady use, on which every request finds an earlier one gone. Redis's clock cannot be hurried, so the script is told the time. */
async function measureLeaving(link: RedisLink): Promise<void> {
  console.log("For the script alone, told the time, 100 requests in one write:");
  for (const [what, requestsBefore] of [
    ["one request gone from the minute", 600],
    ["one gone from the minute and one from the day", 90_000],
  ] as const) {
    const holder: LaneHolder = { lane: undefined };
    let nowMs = Date.now();
    const take = () => {
      nowMs += 1_000;
      return takePlace(link, `key_leave${requestsBefore}`, "Enterprise", holder, nowMs);
    };
    for (let sent = 0; sent < requestsBefore; sent += 500) await Promise.all(Array.from({ length: 500 }, take));
    const costs: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      bare.push((await runMany(link, 100, () => link.run(BARE, ["linebp:leave"], ["86400"]))).own);
      costs.push((await runMany(link, 100, take)).own);
    }
    const ratio = median(costs.map((cost, round) => cost / (bare[round] ?? Number.NaN)));
    console.log(
      `  ${what}: ${median(costs).toFixed(2)} µs, bare ${median(bare).toFixed(2)} µs: ${ratio.toFixed(2)} times`,
    );
  }
}

async function measureMerge(link: RedisLink): Promise<void> {
  const startMs = Date.now() - 80_000_000;
  const spread = (count: number, offsetMs: number) =>
    Array.from({ length: count }, (_, index) => startMs + Math.floor((index * 80_000_000) / count) + offsetMs);
  const tookMs: number[] = [];
  for (let round = 0; round < 9; round++) {
    const keyId = `key_merge${round}`;
    const names = [ringName(keyId), lastUseName(keyId), givenName(keyId)] as const;
    await link.run(MERGE_SCRIPT, names, mergeArguments({ node: "a", batch: 1 }, spread(75_000, 0)));
    const args = mergeArguments({ node: "b", batch: 1 }, spread(25_000, 1));
    const startedAt = performance.now();
    await link.run(MERGE_SCRIPT, names, args);
    tookMs.push(performance.now() - startedAt);
  }
  console.log(`Giving back 25,000 admissions in between 75,000: ${median(tookMs).toFixed(0)} ms`);
}

async function runMany(link: RedisLink, atOnce: number, run: (index: number) => Promise<unknown>): Promise<Cost> {
  await link.send("", ["CONFIG", "RESETSTAT"]);
  const cpuBefore = await readCpu(link);
  const startedAt = performance.now();
  for (let sent = 0; sent < PER_ROUND; sent += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, (_, index) => run(sent + index)));
  }
  const wall = ((performance.now() - startedAt) * 1_000) / PER_ROUND;
  const cpu = ((await readCpu(link)) - cpuBefore) / PER_ROUND;
  const stats = await readInfo(link, ["INFO", "commandstats"]);
  return { wall, cpu, own: Number(/cmdstat_evalsha:.*usec_per_call=([\d.]+)/.exec(stats)?.[1]) };
}

/** Microseconds of the main thread so far. */
async function readCpu(link: RedisLink): Promise<number> {
  const text = await readInfo(link, ["INFO", "cpu"]);
  const seconds = (name: string) => Number(new RegExp(`${name}:([\\d.]+)`).exec(text)?.[1]);
  return (seconds("used_cpu_user_main_thread") + seconds("used_cpu_sys_main_thread")) * 1_000_000;
}

async function readInfo(link: RedisLink, args: RedisArguments): Promise<string> {
  return String(await link.send("", args));
}

async function measureNode(url: string): Promise<void> {
  const limiter = await openRedisLimiter({ url });
  const startedAt = performance.now();
  let admitted = 0;
  for (let sent = 0; sent < NODE_REQUESTS; sent += AT_ONCE) {
    const verdicts = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) =>
        limiter.take(`key_node${String((sent + index) % NODE_KEYS).padStart(22, "0")}`, "Enterprise"),
      ),
    );
    admitted += verdicts.filter((verdict) => verdict.admitted).length;
  }
  const perSecond = Math.round((NODE_REQUESTS * 1_000) / (performance.now() - startedAt));
  console.log(`One node: ${perSecond} requests decided a second, ${admitted} of ${NODE_REQUESTS} admitted.`);
  await limiter.close();
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
