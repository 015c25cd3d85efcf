/** An organization as CSV files or as one JSON file, written piece by piece to wherever they go. */
import { setImmediate as breathe } from "node:timers/promises";
import { stringify } from "csv-stringify/sync";
import type { OrgStore } from "../store/org-store.ts";
import { writeCell } from "./cells.ts";
import { type ExportRow, listRows, loadNames, type Names } from "./exported-rows.ts";
import { csvNameOf, TABLE_NAMES, TABLES, type TableName } from "./tables.ts";

/** How many rows were written of each table. */
export type ExportSummary = Record<TableName, number>;

export interface ExportFile {
  appendFile(text: string): Promise<void>;
}

export interface ExportTarget {
  begin(name: string): Promise<ExportFile>;
}

export type Report = (table: TableName, done: number) => void;

export async function writeCsv(
  org: OrgStore,
  target: ExportTarget,
  report: Report,
  tables: readonly TableName[] = TABLE_NAMES,
): Promise<ExportSummary> {
  return eachTable(org, tables, report, async (table, names, onRows) => {
    const file = await target.begin(csvNameOf(table));
    const header = TABLES[table].columns.map((column) => column.name);
    await file.appendFile(formatCsv([header]));
    for await (const page of listRows(org, table, names)) {
      await file.appendFile(formatCsv(page.map((row) => row.map(writeCell))));
      await onRows(page.length);
    }
  });
}

/** Cells with another program's separator in them are quoted too, so that whatever reads the file keeps them whole. */
export function formatCsv(rows: readonly (readonly string[])[], delimiter = ","): string {
  return stringify(rows as string[][], { delimiter, quoted_match: /[,;\t\r\n]/, record_delimiter: "\r\n" });
}

export async function writeJson(
  org: OrgStore,
  file: ExportFile,
  report: Report,
  tables: readonly TableName[] = TABLE_NAMES,
): Promise<ExportSummary> {
  let lead = "{";
  const summary = await eachTable(org, tables, report, async (table, names, onRows) => {
    await file.appendFile(`${lead}\n"${table}": [`);
    lead = ",";
    let separator = "\n";
    for await (const page of listRows(org, table, names)) {
      await file.appendFile(separator + page.map((row) => JSON.stringify(asObject(table, row))).join(",\n"));
      separator = ",\n";
      await onRows(page.length);
    }
    await file.appendFile(separator === "\n" ? "]" : "\n]");
  });
  await file.appendFile("\n}\n");
  return summary;
}

function asObject(table: TableName, row: ExportRow): Record<string, unknown> {
  return Object.fromEntries(TABLES[table].columns.map((column, position) => [column.name, row[position]]));
}

async function eachTable(
  org: OrgStore,
  tables: readonly TableName[],
  report: Report,
  writeTable: (table: TableName, names: Names, onRows: (rows: number) => Promise<void>) => Promise<void>,
): Promise<ExportSummary> {
  const names = await loadNames(org);
  const summary = Object.fromEntries(TABLE_NAMES.map((table) => [table, 0])) as ExportSummary;
  for (const table of tables) {
    await writeTable(table, names, async (rows) => {
      summary[table] += rows;
      report(table, summary[table]);
      await breathe();
    });
  }
  return summary;
}
