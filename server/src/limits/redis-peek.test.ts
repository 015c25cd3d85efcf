import { DAY_MS, MINUTE_MS, TIERS } from "@lineup/api/tiers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canStart } from "../../test/services/provided-services.ts";
import { type OwnRedis, startOwnRedis, talkToRedis } from "../../test/services/redis.ts";
import { openRedisLimiter } from "./redis-limiter.ts";
import { connectToRedis, type RedisLink } from "./redis-link.ts";
import { countKey, timesName } from "./redis-scripts.ts";

/** Keys expire on Redis's clock, so the times that scripts are told begin where it is. */
const START_MS = Date.now();

describe.skipIf(!canStart("redis"))("A look at a key in Redis", () => {
  let redis: OwnRedis;
  let link: RedisLink;

  beforeAll(async () => {
    redis = await startOwnRedis();
    link = await connectToRedis(redis.url, 5_000);
  });
  afterAll(async () => {
    link?.destroy();
    await redis?.stop();
  });

  /** Counted one by one, in the plainest way. */
  function countSlowly(admitted: readonly number[], limit: number, windowMs: number, nowMs: number) {
    const counted = admitted.filter((timeMs) => nowMs < timeMs + windowMs);
    const decisive = counted.at(Math.max(0, counted.length - limit)) ?? nowMs;
    return { count: counted.length, decisiveAgeMs: counted.length === 0 ? 0 : nowMs - decisive };
  }

  test("sees at every moment what counting one by one gives, also under a tier that was lowered", async () => {
    for (let round = 0; round < 8; round++) {
      const keyId = `key_peek_${round}`;
      const admitted: number[] = [];
      let nowMs = START_MS;
      for (let step = 0; step < 150; step++) {
        nowMs += [0, 3, 900, 20_000, 59_999, 3_600_000][Math.floor(Math.random() * 6)] ?? 0;
        if ((await countKey(link, "take", keyId, "Basic", nowMs)).admitted) admitted.push(nowMs);
        const lookMs = nowMs + ([0, 1, 30_000, MINUTE_MS, DAY_MS - 1, DAY_MS][Math.floor(Math.random() * 6)] ?? 0);
        for (const tier of ["Basic", "Free"] as const) {
          expect(await countKey(link, "peek", keyId, tier, lookMs)).toMatchObject({
            minute: countSlowly(admitted, TIERS[tier].perMinute, MINUTE_MS, lookMs),
            day: countSlowly(admitted, TIERS[tier].perDay, DAY_MS, lookMs),
          });
        }
      }
    }
  });

  test("writes nothing, and nothing for a key that was never used", async () => {
    const limiter = await openRedisLimiter({ url: redis.url });
    try {
      expect(await limiter.peek("key_peek_unused", "Free")).toMatchObject({
        admitted: true,
        governing: { remaining: 10 },
      });
      expect(await talkToRedis(redis.port, `KEYS ${timesName("key_peek_unused")}*`)).toContain("*0");
      for (let sent = 0; sent < 10; sent++) await limiter.take("key_peek_full", "Free");
      const before = await talkToRedis(redis.port, `DEBUG DIGEST-VALUE ${timesName("key_peek_full")}`);
      for (let looked = 0; looked < 3; looked++) {
        expect(await limiter.peek("key_peek_full", "Free")).toMatchObject({
          admitted: false,
          governing: { name: "minute", limit: 10, remaining: 0 },
        });
      }
      expect(await talkToRedis(redis.port, `DEBUG DIGEST-VALUE ${timesName("key_peek_full")}`)).toBe(before);
    } finally {
      await limiter.close();
    }
  });

  test("shows the node's own counts while Redis is away, without waiting for it", async () => {
    const own = await startOwnRedis();
    const limiter = await openRedisLimiter({ url: own.url });
    try {
      for (let sent = 0; sent < 4; sent++) await limiter.take("key_peek_away", "Free");
      await own.kill();
      const startedAt = performance.now();
      const seen = await limiter.peek("key_peek_away", "Free");
      expect(seen.windows.map(({ remaining }) => remaining)).toEqual([6, 96]);
      expect((await limiter.peek("key_peek_strange", "Free")).governing.remaining).toBe(10);
      expect((await limiter.readLastUsed(["key_peek_away"])).has("key_peek_away")).toBe(true);
      expect(performance.now() - startedAt).toBeLessThan(10_000);
    } finally {
      await limiter.close();
      await own.stop();
    }
  });
});
