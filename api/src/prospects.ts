/** The prospect: shape, writable fields and endpoints. */
import * as z from "zod";
import { defineEndpoint } from "./endpoint.ts";
import * as field from "./fields.ts";
import { enumFilter, externalIdParameter, listParameters, searchText, textFilter } from "./parameters.ts";
import { ALL_ROLES, GAMES } from "./roles.ts";

export const PROSPECT_STAGES = ["identified", "contacted", "trial", "offered", "signed", "rejected"] as const;
export const PROSPECT_PRIORITIES = ["low", "medium", "high"] as const;

/** What a POST may hold. */
export const prospectFields = z.object({
  ign: field.ign,
  realName: field.shortTextOrEmpty,
  game: field.oneOf(GAMES),
  role: field.role("Player", "must be a string or null").nullable(),
  stage: field.oneOf(PROSPECT_STAGES),
  priority: field.oneOf(PROSPECT_PRIORITIES),
  rating: field.rating.nullable(),
  currentTeam: field.shortTextOrEmpty.nullable(),
  nationality: field.shortTextOrEmpty.nullable(),
  region: field.shortTextOrEmpty.nullable(),
  source: field.shortTextOrEmpty.nullable(),
  assignedTo: field.shortTextOrEmpty.nullable(),
  notes: field.notes.nullable(),
  targetTeamId: field.idOf("team").nullable(),
  contractEndDate: field.timestamp.nullable(),
  lastContactAt: field.timestamp.nullable(),
  tags: field.tags,
  externalIds: field.externalIds,
});

export const prospectPatchFields = prospectFields.extend({ externalIds: field.externalIdsPatch });

const shown = prospectFields.shape;

export const prospect = z.strictObject({
  id: field.idOf("prospect"),
  ign: shown.ign,
  realName: shown.realName,
  game: shown.game,
  role: shown.role,
  stage: shown.stage,
  stageChangedAt: field.timestamp,
  priority: shown.priority,
  rating: shown.rating,
  currentTeam: shown.currentTeam,
  nationality: shown.nationality,
  region: shown.region,
  source: shown.source,
  assignedTo: shown.assignedTo,
  notes: shown.notes,
  targetTeamId: shown.targetTeamId,
  playerId: field.idOf("player").nullable().describe("The player that a signed prospect became; set by staff"),
  contractEndDate: shown.contractEndDate,
  lastContactAt: shown.lastContactAt,
  tags: shown.tags,
  externalIds: shown.externalIds,
  createdAt: field.timestamp,
  updatedAt: field.timestamp,
});

export type Prospect = z.output<typeof prospect>;

const READ_ONLY = ["id", "createdAt", "updatedAt", "stageChangedAt", "playerId"] as const;

export const PROSPECT_SORT_FIELDS = [
  "id",
  "ign",
  "realName",
  "game",
  "role",
  "stage",
  "stageChangedAt",
  "priority",
  "rating",
  "currentTeam",
  "nationality",
  "region",
  "source",
  "assignedTo",
  "notes",
  "targetTeamId",
  "playerId",
  "contractEndDate",
  "lastContactAt",
  "createdAt",
  "updatedAt",
] as const;

export const listProspects = defineEndpoint({
  name: "listProspects",
  method: "GET",
  path: "/prospects",
  permission: "prospects:read",
  tag: "Prospects",
  summary: "List all prospects in the pipeline",
  description: "The bare call answers with every prospect, in order of creation.",
  query: {
    ...listParameters(PROSPECT_SORT_FIELDS),
    externalId: externalIdParameter,
    stage: enumFilter(PROSPECT_STAGES, "Prospects in this stage."),
    game: enumFilter(GAMES, "Prospects for this game."),
    role: enumFilter(ALL_ROLES, "Prospects with this role."),
    priority: enumFilter(PROSPECT_PRIORITIES, "Prospects of this priority."),
    assignedTo: textFilter("Prospects assigned to exactly this person.", "Mara Lindqvist"),
    search: searchText("Part of `ign` or `realName`, in any case."),
  },
  result: prospect,
  list: true,
  timeless: true,
});

export const getProspect = defineEndpoint({
  name: "getProspect",
  method: "GET",
  path: "/prospects/{id}",
  permission: "prospects:read",
  tag: "Prospects",
  summary: "One prospect",
  description: "An id that is unknown, or that belongs to another organization, gives NOT_FOUND.",
  query: {},
  result: prospect,
  list: false,
  timeless: true,
});

export const createProspect = defineEndpoint({
  name: "createProspect",
  method: "POST",
  path: "/prospects",
  permission: "prospects:write",
  tag: "Prospects",
  summary: "Add a prospect",
  description: "Only `ign` is required. A role must be valid for the prospect's `game`.",
  query: {},
  body: {
    fields: prospectFields,
    required: ["ign"],
    readOnly: READ_ONLY,
    atLeastOne: false,
    example: { ign: "Nyx", game: "Valorant", role: "Duelist", priority: "high", tags: ["aim", "ladder"] },
  },
  result: prospect,
  list: false,
  timeless: false,
});

export const updateProspect = defineEndpoint({
  name: "updateProspect",
  method: "PATCH",
  path: "/prospects/{id}",
  permission: "prospects:write",
  tag: "Prospects",
  summary: "Update prospect details",
  description:
    "Changes only the fields given; `null` clears a nullable one. `tags` is replaced whole, `externalIds` is merged. Any stage may follow any.",
  query: {},
  body: {
    fields: prospectPatchFields,
    required: [],
    readOnly: READ_ONLY,
    atLeastOne: true,
    example: { stage: "contacted", notes: "Answered within the hour." },
  },
  result: prospect,
  list: false,
  timeless: false,
});
