/** When an entry is, in words: in the viewer's zone, and in its own where that is another. */
import type { ScheduleEntry } from "@lineup/api/schedule";
import { addDays, type DayRange, type ScheduleView, startOfDay } from "./calendar-days.ts";

const MINUTE_MS = 60_000;
const MINUTES_OF_HOUR = 60;
const MINUTES_OF_DAY = 1440;

type Timed = Pick<ScheduleEntry, "startsAt" | "endsAt">;

let knownZone: string | undefined;

export function viewerZone(): string {
  knownZone ??= new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return knownZone;
}

const DAY_PARTS = { weekday: "short", day: "numeric", month: "short", year: "numeric" } as const;
const TIME_PARTS = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const LONG_DAY_PARTS = { weekday: "long", day: "numeric", month: "long", year: "numeric" } as const;
const SHORT_DAY_PARTS = { day: "numeric", month: "short", year: "numeric" } as const;
const MOMENT_PARTS = { day: "numeric", month: "short", ...TIME_PARTS } as const;
const MONTH_PARTS = { month: "long", year: "numeric" } as const;
const OFFSET_PARTS = { timeZoneName: "shortOffset" } as const;

const formats = new WeakMap<Intl.DateTimeFormatOptions, Map<string, Intl.DateTimeFormat>>();

/** Made once for each zone: to make one takes longer than to draw the entry that needs it. */
function formatOf(parts: Intl.DateTimeFormatOptions, zone: string = viewerZone()): Intl.DateTimeFormat {
  const ofParts = formats.get(parts) ?? new Map<string, Intl.DateTimeFormat>();
  const format = ofParts.get(zone) ?? new Intl.DateTimeFormat("en-GB", { ...parts, timeZone: zone });
  formats.set(parts, ofParts.set(zone, format));
  return format;
}

/** "GMT+2" of a zone at a moment: with summer time where it is summer. */
export function sayOffset(zone: string, at: number): string {
  const parts = formatOf(OFFSET_PARTS, zone).formatToParts(at);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
}

/** "Europe/Berlin (GMT+1)" */
export function sayZone(zone: string, at: number): string {
  const offset = sayOffset(zone, at);
  const name = zone.replaceAll("_", " ");
  return offset === "" || offset === name ? name : `${name} (${offset})`;
}

/** Whether its own zone shows another time than the viewer's does then. */
export function hasOtherTime({ startsAt, timezone }: Pick<ScheduleEntry, "startsAt" | "timezone">): boolean {
  return timezone !== null && sayOffset(timezone, startsAt) !== sayOffset(viewerZone(), startsAt);
}

/** "Fri, 9 Jan 2026, 18:00 to 21:00"; with the second day where it ends on another. */
export function sayWhen({ startsAt, endsAt }: Timed, zone: string = viewerZone()): string {
  const [day, time] = [formatOf(DAY_PARTS, zone), formatOf(TIME_PARTS, zone)];
  const start = `${day.format(startsAt)}, ${time.format(startsAt)}`;
  if (endsAt === null) return start;
  const isSameDay = day.format(startsAt) === day.format(endsAt);
  return `${start} to ${isSameDay ? "" : `${day.format(endsAt)}, `}${time.format(endsAt)}`;
}

/** "November 2026" of a month; of the others "16 – 22 Nov 2026", with the last day that is part of it. */
export function sayRange(view: ScheduleView, day: string, range: DayRange): string {
  const at = startOfDay(day);
  if (view === "month") return formatOf(MONTH_PARTS).format(at);
  return formatOf(SHORT_DAY_PARTS).formatRange(startOfDay(range.from), startOfDay(addDays(range.until, -1)));
}

/** "Friday, 9 January 2026" */
export function sayLongDay(at: number): string {
  return formatOf(LONG_DAY_PARTS).format(at);
}

/** "18:00–21:00", for where the day stands beside it. */
export function sayHours({ startsAt, endsAt }: Timed, zone: string = viewerZone()): string {
  const time = formatOf(TIME_PARTS, zone);
  return endsAt === null ? time.format(startsAt) : `${time.format(startsAt)}–${time.format(endsAt)}`;
}

/** "until 10 Jan, 02:00", or "since 9 Jan, 18:00": of what began before the day that stands beside it. */
export function sayUnderWay({ startsAt, endsAt }: Timed, zone: string = viewerZone()): string {
  const moment = formatOf(MOMENT_PARTS, zone);
  return endsAt === null ? `since ${moment.format(startsAt)}` : `until ${moment.format(endsAt)}`;
}

/** "2 h 30 min": time that passes, whatever the clocks do meanwhile. */
export function sayLength(lengthMs: number): string {
  const minutes = Math.round(lengthMs / MINUTE_MS);
  const days = Math.floor(minutes / MINUTES_OF_DAY);
  const hours = Math.floor((minutes % MINUTES_OF_DAY) / MINUTES_OF_HOUR);
  const rest = minutes % MINUTES_OF_HOUR;
  const parts = [
    days > 0 ? `${days} d` : "",
    hours > 0 ? `${hours} h` : "",
    rest > 0 || minutes === 0 ? `${rest} min` : "",
  ];
  return parts.filter((part) => part !== "").join(" ");
}

/** The end of an entry whose start is moved: as much later, or as open as it was. */
export function moveEnd({ startsAt, endsAt }: Timed, newStart: number): number | null {
  return endsAt === null ? null : endsAt + (newStart - startsAt);
}
