/** Schedule entries in SQL. */
import type { ParametersOf } from "@lineup/api/parameters";
import {
  ASSUMED_DURATION_MS,
  type listSchedule as listScheduleEndpoint,
  type ScheduleEntry,
} from "@lineup/api/schedule";
import { type Selectable, sql } from "kysely";
import { hasExternalId } from "../../store/external-ids.ts";
import { integer, type JsonFields, storedJson, text, written } from "../../store/json-writer.ts";
import { makeList } from "../../store/list.ts";
import type { List } from "../../store/list-page.ts";
import type { OrgStore } from "../../store/org-store.ts";
import type { ScheduleEntriesTable } from "../../store/schema.ts";
import { byBeginning, orderList } from "../list-order.ts";

const SORT_COLUMNS = {
  id: "schedule_entries.id",
  kind: "schedule_entries.kind",
  title: "schedule_entries.title",
  teamId: "schedule_entries.team_id",
  game: "schedule_entries.game",
  status: "schedule_entries.status",
  startsAt: "schedule_entries.starts_at",
  endsAt: "schedule_entries.ends_at",
  previousStartsAt: "schedule_entries.previous_starts_at",
  timezone: "schedule_entries.timezone",
  opponent: "schedule_entries.opponent",
  competition: "schedule_entries.competition",
  stage: "schedule_entries.stage",
  bestOf: "schedule_entries.best_of",
  location: "schedule_entries.location",
  streamUrl: byBeginning("schedule_entries.stream_url"),
  createdAt: "schedule_entries.created_at",
  updatedAt: "schedule_entries.updated_at",
};

const SOONEST_FIRST = { field: "startsAt", descending: false };

const JSON_FIELDS: JsonFields<ScheduleEntry> = {
  id: text("schedule_entries.id"),
  kind: text("schedule_entries.kind"),
  title: text("schedule_entries.title"),
  teamId: text("schedule_entries.team_id"),
  game: text("schedule_entries.game"),
  status: text("schedule_entries.status"),
  startsAt: integer("schedule_entries.starts_at"),
  endsAt: integer("schedule_entries.ends_at"),
  previousStartsAt: integer("schedule_entries.previous_starts_at"),
  timezone: text("schedule_entries.timezone"),
  opponent: text("schedule_entries.opponent"),
  competition: text("schedule_entries.competition"),
  stage: text("schedule_entries.stage"),
  bestOf: integer("schedule_entries.best_of"),
  location: text("schedule_entries.location"),
  streamUrl: text("schedule_entries.stream_url"),
  result: written(
    `case when schedule_entries.result_own is null or schedule_entries.result_opponent is null then 'null' else concat('{"own":', schedule_entries.result_own, ',"opponent":', schedule_entries.result_opponent, '}') end`,
  ),
  externalIds: storedJson("schedule_entries.external_ids"),
  createdAt: integer("schedule_entries.created_at"),
  updatedAt: integer("schedule_entries.updated_at"),
};

export function selectSchedule(
  org: OrgStore,
  filter: ParametersOf<(typeof listScheduleEndpoint)["query"]>,
  now: number,
): List<ScheduleEntry> {
  let query = org.selectFrom("schedule_entries").selectAll("schedule_entries");
  const upcomingOnly = filter.from === undefined && filter.to === undefined && filter.status === undefined;
  if (upcomingOnly) {
    const ends = sql<number>`coalesce(schedule_entries.ends_at, schedule_entries.starts_at + ${ASSUMED_DURATION_MS})`;
    query = query.where((eb) =>
      eb.or([
        eb("schedule_entries.status", "in", ["live", "postponed"]),
        eb.and([eb("schedule_entries.status", "=", "scheduled"), eb(ends, ">", now)]),
      ]),
    );
  }
  if (filter.from !== undefined) query = query.where("schedule_entries.starts_at", ">=", filter.from);
  if (filter.to !== undefined) query = query.where("schedule_entries.starts_at", "<=", filter.to);
  if (filter.status !== undefined) query = query.where("schedule_entries.status", "in", filter.status);
  if (filter.teamId !== undefined) query = query.where("schedule_entries.team_id", "in", filter.teamId);
  if (filter.game !== undefined) query = query.where("schedule_entries.game", "in", filter.game);
  if (filter.kind !== undefined) query = query.where("schedule_entries.kind", "in", filter.kind);
  if (filter.updatedSince !== undefined) query = query.where("schedule_entries.updated_at", ">=", filter.updatedSince);
  if (filter.externalId !== undefined) {
    query = query.where(hasExternalId(org, "event", "schedule_entries.id", filter.externalId));
  }
  const order = orderList(SORT_COLUMNS, filter.sort, SOONEST_FIRST);
  return makeList({ org, query, order, fields: JSON_FIELDS, fromRow: scheduleEntryFromRow });
}

export function scheduleEntryColumns(entry: ScheduleEntry) {
  return {
    id: entry.id,
    kind: entry.kind,
    title: entry.title,
    team_id: entry.teamId,
    game: entry.game,
    status: entry.status,
    starts_at: entry.startsAt,
    ends_at: entry.endsAt,
    previous_starts_at: entry.previousStartsAt,
    timezone: entry.timezone,
    opponent: entry.opponent,
    competition: entry.competition,
    stage: entry.stage,
    best_of: entry.bestOf,
    location: entry.location,
    stream_url: entry.streamUrl,
    result_own: entry.result?.own ?? null,
    result_opponent: entry.result?.opponent ?? null,
    external_ids: JSON.stringify(entry.externalIds),
    created_at: entry.createdAt,
    updated_at: entry.updatedAt,
  };
}

export function scheduleEntryFromRow(row: Selectable<ScheduleEntriesTable>): ScheduleEntry {
  return {
    id: row.id,
    kind: row.kind as ScheduleEntry["kind"],
    title: row.title,
    teamId: row.team_id,
    game: row.game,
    status: row.status as ScheduleEntry["status"],
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    previousStartsAt: row.previous_starts_at,
    timezone: row.timezone,
    opponent: row.opponent,
    competition: row.competition,
    stage: row.stage,
    bestOf: row.best_of,
    location: row.location,
    streamUrl: row.stream_url,
    result:
      row.result_own === null || row.result_opponent === null
        ? null
        : { own: row.result_own, opponent: row.result_opponent },
    externalIds: JSON.parse(row.external_ids),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
