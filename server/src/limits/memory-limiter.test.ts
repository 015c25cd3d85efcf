import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_MS, MINUTE_MS, TIERS, type Tier } from "@lineup/api/tiers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../test/manual-clock.ts";
import { MemoryLimiter, waitAfter } from "./memory-limiter.ts";
import { addRateLimitHeaders } from "./windows.ts";

let folder: string;
let clock: ManualClock;
let limiter: MemoryLimiter;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-limits-"));
  clock = new ManualClock();
  limiter = new MemoryLimiter({ file: join(folder, "limits.sqlite"), clock });
});

afterEach(() => {
  limiter.close();
  rmSync(folder, { recursive: true });
});

/** How many of so many requests at this moment are admitted. */
function burst(size: number, tier: Tier, keyId = "key_a"): number {
  let admitted = 0;
  for (let sent = 0; sent < size; sent++) if (limiter.take(keyId, tier).admitted) admitted++;
  return admitted;
}

describe("the windows of a key", () => {
  test.each(["Free", "Basic", "Pro", "Enterprise"] as const)("admit a %s key exactly its limit a minute", (tier) => {
    const { perMinute } = TIERS[tier];
    expect(burst(perMinute + 50, tier)).toBe(perMinute);
    clock.advance(MINUTE_MS - 1);
    expect(burst(1, tier)).toBe(0);
    clock.advance(1);
    expect(burst(perMinute + 50, tier)).toBe(perMinute);
  });

  test("let no burst at the end of one minute be followed by another at the start of the next", () => {
    expect(burst(1, "Basic")).toBe(1);
    clock.advance(MINUTE_MS - 1);
    expect(burst(100, "Basic")).toBe(59);
    clock.advance(1);
    expect(burst(100, "Basic")).toBe(1);
    clock.advance(MINUTE_MS - 2);
    expect(burst(100, "Basic")).toBe(0);
    clock.advance(1);
    expect(burst(100, "Basic")).toBe(59);
  });

  test("let no burst at the end of one day be followed by another at the start of the next", () => {
    burst(1, "Free");
    clock.advance(DAY_MS - 10 * MINUTE_MS);
    for (let minute = 0; minute < 10; minute++) {
      burst(10, "Free");
      clock.advance(MINUTE_MS);
    }
    // Of the hundred only the very first, a day old at this moment, has left.
    expect(burst(10, "Free")).toBe(1);
  });

  test("count no refused request: a client that hammers is admitted as soon as one that waits", () => {
    burst(10, "Free");
    for (let ms = 1; ms < MINUTE_MS; ms += 7) {
      clock.advance(7);
      if (ms + 7 < MINUTE_MS) expect(limiter.take("key_a", "Free").admitted).toBe(false);
    }
    expect(burst(11, "Free")).toBe(10);
    expect(limiter.peek("key_a", "Free").windows[1]?.remaining).toBe(80);
  });

  test("belong to each key alone", () => {
    burst(10, "Free", "key_a");
    expect(burst(11, "Free", "key_b")).toBe(10);
  });

  test("announce at a refusal by both the one that frees last, and admit at that moment", () => {
    for (let minute = 0; minute < 10; minute++) {
      if (minute > 0) clock.advance(MINUTE_MS);
      burst(10, "Free");
    }
    const refused = limiter.take("key_a", "Free");
    expect(refused).toMatchObject({ admitted: false, governing: { name: "day", resetInMs: DAY_MS - 9 * MINUTE_MS } });
    clock.advance(refused.governing.resetInMs - 1);
    expect(limiter.take("key_a", "Free").admitted).toBe(false);
    clock.advance(1);
    expect(limiter.take("key_a", "Free").admitted).toBe(true);
  });

  test("admit those who wait for Retry-After, and those who wait for Reset", () => {
    clock.advance(123);
    burst(10, "Free");
    clock.advance(777);
    const headers: string[] = [];
    addRateLimitHeaders(headers, limiter.take("key_a", "Free"));
    const numberIn = (name: string) => Number(headers[headers.indexOf(name) + 1]);
    const retryMs = numberIn("Retry-After") * 1000;
    const untilResetMs = numberIn("X-RateLimit-Reset") * 1000 - clock.wallMs();
    clock.advance(Math.min(retryMs, untilResetMs));
    expect(limiter.take("key_a", "Free").admitted).toBe(true);
  });
});

