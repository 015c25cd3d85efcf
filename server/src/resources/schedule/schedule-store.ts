/** Schedule entries in SQL. */
import type { ParametersOf } from "@lineup/api/parameters";
import { ASSUMED_DURATION_MS, type listSchedule, type ScheduleEntry, scheduleResource } from "@lineup/api/schedule";
import { sql } from "kysely";
import type { List } from "../../store/list.ts";
import { type OrgStore, prepareQuery } from "../../store/org-store.ts";
import { RecordStore } from "../record-store.ts";

const ENDS = sql<number>`coalesce(schedule_entries.ends_at, schedule_entries.starts_at + ${sql.lit(ASSUMED_DURATION_MS)})`;
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
    query = query.where((eb) =>
      eb.or([
        eb("schedule_entries.status", "in", ["live", "postponed"]),
        eb.and([eb("schedule_entries.status", "=", "scheduled"), eb(ENDS, ">", now)]),
      ]),
    );
  }
  if (from !== undefined) query = query.where("schedule_entries.starts_at", ">=", from);
  if (to !== undefined) query = query.where("schedule_entries.starts_at", "<=", to);
  return scheduleStore.list(org, filter, { query, usual: SOONEST_FIRST });
}

/** With more entries than these begun, it takes longer to find those that are not over than to read an answer again. */
const LOOKED_AT_MAX = 2_000;

/**
 * The next moment at which a scheduled entry may be over, and no longer upcoming; none ever becomes it by time alone. Of entries that
 * have begun it is the earliest end. The others end no earlier than they begin, so the next beginning is early enough for all of them, and
 * the index knows it. Infinite when there is none; undefined when too many have begun: any of them may go on still.
 */
export async function findNextScheduleChange(org: OrgStore, now: number): Promise<number | undefined> {
  const [oneTooMany] = await org.run(selectOneTooMany, { now });
  if (oneTooMany !== undefined) return undefined;
  const [[ending], [beginning]] = await Promise.all([
    org.run(selectNextEnd, { now }),
    org.run(selectNextBeginning, { now }),
  ]);
  return Math.min(ending?.next ?? Number.POSITIVE_INFINITY, beginning?.next ?? Number.POSITIVE_INFINITY);
}

const selectOneTooMany = prepareQuery((org, { now }: { now: number }) =>
  org
    .selectFrom("schedule_entries")
    .select("schedule_entries.starts_at")
    .where("schedule_entries.starts_at", "<=", now)
    .limit(1)
    .offset(LOOKED_AT_MAX),
);

const selectNextEnd = prepareQuery((org, { now }: { now: number }) =>
  org
    .selectFrom("schedule_entries")
    .select((eb) => eb.fn.min<number | null>(ENDS).as("next"))
    .where("schedule_entries.status", "=", "scheduled")
    .where("schedule_entries.starts_at", "<=", now)
    .where(ENDS, ">", now),
);

const selectNextBeginning = prepareQuery((org, { now }: { now: number }) =>
  org
    .selectFrom("schedule_entries")
    .select((eb) => eb.fn.min<number | null>("schedule_entries.starts_at").as("next"))
    .where("schedule_entries.starts_at", ">", now),
);
