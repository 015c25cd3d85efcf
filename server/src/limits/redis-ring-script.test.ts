import { DAY_MS, MINUTE_MS, TIERS, type Tier } from "@lineup/api/tiers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canStart } from "../../test/services/provided-services.ts";
import { type OwnRedis, startOwnRedis, talkToRedis } from "../../test/services/redis.ts";
import { connectToRedis, type RedisLink } from "./redis-link.ts";
import { lastUseName, type RingReading, readTakeReply, ringName, TAKE_SCRIPTS } from "./redis-ring-script.ts";
import { TakePipe } from "./redis-take-pipe.ts";

/** Keys expire on Redis's clock, so the times that scripts are told begin where it is. */
const START_MS = Date.now();

describe.skipIf(!canStart("redis"))("A ring in Redis", () => {
  let redis: OwnRedis;
  let link: RedisLink;
  let pipe: TakePipe;
  let keys = 0;

  beforeAll(async () => {
    redis = await startOwnRedis();
    link = await connectToRedis({ url: redis.url, timeoutMs: 5_000 });
    await link.load(Object.values(TAKE_SCRIPTS));
    pipe = new TakePipe(redis.port);
  });
  afterAll(async () => {
    link?.destroy();
    await pipe?.close();
    await redis?.stop();
  });

  function makeKeyId(): string {
    return `key_ring_${++keys}`;
  }

  async function take(keyId: string, tier: Tier, nowMs?: number): Promise<RingReading> {
    const args = nowMs === undefined ? [] : [String(nowMs)];
    return readTakeReply((await link.run(TAKE_SCRIPTS[tier], [ringName(keyId)], args)) as Buffer);
  }

  /** As fast as the minute allows, until the day is full; returns the time of the last. */
  async function fillDay(keyId: string, tier: Tier): Promise<number> {
    const { perMinute, perDay } = TIERS[tier];
    let nowMs = START_MS;
    for (let sent = 0; sent < perDay; sent++) {
      nowMs = START_MS + Math.floor(sent / perMinute) * MINUTE_MS;
      pipe.take(keyId, tier, nowMs, (reading) => expect(reading.admitted).toBe(true));
      if (pipe.pending >= 20_000) await pipe.settle();
    }
    await pipe.settle();
    return nowMs;
  }

  async function readNumber(...args: string[]): Promise<number> {
    return Number(await link.send(args[1] ?? "", args));
  }

  async function countCalls(name: string): Promise<number> {
    const stats = String(await link.send("", ["INFO", "commandstats"]));
    return Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
  }

  test("admits at the very millisecond at which the oldest has left, and not before", async () => {
    const keyId = makeKeyId();
    for (let sent = 0; sent < 10; sent++) await take(keyId, "Free", START_MS + sent);
    expect(await take(keyId, "Free", START_MS + MINUTE_MS - 1)).toMatchObject({ admitted: false, minuteCount: 10 });
    expect(await take(keyId, "Free", START_MS + MINUTE_MS)).toMatchObject({ admitted: true, minuteCount: 10 });
    expect(await take(keyId, "Free", START_MS + MINUTE_MS)).toMatchObject({ admitted: false, minuteCount: 10 });
  });

  test("stands still at the newest request when the clock goes back, and counts nothing for too short a time", async () => {
    const keyId = makeKeyId();
    await take(keyId, "Free", START_MS + 3_600_000);
    const back = await take(keyId, "Free", START_MS);
    expect(back).toMatchObject({ admitted: true, nowMs: START_MS + 3_600_000, minuteCount: 2, minuteAgeMs: 0 });
    for (let sent = 2; sent < 10; sent++) await take(keyId, "Free", START_MS + sent * MINUTE_MS);
    expect(await take(keyId, "Free", START_MS + 1_800_000)).toMatchObject({ admitted: false, minuteCount: 10 });
    const caughtUp = await take(keyId, "Free", START_MS + 3_600_000 + MINUTE_MS);
    expect(caughtUp).toMatchObject({ admitted: true, minuteCount: 1, longestCount: 11 });
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
    await link.send("", ["PERSIST", ringName(keyId)]);
    const { nowMs, minuteCount } = await take(keyId, "Basic");
    expect(Math.abs(nowMs - Date.now())).toBeLessThan(5_000);
    expect(minuteCount).toBe(2);
  });

  test("of a full Enterprise key takes far less than 800 kB, and one of a single request next to nothing", async () => {
    const keyId = makeKeyId();
    await fillDay(keyId, "Enterprise");
    expect(await readNumber("MEMORY", "USAGE", ringName(keyId))).toBeLessThan(500_000);
    const lone = makeKeyId();
    await take(lone, "Enterprise");
    expect(await readNumber("MEMORY", "USAGE", ringName(lone))).toBeLessThan(250);
  });

  test("is passed over in a few reads, however much has left, and shrinks when it is used little", async () => {
    const keyId = makeKeyId();
    const lastMs = await fillDay(keyId, "Pro");
    const before = await readNumber("MEMORY", "USAGE", ringName(keyId));
    await link.send("", ["CONFIG", "RESETSTAT"]);
    // All but the last minute's requests have left the day.
    expect(await take(keyId, "Pro", lastMs + DAY_MS - 1)).toMatchObject({ admitted: true, longestCount: 101 });
    expect(await countCalls("getrange")).toBeLessThan(40);
    for (let sent = 0; sent < 100; sent++) await take(keyId, "Pro", lastMs + DAY_MS + sent * 1_000);
    expect(await readNumber("MEMORY", "USAGE", ringName(keyId))).toBeLessThan(before / 4);
    expect(await take(keyId, "Pro", lastMs + DAY_MS + 100_000)).toMatchObject({ longestCount: 102 });
  });

  test("reads its head and writes it, and next to nothing else", async () => {
    const keyId = makeKeyId();
    for (let sent = 0; sent < 100; sent++) await take(keyId, "Enterprise");
    await link.send("", ["CONFIG", "RESETSTAT"]);
    for (let sent = 0; sent < 80; sent++) await take(keyId, "Enterprise");
    expect(await countCalls("getrange")).toBeLessThanOrEqual(84);
    expect((await countCalls("setrange")) + (await countCalls("set"))).toBeLessThanOrEqual(92);
    expect(await countCalls("time")).toBeLessThanOrEqual(3);
  });

  test("writes down its last use once a minute at most", async () => {
    const keyId = makeKeyId();
    for (let second = 0; second < 180; second++) await take(keyId, "Enterprise", START_MS + second * 1_000);
    expect(await readNumber("GET", lastUseName(keyId))).toBe(START_MS + 120_000);
    expect(await readNumber("PEXPIRETIME", ringName(keyId))).toBe(START_MS + 120_000 + DAY_MS + MINUTE_MS);
  });

  test("starts anew where what stands under its name is no ring", async () => {
    const keyId = makeKeyId();
    await talkToRedis(redis.port, `SET ${ringName(keyId)} hello`);
    expect(await take(keyId, "Free")).toMatchObject({ admitted: true, longestCount: 1 });
  });
});
