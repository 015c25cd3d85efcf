import { RESOURCES } from "@lineup/api/endpoints";
import { isIdOf, OTHER_KINDS } from "@lineup/api/ids";
import { TypeID } from "typeid-js";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

let makeId: typeof import("./ids.ts").makeId;
// Ids never go back, so what is made here at a later time would hold for all files after this one in the same process.
beforeEach(async () => {
  vi.resetModules();
  ({ makeId } = await import("./ids.ts"));
});
afterEach(() => {
  vi.resetModules();
  vi.useRealTimers();
});

function msOf(id: string): number {
  return Number.parseInt(TypeID.fromString(id).toUUID().replaceAll("-", "").slice(0, 12), 16);
}

function expectStrictlyIncreasing(ids: readonly string[]): void {
  for (let index = 1; index < ids.length; index++) {
    if (!((ids[index - 1] ?? "") < (ids[index] ?? ""))) throw new Error(`${ids[index]} came after ${ids[index - 1]}`);
  }
}

describe("an id", () => {
  test("has its type's prefix and a UUID of version 7 that holds the moment it was made", () => {
    for (const prefix of [...OTHER_KINDS, ...RESOURCES.map(({ kind }) => kind)]) {
      const before = Date.now();
      const id = makeId(prefix);
      expect(id).toMatch(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`));
      expect(isIdOf(prefix, id)).toBe(true);
      expect(TypeID.fromString(id).toUUID()).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      expect(msOf(id)).toBeGreaterThanOrEqual(before);
      expect(msOf(id)).toBeLessThanOrEqual(Date.now());
    }
  });

  test("is greater than every one made before it, thousands in a millisecond", () => {
    const ids = Array.from({ length: 100_000 }, () => makeId("player"));
    expectStrictlyIncreasing(ids);
    expect(new Set(ids.map(msOf)).size).toBeLessThan(50_000);
  });

  test("is greater also when the clock stands still or is set back by years", () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const now = Date.UTC(2040, 0, 1);
    const ids: string[] = [];
    for (const at of [now, now, now - 1, now - 10 * 365 * 86_400_000, 0, now, now + 1]) {
      vi.setSystemTime(at);
      for (let made = 0; made < 1_000; made++) ids.push(makeId("player"));
    }
    expectStrictlyIncreasing(ids);
    expect([msOf(ids[0] ?? ""), msOf(ids.at(-1) ?? "")]).toEqual([now, now + 1]);
  });

  test("cannot be guessed from the one before it, made a moment earlier", () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const tails = new Set<string>();
    for (let ms = 0; ms < 1_000; ms++) {
      vi.setSystemTime(Date.UTC(2041, 0, 1) + ms);
      tails.add(makeId("player").slice(-12));
    }
    expect(tails.size).toBe(1_000);
  });
});
