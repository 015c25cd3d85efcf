/** The team: shape, importable fields and endpoint. */
import * as z from "zod";
import { defineEndpoint } from "./endpoint.ts";
import * as field from "./fields.ts";
import { enumFilter, externalIdParameter, listParameters, searchText } from "./parameters.ts";
import { GAMES } from "./roles.ts";

export const TEAM_DIVISIONS = ["main", "academy", "other"] as const;
export const TEAM_STATUSES = ["active", "inactive"] as const;

export const teamFields = z.object({
  name: field.shortText,
  tag: field.shortTextOrEmpty.nullable(),
  game: field.oneOf(GAMES),
  division: field.oneOf(TEAM_DIVISIONS),
  region: field.shortTextOrEmpty.nullable(),
  logoUrl: field.webUrl.nullable(),
  status: field.oneOf(TEAM_STATUSES),
  externalIds: field.externalIds,
});

export const team = z.strictObject({
  id: field.idOf("team"),
  ...teamFields.omit({ externalIds: true }).shape,
  playerCount: z.int().min(0).meta({ description: "Players and staff assigned to the team now", example: 7 }),
  externalIds: field.externalIds,
  createdAt: field.timestamp,
  updatedAt: field.timestamp,
});

export type Team = z.output<typeof team>;

export const TEAM_SORT_FIELDS = [
  "id",
  "name",
  "tag",
  "game",
  "division",
  "region",
  "logoUrl",
  "status",
  "playerCount",
  "createdAt",
  "updatedAt",
] as const;

export const listTeams = defineEndpoint({
  name: "listTeams",
  method: "GET",
  path: "/teams",
  permission: "teams:read",
  tag: "Teams",
  summary: "List all teams of the organization",
  description: "The bare call answers with every team, in order of creation.",
  query: {
    ...listParameters(TEAM_SORT_FIELDS),
    externalId: externalIdParameter,
    game: enumFilter(GAMES, "Teams that play this game."),
    status: enumFilter(TEAM_STATUSES, "Teams with this status."),
    search: searchText("Part of `name` or `tag`, in any case."),
  },
  result: team,
  list: true,
  timeless: true,
});
