/**
 * What an import would do, row by row, and what is wrong with it, with nothing written: the plan that an import makes, of one moment of the store.
 * A row with a fault is only that. While any row has one nothing can be imported, and of rows that hang on it nothing can be said.
 */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { ImportRowView } from "@lineup/api/dashboard/transfer";
import type { OrgStore } from "../store/org-store.ts";
import type { Store } from "../store/store.ts";
import { type CheckedRow, type CheckedTables, findTableOfRow } from "./checked-rows.ts";
import { countChecked, type ImportProgress, planningMoment } from "./import.ts";
import { FaultList, type ImportFault } from "./import-faults.ts";
import { findTable, type ImportSource, readSource } from "./import-source.ts";
import { type ImportPlan, type PlannedRecord, planImport } from "./plan.ts";
import { batchesOf, storedFieldsOf } from "./stored-records.ts";
import { type RecordTable, TABLE_NAMES, TABLES } from "./tables.ts";
import { cellOf, loadNames, type Names } from "./write-export.ts";

/** Stands for the moment of writing, which is not known before. */
const AT_IMPORT = "now";

type CellChanges = ImportRowView["changes"];

interface DescribedPlan {
  readonly records: readonly (PlannedRecord & { readonly changes: CellChanges })[];
  readonly fingerprint: string;
}

/**
 * What a plan would do, in the words of files: for each record the cells that will be other than they are, as an export would write them before
 * and after. Its fingerprint says whether a later plan does the same, however the ids of new records are drawn and whenever it is made.
 */
export async function describePlan(org: OrgStore, { planned, now }: ImportPlan): Promise<DescribedPlan> {
  const names = await nameAll(org, planned);
  const records: DescribedPlan["records"][number][] = [];
  const lines: string[] = [];
  for await (const batch of batchesOf(planned, 1_000)) {
    for (const one of batch) {
      const changes = listChanges(one, names, now);
      records.push({ ...one, changes });
      lines.push(JSON.stringify([one.table, one.row?.externalId, one.before?.id, one.outcome, changes]));
    }
  }
  // Records that follow come in the order of the database, which nobody promises.
  const fingerprint = createHash("sha256").update(lines.sort().join("\n")).digest("hex");
  return { records, fingerprint };
}

/** The names in files of what is stored and of what will be. */
async function nameAll(org: OrgStore, planned: readonly PlannedRecord[]): Promise<Names> {
  const names = new Map(Object.entries(await loadNames(org)).map(([table, known]) => [table, new Map(known)]));
  for (const { table, before, row, after } of planned) {
    if (before === undefined && row !== undefined) names.get(table)?.set(after.id, row.externalId);
  }
  return Object.fromEntries(names) as Partial<Record<RecordTable, ReadonlyMap<string, string>>>;
}

function listChanges({ table, before, after, outcome }: PlannedRecord, names: Names, now: number): CellChanges {
  if (outcome === "leave") return [];
  const [was, will] = [before && storedFieldsOf(before), storedFieldsOf(after)];
  const changes: CellChanges = [];
  for (const column of TABLES[table].columns) {
    if (was === undefined && column.name === "externalId") continue;
    const cellBefore = (was && cellOf(was, column, names)) ?? null;
    const isNow = will.fields[column.field] === now;
    const cellAfter = isNow ? AT_IMPORT : (cellOf(will, column, names) ?? null);
    if (isDeepStrictEqual(cellBefore, cellAfter)) continue;
    changes.push({ column: column.name, before: cellBefore, after: cellAfter });
  }
  return changes;
}

/** More than anybody mends by hand; the others are counted. */
const FAULTS_MAX = 100_000;

/** As the page gets it, with the whole of its faults. */
export type PreviewRow = Readonly<Omit<ImportRowView, "faults">> & { readonly faults: readonly ImportFault[] };

export interface ImportPreview {
  /** In the order of tables and lines. */
  readonly rows: readonly PreviewRow[];
  /** All of them, those not kept included. */
  readonly faultTotal: number;
  /** Row → what is wrong with it; of what is about no one row, file and line. */
  readonly faultsByRow: ReadonlyMap<string, readonly ImportFault[]>;
  readonly fingerprint: string | undefined;
}

export async function previewImport(
  store: Store,
  orgId: string,
  source: ImportSource,
  clock: () => number,
  report: (progress: ImportProgress) => void,
): Promise<ImportPreview> {
  const faults = new FaultList(FAULTS_MAX);
  const tables = await readSource(source, faults, (done, total) => report({ phase: "reading", done, total }));
  if (tables === undefined) return arrange({}, undefined, faults);
  const described = await store.readOrgAtOnce(orgId, async (org) => {
    const now = planningMoment(clock);
    return describePlan(org, await planImport({ org, now, faults, onRows: countChecked(tables, report) }, tables));
  });
  return arrange(tables, described, faults);
}

function arrange(tables: CheckedTables, described: DescribedPlan | undefined, faults: FaultList): ImportPreview {
  const faultsByRow = faults.groupByRow();
  const checked = new Map<string, CheckedRow>();
  for (const { rows } of Object.values(tables)) {
    for (const row of rows) checked.set(row.key, row);
  }
  const rows: PreviewRow[] = [];
  for (const [key, found] of faultsByRow) rows.push(describeFaulty(key, found, checked.get(key)));
  for (const { table, row, name, outcome, changes } of described?.records ?? []) {
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
