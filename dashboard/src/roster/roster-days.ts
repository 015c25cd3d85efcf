/** Days of the viewer's calendar as numbers, which a slider can count. */
import { readDay, writeDay } from "../records/typed-moments.ts";

const DAY_MS = 86_400_000;

/** Days since the epoch, of the viewer's calendar day in which the moment lies. */
export function dayNumberOf(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY_MS;
}

/** The day's first moment in the viewer's zone. */
export function startOfDayNumber(day: number): number {
  const date = new Date(day * DAY_MS);
  return new Date(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()).getTime();
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
