/**
 * Reads a moment as people and programs write it: milliseconds since the Unix epoch, or ISO 8601 (a date, or a
 * date-time). Without a zone the time is UTC. Returns undefined for anything else, February 30th included.
 */
export function parseInstant(text: string): number | undefined {
  if (/^-?\d{1,16}$/.test(text)) {
    // Four digits alone are a year in ISO 8601 and a moment in 1970 in milliseconds; the number wins, as documented.
    const ms = Number(text);
    return Math.abs(ms) <= 8_640_000_000_000_000 ? ms + 0 : undefined;
  }
  const match = ISO.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", zone = "Z"] = match;
  if (!isCalendarDay(Number(year), Number(month), Number(day))) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const local = Date.UTC(0, 0, 1, Number(hour), Number(minute), Number(second)) - Date.UTC(0, 0, 1);
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const offsetMs = parseOffset(zone);
  if (offsetMs === undefined) return undefined;
  return date.getTime() + local + Number(fraction.slice(0, 3).padEnd(3, "0")) - offsetMs;
}

/**
 * What was meant by eight digits that are a day of the calendar, 20260131: the day as ISO 8601 writes it, 2026-01-31.
 * As milliseconds they are a moment on the first day of 1970, which people who type dates never mean. Undefined for
 * anything else.
 */
export function findMeantDay(text: string): string | undefined {
  const [, year = "", month = "", day = ""] = /^(19\d\d|2\d{3})(\d\d)(\d\d)$/.exec(text) ?? [];
  if (year === "" || !isCalendarDay(Number(year), Number(month), Number(day))) return undefined;
  return `${year}-${month}-${day}`;
}

// A plus sign in a query string arrives as a space unless the client encodes it; before an offset it can mean nothing else.
const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?([Zz]|[+\- ]\d{2}(?::?\d{2})?)?)?$/;

function isCalendarDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const lastDay = [31, isLeapYear(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return day <= lastDay;
}

function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

function parseOffset(zone: string): number | undefined {
  if (zone === "Z" || zone === "z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(":", "") || "0");
  if (hours > 23 || minutes > 59) return undefined;
  return (zone[0] === "-" ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
