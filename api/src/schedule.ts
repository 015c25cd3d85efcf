/** The schedule entry: shape, importable fields and endpoint. */
import * as z from "zod";
import { defineEndpoint } from "./endpoint.ts";
import * as field from "./fields.ts";
import { enumFilter, externalIdParameter, idFilter, instantParameter, listParameters } from "./parameters.ts";
import { GAMES } from "./roles.ts";

export const SCHEDULE_KINDS = ["match", "scrim", "practice", "event"] as const;
export const SCHEDULE_STATUSES = ["scheduled", "live", "completed", "postponed", "cancelled"] as const;

/** How long an entry without an end is taken to last. */
export const ASSUMED_DURATION_MS = 6 * 60 * 60 * 1000;

const score = field.integer(0, 1_000_000);

export const matchResult = z.strictObject(
  { own: score, opponent: score },
  { error: "must be an object {own, opponent} of two whole numbers" },
);

const bestOf = field.integer(1, 99).refine((value) => value % 2 === 1, { error: "must be an odd number, such as 3" });

export const scheduleFields = z.object({
  kind: field.oneOf(SCHEDULE_KINDS),
  title: field.shortText,
  teamId: field.idOf("team").nullable(),
  game: field.oneOf(GAMES),
  status: field.oneOf(SCHEDULE_STATUSES),
  startsAt: field.timestamp,
  endsAt: field.timestamp.nullable(),
  previousStartsAt: field.timestamp.nullable(),
  timezone: field.ianaTimezone.nullable(),
  opponent: field.shortTextOrEmpty.nullable(),
  competition: field.shortTextOrEmpty.nullable(),
  stage: field.shortTextOrEmpty.nullable(),
  bestOf: bestOf.nullable(),
  location: field.shortTextOrEmpty.nullable(),
  streamUrl: field.webUrl.nullable(),
  result: matchResult.nullable(),
  externalIds: field.externalIds,
});

export const scheduleEntry = z.strictObject({
  id: field.idOf("event"),
  ...scheduleFields.shape,
  createdAt: field.timestamp,
  updatedAt: field.timestamp,
});

export type ScheduleEntry = z.output<typeof scheduleEntry>;

export const SCHEDULE_SORT_FIELDS = [
  "id",
  "kind",
  "title",
  "teamId",
  "game",
  "status",
  "startsAt",
  "endsAt",
  "previousStartsAt",
  "timezone",
  "opponent",
  "competition",
  "stage",
  "bestOf",
  "location",
  "streamUrl",
  "createdAt",
  "updatedAt",
] as const;

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
    ...listParameters(SCHEDULE_SORT_FIELDS, "By default, soonest first.", "startsAt"),
    externalId: externalIdParameter,
    teamId: idFilter("team", "Entries of this team."),
    game: enumFilter(GAMES, "Entries of this game."),
    kind: enumFilter(SCHEDULE_KINDS, "Entries of this kind."),
    status: enumFilter(SCHEDULE_STATUSES, "Entries with this status, past ones included."),
    from: instantParameter("Entries that start at or after this moment."),
    to: instantParameter("Entries that start at or before this moment."),
  },
  result: scheduleEntry,
  list: true,
  timeless: false,
});
