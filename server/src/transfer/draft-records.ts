/**
 * From rows to records: which record a row is about, what its references mean, and what the record will be. A row updates
 * the record that has its name, from an earlier import or as its own id, and otherwise makes a new one. Rows with faulty
 * cells get an id too, so that rows which refer to them are not blamed for it, but no draft.
 */
import { EXTERNAL_IDS_MAX } from "@lineup/api/fields";
import { fillIn } from "@lineup/api/resource";
import { findFieldChanges } from "../store/audit-entry.ts";
import { type ExternalIds, type ExternalIdsPatch, IMPORT_SYSTEM, mergeExternalIds } from "../store/external-ids.ts";
import { makeId } from "../store/ids.ts";
import type { OrgStore } from "../store/org-store.ts";
import { type CheckedRow, type CheckedTable, type CheckedTables, refuseCell } from "./checked-rows.ts";
import type { FaultList } from "./import-faults.ts";
import { batchesOf, findRecordIds, loadRecords } from "./stored-records.ts";
import { type AnyRecord, type RecordTable, resourceOf, TABLES } from "./tables.ts";

export interface Draft<R> {
  /** Undefined for a record that changes because of rows of another table. */
  readonly row: CheckedRow | undefined;
  readonly before: R | undefined;
  after: R;
}

export interface PlanContext {
  readonly org: OrgStore;
  /**
   * About now, and between two milliseconds, where nothing that is stored or read from a file lies: what equals it in the
   * plan means the moment of writing, whenever that comes.
   */
  readonly now: number;
  readonly faults: FaultList;
  readonly onRows: (rows: number) => void;
}

/** The records that the rows of a table are about: the row's name → the record's id. */
export type RowIds = ReadonlyMap<string, string>;
export type TableIds = Readonly<Partial<Record<RecordTable, RowIds>>>;

export async function matchRows(context: PlanContext, table: RecordTable, checked: CheckedTable): Promise<RowIds> {
  const names = checked.rows.map((row) => row.externalId);
  const stored = await findRecordIds(context.org, table, names);
  const rowById = new Map<string, CheckedRow>();
  const ids = new Map<string, string>();
  for (const row of checked.rows) {
    const id = stored.get(row.externalId);
    ids.set(row.externalId, id ?? makeId(resourceOf(table).kind));
    if (id === undefined) continue;
    const other = rowById.get(id);
    if (other !== undefined) refuseCell(context.faults, row, "externalId", describeTwin(other));
    rowById.set(id, row);
  }
  return ids;
}

export function describeTwin(other: CheckedRow): string {
  return `is the same record as "${other.externalId}" on line ${other.line}; keep one of the rows`;
}

/** What references mean: first rows of this import, then stored records by their name in files, then by their own id. */
export class References {
  readonly #rows: TableIds;
  readonly #stored: TableIds;

  constructor(rows: TableIds, stored: TableIds) {
    this.#rows = rows;
    this.#stored = stored;
  }

  find(target: RecordTable, name: string): string | undefined {
    return this.#rows[target]?.get(name) ?? this.#stored[target]?.get(name);
  }

  /** The id that a cell refers to; undefined, and a fault, when it refers to nothing. */
  require(faults: FaultList, row: CheckedRow, column: string, target: RecordTable): string | undefined {
    const id = this.find(target, row.given[column] as string);
    if (id !== undefined) return id;
    const noun = resourceOf(target).kind;
    const message = `is not the externalId of a ${noun} in this import or in the organization; add the ${noun} to ${target}.csv, or correct the cell`;
    refuseCell(faults, row, column, message);
    return undefined;
  }
}

export async function resolveReferences(org: OrgStore, tables: CheckedTables, rows: TableIds): Promise<References> {
  const wanted = new Map<RecordTable, Set<string>>();
  for (const checked of Object.values(tables)) {
    for (const { name, target } of checked.table.columns) {
      if (target === undefined) continue;
      const names = wanted.get(target) ?? new Set();
      wanted.set(target, names);
      for (const row of checked.rows) {
        const reference = row.given[name];
        if (typeof reference === "string" && !rows[target]?.has(reference)) names.add(reference);
      }
    }
  }
  const stored: Partial<Record<RecordTable, RowIds>> = {};
  for (const [target, names] of wanted) stored[target] = await findRecordIds(org, target, names);
  return new References(rows, stored);
}

