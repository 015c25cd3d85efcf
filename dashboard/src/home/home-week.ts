/** Which events belong on Home: today's, whether over or not, and those of the next seven days; what was cancelled is not looked forward to. */
import type { ScheduleEntry } from "@lineup/api/schedule";

const WEEK_DAYS = 7;

export interface WeekEvent {
  readonly event: ScheduleEntry;
  readonly isToday: boolean;
}

export function findWeek(events: readonly ScheduleEntry[], now: number): WeekEvent[] {
  const today = new Date(now);
  const startOf = (days: number) => new Date(today.getFullYear(), today.getMonth(), today.getDate() + days).getTime();
  const [from, tomorrow, to] = [startOf(0), startOf(1), startOf(WEEK_DAYS + 1)];
  return events
    .filter(({ startsAt, status }) => status === "live" || (startsAt >= from && startsAt < to))
    .filter(({ startsAt, status }) => status !== "cancelled" && (status !== "postponed" || startsAt >= now))
    .map((event) => ({ event, isToday: event.startsAt < tomorrow }));
}
