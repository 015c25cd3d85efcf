/** Schedule entries in SQL. */
import type { ParametersOf } from "@lineup/api/parameters";
import { ASSUMED_DURATION_MS, type listSchedule, type ScheduleEntry, scheduleResource } from "@lineup/api/schedule";
import { sql } from "kysely";
import type { List } from "../../store/list-page.ts";
import type { OrgStore } from "../../store/org-store.ts";
import { RecordStore } from "../record-store.ts";

const SOONEST_FIRST = { field: "startsAt", descending: false };

export const scheduleStore = new RecordStore(scheduleResource);

export function selectSchedule(
  org: OrgStore,
  { from, to, ...filter }: ParametersOf<(typeof listSchedule)["query"]>,
  now: number,
): List<ScheduleEntry> {
  let query = scheduleStore.select(org);
  const upcomingOnly = from === undefined && to === undefined && filter.status === undefined;
  if (upcomingOnly) {
    const ends = sql<number>`coalesce(schedule_entries.ends_at, schedule_entries.starts_at + ${ASSUMED_DURATION_MS})`;
    query = query.where((eb) =>
      eb.or([
        eb("schedule_entries.status", "in", ["live", "postponed"]),
        eb.and([eb("schedule_entries.status", "=", "scheduled"), eb(ends, ">", now)]),
      ]),
    );
  }
  if (from !== undefined) query = query.where("schedule_entries.starts_at", ">=", from);
  if (to !== undefined) query = query.where("schedule_entries.starts_at", "<=", to);
  return scheduleStore.list(org, filter, { query, usual: SOONEST_FIRST });
}
