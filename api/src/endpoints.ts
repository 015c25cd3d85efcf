/** Every endpoint, one list: the specification's table in its order, then what stands beside it. */
import { getContract, listContracts, listExpiringContracts } from "./contracts.ts";
import { describeKey } from "./me.ts";
import { createPlayer, getPlayer, listPlayers, updatePlayer } from "./players.ts";
import { createProspect, getProspect, listProspects, updateProspect } from "./prospects.ts";
import { listRoster } from "./roster.ts";
import { listSchedule } from "./schedule.ts";
import { listTeams } from "./teams.ts";

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
] as const;

export type AnyEndpoint = (typeof ENDPOINTS)[number];
export type EndpointName = AnyEndpoint["name"];
