/** The rules of a player that need stored data: the team must be ours, the role must fit its game. */
import { ApiError, bodyError, type ErrorDetail } from "@lineup/api/errors";
import { type ContractStatus, USUAL_CONTRACT_STEPS } from "@lineup/api/players";
import { type Game, isRoleOf, ROLES_BY_GAME } from "@lineup/api/roles";
import { findExternalIdFaults } from "../../store/external-ids.ts";
import type { OrgStore } from "../../store/org-store.ts";
import { findTeamGame } from "../teams/team-store.ts";

export interface PlayerFaults {
  readonly role: readonly ErrorDetail[];
  readonly others: readonly ErrorDetail[];
}

/** What a player would have after a write; what is undefined was not usable and is not judged. */
export interface PlayerPlan {
  readonly id: string | undefined;
  readonly role: string | undefined;
  readonly teamId: string | null | undefined;
  readonly externalIds: Readonly<Record<string, string>> | undefined;
  /** Whether the write says anything about role or team; a role that nobody touches is not judged again. */
  readonly checkRole: boolean;
}

export async function findPlayerFaults(org: OrgStore, plan: PlayerPlan): Promise<PlayerFaults> {
  const others: ErrorDetail[] = [];
  const role: ErrorDetail[] = [];
  const game = await gameOfPlan(org, plan.teamId);
  if (game === "unknown")
    others.push({ field: "teamId", message: "is not a team of this organization; see GET /teams" });
  else if (game !== undefined && plan.checkRole && plan.role !== undefined) {
    const fault = findRoleFault(game, plan.role, typeof plan.teamId === "string");
    if (fault !== undefined) role.push({ field: "role", message: fault });
  }
  if (plan.externalIds !== undefined) {
    others.push(...(await findExternalIdFaults(org, "player", plan.id, plan.externalIds)));
  }
  return { role, others };
}

async function gameOfPlan(org: OrgStore, teamId: string | null | undefined): Promise<Game | "unknown" | undefined> {
  if (teamId === undefined) return undefined;
  if (teamId === null) return "Other";
  return (await findTeamGame(org, teamId)) ?? "unknown";
}

/** Why a role does not fit a game, and which do. */
export function findRoleFault(game: Game, role: string, hasTeam: boolean): string | undefined {
  if (isRoleOf(game, role)) return undefined;
  const where = hasTeam ? `a player of a team that plays ${game}` : "a player without a team";
  return `is not a role of ${where}; use one of ${ROLES_BY_GAME[game].join(", ")}`;
}

/** Refuses a write with faults: INVALID_ROLE where the role is the sole one, else everything at once. */
export function refuseFaults(faults: PlayerFaults): void {
  if (faults.others.length > 0) throw bodyError([...faults.others, ...faults.role]);
  const fault = faults.role[0];
  if (fault !== undefined) throw new ApiError("INVALID_ROLE", `The role ${fault.message}.`, { details: faults.role });
}

/** Contract statuses usually go one way; another step is taken all the same and remembered as what it is. */
export function noteUnusualStep(before: ContractStatus, after: ContractStatus): string | undefined {
  if (before === after || USUAL_CONTRACT_STEPS[before].includes(after)) return undefined;
  return `unusual step of contractStatus: ${before} to ${after}`;
}
