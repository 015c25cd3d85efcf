import { DAY_MS, MINUTE_MS, TIERS, type Tier } from "@lineup/api/tiers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canStart } from "../../test/services/provided-services.ts";
import { type OwnRedis, startOwnRedis } from "../../test/services/redis.ts";
import { readLastUsed } from "./redis-admissions.ts";
import { connectToRedis, type RedisLink } from "./redis-link.ts";
import { countKey, type Reading, stateName, timesName } from "./redis-scripts.ts";

/** Keys expire on Redis's clock, so the times that scripts are told begin where it is. */
const START_MS = Date.now();

describe.skipIf(!canStart("redis"))("A list in Redis", () => {
  let redis: OwnRedis;
  let link: RedisLink;
  let keys = 0;

  beforeAll(async () => {
    redis = await startOwnRedis();
    link = await connectToRedis(redis.url, 5_000);
  });
  afterAll(async () => {
    link?.destroy();
    await redis?.stop();
  });

  function makeKeyId(): string {
    return `key_list_${++keys}`;
  }

  function take(keyId: string, tier: Tier, ...nowMs: number[]): Promise<Reading> {
    return countKey(link, "take", keyId, tier, ...nowMs);
  }

  /** As fast as the minute allows, until the day is full; returns the time of the last. */
  async function fillDay(keyId: string, tier: Tier): Promise<number> {
    const { perMinute, perDay } = TIERS[tier];
    let nowMs = START_MS;
    for (let sent = 0; sent < perDay; sent += perMinute) {
      nowMs = START_MS + (sent / perMinute) * MINUTE_MS;
      const readings = await Promise.all(
        Array.from({ length: Math.min(perMinute, perDay - sent) }, () => take(keyId, tier, nowMs)),
      );
      expect(readings.every(({ admitted }) => admitted)).toBe(true);
    }
    return nowMs;
  }

  async function readNumber(...args: string[]): Promise<number> {
    return Number(await link.send(args[1] ?? "", args));
  }

  async function readMemory(keyId: string): Promise<number> {
    const usage = (name: string) => readNumber("MEMORY", "USAGE", name, "SAMPLES", "0");
    return (await usage(timesName(keyId))) + (await usage(stateName(keyId)));
  }

  async function countCalls(name: string): Promise<number> {
    const stats = String(await link.send("", ["INFO", "commandstats"]));
    return Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
  }

  test("admits at the very millisecond at which the oldest has left, and not before", async () => {
    const keyId = makeKeyId();
    for (let sent = 0; sent < 10; sent++) await take(keyId, "Free", START_MS + sent);
    expect(await take(keyId, "Free", START_MS + MINUTE_MS - 1)).toMatchObject({
      admitted: false,
      minute: { count: 10 },
    });
    expect(await take(keyId, "Free", START_MS + MINUTE_MS)).toMatchObject({ admitted: true, minute: { count: 10 } });
    expect(await take(keyId, "Free", START_MS + MINUTE_MS)).toMatchObject({ admitted: false, minute: { count: 10 } });
  });

  test("stands still at the newest request when the clock goes back, and counts nothing for too short a time", async () => {
    const keyId = makeKeyId();
    await take(keyId, "Free", START_MS + 3_600_000);
    const back = await take(keyId, "Free", START_MS);
    expect(back).toMatchObject({ admitted: true, nowMs: START_MS + 3_600_000, minute: { count: 2, decisiveAgeMs: 0 } });
    for (let sent = 2; sent < 10; sent++) {
      const still = await take(keyId, "Free", START_MS + sent * MINUTE_MS);
      expect(still).toMatchObject({
        admitted: true,
        nowMs: START_MS + 3_600_000,
        minute: { count: sent + 1, decisiveAgeMs: 0 },
      });
    }
    expect(await take(keyId, "Free", START_MS + 1_800_000)).toMatchObject({ admitted: false, minute: { count: 10 } });
    const caughtUp = await take(keyId, "Free", START_MS + 3_600_000 + MINUTE_MS);
    expect(caughtUp).toMatchObject({ admitted: true, minute: { count: 1 }, day: { count: 11 } });
  });

  test("goes by Redis's own clock where nobody tells it the time", async () => {
    const keyId = makeKeyId();
    const readings = [];
    for (let sent = 0; sent < 20; sent++) readings.push(await take(keyId, "Basic"));
    for (const { nowMs } of readings) expect(Math.abs(nowMs - Date.now())).toBeLessThan(5_000);
    expect(readings.map(({ nowMs }) => nowMs)).toEqual(readings.map(({ nowMs }) => nowMs).sort((a, b) => a - b));
  });

  test("keeps its time when somebody has taken its expiry away", async () => {
    const keyId = makeKeyId();
    await take(keyId, "Basic");
    await link.send("", ["PERSIST", timesName(keyId)]);
    const { nowMs, minute } = await take(keyId, "Basic");
    expect(Math.abs(nowMs - Date.now())).toBeLessThan(5_000);
    expect(minute.count).toBe(2);
  });

  test("of a full Enterprise key takes far less than 800 kB, and one of a single request next to nothing", async () => {
    const keyId = makeKeyId();
    await fillDay(keyId, "Enterprise");
    expect(await readMemory(keyId)).toBeLessThan(700_000);
    const lone = makeKeyId();
    await take(lone, "Enterprise");
    expect(await readMemory(lone)).toBeLessThan(400);
  });

  test("is passed over in a few reads, however much has left, and shrinks when it is used little", async () => {
    const keyId = makeKeyId();
    const lastMs = await fillDay(keyId, "Pro");
    const before = await readMemory(keyId);
    await link.send("", ["CONFIG", "RESETSTAT"]);
    // All but the last minute's requests have left the day.
    expect(await take(keyId, "Pro", lastMs + DAY_MS - 1)).toMatchObject({ admitted: true, day: { count: 101 } });
    expect(await countCalls("lindex")).toBeLessThan(40);
    for (let sent = 0; sent < 100; sent++) await take(keyId, "Pro", lastMs + DAY_MS + sent * 1_000);
    expect(await readMemory(keyId)).toBeLessThan(before / 4);
    expect(await take(keyId, "Pro", lastMs + DAY_MS + 100_000)).toMatchObject({ day: { count: 102 } });
  });

  test("is searched where its state was lost, or belongs to another list", async () => {
    const keyId = makeKeyId();
    for (let sent = 0; sent < 30; sent++) await take(keyId, "Basic", START_MS + sent * 3_000);
    await link.send("", ["DEL", stateName(keyId)]);
    expect(await take(keyId, "Basic", START_MS + 90_000)).toMatchObject({ minute: { count: 20 }, day: { count: 31 } });
    await link.send("", ["LPOP", timesName(keyId)]);
    expect(await take(keyId, "Basic", START_MS + 90_000)).toMatchObject({ minute: { count: 21 }, day: { count: 31 } });
  });

  test("writes down its last use, and expires a day and at most a minute after it", async () => {
    const keyId = makeKeyId();
    for (let second = 0; second < 180; second++) await take(keyId, "Enterprise", START_MS + second * 1_000);
    expect(await readLastUsed(link, [keyId, makeKeyId()])).toEqual(new Map([[keyId, START_MS + 179_000]]));
    const expiresMs = await readNumber("PEXPIRETIME", timesName(keyId));
    expect(expiresMs).toBeGreaterThanOrEqual(START_MS + 179_000 + DAY_MS);
    expect(expiresMs).toBeLessThanOrEqual(START_MS + 179_000 + DAY_MS + MINUTE_MS);
  });
});
