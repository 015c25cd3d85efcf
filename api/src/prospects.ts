/** The prospect and its endpoints. */
import { defineEndpoint } from "./endpoint.ts";
import * as field from "./fields.ts";
import { enumFilter, externalIdParameter, listParameters, searchText, textFilter } from "./parameters.ts";
import { defineResource, imported, NOW, type RecordOf, readOnly, stored, UPDATED_EXAMPLE } from "./resource.ts";
import { ALL_ROLES, GAMES, ROLE_TABLE } from "./roles.ts";

export const PROSPECT_STAGES = ["identified", "contacted", "trial", "offered", "signed", "rejected"] as const;
export const PROSPECT_PRIORITIES = ["low", "medium", "high"] as const;

const ROLE_WRITTEN = `Must be a role of the prospect's \`game\`, or null. ${ROLE_TABLE}`;
const TEAM_WRITTEN = "A team of your organization, or null.";

export const prospectResource = defineResource({
  name: "prospects",
  kind: "prospect",
  component: "Prospect",
  description: "Somebody the organization may sign.",
  tag: {
    name: "Prospects",
    description: "The scouting pipeline. Keys with `prospects:write` add and update prospects.",
  },
  table: "prospects",
  rows: 20_000,
  indexes: { prospects_by_update: { columns: ["updated_at"], narrows: [20] } },
  called: "ign",
  searched: ["ign", "realName"],
  idNote: "Identifier of the prospect.",
  externalIds: {},
  fields: {
    ign: stored(field.ign, { required: true, note: "In-game name.", example: "Nyx" }),
    realName: stored(field.shortTextOrEmpty, {
      default: "",
      note: "The prospect's real name; an empty string when it is unknown.",
      example: "",
    }),
    game: stored(field.oneOf(GAMES), { default: "Other", note: "The game the prospect plays.", example: "Valorant" }),
    role: stored(field.role("Player", "must be a string or null").nullable(), {
      note: `A role of the prospect's game, or null. ${ROLE_TABLE}`,
      createNote: ROLE_WRITTEN,
      updateNote: ROLE_WRITTEN,
      example: "Duelist",
    }),
    stage: stored(field.oneOf(PROSPECT_STAGES), {
      default: "identified",
      note: "How far the prospect has come in the pipeline. Any stage may follow any other.",
      example: "contacted",
    }),
    stageChangedAt: readOnly(field.timestamp, {
      default: NOW,
      note: "When the stage last changed, in milliseconds since the Unix epoch.",
      example: UPDATED_EXAMPLE,
    }),
    priority: stored(field.oneOf(PROSPECT_PRIORITIES), {
      default: "medium",
      note: "How much the organization wants the prospect.",
      example: "high",
    }),
    rating: stored(field.rating.nullable(), {
      note: "The scouts' rating from 0 to 10, or null.",
      example: 8.5,
      check: "rating BETWEEN 0 AND 10",
    }),
    currentTeam: stored(field.shortTextOrEmpty.nullable(), {
      note: "The team the prospect plays for now, or null.",
      example: "Harbor Nine Academy",
    }),
    nationality: stored(field.shortTextOrEmpty.nullable(), {
      note: "The prospect's nationality as free text, in words or as a code, or null.",
      example: "DK",
    }),
    region: stored(field.shortTextOrEmpty.nullable(), {
      note: "Region the prospect plays in, or null.",
      example: "EMEA",
    }),
    source: stored(field.shortTextOrEmpty.nullable(), {
      note: "How the prospect was found, or null.",
      example: "Ladder",
    }),
    assignedTo: stored(field.shortTextOrEmpty.nullable(), {
      note: "Who looks after the prospect, or null. A name with a comma cannot be filtered by.",
      example: "Mara Lindqvist",
    }),
    notes: stored(field.notes.nullable(), {
      note: "Free text of up to 10,000 characters, line breaks included, or null.",
      example: "Answered within the hour.",
    }),
    targetTeamId: stored(field.idOf("team").nullable(), {
      refersTo: "teams",
      note: "The team the prospect is meant for, or null.",
      createNote: TEAM_WRITTEN,
      updateNote: TEAM_WRITTEN,
      example: null,
    }),
    playerId: imported(field.idOf("player").nullable(), {
      refersTo: "players",
      note: "The player a signed prospect became, or null. Staff set it.",
      example: null,
    }),
    contractEndDate: stored(field.timestamp.nullable(), {
      note: "When the prospect's present contract ends, in milliseconds since the Unix epoch, or null.",
      example: Date.UTC(2026, 5, 30),
    }),
    lastContactAt: stored(field.timestamp.nullable(), {
      note: "When somebody last spoke with the prospect, in milliseconds since the Unix epoch, or null.",
      example: UPDATED_EXAMPLE,
    }),
    tags: stored(field.tags, {
      default: [],
      note: "Words to find the prospect by, at most 20.",
      updateNote: "Replaces all tags.",
      example: ["aim", "ladder"],
    }),
  },
});

export type Prospect = RecordOf<typeof prospectResource>;

export const listProspects = defineEndpoint({
  name: "listProspects",
  method: "GET",
  path: "/prospects",
  permission: "prospects:read",
  tag: "Prospects",
  summary: "List all prospects in the pipeline",
  description: "The bare call answers with every prospect, in order of creation.",
  query: {
    ...listParameters(prospectResource.sortFields),
    externalId: externalIdParameter,
    stage: enumFilter(PROSPECT_STAGES, "Prospects in this stage."),
    game: enumFilter(GAMES, "Prospects for this game."),
    role: enumFilter(ALL_ROLES, "Prospects with this role."),
    priority: enumFilter(PROSPECT_PRIORITIES, "Prospects of this priority."),
    assignedTo: textFilter("Prospects assigned to exactly this person.", "Mara Lindqvist"),
    search: searchText("Part of `ign` or `realName`, in any case."),
  },
  result: prospectResource.schema,
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
  result: prospectResource.schema,
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
    fields: prospectResource.createFields,
    required: prospectResource.required,
    readOnly: prospectResource.readOnly,
    atLeastOne: false,
    example: { ign: "Nyx", game: "Valorant", role: "Duelist", priority: "high", tags: ["aim", "ladder"] },
  },
  result: prospectResource.schema,
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
    fields: prospectResource.updateFields,
    required: [],
    readOnly: prospectResource.readOnly,
    atLeastOne: true,
    example: { stage: "contacted", notes: "Answered within the hour." },
  },
  result: prospectResource.schema,
  list: false,
  timeless: false,
});
