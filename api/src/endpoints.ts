/** The lists of all endpoints and of all resources. What loops over either has a new one on arrival. */
import { listChanges } from "./changes.ts";
import { contractResource, getContract, listContracts, listExpiringContracts } from "./contracts.ts";
import type { OTHER_KINDS } from "./ids.ts";
import { describeKey } from "./me.ts";
import { createPlayer, getPlayer, listPlayers, playerResource, updatePlayer } from "./players.ts";
import { createProspect, getProspect, listProspects, prospectResource, updateProspect } from "./prospects.ts";
import { listRoster, rosterResource } from "./roster.ts";
import { listSchedule, scheduleResource } from "./schedule.ts";
import { listTeams, teamResource } from "./teams.ts";

/** The specification's table in its order, then what stands beside it. */
export const ENDPOINTS = [
  listPlayers,
  getPlayer,
  createPlayer,
  updatePlayer,
  listTeams,
  listRoster,
  listSchedule,
  listProspects,
  getProspect,
  createProspect,
  updateProspect,
  listContracts,
  getContract,
  listExpiringContracts,
  describeKey,
  listChanges,
] as const;

export type AnyEndpoint = (typeof ENDPOINTS)[number];
export type EndpointName = AnyEndpoint["name"];

/** In the order in which their tables can be filled: what others refer to first. Files of imports and exports have it too. */
export const RESOURCES = [
  teamResource,
  playerResource,
  rosterResource,
  contractResource,
  scheduleResource,
  prospectResource,
] as const;

export type SomeResource = (typeof RESOURCES)[number];
export type ResourceName = SomeResource["name"];
export type ResourceNamed<N extends ResourceName> = Extract<SomeResource, { name: N }>;
export type RecordKind = SomeResource["kind"];
/** What an id may begin with. */
export type IdPrefix = RecordKind | (typeof OTHER_KINDS)[number];
