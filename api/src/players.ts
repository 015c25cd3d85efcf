/** The player and its endpoints. */
import { defineEndpoint } from "./endpoint.ts";
import * as field from "./fields.ts";
import { enumFilter, externalIdParameter, idFilter, listParameters, searchText } from "./parameters.ts";
import { defineResource, ID_EXAMPLE, NOW, type RecordOf, stored } from "./resource.ts";
import { ALL_ROLES, GAMES, ROLE_TABLE } from "./roles.ts";

export const PLAYER_STATUSES = ["active", "benched", "inactive"] as const;
export const CONTRACT_STATUSES = ["unsigned", "in_negotiation", "active", "expired", "terminated"] as const;

export type ContractStatus = (typeof CONTRACT_STATUSES)[number];

/** The usual way of a contract status; other steps are taken too, and recorded as unusual. */
export const USUAL_CONTRACT_STEPS: Readonly<Record<ContractStatus, readonly ContractStatus[]>> = {
  unsigned: ["in_negotiation"],
  in_negotiation: ["active"],
  active: ["expired", "terminated"],
  expired: ["in_negotiation", "unsigned"],
  terminated: ["in_negotiation", "unsigned"],
};

const ROLE_WRITTEN = `Must be a role of the game of the team the player will have; without a team, of Other. ${ROLE_TABLE}`;

export const playerResource = defineResource({
  name: "players",
  kind: "player",
  component: "Player",
  description: "Somebody who plays for the organization or belongs to its staff.",
  tag: {
    name: "Players",
    description: "The organization's players and staff. Keys with `players:write` create and update them.",
  },
  table: "players",
  rows: 100_000,
  indexes: {
    players_by_team: { columns: ["team_id"], narrows: [50] },
    players_by_update: { columns: ["updated_at"], narrows: [20] },
  },
  called: "ign",
  searched: ["ign", "realName"],
  idNote: "Identifier of the player.",
  externalIds: { liquipedia: "vex" },
  fields: {
    ign: stored(field.ign, { required: true, note: "In-game name.", example: "Vex" }),
    realName: stored(field.shortTextOrEmpty, {
      default: "",
      note: "The player's real name; an empty string when it is unknown.",
      example: "Elin Sandberg",
    }),
    role: stored(field.role("Mid"), {
      required: true,
      note: `What the player does in the team; one of the roles of the team's game, without a team of Other. ${ROLE_TABLE}`,
      createNote: ROLE_WRITTEN,
      updateNote: ROLE_WRITTEN,
      example: "Mid",
      check: "role <> ''",
    }),
    teamId: stored(field.idOf("team").nullable(), {
      refersTo: "teams",
      note: "The player's team, or null without one.",
      createNote: "A team of your organization, or null.",
      updateNote:
        "A team of your organization; null takes the player out of the team. The role must be valid for the new team.",
      example: `team_${ID_EXAMPLE}`,
    }),
    contractStatus: stored(field.oneOf(CONTRACT_STATUSES), {
      default: "unsigned",
      note: "How things stand with the player's contract. The usual way is unsigned → in_negotiation → active → expired or terminated → in_negotiation or unsigned; other steps are possible, because people correct data.",
      example: "active",
    }),
    joinDate: stored(field.timestamp, {
      default: NOW,
      note: "When the player joined, in milliseconds since the Unix epoch.",
      createNote: "When the player joined, in milliseconds since the Unix epoch; now when left out.",
      example: Date.UTC(2025, 0, 1),
    }),
    status: stored(field.oneOf(PLAYER_STATUSES), {
      default: "active",
      note: "Whether the player plays.",
      example: "active",
    }),
    nationality: stored(field.countryCode.nullable(), {
      note: "Country as an ISO 3166-1 alpha-2 code in capitals, or null.",
      example: "SE",
      check: "length(nationality) = 2",
    }),
    imageUrl: stored(field.httpsUrl.nullable(), {
      note: "An https URL of a portrait, or null.",
      example: "https://cdn.example.com/portraits/vex.png",
    }),
    stats: stored(field.stats.nullable(), {
      note: "Statistics as name → number or string, at most 50, or null. Whole numbers beyond 2^53 lose precision: send them as strings.",
      updateNote: "Replaces all statistics; null clears them.",
      example: { kda: 4.2, winRate: "61%" },
    }),
  },
});

export type Player = RecordOf<typeof playerResource>;

export const listPlayers = defineEndpoint({
  name: "listPlayers",
  method: "GET",
  path: "/players",
  permission: "players:read",
  tag: "Players",
  summary: "List all players of the organization",
  description: "The bare call answers with every player, in order of creation. Filters narrow it; `limit` pages it.",
  query: {
    ...listParameters(playerResource.sortFields),
    externalId: externalIdParameter,
    teamId: idFilter("team", "Players of this team; `none` for those without one.", { none: true }),
    game: enumFilter(GAMES, "Players whose team plays this game; `Other` includes nobody without a team."),
    role: enumFilter(ALL_ROLES, "Players with this role."),
    status: enumFilter(PLAYER_STATUSES, "Players with this status."),
    contractStatus: enumFilter(CONTRACT_STATUSES, "Players with this contract status."),
    search: searchText("Part of `ign` or `realName`, in any case."),
  },
  result: playerResource.schema,
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
  result: playerResource.schema,
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
    fields: playerResource.createFields,
    required: playerResource.required,
    readOnly: playerResource.readOnly,
    atLeastOne: false,
    example: { ign: "Vex", realName: "Elin Sandberg", role: "Player", nationality: "SE" },
  },
  result: playerResource.schema,
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
    fields: playerResource.updateFields,
    required: [],
    readOnly: playerResource.readOnly,
    atLeastOne: true,
    example: { status: "benched", stats: { kda: 3.8 } },
  },
  result: playerResource.schema,
  list: false,
  timeless: false,
});