/** What the records of a table will be, as far as their own rows say. */
export async function draftRecords(
  context: PlanContext,
  table: RecordTable,
  checked: CheckedTable | undefined,
  ids: RowIds,
  references: References,
): Promise<Draft<AnyRecord>[]> {
  if (checked === undefined) return [];
  const drafts: Draft<AnyRecord>[] = [];
  for await (const batch of batchesOf(checked.rows, 1_000)) {
    const stored = await loadRecords(
      context.org,
      table,
      batch.flatMap((row) => ids.get(row.externalId) ?? []),
    );
    for (const row of batch) {
      const id = ids.get(row.externalId) ?? "";
      if (row.faulty !== undefined) {
        findMoreFaults(context.faults, table, row, stored.has(id), references);
        continue;
      }
      const draft = draftRecord(context, table, row, id, stored.get(id), references);
      if (draft !== undefined) drafts.push(draft);
    }
    context.onRows(batch.length);
  }
  return drafts;
}

function draftRecord(
  context: PlanContext,
  table: RecordTable,
  row: CheckedRow,
  id: string,
  before: AnyRecord | undefined,
  references: References,
): Draft<AnyRecord> | undefined {
  const { now, faults } = context;
  const faultsBefore = faults.total;
  const after: Record<string, unknown> =
    before === undefined ? { ...fillIn(resourceOf(table), { id }, now) } : { ...before };
  for (const column of TABLES[table].columns) {
    const value = row.given[column.name];
    if (value === undefined || column.name === "externalId" || column.name === "externalIds") continue;
    if (value === null) {
      // An empty text is an empty cell of a CSV file too: it is as clear as it can be, and stays.
      if (before !== undefined && column.nullable && after[column.field] !== "") after[column.field] = null;
    } else if (column.target === undefined) after[column.field] = value;
    else after[column.field] = references.require(faults, row, column.name, column.target);
  }
  after.externalIds = mergeRowIds(faults, row, before?.externalIds);
  if (before === undefined) requireCells(faults, row, "record");
  if (faults.total > faultsBefore) return undefined;
  const planned = after as unknown as AnyRecord;
  // Most rows of a file that is imported again change nothing; sharing the record halves what they take.
  const isChanged = before === undefined || findFieldChanges(before, planned) !== undefined;
  return { row, before, after: isChanged ? planned : before };
}

/** Of a row with a faulty cell, what else is wrong: all of it is to be mended at once. */
function findMoreFaults(
  faults: FaultList,
  table: RecordTable,
  row: CheckedRow,
  isKnown: boolean,
  refs: References,
): void {
  for (const { name, target } of TABLES[table].columns) {
    if (target !== undefined && typeof row.given[name] === "string") refs.require(faults, row, name, target);
  }
  if (!isKnown) requireCells(faults, row, "record");
}

/** What a new record cannot be without. */
export function requireCells(faults: FaultList, row: CheckedRow, noun: string): void {
  for (const { name, required } of row.source.table.columns) {
    const isMissing = required && (row.given[name] ?? null) === null && row.faulty?.has(name) !== true;
    if (isMissing) refuseCell(faults, row, name, `is required for a new ${noun}; fill the cell`);
  }
}

/** The record's ids in other systems. A new record gets the row's name; one that exists keeps the name it has. */
function mergeRowIds(faults: FaultList, row: CheckedRow, before: ExternalIds | undefined): ExternalIds {
  const patch = (row.given.externalIds ?? {}) as ExternalIdsPatch;
  if (Object.hasOwn(patch, IMPORT_SYSTEM) && patch[IMPORT_SYSTEM] !== row.externalId) {
    const message = `the system "${IMPORT_SYSTEM}" is for externalId, which says otherwise; leave it out`;
    refuseCell(faults, row, "externalIds", message);
  }
  const others = Object.fromEntries(Object.entries(patch).filter(([system]) => system !== IMPORT_SYSTEM));
  const merged = mergeExternalIds(before ?? { [IMPORT_SYSTEM]: row.externalId }, others);
  if (Object.keys(merged).length > EXTERNAL_IDS_MAX) {
    const message = `the record would have ids in more than ${EXTERNAL_IDS_MAX} systems, "${IMPORT_SYSTEM}" included; leave some out`;
    refuseCell(faults, row, "externalIds", message);
  }
  return merged;
}
