import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_MS, MINUTE_MS, TIER_NAMES, TIERS, type Tier } from "@lineup/api/tiers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { drillCount } from "../../test/drill-count.ts";
import { type ExpectedVerdict, type ExpectedWindow, TimestampList } from "../../test/limits/timestamp-list.ts";
import { ManualClock } from "../../test/manual-clock.ts";
import { canStart } from "../../test/services/provided-services.ts";
import { type OwnRedis, startOwnRedis, talkToRedis } from "../../test/services/redis.ts";
import { MemoryLimiter } from "./memory-limiter.ts";
import { connectToRedis, type RedisLink } from "./redis-link.ts";
import { countKey } from "./redis-scripts.ts";
import { keyVerdict, type Verdict, type WindowState } from "./windows.ts";

interface Amounts {
  /** More of the small tiers, whose both windows every schedule can fill; 10,000 in all. */
  readonly schedules: Readonly<Record<Tier, number>>;
  /** Every so many schedules of a tier first fill the whole day, which takes as many requests as the tier allows. */
  readonly fillDayEvery: Readonly<Record<Tier, number>>;
  /** What a tier is changed to, by chance. */
  readonly changes: readonly [Tier, ...Tier[]];
  /** Schedules on which the intervals are counted, each beginning with a full day. */
  readonly intervals: number;
}

const IN_MEMORY: Amounts = {
  schedules: { Free: 4_500, Basic: 3_500, Pro: 1_500, Enterprise: 500 },
  fillDayEvery: { Free: 2, Basic: 10, Pro: 60, Enterprise: 125 },
  changes: TIER_NAMES,
  intervals: 400,
};
/** Of the schedules below: all, or a part of them. */
const SHARE = drillCount("windows-oracle", 400, 10_000) / 10_000;

/** A request to Redis takes ten times as long as one in the process, so there are fewer to a schedule. */
const IN_REDIS: Amounts = {
  schedules: { Free: 7_200, Basic: 2_400, Pro: 320, Enterprise: 80 },
  fillDayEvery: { Free: 6, Basic: 120, Pro: 80, Enterprise: 20 },
  changes: ["Free", "Free", "Free", "Free", "Free", "Free", "Basic", "Basic", "Basic", "Pro", "Enterprise"],
  intervals: 60,
};
const RESTART_EVERY = 250;

function createRandom(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  const pick = <Item>(items: readonly [Item, ...Item[]]): Item => items[below(items.length)] ?? items[0];
  return { below, pick };
}

/** One key, the oracle that follows it, and the hands that move the clock. */
class Schedule {
  readonly #name: string;
  readonly #random: ReturnType<typeof createRandom>;
  readonly #world: World;
  readonly oracle = new TimestampList();
  /** True time, which no jump of the wall clock and no restart touches. */
  nowMs = 0;
  tier: Tier;
  isTierFixed = false;
  readonly #firstTier: Tier;
  /** On the tier it began with, by the windows that were full. */
  readonly refusals = { minute: 0, day: 0, both: 0 };

  constructor(world: World, seed: number, tier: Tier) {
    this.#name = `key_${tier}_${seed}`;
    this.#random = createRandom(seed);
    this.#world = world;
    this.tier = tier;
    this.#firstTier = tier;
  }

  advance(ms: number): void {
    this.nowMs += ms;
    this.#world.advance(ms);
  }

  take(): ExpectedVerdict {
    const expected = this.oracle.take(this.nowMs, this.tier);
    this.#world.take({ name: this.#name, tier: this.tier, nowMs: this.nowMs, expected });
    if (!expected.admitted && this.tier === this.#firstTier) {
      const isMinuteFull = expected.minute.remaining === 0;
      const isDayFull = expected.day.remaining === 0;
      this.refusals[isMinuteFull && isDayFull ? "both" : isDayFull ? "day" : "minute"]++;
    }
    return expected;
  }

  peek(): ExpectedVerdict {
    const expected = this.oracle.peek(this.nowMs, this.tier);
    this.#world.peek({ name: this.#name, tier: this.tier, nowMs: this.nowMs, expected });
    return expected;
  }

  burst(size: number): void {
    for (let sent = 0; sent < size; sent++) this.take();
  }

