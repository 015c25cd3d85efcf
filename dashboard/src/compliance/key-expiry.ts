/** When a key ends, as it is chosen. */
const DAY_MS = 86_400_000;

export const EXPIRY_DAYS = [30, 90, 365] as const;

export type ExpiryChoice = `${(typeof EXPIRY_DAYS)[number]}` | "date" | "never";

/** The moment the key ends, null for never; undefined while no day is chosen, or one that is not after today. */
export function resolveExpiry(choice: ExpiryChoice, day: string | null, now: number): number | null | undefined {
  if (choice === "never") return null;
  if (choice !== "date") return now + Number(choice) * DAY_MS;
  const end = day === null ? Number.NaN : findEndOfDay(day);
  return end > findEndOfDay(sayIsoDay(now)) ? end : undefined;
}

/** The first day that can be chosen. */
export function firstDay(now: number): string {
  const today = new Date(now);
  return sayIsoDay(new Date(today.getFullYear(), today.getMonth(), today.getDate() + 1).getTime());
}

/** The last millisecond of a day such as 2026-03-29 in the viewer's zone, whatever the clocks do on it. */
function findEndOfDay(day: string): number {
  const [year = Number.NaN, month = Number.NaN, date = Number.NaN] = day.split("-").map(Number);
  return new Date(year, month - 1, date + 1).getTime() - 1;
}

function sayIsoDay(at: number): string {
  const day = new Date(at);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

const MONTHS = "January February March April May June July August September October November December"
  .toLowerCase()
  .split(" ");

/** The day that was typed, as 2027-03-01: written like that, or like 1 March 2027 (or 1 Mar 2027). Nothing else is guessed at. */
export function findTypedDay(text: string): string | undefined {
  const typed = text.trim().replaceAll(/\s+/g, " ").toLowerCase();
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(typed);
  if (iso !== null) return findRealDay(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const [, date, name = "", year] = /^(\d{1,2}) ([a-z]{3,}) (\d{4})$/.exec(typed) ?? [];
  const month = MONTHS.findIndex((each) => each === name || each.slice(0, 3) === name) + 1;
  return findRealDay(Number(year), month, Number(date));
}

/** 31 June is no day. */
function findRealDay(year: number, month: number, date: number): string | undefined {
  const day = new Date(year, month - 1, date);
  const isReal = day.getFullYear() === year && day.getMonth() === month - 1 && day.getDate() === date;
  return isReal ? sayIsoDay(day.getTime()) : undefined;
}
