/** Which verb answers which endpoint. A name without a verb, or a verb without a name, does not compile. */
import type { AnyEndpoint, EndpointName } from "@lineup/api/endpoints";
import type { OrgStore } from "../store/org-store.ts";
import type { FaultFinder, ReadingEndpoint, Verb, WritingEndpoint } from "./context.ts";
import { getContract, listContracts, listExpiringContracts } from "./contracts/contract-handlers.ts";
import { findNextChangeOfContract, findNextContractChange } from "./contracts/contract-times.ts";
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
import { findNextScheduleChange } from "./schedule/schedule-times.ts";
import { listTeams } from "./teams/team-handlers.ts";

export const VERBS: { readonly [N in ReadingEndpoint | WritingEndpoint]: Verb<N> } = {
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

/** What is read and not timeless. */
type TimedEndpoint = Extract<AnyEndpoint, { method: "GET"; timeless: false }>["name"] & ReadingEndpoint;

/**
 * The next moment at which the endpoint's answers may change without a write; the id is the path's. Too early is only slower, never wrong.
 * Undefined where it would take too long to find out. Whatever the organization holds, the look at it is bounded.
 */
type FindNextChange = (org: OrgStore, now: number, id: string) => Promise<number | undefined>;

/** When what time changes has to be read again. A timed endpoint that is not here does not compile. */
export const NEXT_CHANGES: { readonly [N in TimedEndpoint]: FindNextChange } = {
  listSchedule: findNextScheduleChange,
  listContracts: findNextContractChange,
  listExpiringContracts: findNextContractChange,
  getContract: findNextChangeOfContract,
};
