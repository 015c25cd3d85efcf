/** Moments as the browser's own fields for days and times write them, in the viewer's zone. */
const two = (part: number) => String(part).padStart(2, "0");

/** 2026-11-18 */
export function writeDay(at: number): string {
  const day = new Date(at);
  return `${String(day.getFullYear()).padStart(4, "0")}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/** 2026-11-18T19:30 */
export function writeMoment(at: number): string {
  const day = new Date(at);
  return `${writeDay(at)}T${two(day.getHours())}:${two(day.getMinutes())}`;
}

/** The first millisecond of the day, or its last; undefined where it is no day. */
export function readDay(text: string, edge: "start" | "end" = "start"): number | undefined {
  const [year, month, date] = (/^(\d{4,6})-(\d\d)-(\d\d)$/.exec(text) ?? []).slice(1).map(Number);
  if (year === undefined || month === undefined || date === undefined) return undefined;
  return edge === "start" ? startOf(year, month, date) : startOf(year, month, date + 1) - 1;
}

/** Of the year as it stands there: while 2028 is typed it is the year 2, which the constructor would take for 1902. */
function startOf(year: number, month: number, date: number): number {
  const day = new Date(2000, 0, 1);
  return day.setFullYear(year, month - 1, date);
}

export function readMoment(text: string): number | undefined {
  const at = /^\d{4,6}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? new Date(text).getTime() : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

export function nameZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
