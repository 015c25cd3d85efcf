import { DAY_MS, MINUTE_MS, TIERS, type Tier } from "@lineup/api/tiers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canStart } from "../../test/services/provided-services.ts";
import { type OwnRedis, startOwnRedis, talkToRedis } from "../../test/services/redis.ts";
import { connectToRedis, type RedisLink } from "./redis-link.ts";
import { laneName, lastUseName, ringName } from "./redis-ring-layout.ts";
import { TAKE_SCRIPTS } from "./redis-ring-script.ts";
import { TakePipe } from "./redis-take-pipe.ts";
import { type LaneHolder, type RingReading, takePlace } from "./redis-take-place.ts";

/** Keys expire on Redis's clock, so the times that scripts are told begin where it is. */
const START_MS = Date.now();

describe.skipIf(!canStart("redis"))("A ring in Redis", () => {
  let redis: OwnRedis;
  let link: RedisLink;
  let pipe: TakePipe;
  const holders = new Map<string, LaneHolder>();
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

  /** Nodes remember lanes, each for itself. */
  function holderOf(keyId: string, node: string): LaneHolder {
    const holder = holders.get(keyId + node) ?? { lane: undefined };
    holders.set(keyId + node, holder);
    return holder;
  }

  function take(keyId: string, tier: Tier, nowMs?: number, node = "a"): Promise<RingReading> {
    return takePlace(link, keyId, tier, holderOf(keyId, node), nowMs);
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

  async function readMemory(keyId: string): Promise<number> {
    const usage = (name: string) => readNumber("MEMORY", "USAGE", name);
    return (await usage(ringName(keyId))) + (await usage(laneName(keyId)));
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
    for (let sent = 2; sent < 10; sent++) {
      const still = await take(keyId, "Free", START_MS + sent * MINUTE_MS, sent % 2 === 0 ? "a" : "b");
      expect(still).toMatchObject({
        admitted: true,
        nowMs: START_MS + 3_600_000,
        minuteCount: sent + 1,
        minuteAgeMs: 0,
      });
    }
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
    expect(await readMemory(keyId)).toBeLessThan(500_000);
    const lone = makeKeyId();
    await take(lone, "Enterprise");
    expect(await readMemory(lone)).toBeLessThan(250);
  });

  test("is passed over in a few reads, however much has left, and shrinks when it is used little", async () => {
    const keyId = makeKeyId();
    const lastMs = await fillDay(keyId, "Pro");
    const before = await readMemory(keyId);
    await link.send("", ["CONFIG", "RESETSTAT"]);
    // All but the last minute's requests have left the day.
    expect(await take(keyId, "Pro", lastMs + DAY_MS - 1)).toMatchObject({ admitted: true, longestCount: 101 });
    expect(await countCalls("getrange")).toBeLessThan(40);
    for (let sent = 0; sent < 100; sent++) await take(keyId, "Pro", lastMs + DAY_MS + sent * 1_000);
    expect(await readMemory(keyId)).toBeLessThan(before / 4);
    expect(await take(keyId, "Pro", lastMs + DAY_MS + 100_000)).toMatchObject({ longestCount: 102 });
  });

  test("looks at the ticket, the time and the end of a lane while nothing leaves, and next to nothing else", async () => {
    const keyId = makeKeyId();
    for (let sent = 0; sent < 100; sent++) await take(keyId, "Enterprise");
    await link.send("", ["CONFIG", "RESETSTAT"]);
    for (let sent = 0; sent < 80; sent++) await take(keyId, "Enterprise");
    const names = ["getrange", "pttl", "append", "set", "setrange", "get", "time", "unlink"];
    const calls = await Promise.all(names.map(countCalls));
    expect(calls).toEqual([80, 80, 80, 0, 0, 0, 0, 0]);
  });

  test("shows its head to a node that holds the ticket of an earlier lane, or none, and counts the request once", async () => {
    const keyId = makeKeyId();
    for (let sent = 0; sent < 5; sent++) await take(keyId, "Basic", START_MS + sent, "a");
    expect(await take(keyId, "Basic", START_MS + 5, "b")).toMatchObject({ admitted: true, minuteCount: 6 });
    const [early, late] = [holderOf(keyId, "a"), holderOf(keyId, "b")];
    expect(early.lane?.ticket).toEqual(late.lane?.ticket);
    // By then the first has left, and the lane is over.
    for (let sent = 0; sent < 3; sent++) await take(keyId, "Basic", START_MS + MINUTE_MS + 30_000 + sent, "b");
    expect(early.lane?.ticket).not.toEqual(late.lane?.ticket);
    expect(await take(keyId, "Basic", START_MS + MINUTE_MS + 30_003, "a")).toMatchObject({
      admitted: true,
      minuteCount: 4,
      longestCount: 10,
    });
    expect(early.lane?.ticket).toEqual(late.lane?.ticket);
  });

  test("closes the lane of one tier when another's request comes, and admits no more than the lower allows", async () => {
    const keyId = makeKeyId();
    for (let sent = 0; sent < 9; sent++) await take(keyId, "Enterprise", START_MS + sent);
    expect(holderOf(keyId, "a").lane?.tier).toBe("Enterprise");
    expect(await take(keyId, "Free", START_MS + 9)).toMatchObject({ admitted: true, minuteCount: 10 });
    expect(await readNumber("EXISTS", laneName(keyId))).toBe(0);
    expect(await take(keyId, "Free", START_MS + 10)).toMatchObject({ admitted: false, minuteCount: 10 });
    expect(await take(keyId, "Enterprise", START_MS + 11)).toMatchObject({ admitted: true, minuteCount: 11 });
  });

  test("counts as lost where its lane was lost, so that nodes notice", async () => {
    const keyId = makeKeyId();
    for (let sent = 0; sent < 20; sent++) await take(keyId, "Basic", START_MS + sent);
    await link.send("", ["DEL", laneName(keyId)]);
    expect(await take(keyId, "Basic", START_MS + 20)).toMatchObject({
      admitted: true,
      minuteCount: 1,
      longestCount: 1,
    });
  });

  test("writes down its last use once a minute at most", async () => {
    const keyId = makeKeyId();
    for (let second = 0; second < 180; second++) await take(keyId, "Enterprise", START_MS + second * 1_000);
    expect(await readNumber("GET", lastUseName(keyId))).toBe(START_MS + 122_000);
    expect(await readNumber("PEXPIRETIME", ringName(keyId))).toBe(START_MS + 122_000 + DAY_MS + MINUTE_MS);
  });

  test("starts anew where what stands under its name is no ring", async () => {
    const keyId = makeKeyId();
    await talkToRedis(redis.port, `SET ${ringName(keyId)} hello`);
    expect(await take(keyId, "Free")).toMatchObject({ admitted: true, longestCount: 1 });
    await talkToRedis(redis.port, `SET ${ringName(keyId)} ${"hello".repeat(40)}`);
    expect(await take(keyId, "Free")).toMatchObject({ admitted: true, longestCount: 1 });
  });
});
