/**
 * Days of the viewer's calendar, as the address has them: "2026-11-18". They are counted as days, never as 24 hours, so that a day on
 * which the clocks change is one day like any other.
 */
export const SCHEDULE_VIEWS = ["month", "week", "agenda"] as const;
export type ScheduleView = (typeof SCHEDULE_VIEWS)[number];

const DAY_MS = 86_400_000;
export const DAYS_OF_WEEK = 7;
/** How far the agenda looks ahead. */
const AGENDA_DAYS = 28;
/** When an event that is made for a day begins, until somebody says otherwise. */
const USUAL_HOUR = 18;
const DAY_TEXT = /^(\d{4})-(\d{2})-(\d{2})$/;

export interface DayRange {
  readonly from: string;
  /** The first day that is no longer part of it. */
  readonly until: string;
}

export interface TimeSpan {
  readonly from: number;
  readonly until: number;
}

export function readDay(value: unknown): string | undefined {
  if (typeof value !== "string" || !DAY_TEXT.test(value)) return undefined;
  // The 31st of February is no day.
  return dayText(utcOf(value)) === value ? value : undefined;
}

export function dayOf(at: number): string {
  const date = new Date(at);
  return dayText(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()));
}

/** Its first moment in the viewer's zone; where the clocks skip midnight, the first there is. */
export function startOfDay(day: string): number {
  return atTime(day, 0, 0);
}

export function atTime(day: string, hours: number, minutes: number): number {
  const date = new Date(utcOf(day));
  return new Date(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), hours, minutes).getTime();
}

export function addDays(day: string, count: number): string {
  return dayText(utcOf(day) + count * DAY_MS);
}

export function atUsualHour(day: string): number {
  return atTime(day, USUAL_HOUR, 0);
}

/** The same day of another month, or that month's last. */
export function addMonths(day: string, count: number): string {
  const date = new Date(utcOf(day));
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, 1);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count + 1, 0)).getUTCDate();
  return addDays(dayText(first), Math.min(date.getUTCDate(), last) - 1);
}

/** What a view shows around a day; of a month the whole weeks, which begin on Monday. */
export function rangeOf(view: ScheduleView, day: string): DayRange {
  if (view === "agenda") return { from: day, until: addDays(day, AGENDA_DAYS) };
  if (view === "week") return { from: mondayOf(day), until: addDays(mondayOf(day), DAYS_OF_WEEK) };
  const first = `${day.slice(0, "2026-11".length)}-01`;
  const lastDay = addDays(addMonths(first, 1), -1);
  return { from: mondayOf(first), until: addDays(mondayOf(lastDay), DAYS_OF_WEEK) };
}

export function spanOf({ from, until }: DayRange): TimeSpan {
  return { from: startOfDay(from), until: startOfDay(until) };
}

/** The day to look at one page further, or back. */
export function turnPage(view: ScheduleView, day: string, direction: 1 | -1): string {
  if (view === "month") return addMonths(day, direction);
  return addDays(day, direction * (view === "week" ? DAYS_OF_WEEK : AGENDA_DAYS));
}

/** How many days of its week are before it: none before Monday. */
export function weekdayOf(day: string): number {
  return (new Date(utcOf(day)).getUTCDay() + DAYS_OF_WEEK - 1) % DAYS_OF_WEEK;
}

function mondayOf(day: string): string {
  return addDays(day, -weekdayOf(day));
}

function utcOf(day: string): number {
  const [, year = "", month = "", date = ""] = DAY_TEXT.exec(day) ?? [];
  return Date.UTC(Number(year), Number(month) - 1, Number(date));
}

function dayText(utc: number): string {
  return new Date(utc).toISOString().slice(0, "2026-11-18".length);
}
