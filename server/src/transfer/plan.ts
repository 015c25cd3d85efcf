/**
 * Works out what an import changes, from checked rows and what is stored, before anything is written. It only reads; all
 * faults that it finds end in the context's list. What it returns holds as long as the organization's data is as it was
 * read, which the caller makes sure of.
 */
import type { Team } from "@lineup/api/teams";
import { countOpenings } from "../resources/roster/roster-rules.ts";
import { type FieldChanges, findFieldChanges } from "../store/audit-entry.ts";
import { IMPORT_SYSTEM } from "../store/external-ids.ts";
import type { CheckedTables } from "./checked-rows.ts";
import { draftAssignments } from "./draft-assignments.ts";
import {
  type Draft,
  draftRecords,
  matchRows,
  type PlanContext,
  type References,
  type RowIds,
  resolveReferences,
  type StoredFields,
  type TableIds,
} from "./draft-records.ts";
import type { AssignmentDraft } from "./plan-roster.ts";
import { judgeExternalIds, judgeGameChanges, judgePlayerRole, RECORD_RULES, TeamGames } from "./plan-rules.ts";
import { batchesOf } from "./stored-records.ts";
import {
  type AnyRecord,
  countRow,
  eachRecordTable,
  type ImportSummary,
  RECORD_TABLES,
  type RecordByTable,
  type RecordTable,
  resourceOf,
} from "./tables.ts";

export interface RecordChange<R> {
  readonly before: R | undefined;
  readonly after: R;
  /** Undefined for a new record. */
  readonly fields: FieldChanges | undefined;
}

export type RecordChanges = { readonly [N in RecordTable]: readonly RecordChange<RecordByTable[N]>[] };

/** What will be. `updatedAt` is as it was; the writing sets it, and gives a date to all that happens `now`. */
export interface ImportPlan {
  /** As in the plan's context. */
  readonly now: number;
  readonly records: RecordChanges;
  readonly assignments: readonly AssignmentDraft[];
  /** By how much the number of open assignments changes of each team that is not among the records, where it does. */
  readonly playerCounts: ReadonlyMap<string, number>;
  readonly summary: ImportSummary;
}

type Drafts = { readonly [N in RecordTable]: Draft<RecordByTable[N]>[] };

export async function planImport(context: PlanContext, tables: CheckedTables): Promise<ImportPlan> {
  const ids = await matchTables(context, tables);
  const references = await resolveReferences(context.org, tables, ids);
  const drafts = await eachRecordTable<Drafts>((table) =>
    draftRecords(context, table, tables[table], ids[table] ?? new Map(), references),
  );
  const games = await loadGames(context, tables, drafts, ids.teams, references);
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
  const summary: ImportSummary = tables.roster === undefined ? {} : { roster: roster.summary };
  const records = await settleRecords(context, { ...drafts, players: [...players.values()] }, tables, summary);
  const { changes: assignments } = roster;
  const playerCounts = countOpenings(assignments);
  const teams = countPlayers(records.teams, playerCounts);
  return { now: context.now, records: { ...records, teams }, assignments, playerCounts, summary };
}

async function matchTables(context: PlanContext, tables: CheckedTables): Promise<TableIds> {
  const ids: Partial<Record<RecordTable, RowIds>> = {};
  for (const table of RECORD_TABLES) {
    const checked = tables[table];
    if (checked !== undefined) ids[table] = await matchRows(context, table, checked);
  }
  return ids;
}

/** The games of every team that a row names. Those of stored assignments are loaded with the assignments. */
async function loadGames(
  { org }: PlanContext,
  tables: CheckedTables,
  drafts: Drafts,
  rowIds: RowIds | undefined,
  references: References,
): Promise<TeamGames> {
  const games = new TeamGames(org, rowIds, drafts.teams);
  await games.load(drafts.players.map(({ after }) => after.teamId));
  await games.load(drafts.schedule.map(({ after }) => after.teamId));
  const named = tables.roster?.rows.map(({ given }) => given.team) ?? [];
  await games.load(named.map((name) => (typeof name === "string" ? (references.find("teams", name) ?? null) : null)));
  return games;
}

async function settleRecords(
  { now, onPlanned }: PlanContext,
  drafts: Drafts,
  tables: CheckedTables,
  summary: ImportSummary,
): Promise<RecordChanges> {
  return eachRecordTable<RecordChanges>(async (table) => {
    const counts = { created: 0, updated: 0, unchanged: 0 };
    if (tables[table] !== undefined) summary[table] = counts;
    const changes: RecordChange<AnyRecord>[] = [];
    for await (const batch of batchesOf<Draft<AnyRecord>>(drafts[table], 1_000)) {
      for (const draft of batch) {
        const change = settleRecord(draft, now);
        if (change !== undefined) changes.push(change);
        if (draft.row !== undefined) countRow(counts, draft.before !== undefined, change !== undefined);
        if (onPlanned !== undefined) tellPlanned(onPlanned, table, draft, change !== undefined);
      }
    }
    return changes;
  });
}

function tellPlanned(
  onPlanned: NonNullable<PlanContext["onPlanned"]>,
  table: RecordTable,
  { row, before, after }: Draft<AnyRecord>,
  isChanged: boolean,
): void {
  if (row === undefined && !isChanged) return;
  const { called } = resourceOf(table);
  const storedFields = (record: AnyRecord) => ({
    id: record.id,
    importName: record.externalIds[IMPORT_SYSTEM] ?? null,
    fields: record as unknown as StoredFields["fields"],
  });
  const stored = storedFields(after);
  const name = called === null ? null : String(stored.fields[called]);
  onPlanned({ table, row, name, before: before && storedFields(before), after: stored, isChanged });
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

/** Whether the plan would write anything. */
export function isEmptyPlan({ records, assignments }: ImportPlan): boolean {
  return assignments.length === 0 && RECORD_TABLES.every((table) => records[table].length === 0);
}
