/** The schedule entry and its endpoint. */
import * as z from "zod";
import { defineEndpoint } from "./endpoint.ts";
import * as field from "./fields.ts";
import { enumFilter, externalIdParameter, idFilter, instantParameter, listParameters } from "./parameters.ts";
import { defineResource, ID_EXAMPLE, type RecordOf, stored } from "./resource.ts";
import { GAMES } from "./roles.ts";

export const SCHEDULE_KINDS = ["match", "scrim", "practice", "event"] as const;
export const SCHEDULE_STATUSES = ["scheduled", "live", "completed", "postponed", "cancelled"] as const;

/** How long an entry without an end is taken to last. */
export const ASSUMED_DURATION_MS = 6 * 60 * 60 * 1000;

const score = field.integer(0, 1_000_000);

const matchResult = z.strictObject(
  { own: score, opponent: score },
  { error: "must be an object {own, opponent} of two whole numbers" },
);

const bestOf = field.integer(1, 99).refine((value) => value % 2 === 1, { error: "must be an odd number, such as 3" });

export const scheduleResource = defineResource({
  name: "schedule",
  kind: "event",
  component: "ScheduleEntry",
  description: "A match, scrim, practice or event.",
  tag: {
    name: "Schedule",
    description: "Matches, scrims, practices and events: what is coming, and on request what was.",
  },
  table: "schedule_entries",
  rows: 20_000,
  indexes: {
    schedule_entries_by_start: { columns: ["starts_at", "id"], narrows: [2, 1] },
    schedule_entries_by_team: { columns: ["team_id"], narrows: [100] },
  },
  called: "title",
  idNote: "Identifier of the entry.",
  externalIds: {},
  fields: {
    kind: stored(field.oneOf(SCHEDULE_KINDS), {
      default: "event",
      note: "What kind of entry it is.",
      example: "match",
    }),
    title: stored(field.shortText, {
      required: true,
      note: "What the entry is called.",
      example: "Northlight – Harbor Nine",
    }),
    teamId: stored(field.idOf("team").nullable(), {
      refersTo: "teams",
      note: "The team it concerns, or null when it concerns the organization.",
      example: `team_${ID_EXAMPLE}`,
    }),
    game: stored(field.oneOf(GAMES), { default: "Other", note: "The game it belongs to.", example: "LoL" }),
    status: stored(field.oneOf(SCHEDULE_STATUSES), {
      default: "scheduled",
      note: "How things stand with the entry.",
      example: "scheduled",
    }),
    startsAt: stored(field.timestamp, {
      required: true,
      note: "When it starts, in milliseconds since the Unix epoch.",
      example: Date.UTC(2026, 0, 9, 18),
    }),
    endsAt: stored(field.timestamp.nullable(), {
      note: "When it ends, in milliseconds since the Unix epoch, or null when that is open.",
      example: Date.UTC(2026, 0, 9, 21),
      check: "ends_at >= starts_at",
    }),
    previousStartsAt: stored(field.timestamp.nullable(), {
      note: "When it was to start before it was moved, in milliseconds since the Unix epoch; null when it was never moved.",
      example: null,
    }),
    timezone: stored(field.ianaTimezone.nullable(), {
      note: "IANA name of the time zone it takes place in, or null.",
      example: "Europe/Berlin",
    }),
    opponent: stored(field.shortTextOrEmpty.nullable(), {
      note: "Who the team plays against, or null.",
      example: "Harbor Nine",
    }),
    competition: stored(field.shortTextOrEmpty.nullable(), {
      note: "The competition it is part of, or null.",
      example: "Winter League",
    }),
    stage: stored(field.shortTextOrEmpty.nullable(), {
      note: "The stage of the competition, or null.",
      example: "Week 2",
    }),
    bestOf: stored(bestOf.nullable(), {
      note: "The number of games in the series, always odd, or null.",
      example: 3,
      check: "best_of % 2 = 1",
    }),
    location: stored(field.shortTextOrEmpty.nullable(), { note: "Where it takes place, or null.", example: "Berlin" }),
    streamUrl: stored(field.webUrl.nullable(), {
      note: "Where it can be watched, or null.",
      example: "https://example.com/live",
    }),
    result: stored(matchResult.nullable(), { note: "The score, or null while there is none.", example: null }),
  },
});

export type ScheduleEntry = RecordOf<typeof scheduleResource>;

export const listSchedule = defineEndpoint({
  name: "listSchedule",
  method: "GET",
  path: "/schedule",
  permission: "schedule:read",
  tag: "Schedule",
  summary: "Upcoming schedule and matches",
  description:
    "The bare call answers with live and postponed entries, and scheduled ones that are not over (by `endsAt`, else six hours after `startsAt`), soonest first. Any of `from`, `to` or `status` lifts both conditions.",
  query: {
    ...listParameters(scheduleResource.sortFields, "By default, soonest first.", "startsAt"),
    externalId: externalIdParameter,
    teamId: idFilter("team", "Entries of this team."),
    game: enumFilter(GAMES, "Entries of this game."),
    kind: enumFilter(SCHEDULE_KINDS, "Entries of this kind."),
    status: enumFilter(SCHEDULE_STATUSES, "Entries with this status, past ones included."),
    from: instantParameter("Entries that start at or after this moment."),
    to: instantParameter("Entries that start at or before this moment."),
  },
  result: scheduleResource.schema,
  list: true,
  timeless: false,
});
