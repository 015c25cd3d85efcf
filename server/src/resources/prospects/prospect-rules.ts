/** The rules of a prospect that need more than one field, or stored data. */
import type { ErrorDetail } from "@lineup/api/errors";
import type { Prospect, prospectResource } from "@lineup/api/prospects";
import { type Game, isRoleOf, ROLES_BY_GAME } from "@lineup/api/roles";
import { findExternalIdFaults } from "../../store/external-ids.ts";
import type { OrgStore } from "../../store/org-store.ts";
import { playerStore } from "../players/player-store.ts";
import { type RecordRules, refuse } from "../record-writes.ts";
import { findTeamGame } from "../teams/team-store.ts";
import { prospectStore } from "./prospect-store.ts";

export const prospectRules: RecordRules<typeof prospectResource> = {
  store: prospectStore,
  async settle({ org }, { before, after, at }) {
    const faults = await findProspectFaults(org, before?.id, after);
    const isNamed = after.playerId !== null && after.playerId !== before?.playerId;
    if (isNamed && (await playerStore.find(org, after.playerId ?? "")) === undefined) {
      faults.push({ field: "playerId", message: "is not a player of this organization; see GET /players" });
    }
    refuse(faults);
    return before === undefined || before.stage === after.stage ? after : { ...after, stageChangedAt: at };
  },
};

type Judged = Pick<Prospect, "game" | "role" | "targetTeamId" | "externalIds">;

export async function findProspectFaults(org: OrgStore, id: string | undefined, plan: Judged): Promise<ErrorDetail[]> {
  const faults: ErrorDetail[] = [];
  const roleFault = findProspectRoleFault(plan.game, plan.role);
  if (roleFault !== undefined) faults.push({ field: "role", message: `${roleFault}, or null` });
  if (plan.targetTeamId !== null && (await findTeamGame(org, plan.targetTeamId)) === undefined) {
    faults.push({ field: "targetTeamId", message: "is not a team of this organization; see GET /teams" });
  }
  faults.push(...(await findExternalIdFaults(org, "prospect", id, plan.externalIds)));
  return faults;
}

/** Why a prospect's role does not fit its game, and which do; how to say none is the caller's to add. */
export function findProspectRoleFault(game: Game, role: string | null): string | undefined {
  if (role === null || isRoleOf(game, role)) return undefined;
  return `is not a role of ${game}; use one of ${ROLES_BY_GAME[game].join(", ")}`;
}
