/** From rows of roster.csv, and from players without any, to assignments. The rules are in plan-roster.ts. */
import type { Player } from "@lineup/api/players";
import { changesAssignment } from "../resources/roster/roster-rules.ts";
import { makeId } from "../store/ids.ts";
import { type CheckedRow, type CheckedTable, refuseCell } from "./checked-rows.ts";
import { type Draft, describeTwin, type PlanContext, type References, requireCells } from "./draft-records.ts";
import { type AssignmentDraft, followPlayerDraft, planPlayerRows, type RosterRow } from "./plan-roster.ts";
import type { TeamGames } from "./plan-rules.ts";
import {
  type AssignmentName,
  batchesOf,
  findAssignments,
  loadAssignmentsOfPlayers,
  loadRecords,
} from "./stored-records.ts";

export interface DraftedAssignments {
  /** Those that have a row, or will be other than they are, and whether they will. */
  readonly drafts: readonly (AssignmentDraft & { readonly player: Player; readonly isChanged: boolean })[];
  /** Players whose team and role the file settled. */
  readonly decided: ReadonlySet<string>;
}

/** Adds players to `players` that are only in roster.csv. Rows of faulty players are left alone. */
export async function draftAssignments(
  context: PlanContext,
  roster: CheckedTable | undefined,
  players: Map<string, Draft<Player>>,
  faultyPlayers: ReadonlySet<string>,
  references: References,
  games: TeamGames,
): Promise<DraftedAssignments> {
  const { rows, unclear } = await groupRows(context, roster, references);
  await addPlayers(context, players, faultyPlayers, rows.keys());
  const drafts: DraftedAssignments["drafts"][number][] = [];
  const decided = new Set<string>();
  for await (const batch of batchesOf(players.values(), 1_000)) {
    const known = batch.filter(({ before }) => before !== undefined);
    const stored = await loadAssignmentsOfPlayers(
      context.org,
      known.map(({ after }) => after.id),
    );
    for (const player of batch) {
      const { id } = player.after;
      if (unclear.has(id)) continue;
      const [own, assignments = []] = [rows.get(id), stored.get(id)];
      const planned =
        own === undefined
          ? { drafts: followPlayerDraft(player, assignments, context.now), decidesRole: false }
          : planPlayerRows(context, player, own, assignments, games);
      if (planned.decidesRole) decided.add(id);
      for (const draft of planned.drafts) {
        const isChanged = changesAssignment(draft);
        if (draft.row !== undefined || isChanged) drafts.push({ ...draft, player: player.after, isChanged });
      }
    }
  }
  return { drafts, decided };
}

interface GroupedRows {
  /** Player → rows. */
  readonly rows: ReadonlyMap<string, RosterRow[]>;
  /** Players with a faulty row, about whose others nothing can be said. */
  readonly unclear: ReadonlySet<string>;
}

async function groupRows(
  context: PlanContext,
  roster: CheckedTable | undefined,
  references: References,
): Promise<GroupedRows> {
  const rows = new Map<string, RosterRow[]>();
  const unclear = new Set<string>();
  if (roster === undefined) return { rows, unclear };
  const { org, faults } = context;
  const names = roster.rows.map((row) => row.externalId);
  const stored = await findAssignments(org, names);
  const rowById = new Map<string, CheckedRow>();
  for (const row of roster.rows) {
    if (row.faulty !== undefined) {
      const name = row.given.player;
      unclear.add((typeof name === "string" ? references.find("players", name) : undefined) ?? "");
      continue;
    }
    const assignment = stored.get(row.externalId);
    const twin = assignment === undefined ? undefined : rowById.get(assignment.id);
    if (twin !== undefined) refuseCell(faults, row, "externalId", describeTwin(twin));
    if (assignment !== undefined) rowById.set(assignment.id, row);
    const resolved = resolveRow(context, row, assignment, references);
    if (resolved === undefined) continue;
    const known = rows.get(resolved.playerId);
    const entry = { row, assignmentId: assignment?.id, newId: makeId("assignment"), teamId: resolved.teamId };
    if (known === undefined) rows.set(resolved.playerId, [entry]);
    else known.push(entry);
  }
  context.onRows(roster.rows.length);
  return { rows, unclear };
}

/** Whom and which team the row is about; undefined, and faults, when it does not say so. */
function resolveRow(
  { faults }: PlanContext,
  row: CheckedRow,
  stored: AssignmentName | undefined,
  references: References,
): { playerId: string; teamId: string | undefined } | undefined {
  const faultsBefore = faults.total;
  if (stored === undefined) requireCells(faults, row, "assignment");
  const find = (column: "player" | "team", target: "players" | "teams") =>
    typeof row.given[column] === "string" ? references.require(faults, row, column, target) : undefined;
  const playerId = find("player", "players") ?? stored?.player_id;
  const teamId = find("team", "teams");
  if (stored !== undefined && playerId !== undefined && playerId !== stored.player_id) {
    const message = "is not the player of this assignment; give a new assignment an externalId of its own";
    refuseCell(faults, row, "player", message);
  }
  return faults.total > faultsBefore || playerId === undefined ? undefined : { playerId, teamId };
}

async function addPlayers(
  { org }: PlanContext,
  players: Map<string, Draft<Player>>,
  faultyPlayers: ReadonlySet<string>,
  wanted: Iterable<string>,
): Promise<void> {
  const missing = [...wanted].filter((id) => !players.has(id) && !faultyPlayers.has(id));
  for (const [id, player] of await loadRecords(org, "players", missing)) {
    players.set(id, { row: undefined, before: player, after: player });
  }
}
