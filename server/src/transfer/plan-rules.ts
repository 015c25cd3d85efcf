/** The rules of an import that need more than one cell: games and roles, moments in order, ids that belong to one record. */
import type { Player } from "@lineup/api/players";
import type { Prospect } from "@lineup/api/prospects";
import { type Game, isRoleOf } from "@lineup/api/roles";
import type { ScheduleEntry } from "@lineup/api/schedule";
import type { Team } from "@lineup/api/teams";
import { findContractFault } from "../resources/contracts/contract-rules.ts";
import type { StoredContract } from "../resources/contracts/contract-store.ts";
import { findRoleFault } from "../resources/players/player-rules.ts";
import { findProspectRoleFault } from "../resources/prospects/prospect-rules.ts";
import { completeEntry, findEntryFault } from "../resources/schedule/schedule-rules.ts";
import type { OrgStore } from "../store/org-store.ts";
import { refuseCell } from "./checked-rows.ts";
import type { Draft, PlanContext, RowIds } from "./draft-records.ts";
import { findByExternalId, loadPlayersOfTeams, readPages } from "./stored-records.ts";
import { type AnyRecord, type RecordByTable, type RecordTable, resourceOf } from "./tables.ts";

/**
 * The games that the organization's teams will play after an import, by which roles are judged. A team whose own row is faulty has none, which
 * leaves nothing to judge by.
 */
export type TeamGames = ReadonlyMap<string, Game>;

export async function loadTeamGames(
  org: OrgStore,
  rowIds: RowIds | undefined,
  drafts: readonly Draft<Team>[],
): Promise<TeamGames> {
  const games = new Map<string, Game>();
  for await (const page of readPages(org, "teams")) {
    for (const { id, fields } of page) games.set(id, fields.game as Game);
  }
  for (const id of rowIds?.values() ?? []) games.delete(id);
  for (const { after } of drafts) games.set(after.id, after.game);
  return games;
}

/** A player's role must fit the game of the team that the player will have. */
export function judgePlayerRole({ faults }: PlanContext, draft: Draft<Player>, games: TeamGames): void {
  const { row, after } = draft;
  const game = after.teamId === null ? "Other" : games.get(after.teamId);
  if (row === undefined || game === undefined) return;
  const fault = findRoleFault(game, after.role, after.teamId !== null);
  if (fault !== undefined) refuseCell(faults, row, "role", fault, after.role);
}

/** A team may play another game only if the roles of all its players fit that. */
export async function judgeGameChanges(
  context: PlanContext,
  teams: readonly Draft<Team>[],
  players: ReadonlyMap<string, Draft<Player>>,
): Promise<void> {
  const changed = teams.filter(({ before, after }) => before !== undefined && before.game !== after.game);
  const byId = new Map(changed.map((draft) => [draft.after.id, draft]));
  for (const player of await loadPlayersOfTeams(context.org, byId.keys())) {
    const draft = players.get(player.id);
    // A player with a row of its own was judged with it.
    if (draft?.row !== undefined) continue;
    const { teamId, role } = draft?.after ?? { teamId: player.team_id, role: player.role };
    const team = teamId === null ? undefined : byId.get(teamId);
    if (team?.row === undefined || isRoleOf(team.after.game, role)) continue;
    const message = `leaves the player ${player.ign} (${player.id}) with the role ${role}, which ${team.after.game} does not know; give the player another role in players.csv of this import`;
    refuseCell(context.faults, team.row, "game", message);
  }
}

function judgeContract({ faults }: PlanContext, { row, after }: Draft<StoredContract>): void {
  const fault = findContractFault(after);
  if (row === undefined || fault === undefined) return;
  refuseCell(faults, row, (row.given.endDate ?? null) === null ? "startDate" : fault.field, fault.message);
}

function completeScheduleEntry({ faults }: PlanContext, draft: Draft<ScheduleEntry>, games: TeamGames): void {
  const { row, before, after } = draft;
  if (row === undefined) return;
  const fault = findEntryFault(after);
  if (fault !== undefined) {
    refuseCell(faults, row, (row.given.endsAt ?? null) === null ? "startsAt" : fault.field, fault.message);
  }
  const game = before === undefined && after.teamId !== null ? games.get(after.teamId) : undefined;
  draft.after = completeEntry(before, after, row.given, game);
}

function judgeProspect({ faults }: PlanContext, { row, after }: Draft<Prospect>): void {
  const fault = findProspectRoleFault(after.game, after.role);
  if (row !== undefined && fault !== undefined)
    refuseCell(faults, row, "role", `${fault}, or leave it empty`, after.role);
}

/** What a table's own records are judged by, one by one. Players and teams are judged with their assignments. */
export const RECORD_RULES: {
  readonly [N in RecordTable]?: (context: PlanContext, draft: Draft<RecordByTable[N]>, games: TeamGames) => void;
} = { contracts: judgeContract, schedule: completeScheduleEntry, prospects: judgeProspect };

/** A pair of system and id belongs to one record of a kind, among the rows and with what is stored. */
export async function judgeExternalIds(
  context: PlanContext,
  table: RecordTable,
  drafts: readonly Draft<AnyRecord>[],
): Promise<void> {
  const { kind } = resourceOf(table);
  const draftById = new Map(drafts.map((draft) => [draft.after.id, draft]));
  const claims = new Map<string, Map<string, Draft<AnyRecord>>>();
  const refuse = (draft: Draft<AnyRecord>, system: string, id: string, holder: string) => {
    if (draft.row === undefined) return;
    const message = `the id "${id}" in the system "${system}" belongs to ${holder} already; leave it out, or correct it`;
    refuseCell(context.faults, draft.row, "externalIds", message);
  };
  for (const draft of drafts) {
    for (const [system, id] of Object.entries(draft.after.externalIds)) {
      if (draft.before?.externalIds[system] === id) continue;
      const bySystem = claims.get(system) ?? new Map<string, Draft<AnyRecord>>();
      claims.set(system, bySystem);
      const other = bySystem.get(id);
      if (other !== undefined) refuse(draft, system, id, `the row on line ${other.row?.line}`);
      bySystem.set(id, draft);
    }
  }
  for (const [system, bySystem] of claims) {
    const holders = await findByExternalId(context.org, kind, system, bySystem.keys());
    for (const [id, draft] of bySystem) {
      const holder = holders.get(id);
      if (holder === undefined || holder === draft.after.id) continue;
      const holderWill = draftById.get(holder)?.after.externalIds[system];
      const isGivenUp = draftById.has(holder) && holderWill !== id;
      if (!isGivenUp) refuse(draft, system, id, `the ${kind} ${holder}`);
    }
  }
}
