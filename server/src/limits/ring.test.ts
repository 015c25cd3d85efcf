import { DAY_MS, MINUTE_MS, TIER_NAMES, TIERS } from "@lineup/api/tiers";
import { describe, expect, test } from "vitest";
import { AdmissionRing } from "./ring.ts";

function fill(ring: AdmissionRing, count: number, fromMs: number, everyMs: number): number {
  for (let index = 0; index < count; index++) ring.push(fromMs + index * everyMs);
  return fromMs + (count - 1) * everyMs;
}

describe("a ring of admissions", () => {
  test("counts an admission until its window has passed, and not at that very moment", () => {
    const ring = new AdmissionRing();
    ring.push(1_000);
    ring.advance(1_000 + MINUTE_MS - 1);
    expect([ring.minuteCount, ring.length]).toEqual([1, 1]);
    ring.advance(1_000 + MINUTE_MS);
    expect([ring.minuteCount, ring.length]).toEqual([0, 1]);
    ring.advance(1_000 + DAY_MS - 1);
    expect(ring.length).toBe(1);
    ring.advance(1_000 + DAY_MS);
    expect(ring.length).toBe(0);
    expect(ring.newestMs).toBe(1_000);
  });

  test.each([0, -40_000, 2 ** 32 - 30_000, 5 * 2 ** 32 - 100, 2 ** 50])("is exact from %d on", (fromMs) => {
    const ring = new AdmissionRing();
    fill(ring, 50, fromMs, 2_000);
    const nowMs = fromMs + 99_999;
    ring.advance(nowMs);
    expect([ring.length, ring.minuteCount]).toEqual([50, 30]);
    expect(ring.ageMs(0, nowMs)).toBe(99_999);
    expect(ring.minuteAgeMs(0, nowMs)).toBe(59_999);
    ring.advance(fromMs + DAY_MS + 2_000);
    expect(ring.length).toBe(48);
  });

  test("left alone for months is empty, though 32 bits of its times have come round", () => {
    const ring = new AdmissionRing();
    ring.push(0);
    ring.advance(2 ** 32 + 5);
    expect(ring.length).toBe(0);
  });

  test.each(TIER_NAMES)("that a %s key has filled takes less than 8 bytes a request", (tier) => {
    const ring = new AdmissionRing();
    fill(ring, TIERS[tier].perDay, 0, 1);
    expect(ring.bytes / TIERS[tier].perDay).toBeLessThan(8);
  });

  test("costs 32 bytes for a key that has done little, and gives back what it no longer needs", () => {
    const ring = new AdmissionRing();
    expect(ring.bytes).toBe(32);
    const lastMs = fill(ring, 100_000, 0, 800);
    expect(ring.bytes).toBe(512 * 1024);
    const nowMs = lastMs + DAY_MS - 8_000;
    ring.advance(nowMs);
    expect([ring.length, ring.bytes]).toEqual([10, 128]);
    expect(ring.ageMs(9, nowMs)).toBe(nowMs - lastMs);
    ring.advance(lastMs + DAY_MS);
    expect(ring.bytes).toBe(32);
  });

  test("keeps its order through growing and shrinking at any place of its head", () => {
    const ring = new AdmissionRing();
    let nowMs = 0;
    const list: number[] = [];
    for (const stepMs of [6_000, 500, 90, 2_000, 20, 59_000, 700]) {
      for (let index = 0; index < 700; index++) {
        nowMs += (stepMs + (index % 3)) * 1_440;
        ring.advance(nowMs);
        ring.push(nowMs);
        list.push(nowMs);
        while ((list[0] ?? nowMs) + DAY_MS <= nowMs) list.shift();
        expect(ring.length).toBe(list.length);
        expect(nowMs - ring.ageMs(0, nowMs)).toBe(list[0]);
        expect(ring.bytes).toBeLessThanOrEqual(Math.max(32, list.length * 16));
      }
    }
  });
});
