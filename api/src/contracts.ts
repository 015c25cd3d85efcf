/** The contract: shape, importable fields and endpoints. */
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

export const CONTRACT_KINDS = ["player", "staff", "trial", "loan"] as const;
export const CONTRACT_STATES = ["draft", "pending", "active", "expired", "terminated"] as const;

export const EXPIRING_DAYS_DEFAULT = 30;

export const contractFields = z.object({
  teamId: field.idOf("team").nullable(),
  kind: field.oneOf(CONTRACT_KINDS),
  status: field.oneOf(CONTRACT_STATES),
  startDate: field.timestamp,
  endDate: field.timestamp.nullable(),
  signedAt: field.timestamp.nullable(),
  terminatedAt: field.timestamp.nullable(),
  autoRenew: field.boolean,
  noticePeriodDays: field.integer(0, 3_650).nullable(),
  externalIds: field.externalIds,
});

export const contract = z.strictObject({
  id: field.idOf("contract"),
  playerId: field.idOf("player"),
  playerIgn: field.ign,
  ...contractFields.omit({ externalIds: true }).shape,
  daysRemaining: z
    .int()
    .nullable()
    .meta({ description: "Of an active contract with an end: the days to it, rounded up", example: 21 }),
  externalIds: field.externalIds,
  createdAt: field.timestamp,
  updatedAt: field.timestamp,
});

export type Contract = z.output<typeof contract>;

export const CONTRACT_SORT_FIELDS = [
  "id",
  "playerId",
  "playerIgn",
  "teamId",
  "kind",
  "status",
  "startDate",
  "endDate",
  "signedAt",
  "terminatedAt",
  "autoRenew",
  "noticePeriodDays",
  "createdAt",
  "updatedAt",
] as const;

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
    ...listParameters(CONTRACT_SORT_FIELDS),
    externalId: externalIdParameter,
    status: enumFilter(CONTRACT_STATES, "Contracts with this status."),
    playerId: idFilter("player", "Contracts of this player."),
    teamId: idFilter("team", "Contracts with this team."),
    endsBefore: instantParameter("Contracts whose `endDate` lies before this moment."),
    endsAfter: instantParameter("Contracts whose `endDate` lies after this moment."),
  },
  result: contract,
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
    ...listParameters(CONTRACT_SORT_FIELDS, "By default, soonest end first.", "endDate"),
    externalId: externalIdParameter,
    days: integerParameter(1, 365, `How many days ahead to look; ${EXPIRING_DAYS_DEFAULT} when left out.`, 30),
    teamId: idFilter("team", "Contracts with this team."),
  },
  result: contract,
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
  result: contract,
  list: false,
  timeless: false,
});
