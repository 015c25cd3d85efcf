/** What the browser's own fields for days and times have written: days are days in UTC, the same for everybody; times are in the viewer's zone. */
const two = (part: number) => String(part).padStart(2, "0");

/** A browser takes six digits for a year, and waits for them, unless the last day that is meant has four. */
export const LAST_DAY = "9999-12-31";
export const LAST_MOMENT = `${LAST_DAY}T23:59`;

/** 2026-11-18 */
export function writeDay(at: number): string {
  const day = new Date(at);
  return `${String(day.getUTCFullYear()).padStart(4, "0")}-${two(day.getUTCMonth() + 1)}-${two(day.getUTCDate())}`;
}

/** 2026-11-18T19:30 */
export function writeMoment(at: number): string {
  const time = new Date(at);
  const local = at - time.getTimezoneOffset() * 60_000;
  return `${writeDay(local)}T${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** The first millisecond of the day, or its last; undefined where it is no day. */
export function readDay(text: string, edge: "start" | "end" = "start"): number | undefined {
  const [year, month, date] = (/^(\d{4,6})-(\d\d)-(\d\d)$/.exec(text) ?? []).slice(1).map(Number);
  if (year === undefined || month === undefined || date === undefined) return undefined;
  return edge === "start" ? startOf(year, month, date) : startOf(year, month, date + 1) - 1;
}

/** Of the year as it stands there: while 2028 is typed it is the year 2, which the constructor would take for 1902. */
function startOf(year: number, month: number, date: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, date);
}

export function readMoment(text: string): number | undefined {
  const at = /^\d{4,6}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? new Date(text).getTime() : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

export function nameZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
