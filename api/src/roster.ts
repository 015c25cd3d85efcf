/** The roster entry, one per assignment of a player to a team, and its endpoint. */
import { defineEndpoint } from "./endpoint.ts";
import * as field from "./fields.ts";
import { enumFilter, idFilter, instantParameter, listParameters } from "./parameters.ts";
import { PLAYER_STATUSES } from "./players.ts";
import { BY_RULE, defineResource, ID_EXAMPLE, imported, joined, type RecordOf, readOnly, stored } from "./resource.ts";
import { ALL_ROLES, GAMES, ROLE_TABLE } from "./roles.ts";

export const ROSTER_KINDS = ["player", "staff"] as const;

export const rosterResource = defineResource({
  name: "roster",
  kind: "assignment",
  component: "RosterEntry",
  description: "One assignment of a player to a team, open or past.",
  tag: { name: "Roster", description: "Who is assigned to which team in which role, now or at an earlier moment." },
  table: "assignments",
  rows: 150_000,
  indexes: {
    assignments_by_player: { columns: ["player_id"], narrows: [3] },
    assignments_by_team: { columns: ["team_id"], narrows: [75] },
    one_open_assignment_per_player: {
      columns: ["player_id"],
      unique: true,
      where: "left_at IS NULL",
      narrows: [1],
      rows: 100_000,
    },
    assignments_by_import_id: {
      columns: ["import_id"],
      unique: true,
      where: "import_id IS NOT NULL",
      narrows: [1],
      rows: 100_000,
    },
  },
  called: null,
  idNote: "Identifier of the assignment.",
  externalIds: false,
  fields: {
    playerId: imported(field.idOf("player"), {
      required: true,
      refersTo: "players",
      note: "The player who is assigned.",
      example: `player_${ID_EXAMPLE}`,
    }),
    ign: joined("players.ign", field.ign, { note: "The player's in-game name, as it is today.", example: "Vex" }),
    realName: joined("players.real_name", field.shortTextOrEmpty, {
      note: "The player's real name, as it is today; an empty string when it is unknown.",
      example: "Elin Sandberg",
    }),
    role: stored(field.role("Jungle"), {
      required: true,
      note: `The role of this assignment; one of the roles of the team's game when it was made. ${ROLE_TABLE}`,
      example: "Mid",
      check: "role <> ''",
    }),
    kind: readOnly(field.oneOf(ROSTER_KINDS), {
      default: BY_RULE,
      note: "Coach, Analyst and Manager are staff; every other role is a player's.",
      example: "player",
    }),
    teamId: imported(field.idOf("team"), {
      required: true,
      refersTo: "teams",
      note: "The team of this assignment.",
      example: `team_${ID_EXAMPLE}`,
    }),
    teamName: joined("teams.name", field.shortText, {
      note: "The team's name, as it is today.",
      example: "Northlight",
    }),
    game: joined("teams.game", field.oneOf(GAMES), { note: "The game of the team.", example: "LoL" }),
    isStarter: stored(field.boolean, {
      default: BY_RULE,
      note: "Whether the player starts: every player but a Substitute, unless staff say otherwise.",
      example: true,
    }),
    isCaptain: stored(field.boolean, {
      default: BY_RULE,
      note: "Whether the player is the team's captain.",
      example: false,
    }),
    status: joined("players.status", field.oneOf(PLAYER_STATUSES), {
      note: "The player's status, as it is today.",
      example: "active",
    }),
    joinedAt: stored(field.timestamp, {
      default: BY_RULE,
      note: "When the assignment began, in milliseconds since the Unix epoch.",
      example: Date.UTC(2025, 0, 1),
    }),
    leftAt: stored(field.timestamp.nullable(), {
      note: "When the assignment ended or will end, in milliseconds since the Unix epoch; null while it is open.",
      example: null,
      check: "left_at >= joined_at",
    }),
  },
});

export type RosterEntry = RecordOf<typeof rosterResource>;

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
    ...listParameters(rosterResource.sortFields),
    teamId: idFilter("team", "Assignments to this team."),
    game: enumFilter(GAMES, "Assignments to a team that plays this game."),
    role: enumFilter(ALL_ROLES, "Assignments with this role."),
    kind: enumFilter(ROSTER_KINDS, "Players, or staff."),
    status: enumFilter(PLAYER_STATUSES, "Assignments of players with this status."),
    asOf: instantParameter("The assignments that were open at this moment."),
  },
  result: rosterResource.schema,
  list: true,
  timeless: true,
});
