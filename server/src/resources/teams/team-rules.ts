/** The rules of teams: a game that their players' roles fit, and what goes with a team that others refer to. */
import type { ErrorDetail } from "@lineup/api/errors";
import { isRoleOf } from "@lineup/api/roles";
import { rosterResource } from "@lineup/api/roster";
import { type Team, teamResource } from "@lineup/api/teams";
import { entryOfUpdate } from "../../store/audit-entry.ts";
import type { OrgStore } from "../../store/org-store.ts";
import { findShownChanges } from "../../store/record-rows.ts";
import { type RecordRules, refuse } from "../record-writes.ts";
import { findReferenceFaults } from "../reference-rules.ts";
import { touchAssignments } from "../roster/roster-store.ts";
import { teamStore } from "./team-store.ts";

export const teamRules: RecordRules<typeof teamResource> = {
  store: teamStore,
  async settle({ org }, plan) {
    const { before, after } = plan;
    const faults = await findReferenceFaults(org, teamResource, plan);
    if (before !== undefined && before.game !== after.game) faults.push(...(await findUnfitPlayers(org, after)));
    refuse(faults);
    return after;
  },
  async follow({ org, now }, { after, fields = {} }) {
    const shown = findShownChanges(rosterResource, "teams", fields);
    if (shown === undefined) return [];
    const touched = await touchAssignments(org, "team_id", [after.id], now);
    return touched.map(({ id, updated_at: at }) => entryOfUpdate({ kind: "assignment", id, name: null }, shown, at));
  },
  async findDependents({ org }, { id }) {
    return { deletes: [], changes: [], refusal: (await isReferredTo(org, id)) ? REFUSAL : null };
  },
};

const REFUSAL =
  "Players, roster entries, contracts, schedule entries or prospects refer to this team, or have: it cannot be deleted. Set its status to inactive instead.";

/** A team may play another game only if the roles of all its players fit that. */
async function findUnfitPlayers(org: OrgStore, { id, game }: Team): Promise<ErrorDetail[]> {
  const players = await org
    .selectFrom("players")
    .select(["players.ign", "players.role"])
    .where("players.team_id", "=", id)
    .orderBy("players.id")
    .execute();
  return players
    .filter(({ role }) => !isRoleOf(game, role))
    .map(({ ign, role }) => ({
      field: "game",
      message: `leaves the player ${ign} with the role ${role}, which ${game} does not know; give the player another role or team first`,
    }));
}

/** In every column that holds the id of a team; past assignments count. */
async function isReferredTo(org: OrgStore, id: string): Promise<boolean> {
  const references = [
    ["players", "team_id"],
    ["assignments", "team_id"],
    ["contracts", "team_id"],
    ["schedule_entries", "team_id"],
    ["prospects", "target_team_id"],
  ] as const;
  for (const [table, column] of references) {
    const found = await org
      .selectFrom(table as "players")
      .select("id")
      .where(column as "team_id", "=", id)
      .limit(1)
      .execute();
    if (found.length > 0) return true;
  }
  return false;
}
