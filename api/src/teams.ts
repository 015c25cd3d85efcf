/** The team and its endpoint. */
import * as z from "zod";
import { defineEndpoint } from "./endpoint.ts";
import * as field from "./fields.ts";
import { enumFilter, externalIdParameter, listParameters, searchText } from "./parameters.ts";
import { defineResource, type RecordOf, readOnly, stored } from "./resource.ts";
import { GAMES } from "./roles.ts";

export const TEAM_DIVISIONS = ["main", "academy", "other"] as const;
export const TEAM_STATUSES = ["active", "inactive"] as const;

export const teamResource = defineResource({
  name: "teams",
  kind: "team",
  component: "Team",
  description: "A team of the organization.",
  tag: { name: "Teams", description: "The teams of the organization and the games they play." },
  table: "teams",
  rows: 1_000,
  indexes: {},
  called: "name",
  searched: ["name", "tag"],
  idNote: "Identifier of the team.",
  externalIds: { liquipedia: "northlight" },
  fields: {
    name: stored(field.shortText, { required: true, note: "Name of the team.", example: "Northlight" }),
    tag: stored(field.shortTextOrEmpty.nullable(), { note: "Short tag shown beside names, or null.", example: "NLT" }),
    game: stored(field.oneOf(GAMES), {
      required: true,
      note: "The game the team plays; it decides which roles its players may have.",
      example: "LoL",
    }),
    division: stored(field.oneOf(TEAM_DIVISIONS), {
      default: "main",
      note: "Main team, academy or other.",
      example: "main",
    }),
    region: stored(field.shortTextOrEmpty.nullable(), {
      note: "Region the team competes in, or null.",
      example: "EMEA",
    }),
    logoUrl: stored(field.webUrl.nullable(), {
      note: "URL of the team's logo, or null.",
      example: "https://cdn.example.com/logos/northlight.svg",
    }),
    status: stored(field.oneOf(TEAM_STATUSES), {
      default: "active",
      note: "Whether the team is active.",
      example: "active",
    }),
    playerCount: readOnly(z.int().min(0).meta({ example: 7 }), {
      default: 0,
      note: "How many players and staff are assigned to the team now.",
      example: 7,
      check: "player_count >= 0",
    }),
  },
});

export type Team = RecordOf<typeof teamResource>;

export const listTeams = defineEndpoint({
  name: "listTeams",
  method: "GET",
  path: "/teams",
  permission: "teams:read",
  tag: "Teams",
  summary: "List all teams of the organization",
  description: "The bare call answers with every team, in order of creation.",
  query: {
    ...listParameters(teamResource.sortFields),
    externalId: externalIdParameter,
    game: enumFilter(GAMES, "Teams that play this game."),
    status: enumFilter(TEAM_STATUSES, "Teams with this status."),
    search: searchText("Part of `name` or `tag`, in any case."),
  },
  result: teamResource.schema,
  list: true,
  timeless: true,
});
