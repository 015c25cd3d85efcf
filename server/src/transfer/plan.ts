/**
 * Works out what an import changes, from checked rows and what is stored, before anything is written. It only reads; all
 * faults that it finds end in the context's list. What it returns holds as long as the organization's data is as it was
 * read, which the caller makes sure of.
 */
import type { Team } from "@lineup/api/teams";
import { nameRecord, type RecordChange } from "../resources/record-writes.ts";
import { type AssignmentRow, countOpenings } from "../resources/roster/roster-rules.ts";
import { findFieldChanges } from "../store/audit-entry.ts";
import type { CheckedRow, CheckedTables } from "./checked-rows.ts";
import { draftAssignments } from "./draft-assignments.ts";
import {
  type Draft,
  draftRecords,
  matchRows,
  type PlanContext,
  type RowIds,
  resolveReferences,
  type TableIds,
} from "./draft-records.ts";
import type { AssignmentDraft } from "./plan-roster.ts";
import { judgeExternalIds, judgeGameChanges, judgePlayerRole, loadTeamGames, RECORD_RULES } from "./plan-rules.ts";
import { batchesOf } from "./stored-records.ts";
import {
  type AnyRecord,
  eachRecordTable,
  type ImportSummary,
  RECORD_TABLES,
  type RecordByTable,
  type RecordTable,
  resourceOf,
  TABLE_NAMES,
  type TableName,
} from "./tables.ts";

export type RecordChanges = { readonly [N in RecordTable]: readonly RecordChange<RecordByTable[N]>[] };

/** What will be. `updatedAt` is as it was; the writing sets it, and gives a date to all that happens `now`. */
export interface ImportPlan {
  /** As in the plan's context. */
  readonly now: number;
  readonly records: RecordChanges;
  readonly assignments: readonly AssignmentDraft[];
  /** By how much the number of open assignments changes of each team that is not among the records, where it does. */
  readonly playerCounts: ReadonlyMap<string, number>;
  /** Of each row without faults of its own, and of each record that changes because of another's row. */
  readonly planned: readonly PlannedRecord[];
  readonly summary: ImportSummary;
}

/** `follow`: no row is about the record, it changes because of others. */
type PlannedOutcome = "create" | "change" | "leave" | "follow";

/** What a plan makes of one record. */
export interface PlannedRecord {
  readonly table: TableName;
  /** Undefined for a record that changes because of rows of another table. */
  readonly row: CheckedRow | undefined;
  /** Of a roster assignment, the player's; null where the record has none. */
  readonly name: string | null;
  readonly before: AnyRecord | AssignmentRow | undefined;
  readonly after: AnyRecord | AssignmentRow;
  readonly outcome: PlannedOutcome;
}

type Drafts = { readonly [N in RecordTable]: Draft<RecordByTable[N]>[] };

export async function planImport(context: PlanContext, tables: CheckedTables): Promise<ImportPlan> {
  const ids = await matchTables(context, tables);
  const references = await resolveReferences(context.org, tables, ids);
  const drafts = await eachRecordTable<Drafts>((table) =>
    draftRecords(context, table, tables[table], ids[table] ?? new Map(), references),
  );
  const games = await loadTeamGames(context.org, ids.teams, drafts.teams);
  const players = new Map(drafts.players.map((player) => [player.after.id, player]));
  const faultyPlayers = new Set([...(ids.players?.values() ?? [])].filter((id) => !players.has(id)));
  const roster = await draftAssignments(context, tables.roster, players, faultyPlayers, references, games);
  for (const player of players.values()) {
    if (!roster.decided.has(player.after.id)) judgePlayerRole(context, player, games);
  }
  await judgeGameChanges(context, drafts.teams, players);
  await eachRecordTable(async (table) => {
    const judge = RECORD_RULES[table];
    if (judge !== undefined) for (const draft of drafts[table]) judge(context, draft as never, games);
    await judgeExternalIds(context, table, drafts[table]);
  });
  const planned = roster.drafts.map(({ row, before, after, player, isChanged }): PlannedRecord => {
    return { table: "roster", row, name: player.ign, before, after, outcome: outcomeOf(row, before, isChanged) };
  });
  const records = await settleRecords(context.now, { ...drafts, players: [...players.values()] }, planned);
  const assignments = roster.drafts.filter(({ isChanged }) => isChanged);
  const playerCounts = countOpenings(assignments);
  const teams = countPlayers(records.teams, playerCounts);
  const summary = summarize(tables, planned);
  return { now: context.now, records: { ...records, teams }, assignments, playerCounts, planned, summary };
}

async function matchTables(context: PlanContext, tables: CheckedTables): Promise<TableIds> {
  const ids: Partial<Record<RecordTable, RowIds>> = {};
  for (const table of RECORD_TABLES) {
    const checked = tables[table];
    if (checked !== undefined) ids[table] = await matchRows(context, table, checked);
  }
  return ids;
}

async function settleRecords(now: number, drafts: Drafts, planned: PlannedRecord[]): Promise<RecordChanges> {
  return eachRecordTable<RecordChanges>(async (table) => {
    const changes: RecordChange<AnyRecord>[] = [];
    for await (const batch of batchesOf<Draft<AnyRecord>>(drafts[table], 1_000)) {
      for (const draft of batch) {
        const change = settleRecord(draft, now);
        if (change !== undefined) changes.push(change);
        const { row, before, after } = draft;
        if (row === undefined && change === undefined) continue;
        const { name } = nameRecord(resourceOf(table), after);
        planned.push({ table, row, name, before, after, outcome: outcomeOf(row, before, change !== undefined) });
      }
    }
    return changes;
  });
}

function outcomeOf(row: CheckedRow | undefined, before: object | undefined, isChanged: boolean): PlannedOutcome {
  if (row === undefined) return "follow";
  if (before === undefined) return "create";
  return isChanged ? "change" : "leave";
}

/** In the order in which the files are listed everywhere. */
function summarize(tables: CheckedTables, planned: readonly PlannedRecord[]): ImportSummary {
  const summary: ImportSummary = {};
  for (const table of TABLE_NAMES) {
    if (tables[table] !== undefined) summary[table] = { created: 0, updated: 0, unchanged: 0 };
  }
  for (const { table, outcome } of planned) {
    const counts = summary[table];
    if (counts === undefined) continue;
    if (outcome === "create") counts.created += 1;
    if (outcome === "change") counts.updated += 1;
    if (outcome === "leave") counts.unchanged += 1;
  }
  return summary;
}

function settleRecord<R extends AnyRecord>(draft: Draft<R>, now: number): RecordChange<R> | undefined {
  const { before, after } = draft;
  if (before === undefined) return { before, after, fields: undefined };
  const fields = before === after ? undefined : findFieldChanges(before, after);
  if (fields === undefined) return undefined;
  if (!("stageChangedAt" in before) || fields.stage === undefined) return { before, after, fields };
  const stageChangedAt = [before.stageChangedAt, now] as const;
  return { before, after: { ...after, stageChangedAt: now }, fields: { ...fields, stageChangedAt } };
}

/** A team that changes anyway shows its new number of players at once; the others are left in `counts`. */
function countPlayers(changes: readonly RecordChange<Team>[], counts: Map<string, number>): RecordChange<Team>[] {
  return changes.map((change) => {
    const { before, after, fields } = change;
    const difference = counts.get(after.id);
    if (difference === undefined) return change;
    counts.delete(after.id);
    const playerCount = after.playerCount + difference;
    const count = { playerCount: [before?.playerCount ?? null, playerCount] as const };
    return { before, after: { ...after, playerCount }, fields: fields && { ...fields, ...count } };
  });
}
