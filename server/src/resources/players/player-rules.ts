/**
 * The rules of a player that need stored data: the team must be ours, the role must fit its game. The roster follows a player, contracts show
 * the name, and all of it goes with the player.
 */
import { contractResource } from "@lineup/api/contracts";
import { ApiError, type ErrorDetail } from "@lineup/api/errors";
import { type ContractStatus, type Player, type playerResource, USUAL_CONTRACT_STEPS } from "@lineup/api/players";
import { prospectResource } from "@lineup/api/prospects";
import { type Game, isRoleOf, ROLES_BY_GAME } from "@lineup/api/roles";
import type { AuditEntry } from "../../store/audit-entry.ts";
import { findExternalIdFaults, mergeExternalIds } from "../../store/external-ids.ts";
import type { OrgStore } from "../../store/org-store.ts";
import type { FaultFinder } from "../context.ts";
import { contractStore, storedAsOf } from "../contracts/contract-store.ts";
import { prospectStore } from "../prospects/prospect-store.ts";
import { listOfPlayer } from "../record-store.ts";
import { changeAlong, describeDeletion, type RecordRules, refuse } from "../record-writes.ts";
import { followPlayer, selectAssignments, writeAssignments } from "../roster/roster-store.ts";
import { CONTRACTS_OF_PLAYERS, followShown } from "../shown-others.ts";
import { findTeamGame } from "../teams/team-store.ts";
import { playerStore } from "./player-store.ts";

/** What a player would have after a write; what is undefined was not usable and is not judged. */
type PlayerPlan = { readonly [K in "id" | "role" | "teamId" | "externalIds"]: Player[K] | undefined };

/** `checkRole`: whether the write says anything about role or team; a role that nobody touches is not judged again. */
export async function findPlayerFaults(
  org: OrgStore,
  { id, role, teamId, externalIds }: PlayerPlan,
  checkRole = true,
): Promise<ErrorDetail[]> {
  const faults: ErrorDetail[] = [];
  const game = typeof teamId === "string" ? await findTeamGame(org, teamId) : "Other";
  if (game === undefined) {
    faults.push({ field: "teamId", message: "is not a team of this organization; see GET /teams" });
  }
  if (externalIds !== undefined) faults.push(...(await findExternalIdFaults(org, "player", id, externalIds)));
  if (game === undefined || teamId === undefined || role === undefined || !checkRole) return faults;
  const fault = findRoleFault(game, role, teamId !== null);
  return fault === undefined ? faults : [...faults, { field: "role", message: fault }];
}

/** Why a role does not fit a game, and which do. */
export function findRoleFault(game: Game, role: string, hasTeam: boolean): string | undefined {
  if (isRoleOf(game, role)) return undefined;
  const where = hasTeam ? `a player of a team that plays ${game}` : "a player without a team";
  return `is not a role of ${where}; use one of ${ROLES_BY_GAME[game].join(", ")}`;
}

/** Refuses a write with faults: INVALID_ROLE where the role is the sole one, else everything at once. */
export function refuseFaults(faults: readonly ErrorDetail[]): void {
  const [first, ...others] = faults;
  if (first?.field === "role" && others.length === 0) {
    throw new ApiError("INVALID_ROLE", `The role ${first.message}.`, { details: faults });
  }
  refuse(faults);
}

/** Contract statuses usually go one way; another step is taken all the same and remembered as what it is. */
export function noteUnusualStep(before: ContractStatus, after: ContractStatus): string | undefined {
  if (before === after || USUAL_CONTRACT_STEPS[before].includes(after)) return undefined;
  return `unusual step of contractStatus: ${before} to ${after}`;
}

/** Judges the usable part of a body whose form is wrong, so that its other faults are reported with it. */
export const findPlayerBodyFaults: FaultFinder = async ({ org }, id, body, isFaulty) => {
  const usable = body as Partial<Player>;
  const before = id === "" ? undefined : await playerStore.find(org, id);
  if (id !== "" && before === undefined) return [];
  const teamId = usable.teamId === undefined ? (before?.teamId ?? null) : usable.teamId;
  const plan = {
    id: before?.id,
    role: isFaulty("role") ? undefined : (usable.role ?? before?.role),
    teamId: isFaulty("teamId") ? undefined : teamId,
    externalIds: usable.externalIds && mergeExternalIds(before?.externalIds ?? {}, usable.externalIds),
  };
  return findPlayerFaults(org, plan, usable.role !== undefined || usable.teamId !== undefined);
};

export const playerRules: RecordRules<typeof playerResource> = {
  store: playerStore,
  async settle({ org }, { before, given, after }) {
    const checkRole = before === undefined || given.role !== undefined || given.teamId !== undefined;
    refuseFaults(await findPlayerFaults(org, { ...after, id: before?.id }, checkRole));
    return after;
  },
  async follow({ org, now }, { before, after, fields }) {
    const assignments = await followPlayer(org, before, after, fields, now);
    return [...assignments, ...(await followShown(org, CONTRACTS_OF_PLAYERS, after.id, fields ?? {}, now))];
  },
  noteOf: (before, after) => noteUnusualStep(before.contractStatus, after.contractStatus),
  async findDependents({ org }, player) {
    const { assignments, contracts, prospects } = await loadDependents(org, player);
    return {
      deletes: [
        { kind: "assignment", count: assignments.length },
        { kind: "contract", count: contracts.length },
      ],
      changes: [
        { kind: "team", count: player.teamId === null ? 0 : 1 },
        { kind: "prospect", count: prospects.length },
      ],
      refusal: null,
    };
  },
  async leave(context, player, facts) {
    const { org, now } = context;
    const { assignments, contracts, prospects } = await loadDependents(org, player);
    const removed = await writeAssignments(org, [], now, { removed: assignments, facts });
    const rules = { store: contractStore, asOf: storedAsOf };
    const ended = contracts.map((contract) => describeDeletion(rules, contract, now, facts));
    await contractStore.delete(
      org,
      contracts.map(({ id }) => id),
    );
    const freed: AuditEntry[] = [];
    for (const one of prospects) freed.push(...(await changeAlong(context, prospectStore, one, { playerId: null })));
    return [...removed, ...ended, ...freed];
  },
};

async function loadDependents(org: OrgStore, { id }: Player) {
  return {
    assignments: await selectAssignments(org, id),
    contracts: await listOfPlayer(org, contractResource, id),
    prospects: await listOfPlayer(org, prospectResource, id),
  };
}
