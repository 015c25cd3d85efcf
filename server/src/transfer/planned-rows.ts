/**
 * What a plan would do, in the words of files: for each record the cells that will be other than they are, as an export would write them before
 * and after. Its fingerprint says whether a later plan does the same, however the ids of new records are drawn and whenever it is made.
 */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { OrgStore } from "../store/org-store.ts";
import type { PlannedRecord } from "./draft-records.ts";
import { cellOf, loadNames, type Names } from "./exported-rows.ts";
import { batchesOf } from "./stored-records.ts";
import { type Column, type RecordTable, TABLES } from "./tables.ts";

/** Stands for the moment of writing, which is not known before. */
export const AT_IMPORT = "now";

export interface CellChange {
  readonly column: string;
  /** Null for an empty cell. */
  readonly before: unknown;
  readonly after: unknown;
}

/** `follow`: no row is about the record, it changes because of others. */
export type PlannedOutcome = "create" | "change" | "leave" | "follow";

export interface PlannedRow {
  readonly planned: PlannedRecord;
  readonly outcome: PlannedOutcome;
  readonly changes: readonly CellChange[];
}

export interface DescribedPlan {
  readonly rows: readonly PlannedRow[];
  readonly fingerprint: string;
}

export async function describePlan(
  org: OrgStore,
  planned: readonly PlannedRecord[],
  now: number,
): Promise<DescribedPlan> {
  const names = await nameAll(org, planned);
  const rows: PlannedRow[] = [];
  const lines: string[] = [];
  for await (const batch of batchesOf(planned, 1_000)) {
    for (const one of batch) {
      const row = { planned: one, outcome: outcomeOf(one), changes: listChanges(one, names, now) };
      rows.push(row);
      lines.push(JSON.stringify([one.table, one.row?.externalId, one.before?.id, row.outcome, row.changes]));
    }
  }
  // Records that follow come in the order of the database, which nobody promises.
  const fingerprint = createHash("sha256").update(lines.sort().join("\n")).digest("hex");
  return { rows, fingerprint };
}

function outcomeOf({ row, before, isChanged }: PlannedRecord): PlannedOutcome {
  if (row === undefined) return "follow";
  if (before === undefined) return "create";
  return isChanged ? "change" : "leave";
}

/** The names in files of what is stored and of what will be. */
async function nameAll(org: OrgStore, planned: readonly PlannedRecord[]): Promise<Names> {
  const names = new Map(Object.entries(await loadNames(org)).map(([table, known]) => [table, new Map(known)]));
  for (const { table, before, after } of planned) {
    if (before === undefined && after.importName !== null) names.get(table)?.set(after.id, after.importName);
  }
  return Object.fromEntries(names) as Partial<Record<RecordTable, ReadonlyMap<string, string>>>;
}

function listChanges({ table, before, after, isChanged }: PlannedRecord, names: Names, now: number): CellChange[] {
  if (!isChanged) return [];
  const changes: CellChange[] = [];
  for (const column of TABLES[table].columns) {
    if (before === undefined && column.name === "externalId") continue;
    const was = before === undefined ? null : (cellOf(before, column, names) ?? null);
    const will = readAfter(after, column, names, now);
    if (!isDeepStrictEqual(was, will)) changes.push({ column: column.name, before: was, after: will });
  }
  return changes;
}

function readAfter(after: PlannedRecord["after"], column: Column, names: Names, now: number): unknown {
  if (after.fields[column.field] === now) return AT_IMPORT;
  return cellOf(after, column, names) ?? null;
}
