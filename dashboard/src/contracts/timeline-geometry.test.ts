import { expect, test } from "vitest";
import { layOutBars, listTicks } from "./timeline-geometry.ts";

const DAY = 86_400_000;
const FROM = Date.UTC(2026, 0, 1);
const WINDOW = { from: FROM, to: FROM + 100 * DAY };
const NOW = FROM + 50 * DAY;

function contract(from: number, to: number | null, more: object = {}) {
  const base = { status: "active" as const, terminatedAt: null, noticePeriodDays: null };
  return { ...base, startDate: FROM + from * DAY, endDate: to === null ? null : FROM + to * DAY, ...more };
}

const layOut = (...contracts: ReturnType<typeof contract>[]) => layOutBars(contracts, WINDOW, NOW, 5);

test("a bar stands where its days are", () => {
  expect(layOut(contract(10, 40))).toMatchObject([
    { left: 10, width: 30, track: 0, startsInside: true, endsInside: true },
  ]);
});

test("what lies outside is cut at the edge, and an open end goes to it", () => {
  expect(layOut(contract(-50, 20))).toMatchObject([{ left: 0, width: 20, startsInside: false, endsInside: true }]);
  expect(layOut(contract(80, null))).toMatchObject([{ left: 80, width: 20, startsInside: true, endsInside: false }]);
});

test("what is not in sight at all is a stub that can be pressed", () => {
  expect(layOut(contract(-50, -20))).toMatchObject([
    { left: 0, width: 5, startsInside: false, endsInside: false, beyond: "before" },
  ]);
  expect(layOut(contract(120, 150))).toMatchObject([{ left: 95, width: 5, beyond: "after" }]);
});

test("a terminated contract ends where it was terminated", () => {
  expect(layOut(contract(10, 90, { status: "terminated", terminatedAt: FROM + 30 * DAY }))).toMatchObject([
    { left: 10, width: 20, endsInside: true },
  ]);
});

test("bars that touch each other stand on tracks of their own; one that follows goes on beside its forerunner", () => {
  const tracks = layOut(contract(0, 30), contract(20, 60), contract(30, 90)).map(({ track }) => track);
  expect(tracks).toEqual([0, 1, 0]);
});

test("shows in which part of an active contract it is too late for notice", () => {
  expect(layOut(contract(10, 60, { noticePeriodDays: 20 }))).toMatchObject([{ notice: { left: 40, width: 20 } }]);
  expect(layOut(contract(10, 60, { noticePeriodDays: 90 }))).toMatchObject([{ notice: { left: 10, width: 50 } }]);
  expect(layOut(contract(10, 40, { noticePeriodDays: 20 }))).toMatchObject([{ notice: null }]);
  expect(layOut(contract(10, 60, { noticePeriodDays: 0 }))).toMatchObject([{ notice: null }]);
});

test("ticks are the beginnings of months, and of fewer where there is much to show", () => {
  const year = { from: Date.UTC(2026, 0, 15), to: Date.UTC(2027, 0, 15) };
  const ticks = listTicks(year);
  expect(ticks).toHaveLength(12);
  expect(ticks[0]?.at).toBe(Date.UTC(2026, 1, 1));
  expect(ticks.at(-1)).toMatchObject({ at: Date.UTC(2027, 0, 1), isYear: true });
  const decade = { from: Date.UTC(2020, 5, 1), to: Date.UTC(2030, 5, 1) };
  expect(listTicks(decade).every(({ isYear }) => isYear)).toBe(true);
  expect(listTicks(decade).length).toBeLessThanOrEqual(16);
});