describe("a change of tier", () => {
  test("forgets nothing: a raised tier has what is left above the count", () => {
    burst(10, "Free");
    expect(burst(100, "Basic")).toBe(50);
    expect(limiter.peek("key_a", "Basic").windows[1]?.remaining).toBe(940);
  });

  test("below what is counted leaves nothing, and frees when as many have left as leave one place", () => {
    for (let sent = 0; sent < 30; sent++) {
      limiter.take("key_a", "Basic");
      clock.advance(1_000);
    }
    const refused = limiter.take("key_a", "Free");
    // The 21st of 30, sent at 20 s, must leave before nine are left; it is now 30 s.
    expect(refused).toMatchObject({ admitted: false, governing: { name: "minute", remaining: 0, resetInMs: 50_000 } });
    clock.advance(49_999);
    expect(limiter.take("key_a", "Free").admitted).toBe(false);
    clock.advance(1);
    expect(limiter.take("key_a", "Free")).toMatchObject({
      admitted: true,
      windows: [{ remaining: 0 }, { remaining: 69 }],
    });
  });
});

describe("a wall clock that jumps", () => {
  test.each([-DAY_MS, -1, 1, MINUTE_MS, 400 * DAY_MS])(
    "by %d ms admits no request too many and none too few",
    (jumpMs) => {
      burst(10, "Free");
      clock.jumpWall(jumpMs);
      expect(limiter.take("key_a", "Free")).toMatchObject({
        admitted: false,
        governing: { resetInMs: MINUTE_MS, resetAtMs: clock.wallMs() + MINUTE_MS },
      });
      clock.advance(MINUTE_MS);
      expect(burst(11, "Free")).toBe(10);
    },
  );
});

describe("a peek", () => {
  test("at a key nobody has used shows full windows that reset now, and leaves no trace", () => {
    const now = { resetInMs: 0, resetAtMs: clock.wallMs() };
    expect(limiter.peek("key_a", "Free")).toMatchObject({
      admitted: true,
      windows: [
        { name: "minute", remaining: 10, ...now },
        { name: "day", remaining: 100, ...now },
      ],
    });
    expect(limiter.keyCount).toBe(0);
  });

  test("counts nothing", () => {
    burst(3, "Free");
    for (let looked = 0; looked < 20; looked++) limiter.peek("key_a", "Free");
    expect(limiter.peek("key_a", "Free")).toMatchObject({ admitted: true, governing: { remaining: 7 } });
  });
});

describe("memory", () => {
  test("lets go of keys that have been idle for a day, and of no other", () => {
    for (let number = 0; number < 1_000; number++) limiter.take(`key_${number}`, "Free");
    clock.advance(DAY_MS - 1);
    limiter.take("key_7", "Free");
    for (let round = 0; round < 10; round++) limiter.flush();
    expect(limiter.keyCount).toBe(1_000);
    clock.advance(1);
    for (let round = 0; round < 10; round++) limiter.flush();
    expect(limiter.keyCount).toBe(1);
    expect(limiter.peek("key_7", "Free").windows[1]?.remaining).toBe(99);
  });
});

describe("the pause between two flushes", () => {
  test("is what it should be while flushes are short", () => {
    expect([waitAfter(0, 700), waitAfter(50, 700)]).toEqual([700, 600]);
  });

  test("leaves no admission unwritten for a second, however long a flush takes that the disk can keep up with", () => {
    for (let tookMs = 0; tookMs <= 450; tookMs += 10) {
      // Just behind its slice, and written at the end of the next flush, which takes as long again.
      expect(tookMs + waitAfter(tookMs, 700) + tookMs).toBeLessThanOrEqual(900);
    }
    expect(waitAfter(5_000, 700)).toBe(0);
  });
});
