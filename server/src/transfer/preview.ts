/**
 * What an import would do, row by row, and what is wrong with it, with nothing written: the plan that an import makes, of one moment of the store.
 * A row with a fault is only that. While any row has one nothing can be imported, and of rows that hang on it nothing can be said.
 */
import type { Store } from "../store/store.ts";
import { type CheckedRow, type CheckedTables, findTableOfRow } from "./checked-rows.ts";
import type { PlannedRecord } from "./draft-records.ts";
import { countRows, type ImportProgress, planningMoment } from "./import.ts";
import { FaultList, type ImportFault } from "./import-faults.ts";
import { findTable, type ImportSource, readSource } from "./import-source.ts";
import { planImport } from "./plan.ts";
import { type CellChange, type DescribedPlan, describePlan, type PlannedOutcome } from "./planned-rows.ts";
import { TABLE_NAMES, type TableName } from "./tables.ts";

/** More than anybody mends by hand; the others are counted. */
const FAULTS_MAX = 100_000;

/** `unclear`: it hangs on a row with a fault. */
export type RowOutcome = PlannedOutcome | "fault" | "unclear";

export interface PreviewRow {
  /** Null where a fault leaves open which it is. */
  readonly table: TableName | null;
  readonly file: string | null;
  readonly line: number | null;
  readonly outcome: RowOutcome;
  readonly externalId: string | null;
  readonly name: string | null;
  readonly changes: readonly CellChange[];
  readonly faults: readonly ImportFault[];
}

export interface ImportPreview {
  /** In the order of tables and lines. */
  readonly rows: readonly PreviewRow[];
  /** All of them, those not kept included. */
  readonly faultTotal: number;
  /** Row → what is wrong with it; of what is about no one row, file and line. */
  readonly faultsByRow: ReadonlyMap<string, readonly ImportFault[]>;
  readonly fingerprint: string | undefined;
}

export interface PreviewOptions {
  readonly now?: () => number;
  readonly onProgress?: (progress: ImportProgress) => void;
}

export async function previewImport(
  store: Store,
  orgId: string,
  source: ImportSource,
  { now: clock = Date.now, onProgress: report = () => {} }: PreviewOptions = {},
): Promise<ImportPreview> {
  const faults = new FaultList(FAULTS_MAX);
  const tables = await readSource(source, faults, (done, total) => report({ phase: "reading", done, total }));
  if (tables === undefined) return arrange({}, undefined, faults);
  const described = await store.readOrgAtOnce(orgId, async (org) => {
    const planned: PlannedRecord[] = [];
    const onPlanned = (one: PlannedRecord) => void planned.push(one);
    const now = planningMoment(clock);
    await planImport({ org, now, faults, onRows: countRows(tables, report), onPlanned }, tables);
    return describePlan(org, planned, now);
  });
  return arrange(tables, described, faults);
}

function arrange(tables: CheckedTables, described: DescribedPlan | undefined, faults: FaultList): ImportPreview {
  const faultsByRow = Map.groupBy(faults.all, (fault) => faults.rowOf(fault) ?? `${fault.file} ${fault.line}`);
  const checked = new Map<string, CheckedRow>();
  for (const { rows } of Object.values(tables)) {
    for (const row of rows) checked.set(row.key, row);
  }
  const rows: PreviewRow[] = [];
  for (const [key, found] of faultsByRow) rows.push(describeFaulty(key, found, checked.get(key)));
  for (const { planned, outcome, changes } of described?.rows ?? []) {
    const { table, row, name } = planned;
    const key = row?.key ?? "";
    if (faultsByRow.has(key)) continue;
    checked.delete(key);
    rows.push({ ...whereOf(row), table, externalId: row?.externalId ?? null, name, outcome, changes, faults: [] });
  }
  for (const [key, row] of checked) {
    if (faultsByRow.has(key)) continue;
    const { externalId } = row;
    const table = row.source.table.name;
    rows.push({ ...whereOf(row), table, externalId, name: null, outcome: "unclear", changes: [], faults: [] });
  }
  const order = (row: PreviewRow) => (row.table === null ? -1 : TABLE_NAMES.indexOf(row.table));
  rows.sort((a, b) => order(a) - order(b) || lineOf(a) - lineOf(b));
  return {
    rows,
    faultTotal: faults.total,
    faultsByRow,
    fingerprint: faults.total === 0 ? described?.fingerprint : undefined,
  };
}

function describeFaulty(key: string, faults: readonly ImportFault[], row: CheckedRow | undefined): PreviewRow {
  const { file = null, line = null } = faults[0] ?? {};
  return {
    table: findTableOfRow(key) ?? findTable(file ?? "") ?? null,
    file,
    line,
    outcome: "fault",
    // One that another row has already is told by its fault alone.
    externalId: row?.externalId ?? faults.find(({ column }) => column === "externalId")?.value ?? null,
    name: null,
    changes: [],
    faults,
  };
}

function whereOf(row: CheckedRow | undefined): { readonly file: string | null; readonly line: number | null } {
  return { file: row?.source.file ?? null, line: row?.line ?? null };
}

/** What is about a whole file stands before its rows, what follows from rows behind them. */
function lineOf({ line, outcome }: PreviewRow): number {
  return line ?? (outcome === "follow" ? Number.MAX_SAFE_INTEGER : 0);
}
