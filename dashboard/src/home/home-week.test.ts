import type { ScheduleEntry } from "@lineup/api/schedule";
import { expect, test } from "vitest";
import { findWeek } from "./home-week.ts";

const NOON = new Date(2026, 2, 28, 12).getTime();
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function event(title: string, startsAt: number, status: ScheduleEntry["status"] = "scheduled"): ScheduleEntry {
  return { title, startsAt, status } as ScheduleEntry;
}

test("shows today, over or not, and seven days on", () => {
  const week = findWeek(
    [
      event("yesterday", NOON - DAY_MS),
      event("live since yesterday", NOON - 13 * HOUR_MS, "live"),
      event("this morning", NOON - 6 * HOUR_MS, "completed"),
      event("tonight", NOON + 8 * HOUR_MS),
      event("tomorrow", NOON + DAY_MS),
      event("in a week", NOON + 7 * DAY_MS),
      event("in eight days", NOON + 8 * DAY_MS + HOUR_MS),
    ],
    NOON,
  );
  expect(week.map(({ event: { title }, isToday }) => [title, isToday])).toEqual([
    ["live since yesterday", true],
    ["this morning", true],
    ["tonight", true],
    ["tomorrow", false],
    ["in a week", false],
  ]);
});

test("leaves out what was cancelled, and what was put off without a new date", () => {
  const events = [
    event("cancelled", NOON + HOUR_MS, "cancelled"),
    event("put off", NOON - HOUR_MS, "postponed"),
    event("put off until tonight", NOON + HOUR_MS, "postponed"),
  ];
  expect(findWeek(events, NOON).map(({ event: { title } }) => title)).toEqual(["put off until tonight"]);
});