  /** As fast as the minute allows, beginning with the remainder, so that at its end the minute is full as well. */
  fillDay(): void {
    const { perMinute, perDay } = TIERS[this.tier];
    this.burst(perDay % perMinute);
    while (this.oracle.count("day", this.nowMs) < perDay) {
      this.advance(MINUTE_MS - this.#random.pick([0, 0, 0, 1]));
      this.burst(perMinute);
    }
    this.burst(3);
    this.advance(this.#random.pick([0, MINUTE_MS]));
    this.burst(3);
  }

  /** To the very moment at which a counted admission leaves its window, or a millisecond beside it. */
  goToEdge(): void {
    const name = this.#random.pick(["minute", "day"] as const);
    const count = this.oracle.count(name, this.nowMs);
    const index = this.#random.pick([0, 0, count - 1, this.#random.below(Math.max(1, count))]);
    const time = this.oracle.countedTime(name, index, this.nowMs);
    if (time === undefined) return;
    const edgeMs = time + (name === "minute" ? MINUTE_MS : DAY_MS);
    this.advance(Math.max(0, edgeMs - this.nowMs + this.#random.pick([-1, 0, 0, 1])));
  }

  /** A client that never waits: refused all the way to the announced reset, and admitted at it. */
  hammer(): void {
    let verdict = this.peek();
    for (let tries = 0; tries < 20 && !verdict.admitted; tries++) {
      const freesInMs = verdict[verdict.governing].resetInMs;
      this.advance(tries < 5 ? this.#random.below(freesInMs) : freesInMs - 1);
      verdict = this.take();
      if (verdict.admitted) throw new Error(`${this.#name}: admitted before its reset`);
      if (tries < 5) continue;
      this.advance(1);
      verdict = this.take();
      if (!verdict.admitted) throw new Error(`${this.#name}: refused at its reset`);
    }
  }

  step(): void {
    const { below, pick } = this.#random;
    const { perMinute } = TIERS[this.tier];
    const act = below(100);
    if (act < 25) this.burst(pick([1, 2, below(perMinute), perMinute - 1, perMinute, perMinute + 2]));
    else if (act < 50) this.goToEdge();
    else if (act < 58) this.advance(pick([0, 1, below(1_000), below(MINUTE_MS), MINUTE_MS, below(DAY_MS / 4), DAY_MS]));
    else if (act < 70) {
      for (let sent = below(20); sent >= 0; sent--) {
        this.take();
        this.advance(below(pick([2, 100, 10_000])));
      }
    } else if (act < 78) this.hammer();
    else if (act < 84) this.tier = this.isTierFixed ? this.tier : pick(this.#world.amounts.changes);
    else if (act < 94) this.#world.jumpWall(pick([1, -1, below(5_000), -below(DAY_MS), below(3 * DAY_MS), -DAY_MS]));
    else this.peek();
    this.take();
  }

  /** In no interval of a window's length are more than the limit admitted. */
  checkIntervals(): void {
    const { perMinute, perDay } = TIERS[this.tier];
    const { times } = this.oracle;
    for (const [limit, windowMs] of [
      [perMinute, MINUTE_MS],
      [perDay, DAY_MS],
    ] as const) {
      times.forEach((time, index) => {
        const limitLater = times[index + limit];
        if (limitLater !== undefined && limitLater - time < windowMs)
          throw new Error(`${this.#name}: too many in ${windowMs} ms`);
      });
    }
  }
}

/** A request of a schedule, and what must come of it. */
interface Asked {
  readonly name: string;
  readonly tier: Tier;
  /** True time, which begins anew with every schedule. */
  readonly nowMs: number;
  readonly expected: ExpectedVerdict;
}

function compare(actual: Verdict, asked: Asked, wallMs: number): void {
  const [minute, day] = actual.windows;
  const { expected } = asked;
  const agrees =
    actual.admitted === expected.admitted &&
    actual.windows.length === 2 &&
    isSame(minute, expected.minute, wallMs) &&
    isSame(day, expected.day, wallMs) &&
    actual.governing === (expected.governing === "minute" ? minute : day);
  if (!agrees) expect({ ...asked, actual }).toEqual(expected);
}

function isSame(actual: WindowState | undefined, expected: ExpectedWindow, wallMs: number) {
  return (
    actual !== undefined &&
    actual.name === expected.name &&
    actual.limit === expected.limit &&
    actual.remaining === expected.remaining &&
    actual.resetInMs === expected.resetInMs &&
    actual.resetAtMs === wallMs + expected.resetInMs
  );
}

/** One engine serves all schedules, each with a key of its own. */
interface World {
  readonly amounts: Amounts;
  advance(ms: number): void;
  jumpWall(ms: number): void;
  take(asked: Asked): void;
  peek(asked: Asked): void;
  /** In the midst of a schedule. */
  restart(monotonicMs: number): void;
  /** Between two schedules; all that was asked is compared when it is over. */
  pause(number: number): Promise<void> | void;
  end(): Promise<void> | void;
}

/** Now and then it is stopped and started. */
class MemoryWorld implements World {
  readonly amounts = IN_MEMORY;
  readonly #folder = mkdtempSync(join(tmpdir(), "lineup-oracle-"));
  #clock = new ManualClock();
  #limiter: MemoryLimiter = this.#open();

  advance(ms: number): void {
    this.#clock.advance(ms);
  }

  jumpWall(ms: number): void {
    this.#clock.jumpWall(ms);
  }

  take(asked: Asked): void {
    compare(this.#limiter.take(asked.name, asked.tier), asked, this.#clock.wallMs());
  }

  peek(asked: Asked): void {
    compare(this.#limiter.peek(asked.name, asked.tier), asked, this.#clock.wallMs());
  }

  /** A new process, whose monotonic clock begins anywhere. */
  restart(monotonicMs: number): void {
    this.#limiter.close();
    this.#clock = new ManualClock(this.#clock.wallMs(), monotonicMs);
    this.#limiter = this.#open();
  }

  pause(number: number): void {
    if (number % 20 === 0) this.#limiter.flush();
  }

  end(): void {
    this.#limiter.close();
    rmSync(this.#folder, { recursive: true });
  }

  #open(): MemoryLimiter {
    return new MemoryLimiter({ file: join(this.#folder, "limits.sqlite"), clock: this.#clock });
  }
}

/** Redis's clock cannot be set, so the script is told the time; there is nothing to restart, and nobody to jump. */
class RedisWorld implements World {
  readonly amounts = IN_REDIS;
  readonly #redis: OwnRedis;
  readonly #link: RedisLink;
  readonly #asked: { readonly how: "take" | "peek"; readonly asked: Asked }[] = [];
  /** Lists hold times modulo 2^31: every schedule comes to where they begin anew. Not before now, or keys would expire. */
  readonly #startMs = Math.ceil((Date.now() + DAY_MS) / 2 ** 31) * 2 ** 31 - DAY_MS / 2;

  private constructor(redis: OwnRedis, link: RedisLink) {
    this.#redis = redis;
    this.#link = link;
  }

  static async start(): Promise<RedisWorld> {
    const redis = await startOwnRedis();
    return new RedisWorld(redis, await connectToRedis(redis.url, 5_000));
  }

  advance(): void {}

  jumpWall(): void {}

  restart(): void {}

  take(asked: Asked): void {
    this.#asked.push({ how: "take", asked });
  }

  peek(asked: Asked): void {
    this.#asked.push({ how: "peek", asked });
  }

  async pause(): Promise<void> {
    if (this.#asked.length < 5_000) return;
    await this.#settle();
    await talkToRedis(this.#redis.port, "FLUSHDB");
  }

  async end(): Promise<void> {
    await this.#settle();
    this.#link.destroy();
    await this.#redis.stop();
  }

  /** Many at once, but not more than the client lets wait. */
  async #settle(): Promise<void> {
    const all = this.#asked.splice(0);
    for (let start = 0; start < all.length; start += 10_000) {
      await Promise.all(all.slice(start, start + 10_000).map(({ how, asked }) => this.#check(how, asked)));
    }
  }

  async #check(how: "take" | "peek", asked: Asked): Promise<void> {
    const wallMs = this.#startMs + asked.nowMs;
    const { admitted, nowMs, minute, day } = await countKey(this.#link, how, asked.name, asked.tier, wallMs);
    compare(keyVerdict(admitted, TIERS[asked.tier], minute, day, nowMs), asked, nowMs === wallMs ? wallMs : Number.NaN);
  }
}

describe.each([
  { engine: "in the process", start: () => new MemoryWorld(), isMissing: false },
  { engine: "in Redis", start: () => RedisWorld.start(), isMissing: !canStart("redis") },
])("the windows $engine and a plain list of timestamps agree on every request", ({ start, isMissing }) => {
  let world: World;
  beforeAll(async () => {
    if (!isMissing) world = await start();
  });
  afterAll(() => world?.end());

  test.skipIf(isMissing).each(TIER_NAMES)("in random schedules that begin on the %s tier", async (tier) => {
    const refusals = { minute: 0, day: 0, both: 0 };
    for (let number = 0; number < world.amounts.schedules[tier] * SHARE; number++) {
      const seed = number * 4 + TIER_NAMES.indexOf(tier);
      const random = createRandom(~seed);
      const schedule = new Schedule(world, seed, tier);
      if (number % world.amounts.fillDayEvery[tier] === 0) schedule.fillDay();
      const steps = 4 + random.below(tier === "Free" || tier === "Basic" ? 16 : 6);
      for (let step = 0; step < steps; step++) {
        schedule.step();
        if (step === 2 && number % RESTART_EVERY === 0) world.restart(random.below(2 ** 34));
      }
      await world.pause(number);
      refusals.minute += schedule.refusals.minute;
      refusals.day += schedule.refusals.day;
      refusals.both += schedule.refusals.both;
    }
    // Schedules that never met a full window would prove nothing.
    for (const count of Object.values(refusals)) expect(count).toBeGreaterThan(10 * SHARE);
  });

  test.skipIf(isMissing)("and in no interval of a window's length are more than the limit admitted", async () => {
    for (let seed = 0; seed < world.amounts.intervals * SHARE; seed++) {
      const schedule = new Schedule(world, 1_000_000 + seed, seed % 4 === 0 ? "Basic" : "Free");
      schedule.isTierFixed = true;
      schedule.fillDay();
      for (let step = 0; step < 40; step++) schedule.step();
      schedule.checkIntervals();
      await world.pause(seed);
    }
  });
});
