/** Which verb answers which endpoint. A name without a verb, or a verb without a name, does not compile. */
import type { EndpointName } from "@lineup/api/endpoints";
import type { FaultFinder, Verb } from "./context.ts";
import { getContract, listContracts, listExpiringContracts } from "./contracts/contract-handlers.ts";
import { createPlayer, findPlayerBodyFaults, getPlayer, listPlayers, updatePlayer } from "./players/player-handlers.ts";
import {
  createProspect,
  findProspectBodyFaults,
  getProspect,
  listProspects,
  updateProspect,
} from "./prospects/prospect-handlers.ts";
import { listRoster } from "./roster/roster-handlers.ts";
import { listSchedule } from "./schedule/schedule-handlers.ts";
import { listTeams } from "./teams/team-handlers.ts";

/** `describeKey` is about the key and not the organization's data; the pipeline answers it itself. */
type DataEndpoint = Exclude<EndpointName, "describeKey">;

export const VERBS: { readonly [N in DataEndpoint]: Verb<N> } = {
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
};

export const FAULT_FINDERS: Readonly<Partial<Record<EndpointName, FaultFinder>>> = {
  createPlayer: findPlayerBodyFaults,
  updatePlayer: findPlayerBodyFaults,
  createProspect: findProspectBodyFaults,
  updateProspect: findProspectBodyFaults,
};
