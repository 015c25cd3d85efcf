import type { KeyView } from "@lineup/api/dashboard/keys";
import { describe, expect, it } from "vitest";
import { findTypedDay, firstDay, resolveExpiry } from "./key-expiry.ts";
import { isProven, listEndingKeys } from "./key-states.ts";
import { filterKeys } from "./keys-search.ts";
import { readLocalTime, resolveTimeRange, sayLocalTime } from "./time-range.ts";

const DAY_MS = 86_400_000;
const NOON = new Date(2026, 2, 28, 12).getTime();

describe("when a key ends", () => {
  it("lasts to the end of the chosen day where the viewer is, also on a day on which the clocks change", () => {
    for (const day of ["2026-03-29", "2026-10-25", "2026-12-31"]) {
      const end = resolveExpiry("date", day, NOON);
      expect(typeof end).toBe("number");
      expect(sayLocalTime(end ?? 0)).toBe(`${day}T23:59`);
      expect(sayLocalTime((end ?? 0) + 1).endsWith("T00:00")).toBe(true);
    }
  });

  it("refuses today, the past and no day at all", () => {
    expect(resolveExpiry("date", "2026-03-28", NOON)).toBeUndefined();
    expect(resolveExpiry("date", "2025-01-01", NOON)).toBeUndefined();
    expect(resolveExpiry("date", "nonsense", NOON)).toBeUndefined();
    expect(resolveExpiry("date", null, NOON)).toBeUndefined();
    expect(firstDay(NOON)).toBe("2026-03-29");
  });

  it("reads a typed day as it is shown or in ISO form, and guesses at nothing else", () => {
    for (const text of ["2027-03-01", "1 March 2027", " 01  mar 2027 "]) expect(findTypedDay(text)).toBe("2027-03-01");
    for (const text of [
      "",
      "01/03/2027",
      "March 1 2027",
      "1 Marc 2027",
      "1 March 27",
      "31 June 2027",
      "2027-02-29",
      "5",
    ]) {
      expect(findTypedDay(text), text).toBeUndefined();
    }
  });

  it("counts days from now, and takes never for never", () => {
    expect(resolveExpiry("30", null, NOON)).toBe(NOON + 30 * DAY_MS);
    expect(resolveExpiry("never", "2026-12-31", NOON)).toBeNull();
  });
});

function makeKey(name: string, more: Partial<KeyView>): KeyView {
  return {
    id: `key_${name}`,
    name,
    shownPrefix: "lineup_live_abcde",
    permissions: ["players:read"],
    state: "active",
    createdBy: "Ada",
    createdAt: NOON,
    expiresAt: null,
    revokedAt: null,
    successorId: null,
    lastUsedAt: NOON,
    recentHours: [],
    ...more,
  };
}

it("says what a key leaves unused only once it has been in use for a week", () => {
  const week = 7 * DAY_MS;
  expect(isProven(makeKey("new", {}), NOON + week - 1)).toBe(false);
  expect(isProven(makeKey("old", {}), NOON + week)).toBe(true);
  expect(isProven(makeKey("idle", { lastUsedAt: null }), NOON + 2 * week)).toBe(false);
});

describe("the list of keys", () => {
  const keys = [
    makeKey("old", { state: "revoked", expiresAt: NOON + DAY_MS }),
    makeKey("later", { expiresAt: NOON + 10 * DAY_MS, state: "expires soon" }),
    makeKey("soon", { expiresAt: NOON + DAY_MS, state: "rate limited" }),
    makeKey("rotated", { expiresAt: NOON + DAY_MS, state: "rotating", successorId: "key_soon" }),
    makeKey("far", { expiresAt: NOON + 15 * DAY_MS }),
  ];

  it("announces those that end within 14 days whatever else they are, and none that ended or has a successor", () => {
    expect(listEndingKeys(keys, NOON).map(({ name }) => name)).toEqual(["soon", "later"]);
  });

  it("shows those that work before those that ended, and finds by every word", () => {
    expect(filterKeys(keys, {}).map(({ name }) => name)).toEqual(["later", "soon", "rotated", "far", "old"]);
    expect(filterKeys(keys, { q: "ADA far" }).map(({ name }) => name)).toEqual(["far"]);
    expect(filterKeys(keys, { state: "working" })).toHaveLength(4);
  });
});

describe("a span of time", () => {
  it("is two moments or one that moves with the clock", () => {
    expect(resolveTimeRange({ range: "15m" }, NOON)).toEqual({ from: NOON - 900_000 });
    expect(resolveTimeRange({ from: 5, to: 6 }, NOON)).toEqual({ from: 5, to: 6 });
  });

  it("is read as it is shown, to the minute", () => {
    expect(readLocalTime(sayLocalTime(NOON))).toBe(NOON);
    expect(readLocalTime("")).toBeUndefined();
    expect(readLocalTime("0002-01-01T00:00")).toBeUndefined();
  });
});
