import { ASSUMED_DURATION_MS, type ScheduleEntry } from "@lineup/api/schedule";
import { expect, test } from "vitest";
import { doOverlap, findClashes, listClashing, listWithin, OPEN_END_MS } from "./event-spans.ts";

const HOUR_MS = 3_600_000;

function makeEvent(id: string, from: number, to: number | null, more: Partial<ScheduleEntry> = {}): ScheduleEntry {
  const times = { startsAt: from * HOUR_MS, endsAt: to === null ? null : to * HOUR_MS };
  return { id, teamId: "team_a", status: "scheduled", ...times, ...more } as ScheduleEntry;
}

const idsOf = (events: readonly ScheduleEntry[]) => events.map(({ id }) => id);
const clashesOf = (...events: ScheduleEntry[]) => findClashes(events).map((clash) => idsOf(clash.events));

test("takes an entry without an end to last as long as the API does", () => {
  expect(OPEN_END_MS).toBe(ASSUMED_DURATION_MS);
  expect(clashesOf(makeEvent("open", 10, null), makeEvent("late", 15, 16))).toEqual([["open", "late"]]);
  expect(clashesOf(makeEvent("open", 10, null), makeEvent("later", 16, 17))).toEqual([]);
});

test("finds what overlaps, and not what follows at once", () => {
  expect(clashesOf(makeEvent("b", 11, 13), makeEvent("a", 10, 12))).toEqual([["a", "b"]]);
  expect(clashesOf(makeEvent("a", 10, 12), makeEvent("b", 12, 13))).toEqual([]);
  expect(clashesOf(makeEvent("whole", 8, 20), makeEvent("short", 9, 10), makeEvent("inside", 18, 19))).toEqual([
    ["whole", "short", "inside"],
  ]);
});

test("an entry of no length clashes with what is at that moment", () => {
  expect(doOverlap(makeEvent("a", 10, 10), makeEvent("b", 10, 12))).toBe(true);
  expect(doOverlap(makeEvent("a", 10, 10), makeEvent("b", 10, 10))).toBe(true);
  expect(doOverlap(makeEvent("a", 12, 12), makeEvent("b", 10, 12))).toBe(false);
});

test("another team, no team, a cancelled and a postponed entry clash with nothing", () => {
  const one = makeEvent("one", 10, 12);
  for (const more of [
    { teamId: "team_b" },
    { teamId: null },
    { status: "cancelled" },
    { status: "postponed" },
  ] as const) {
    expect(clashesOf(one, makeEvent("other", 10, 12, more))).toEqual([]);
  }
  expect(clashesOf(one, makeEvent("played", 11, 12, { status: "completed" }))).toHaveLength(1);
  const noTeam = { teamId: null };
  expect(clashesOf(makeEvent("a", 10, 12, noTeam), makeEvent("b", 10, 12, noTeam))).toEqual([]);
});

test("says of one entry only those that it overlaps itself", () => {
  const [a, b, c] = [makeEvent("a", 9, 11), makeEvent("b", 10, 13), makeEvent("c", 12, 14)];
  const clashes = findClashes([a, b, c]);
  expect(clashes).toHaveLength(1);
  expect(idsOf(listClashing(a, clashes))).toEqual(["b"]);
  expect(idsOf(listClashing(b, clashes))).toEqual(["a", "c"]);
  expect(listClashing(makeEvent("d", 9, 11), clashes)).toEqual([]);
});

test("finds the same as comparing each with each, in random schedules", () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  for (let round = 0; round < 200; round += 1) {
    const events = Array.from({ length: 12 }, (_, index) => {
      const from = random(60);
      return makeEvent(String(index), from, random(5) === 0 ? null : from + random(8), {
        teamId: ["team_a", "team_b", null][random(3)] ?? null,
        status: (["scheduled", "completed", "cancelled", "live"] as const)[random(4)] ?? "scheduled",
      });
    });
    const expected = events.filter((one) =>
      events.some(
        (other) =>
          one !== other &&
          one.teamId !== null &&
          one.teamId === other.teamId &&
          one.status !== "cancelled" &&
          other.status !== "cancelled" &&
          doOverlap(one, other),
      ),
    );
    const found = findClashes(events).flatMap((clash) => idsOf(clash.events));
    expect(new Set(found)).toEqual(new Set(idsOf(expected)));
  }
});

test("two thousand entries of one team at once are found in no time", () => {
  const events = Array.from({ length: 2000 }, (_, index) => makeEvent(String(index), index % 40, (index % 40) + 30));
  const before = performance.now();
  expect(findClashes(events)).toHaveLength(1);
  expect(performance.now() - before).toBeLessThan(200);
});

test("lists what begins, lasts or ends in a span, soonest first", () => {
  const events = [
    makeEvent("inside", 12, 13),
    makeEvent("before", 8, 10),
    makeEvent("into", 9, 11),
    makeEvent("over", 5, 30),
    makeEvent("open", 5, null),
    makeEvent("moment", 10, 10),
    makeEvent("after", 20, 21),
  ];
  const span = { from: 10 * HOUR_MS, until: 20 * HOUR_MS };
  expect(idsOf(listWithin(events, span))).toEqual(["over", "open", "into", "moment", "inside"]);
});
