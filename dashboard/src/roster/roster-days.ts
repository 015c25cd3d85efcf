/** Days in UTC as numbers, which a slider can count. */
import { readDay, writeDay } from "../records/typed-moments.ts";

const DAY_MS = 86_400_000;

/** Days since the epoch, of the day in which the moment lies. */
export function dayNumberOf(at: number): number {
  return Math.floor(at / DAY_MS);
}

/** The day's first moment. */
export function startOfDayNumber(day: number): number {
  return day * DAY_MS;
}

/** Its last one: what changed on that day has changed by then. */
export function endOfDayNumber(day: number): number {
  return startOfDayNumber(day + 1) - 1;
}

/** As the address has it: 2026-03-01. */
export function writeDayNumber(day: number): string {
  return writeDay(startOfDayNumber(day));
}

/** Undefined for what is no day of the calendar. */
export function readDayNumber(text: string): number | undefined {
  const at = readDay(text);
  return at === undefined || writeDay(at) !== text ? undefined : dayNumberOf(at);
}
