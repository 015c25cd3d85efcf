import { DAY_MS, MINUTE_MS, TIERS, type Tier } from "@lineup/api/tiers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TimestampList } from "../../test/limits/timestamp-list.ts";
import { canStart } from "../../test/services/provided-services.ts";
import { type OwnRedis, startOwnRedis } from "../../test/services/redis.ts";
import { copyAdmissions, mergeAdmissions } from "./redis-admissions.ts";
import { connectToRedis, type RedisLink } from "./redis-link.ts";
import { countKey, timesName } from "./redis-scripts.ts";

/** Lists hold times modulo 2^31, which begin anew half a day after the start. */
const START_MS = Math.ceil((Date.now() + DAY_MS) / 2 ** 31) * 2 ** 31 - DAY_MS / 2;

describe.skipIf(!canStart("redis"))("Admissions that were counted elsewhere", () => {
  let redis: OwnRedis;
  let link: RedisLink;
  let keys = 0;
  let batches = 0;

  beforeAll(async () => {
    redis = await startOwnRedis();
    link = await connectToRedis(redis.url, 5_000);
  });
  afterAll(async () => {
    link?.destroy();
    await redis?.stop();
  });

  function makeKeyId(): string {
    return `key_merge_${++keys}`;
  }

  function take(keyId: string, tier: Tier, nowMs: number) {
    return countKey(link, "take", keyId, tier, nowMs);
  }

  function merge(keyId: string, admissions: readonly number[], nowMs: number, batch = `batch${++batches}`) {
    return mergeAdmissions(link, { keyId, admissions, lastUsedAt: undefined }, batch, nowMs);
  }

  /** Adds what is missing. */
  function add(keyId: string, admissions: readonly number[], nowMs: number) {
    return mergeAdmissions(link, { keyId, admissions, lastUsedAt: undefined }, undefined, nowMs);
  }

  async function read(keyId: string, nowMs: number): Promise<readonly number[]> {
    return (await copyAdmissions(link, keyId, nowMs)).admissions;
  }

  test("fall into their places, and every request after it is decided as if they had been there all along", async () => {
    const play = async (schedule: number) => {
      let seed = (schedule + 7) * 2_654_435_761;
      const below = (end: number) => {
        seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
        return Math.floor((seed / 2 ** 32) * end);
      };
      const keyId = makeKeyId();
      const oracle = new TimestampList();
      let nowMs = START_MS;
      for (let step = 0; step < 25; step++) {
        nowMs += [0, 1, below(500), below(20_000), below(MINUTE_MS * 3), below(DAY_MS / 3)][below(6)] ?? 0;
        if (below(3) === 0) {
          const spanMs = [1, 1_000, MINUTE_MS * 2, DAY_MS + 1_000][below(4)] ?? 1;
          const times = Array.from({ length: 1 + below(60) }, () => nowMs - below(spanMs)).sort((a, b) => a - b);
          const fresh = times.filter((time) => nowMs - time < DAY_MS);
          expect(await merge(keyId, times, nowMs)).toBe(fresh.length);
          oracle.times.push(...fresh);
          oracle.times.sort((a, b) => a - b);
          oracle.forgetSearch();
        }
        for (let sent = below(30); sent >= 0; sent--) {
          const tier = below(4) === 0 ? "Free" : "Basic";
          const expected = oracle.take(nowMs, tier);
          const reading = await take(keyId, tier, nowMs);
          const { perMinute, perDay } = TIERS[tier];
          expect([
            reading.admitted,
            Math.max(0, perMinute - reading.minute.count),
            Math.max(0, perDay - reading.day.count),
            reading.minute.count === 0 ? 0 : MINUTE_MS - reading.minute.decisiveAgeMs,
            reading.day.count === 0 ? 0 : DAY_MS - reading.day.decisiveAgeMs,
          ]).toEqual([
            expected.admitted,
            expected.minute.remaining,
            expected.day.remaining,
            expected.minute.resetInMs,
            expected.day.resetInMs,
          ]);
        }
        expect(await read(keyId, nowMs)).toEqual(oracle.times.filter((time) => nowMs - time < DAY_MS));
      }
    };
    // Some at a time, for each waits for every answer.
    for (let schedule = 0; schedule < 120; schedule += 12) {
      await Promise.all(Array.from({ length: 12 }, (_, index) => play(schedule + index)));
    }
  });

  test("count once, however often a node repeats the batch, and again for another node", async () => {
    const keyId = makeKeyId();
    const times = [START_MS, START_MS, START_MS + 5];
    expect(await merge(keyId, times, START_MS + 10, "a:1")).toBe(3);
    expect(await merge(keyId, times, START_MS + 11, "a:1")).toBe(0);
    expect(await merge(keyId, times, START_MS + 12, "b:1")).toBe(3);
    expect(await merge(keyId, [START_MS + 2], START_MS + 13, "a:2")).toBe(1);
    expect(await read(keyId, START_MS + 20)).toEqual(
      [...times, ...times, START_MS + 2].sort((first, second) => first - second),
    );
  });

  test("are added by an import only as often as they are missing", async () => {
    const keyId = makeKeyId();
    await merge(keyId, [START_MS, START_MS, START_MS + 5], START_MS + 10);
    expect(await add(keyId, [START_MS, START_MS + 4, START_MS + 5, START_MS + 5], START_MS + 10)).toBe(2);
    expect(await add(keyId, [START_MS, START_MS + 4, START_MS + 5, START_MS + 5], START_MS + 10)).toBe(0);
    expect(await read(keyId, START_MS + 20)).toEqual([0, 0, 4, 5, 5].map((after) => START_MS + after));
  });

  test("are never more than the largest limit, of which the newest are kept", async () => {
    const keyId = makeKeyId();
    const { perDay } = TIERS.Enterprise;
    const times = Array.from({ length: perDay }, (_, index) => START_MS + index * 3);
    const nowMs = START_MS + perDay * 3;
    await merge(keyId, times, nowMs);
    expect(await read(keyId, nowMs)).toEqual(times);
    const later = Array.from({ length: 777 }, (_, index) => START_MS + 150_000 + index * 100);
    await merge(keyId, later, nowMs);
    expect(await read(keyId, nowMs)).toEqual([...times, ...later].sort((a, b) => a - b).slice(777));
    expect(await take(keyId, "Enterprise", nowMs)).toMatchObject({ admitted: false, day: { count: perDay } });
    const memory = Number(await link.send(timesName(keyId), ["MEMORY", "USAGE", timesName(keyId), "SAMPLES", "0"]));
    expect(memory).toBeLessThan(800_000);
  });

  test("from a node whose clock is ahead count as made now", async () => {
    const keyId = makeKeyId();
    await merge(keyId, [START_MS + 60_000], START_MS);
    expect(await read(keyId, START_MS)).toEqual([START_MS]);
  });
});
