import { TIERS } from "@lineup/api/tiers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canStart } from "../../test/services/provided-services.ts";
import { type OwnRedis, startOwnRedis, talkToRedis } from "../../test/services/redis.ts";
import { systemClock } from "./clock.ts";
import { connectCommandToRedis, exportAdmissions, importAdmissions } from "./redis-admissions.ts";
import { openRedisLimiter, type RedisLimiter, type RedisLimiterOptions } from "./redis-limiter.ts";
import { addressName, stateName, timesName } from "./redis-scripts.ts";

let keys = 0;

function makeKeyId(): string {
  return `key_limiter_${++keys}`;
}

async function countAdmitted(limiters: readonly RedisLimiter[], keyId: string, requests: number): Promise<number> {
  const verdicts = await Promise.all(
    Array.from({ length: requests }, (_, index) => limiters[index % limiters.length]?.take(keyId, "Enterprise")),
  );
  return verdicts.filter((verdict) => verdict?.admitted).length;
}

describe.skipIf(!canStart("redis"))("Limits in Redis", () => {
  let redis: OwnRedis;
  const opened: RedisLimiter[] = [];

  async function open(options: Partial<RedisLimiterOptions> = {}): Promise<RedisLimiter> {
    const limiter = await openRedisLimiter({ url: redis.url, ...options });
    opened.push(limiter);
    return limiter;
  }

  beforeAll(async () => {
    redis = await startOwnRedis();
  });
  afterAll(async () => {
    await Promise.all(opened.map((limiter) => limiter.close()));
    await redis?.stop();
  });

  test("admit exactly the limit over four nodes, twenty times out of twenty, whatever their wall clocks say", async () => {
    // Five thousand at once in one process may take longer than a request would be let wait.
    const timing = { decideWithinMs: 120_000 };
    const clocksMs = [0, 5_000, -5_000, 3_600_000];
    const limiters = await Promise.all(
      clocksMs.map((offsetMs) =>
        open({
          timing,
          clock: { wallMs: () => systemClock.wallMs() + offsetMs, monotonicMs: () => systemClock.monotonicMs() },
        }),
      ),
    );
    await expect.poll(() => limiters.map(({ nodes }) => nodes)).toEqual([4, 4, 4, 4]);
    for (let round = 0; round < 20; round++) {
      expect(await countAdmitted(limiters, makeKeyId(), 5_000)).toBe(TIERS.Enterprise.perMinute);
    }
  });

  test("tell clients the reset in Redis's time", async () => {
    const limiter = await open({
      clock: { wallMs: () => 1_000, monotonicMs: () => systemClock.monotonicMs() },
    });
    const verdict = await limiter.take(makeKeyId(), "Free");
    expect(verdict.windows[0]?.resetInMs).toBe(60_000);
    expect(Math.abs((verdict.windows[0]?.resetAtMs ?? 0) - Date.now() - 60_000)).toBeLessThan(20_000);
  });

  test("forget nothing at a change of tier, also a lowered one", async () => {
    const limiter = await open();
    const keyId = makeKeyId();
    for (let sent = 0; sent < 25; sent++) await limiter.take(keyId, "Basic");
    const lowered = await limiter.take(keyId, "Free");
    expect(lowered).toMatchObject({ admitted: false, governing: { name: "minute", limit: 10, remaining: 0 } });
    expect(await limiter.take(keyId, "Basic")).toMatchObject({ admitted: true, governing: { remaining: 34 } });
  });

  test("write nothing for a refused request", async () => {
    const limiter = await open();
    const keyId = makeKeyId();
    for (let sent = 0; sent < 10; sent++) await limiter.take(keyId, "Free");
    const digest = await talkToRedis(redis.port, `DEBUG DIGEST-VALUE ${timesName(keyId)}`);
    const before = await talkToRedis(redis.port, `OBJECT FREQ ${timesName(keyId)}`);
    for (let sent = 0; sent < 50; sent++) expect(await limiter.take(keyId, "Free")).toMatchObject({ admitted: false });
    expect(await talkToRedis(redis.port, `DEBUG DIGEST-VALUE ${timesName(keyId)}`)).toBe(digest);
    expect(before).not.toBe("");
  });

  test("count an address once for all nodes, and IPv6 by its /64", async () => {
    const limiters = [await open(), await open()];
    const admitted: boolean[] = [];
    for (let sent = 0; sent < 70; sent++) {
      const verdict = await limiters[sent % 2]?.takeAddress(`2001:db8::${sent}`);
      admitted.push(verdict?.admitted ?? false);
    }
    expect(admitted.filter(Boolean)).toHaveLength(60);
    expect(limiters[0]?.peekAddress("2001:db8::1").governing.remaining).toBe(30);
  });

  test("put no more addresses into Redis than a node keeps itself", async () => {
    const limiter = await open({ maxAddresses: 3 });
    for (let number = 1; number <= 20; number++) {
      expect(await limiter.takeAddress(`198.51.100.${number}`)).toMatchObject({ admitted: true });
    }
    expect(await talkToRedis(redis.port, `KEYS ${addressName("198.51.100.*")}`)).toMatch(/^\*3\r/);
    expect(limiter.counts.decidedAlone).toBe(17);
  });

  test("remember the last use of a key for longer than its requests", async () => {
    const limiter = await open();
    const keyId = makeKeyId();
    expect(await limiter.readLastUsed([keyId])).toEqual(new Map());
    await limiter.take(keyId, "Free");
    const [[, lastUsedAt = 0] = []] = [...(await limiter.readLastUsed([keyId, makeKeyId()]))];
    expect(Math.abs(lastUsedAt - Date.now())).toBeLessThan(20_000);
    // The list goes a day after the last use; what is left then says as much.
    await talkToRedis(redis.port, `DEL ${timesName(keyId)}`);
    expect((await limiter.readLastUsed([keyId])).get(keyId)).toBe(lastUsedAt);
    expect(await talkToRedis(redis.port, `PTTL ${stateName(keyId)}`)).toContain(":-1");
  });

  test("expire a day and at most a minute after the last use", async () => {
    const limiter = await open();
    const keyId = makeKeyId();
    await limiter.take(keyId, "Free");
    const leftMs = Number((await talkToRedis(redis.port, `PTTL ${timesName(keyId)}`)).slice(1).split("\r")[0]);
    expect(leftMs).toBeGreaterThan(86_400_000 + 40_000);
    expect(leftMs).toBeLessThanOrEqual(86_400_000 + 60_000);
  });

  test("know how many nodes there are, and at once when one stops", async () => {
    const own = await startOwnRedis();
    try {
      const first = await openRedisLimiter({ url: own.url, timing: { beatEveryMs: 20 } });
      const second = await openRedisLimiter({ url: own.url, timing: { beatEveryMs: 20 } });
      await expect.poll(() => [first.nodes, second.nodes]).toEqual([2, 2]);
      await second.close();
      await expect.poll(() => first.nodes).toBe(1);
      await first.close();
    } finally {
      await own.stop();
    }
  });

  test("work where Redis has lost the scripts, without a request failing", async () => {
    const limiter = await open();
    const keyId = makeKeyId();
    await limiter.take(keyId, "Free");
    await talkToRedis(redis.port, "SCRIPT FLUSH");
    expect(await limiter.take(keyId, "Free")).toMatchObject({ admitted: true, governing: { remaining: 8 } });
    expect(limiter.isDegraded).toBe(false);
  });

  test.each(["SET", "LPUSH"])(
    "decide a single key alone where %s has put foreign data under its name",
    async (command) => {
      const limiter = await open();
      const keyId = makeKeyId();
      await talkToRedis(redis.port, `${command} ${timesName(keyId)} x`);
      const admitted = [];
      for (let sent = 0; sent < 11; sent++) admitted.push((await limiter.take(keyId, "Enterprise")).admitted);
      expect(admitted).toEqual(Array.from({ length: 11 }, () => true));
      expect(limiter.isDegraded).toBe(false);
      expect(limiter.counts).toMatchObject({ unreadable: 11, outages: 0 });
    },
  );

  test("hold on a cluster, where a key's names share one slot", async () => {
    const cluster = await startOwnRedis({ clusterEnabled: true });
    try {
      // A busy machine answers late, which is no outage here.
      const limiter = await openRedisLimiter({ url: cluster.url, timing: { decideWithinMs: 120_000 } });
      const keyId = makeKeyId();
      expect(await countAdmitted([limiter], keyId, 1_200)).toBe(TIERS.Enterprise.perMinute);
      expect((await limiter.readLastUsed([keyId])).size).toBe(1);
      const link = await connectCommandToRedis(cluster.url);
      const exported = await Array.fromAsync(exportAdmissions(link, [keyId]));
      expect(exported[0]?.admissions).toHaveLength(TIERS.Enterprise.perMinute);
      await talkToRedis(cluster.port, `DEL ${timesName(keyId)}`);
      expect(await importAdmissions(link, exported)).toBe(TIERS.Enterprise.perMinute);
      link.destroy();
      expect(limiter.isDegraded).toBe(false);
      await limiter.close();
    } finally {
      await cluster.stop();
    }
  });

  test("need no more of Redis than a user and a database of their own, and few commands", async () => {
    const commands =
      "+evalsha +eval +time +get +set +llen +lindex +lrange +rpush +ltrim +del +pexpire +pexpireat +zscore +zadd +zrem +zrange +zremrangebyscore +select +hello +client|setname";
    await talkToRedis(redis.port, `ACL SETUSER lineup on >s3cret ~lineup:* ${commands}`);
    const url = redis.url.replace("redis://", "redis://lineup:s3cret@").concat("/3");
    const limiter = await open({ url });
    const keyId = makeKeyId();
    for (let sent = 0; sent < 12; sent++) await limiter.take(keyId, "Free");
    expect(await limiter.take(keyId, "Free")).toMatchObject({ admitted: false });
    await limiter.takeAddress("192.0.2.9");
    expect(await limiter.readLastUsed([keyId])).toHaveProperty("size", 1);
    const link = await connectCommandToRedis(url);
    const exported = await Array.fromAsync(exportAdmissions(link, [keyId]));
    expect(
      await importAdmissions(
        link,
        exported.map((entry) => ({ ...entry, keyId: makeKeyId() })),
      ),
    ).toBe(10);
    link.destroy();
    expect(limiter.isDegraded).toBe(false);
    expect(await talkToRedis(redis.port, "INFO keyspace")).toContain("db3");
  });

  test("refuse to start without Redis, and say where it was looked for but not the password", async () => {
    const url = "redis://user:s3cret@127.0.0.1:1/2";
    const error = await openRedisLimiter({ url }).catch((reason: Error) => reason);
    expect(error).toMatchObject({ name: "RedisUnreachableError" });
    expect(String(error)).toContain("LINEUP_REDIS_URL");
    expect(String(error)).toContain("127.0.0.1:1");
    expect(String(error)).not.toContain("s3cret");
  });
});
