/** The player: shape, writable fields and endpoints. */
import * as z from "zod";
import { defineEndpoint } from "./endpoint.ts";
import * as field from "./fields.ts";
import { enumFilter, externalIdParameter, idFilter, listParameters, searchText } from "./parameters.ts";
import { ALL_ROLES, GAMES } from "./roles.ts";

export const PLAYER_STATUSES = ["active", "benched", "inactive"] as const;
export const CONTRACT_STATUSES = ["unsigned", "in_negotiation", "active", "expired", "terminated"] as const;

export type PlayerStatus = (typeof PLAYER_STATUSES)[number];
export type ContractStatus = (typeof CONTRACT_STATUSES)[number];

/** The usual way of a contract status; other steps are taken too, and recorded as unusual. */
export const USUAL_CONTRACT_STEPS: Readonly<Record<ContractStatus, readonly ContractStatus[]>> = {
  unsigned: ["in_negotiation"],
  in_negotiation: ["active"],
  active: ["expired", "terminated"],
  expired: ["in_negotiation", "unsigned"],
  terminated: ["in_negotiation", "unsigned"],
};

export const player = z.strictObject({
  id: field.idOf("player").describe("Identifier of the player"),
  ign: field.ign,
  realName: field.shortTextOrEmpty.describe("The player's real name, empty when unknown"),
  role: field.role("Mid").describe("Valid for the game of the player's team"),
  teamId: field.idOf("team").nullable().describe("The player's team, null without one"),
  contractStatus: field.oneOf(CONTRACT_STATUSES),
  joinDate: field.timestamp,
  status: field.oneOf(PLAYER_STATUSES),
  nationality: field.countryCode.nullable(),
  imageUrl: field.httpsUrl.nullable(),
  stats: field.stats.nullable(),
  externalIds: field.externalIds,
  createdAt: field.timestamp,
  updatedAt: field.timestamp,
});

export type Player = z.output<typeof player>;

/** What a POST may hold. */
export const playerFields = z.object({
  ign: field.ign,
  realName: field.shortTextOrEmpty,
  role: field.role("Mid"),
  teamId: field.idOf("team").nullable(),
  contractStatus: field.oneOf(CONTRACT_STATUSES),
  joinDate: field.timestamp,
  status: field.oneOf(PLAYER_STATUSES),
  nationality: field.countryCode.nullable(),
  imageUrl: field.httpsUrl.nullable(),
  stats: field.stats.nullable(),
  externalIds: field.externalIds,
});

export const playerPatchFields = playerFields.extend({ externalIds: field.externalIdsPatch });

const READ_ONLY = ["id", "createdAt", "updatedAt"] as const;

export const PLAYER_SORT_FIELDS = [
  "id",
  "ign",
  "realName",
  "role",
  "teamId",
  "contractStatus",
  "joinDate",
  "status",
  "nationality",
  "imageUrl",
  "createdAt",
  "updatedAt",
] as const;

export const listPlayers = defineEndpoint({
  name: "listPlayers",
  method: "GET",
  path: "/players",
  permission: "players:read",
  tag: "Players",
  summary: "List all players of the organization",
  description: "The bare call answers with every player, in order of creation. Filters narrow it; `limit` pages it.",
  query: {
    ...listParameters(PLAYER_SORT_FIELDS),
    externalId: externalIdParameter,
    teamId: idFilter("team", "Players of this team; `none` for those without one.", { none: true }),
    game: enumFilter(GAMES, "Players whose team plays this game; `Other` includes nobody without a team."),
    role: enumFilter(ALL_ROLES, "Players with this role."),
    status: enumFilter(PLAYER_STATUSES, "Players with this status."),
    contractStatus: enumFilter(CONTRACT_STATUSES, "Players with this contract status."),
    search: searchText("Part of `ign` or `realName`, in any case."),
  },
  result: player,
  list: true,
  timeless: true,
});

export const getPlayer = defineEndpoint({
  name: "getPlayer",
  method: "GET",
  path: "/players/{id}",
  permission: "players:read",
  tag: "Players",
  summary: "One player by id",
  description: "An id that is unknown, or that belongs to another organization, gives NOT_FOUND.",
  query: {},
  result: player,
  list: false,
  timeless: true,
});

export const createPlayer = defineEndpoint({
  name: "createPlayer",
  method: "POST",
  path: "/players",
  permission: "players:write",
  tag: "Players",
  summary: "Create a player",
  description:
    "The role must be valid for the game of the team; without a team, for `Other`. With a team, the player's first roster entry begins at `joinDate`.",
  query: {},
  body: {
    fields: playerFields,
    required: ["ign", "role"],
    readOnly: READ_ONLY,
    atLeastOne: false,
    example: { ign: "Vex", realName: "Elin Sandberg", role: "Player", nationality: "SE" },
  },
  result: player,
  list: false,
  timeless: false,
});

export const updatePlayer = defineEndpoint({
  name: "updatePlayer",
  method: "PATCH",
  path: "/players/{id}",
  permission: "players:write",
  tag: "Players",
  summary: "Update an existing player",
  description:
    "Changes only the fields given; `null` clears a nullable one. `stats` is replaced whole, `externalIds` is merged. A change of team or role closes the player's roster entry and opens another.",
  query: {},
  body: {
    fields: playerPatchFields,
    required: [],
    readOnly: READ_ONLY,
    atLeastOne: true,
    example: { status: "benched", stats: { kda: 3.8 } },
  },
  result: player,
  list: false,
  timeless: false,
});
