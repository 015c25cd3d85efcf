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
