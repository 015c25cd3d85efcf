/** Times in the viewer's language and zone; the days of records in UTC, so that they are the same days for everybody. */
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** What happened just now may lie ahead by as much as two clocks differ. */
const CLOCK_SLACK = 2_000;

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", DAY],
  ["hour", HOUR],
  ["minute", MINUTE],
];

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long" });
const dayAndTime = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const dayOnly = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const timeOnly = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const timeWithSeconds = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

/** "3 minutes ago", "in 4 days", "just now"; beyond 30 days, the date. */
export function sayAge(at: number, now: number): string {
  const difference = at - now;
  const size = Math.abs(difference);
  if (size < MINUTE) return difference <= CLOCK_SLACK ? "just now" : "in less than a minute";
  if (size > 30 * DAY) return dayOnly.format(at);
  const [unit, length] = UNITS.find(([, unitMs]) => size >= unitMs) ?? ["minute", MINUTE];
  return relative.format(Math.trunc(difference / length), unit);
}

/** "today", "tomorrow", "in 3 days": from one day in UTC to another, whatever the hours. */
export function sayDaysUntil(at: number, now: number): string {
  return relative.format(countDaysBetween(now, at), "day");
}

export function countDaysBetween(from: number, to: number): number {
  return Math.floor(to / DAY) - Math.floor(from / DAY);
}

/** With weekday, seconds and zone. */
export const sayExactly = (at: number): string => exact.format(at);
/** Of a moment: the day that it was for the viewer. */
export const sayDay = (at: number): string => dayOnly.format(at);
export const sayDayAndTime = (at: number): string => dayAndTime.format(at);
export const sayTime = (at: number): string => timeOnly.format(at);
export const sayMoment = (at: number): string => timeWithSeconds.format(at);

const UTC = { timeZone: "UTC" } as const;
const utcDay = new Intl.DateTimeFormat("en-GB", { ...UTC, day: "numeric", month: "short", year: "numeric" });
const utcExact = new Intl.DateTimeFormat("en-GB", { ...UTC, dateStyle: "full", timeStyle: "long" });
const utcMonth = new Intl.DateTimeFormat("en-GB", { ...UTC, month: "short" });
/** Of what was typed as a day without a time, here or in a file. */
export const sayUtcDay = (at: number): string => utcDay.format(at);
export const sayUtcExactly = (at: number): string => utcExact.format(at);
export const sayUtcMonth = (at: number): string => utcMonth.format(at);

const dateAlone = new Intl.DateTimeFormat("en-GB", { day: "numeric" });
const monthAlone = new Intl.DateTimeFormat("en-GB", { month: "short" });
/** The two halves of a calendar leaf. */
export const sayDate = (at: number): string => dateAlone.format(at);
export const sayMonth = (at: number): string => monthAlone.format(at);
