/** The contract and its endpoints. */
import * as z from "zod";
import { defineEndpoint } from "./endpoint.ts";
import * as field from "./fields.ts";
import {
  enumFilter,
  externalIdParameter,
  idFilter,
  instantParameter,
  integerParameter,
  listParameters,
} from "./parameters.ts";
import { computed, defineResource, ID_EXAMPLE, imported, joined, type RecordOf, stored } from "./resource.ts";

export const CONTRACT_KINDS = ["player", "staff", "trial", "loan"] as const;
export const CONTRACT_STATES = ["draft", "pending", "active", "expired", "terminated"] as const;

export const EXPIRING_DAYS_DEFAULT = 30;

export const contractResource = defineResource({
  name: "contracts",
  kind: "contract",
  component: "Contract",
  description: "A contract with a player or a member of staff.",
  tag: { name: "Contracts", description: "Contracts and when they end. They hold no salaries." },
  table: "contracts",
  rows: 100_000,
  indexes: {
    contracts_by_player: { columns: ["player_id"], narrows: [3] },
    contracts_by_end: { columns: ["end_date", "id"], narrows: [20, 1] },
  },
  called: null,
  idNote: "Identifier of the contract.",
  externalIds: {},
  fields: {
    playerId: imported(field.idOf("player"), {
      required: true,
      refersTo: "players",
      note: "The player the contract is with.",
      example: `player_${ID_EXAMPLE}`,
    }),
    playerIgn: joined("players.ign", field.ign, { note: "The player's in-game name, as it is today.", example: "Vex" }),
    teamId: stored(field.idOf("team").nullable(), {
      refersTo: "teams",
      note: "The team the contract is for, or null.",
      example: `team_${ID_EXAMPLE}`,
    }),
    kind: stored(field.oneOf(CONTRACT_KINDS), {
      default: "player",
      note: "What kind of contract it is.",
      example: "player",
    }),
    status: stored(field.oneOf(CONTRACT_STATES), {
      default: "draft",
      note: "How things stand with the contract. An active one reads `expired` from the moment its `endDate` has passed.",
      example: "active",
    }),
    startDate: stored(field.timestamp, {
      required: true,
      note: "When the contract starts, in milliseconds since the Unix epoch.",
      example: Date.UTC(2025, 0, 1),
    }),
    endDate: stored(field.timestamp.nullable(), {
      note: "When the contract ends, in milliseconds since the Unix epoch; null when it is open-ended.",
      example: Date.UTC(2026, 0, 22, 12),
      check: "end_date >= start_date",
    }),
    signedAt: stored(field.timestamp.nullable(), {
      note: "When it was signed, in milliseconds since the Unix epoch, or null.",
      example: Date.UTC(2024, 11, 12),
    }),
    terminatedAt: stored(field.timestamp.nullable(), {
      note: "When it was terminated, in milliseconds since the Unix epoch, or null.",
      example: null,
    }),
    autoRenew: stored(field.boolean, {
      default: false,
      note: "Whether it renews itself at its end.",
      example: false,
    }),
    noticePeriodDays: stored(field.integer(0, 3_650).nullable(), {
      note: "Days of notice either side must give, or null.",
      example: 30,
      check: "notice_period_days >= 0",
    }),
    daysRemaining: computed(z.int().nullable().meta({ example: 21 }), {
      note: "Days until the end of an active contract, rounded up; null when it is not active or open-ended.",
      example: 21,
    }),
  },
});

export type Contract = RecordOf<typeof contractResource>;

export const listContracts = defineEndpoint({
  name: "listContracts",
  method: "GET",
  path: "/contracts",
  permission: "contracts:read",
  tag: "Contracts",
  summary: "List all contracts",
  description:
    "The bare call answers with every contract, in order of creation. An active contract whose `endDate` has passed reads `expired` from that moment.",
  query: {
    ...listParameters(contractResource.sortFields),
    externalId: externalIdParameter,
    status: enumFilter(CONTRACT_STATES, "Contracts with this status."),
    playerId: idFilter("player", "Contracts of this player."),
    teamId: idFilter("team", "Contracts with this team."),
    endsBefore: instantParameter("Contracts whose `endDate` lies before this moment."),
    endsAfter: instantParameter("Contracts whose `endDate` lies after this moment."),
  },
  result: contractResource.schema,
  list: true,
  timeless: false,
});

export const listExpiringContracts = defineEndpoint({
  name: "listExpiringContracts",
  method: "GET",
  path: "/contracts/expiring",
  permission: "contracts:read",
  tag: "Contracts",
  summary: "Contracts expiring soon",
  description: "Active contracts whose `endDate` lies between now and `days` from now, soonest first.",
  query: {
    ...listParameters(contractResource.sortFields, "By default, soonest end first.", "endDate"),
    externalId: externalIdParameter,
    days: integerParameter(1, 365, `How many days ahead to look; ${EXPIRING_DAYS_DEFAULT} when left out.`, 30),
    teamId: idFilter("team", "Contracts with this team."),
  },
  result: contractResource.schema,
  list: true,
  timeless: false,
});

export const getContract = defineEndpoint({
  name: "getContract",
  method: "GET",
  path: "/contracts/{id}",
  permission: "contracts:read",
  tag: "Contracts",
  summary: "One contract",
  description: "An id that is unknown, or that belongs to another organization, gives NOT_FOUND.",
  query: {},
  result: contractResource.schema,
  list: false,
  timeless: false,
});
