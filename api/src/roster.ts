/** The roster entry, one per assignment of a player to a team: shape, importable fields and endpoint. */
import * as z from "zod";
import { defineEndpoint } from "./endpoint.ts";
import * as field from "./fields.ts";
import { enumFilter, idFilter, instantParameter, listParameters } from "./parameters.ts";
import { PLAYER_STATUSES } from "./players.ts";
import { ALL_ROLES, GAMES } from "./roles.ts";

export const ROSTER_KINDS = ["player", "staff"] as const;

export const assignmentFields = z.object({
  role: field.role("Jungle"),
  isStarter: field.boolean,
  isCaptain: field.boolean,
  joinedAt: field.timestamp,
  leftAt: field.timestamp.nullable(),
});

export const rosterEntry = z.strictObject({
  id: field.idOf("assignment"),
  playerId: field.idOf("player"),
  ign: field.ign,
  realName: field.shortTextOrEmpty,
  role: field.role("Jungle").describe("The role of this assignment"),
  kind: field.oneOf(ROSTER_KINDS).describe("Coach, Analyst and Manager are staff"),
  teamId: field.idOf("team"),
  teamName: field.shortText,
  game: field.oneOf(GAMES),
  isStarter: field.boolean,
  isCaptain: field.boolean,
  status: field.oneOf(PLAYER_STATUSES).describe("The player's status"),
  joinedAt: field.timestamp,
  leftAt: field.timestamp.nullable(),
  createdAt: field.timestamp,
  updatedAt: field.timestamp,
});

export type RosterEntry = z.output<typeof rosterEntry>;

export const ROSTER_SORT_FIELDS = [
  "id",
  "playerId",
  "ign",
  "realName",
  "role",
  "kind",
  "teamId",
  "teamName",
  "game",
  "isStarter",
  "isCaptain",
  "status",
  "joinedAt",
  "leftAt",
  "createdAt",
  "updatedAt",
] as const;

export const listRoster = defineEndpoint({
  name: "listRoster",
  method: "GET",
  path: "/roster",
  permission: "roster:read",
  tag: "Roster",
  summary: "Roster information",
  description:
    "The bare call answers with every open assignment. `asOf` answers with those open at that moment. Names and status are today's; role and team are those of the assignment.",
  query: {
    ...listParameters(ROSTER_SORT_FIELDS),
    teamId: idFilter("team", "Assignments to this team."),
    game: enumFilter(GAMES, "Assignments to a team that plays this game."),
    role: enumFilter(ALL_ROLES, "Assignments with this role."),
    kind: enumFilter(ROSTER_KINDS, "Players, or staff."),
    status: enumFilter(PLAYER_STATUSES, "Assignments of players with this status."),
    asOf: instantParameter("The assignments that were open at this moment."),
  },
  result: rosterEntry,
  list: true,
  timeless: true,
});
