/** Where an import comes from: a folder of CSV files, one JSON file, or rows in memory. All end as checked rows. */
import { readdir, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { findNearestName } from "@lineup/api/nearest-name";
import { type CheckedTable, type CheckedTables, RowChecker } from "./checked-rows.ts";
import { readCsvFile } from "./csv-file.ts";
import type { FaultList } from "./import-faults.ts";
import { ImportFiles } from "./import-files.ts";
import { isTableName, readJsonFile } from "./json-file.ts";
import { TABLE_NAMES, type TableName } from "./tables.ts";

/** Rows as a JSON file would hold them: column → value; a column left out changes nothing, null is an empty cell. */
export type ImportTables = Readonly<Partial<Record<TableName, readonly Readonly<Record<string, unknown>>[]>>>;

export type ImportSource = { readonly path: string } | { readonly tables: ImportTables };

/** How many rows were read, of how many; the second is an estimate until the end. */
export type ReadProgress = (done: number, total: number) => void;

/** The checked rows; undefined when a file could not be read to its end, which leaves nothing to plan with. */
export async function readSource(
  source: ImportSource,
  faults: FaultList,
  onRows: ReadProgress,
): Promise<CheckedTables | undefined> {
  if ("tables" in source) return readTables(source.tables, faults, onRows);
  const { path } = source;
  const refuse = (message: string) => void faults.add({ file: path, message });
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return refuse("is not there; give a folder of CSV files or one .json file");
  const files = new ImportFiles(faults);
  if (found.isDirectory()) return readFolder(path, files, faults, onRows);
  if (extname(path).toLowerCase() === ".json") return readJsonFile(path, basename(path), files, faults, onRows);
  return refuse(
    "is neither a folder of CSV files nor a .json file; for one CSV file give the folder that holds it, " +
      "unpack an archive, and save the sheets of a workbook as CSV UTF-8",
  );
}

/** The names of the files as faults show them, in the order in which people expect them. */
export function listSourceFiles(): string[] {
  return TABLE_NAMES.flatMap((name) => [name, `${name}.csv`]);
}

async function readTables(tables: ImportTables, faults: FaultList, onRows: ReadProgress): Promise<CheckedTables> {
  const checked: Partial<Record<TableName, CheckedTable>> = {};
  for (const name of TABLE_NAMES) {
    const rows = tables[name];
    if (rows === undefined) continue;
    const checker = new RowChecker(name, name, faults);
    for (const [index, row] of rows.entries()) checker.addObject(row, index + 1);
    checked[name] = checker.checked;
    onRows(rows.length, rows.length);
  }
  return checked;
}

async function readFolder(
  path: string,
  files: ImportFiles,
  faults: FaultList,
  onRows: ReadProgress,
): Promise<CheckedTables | undefined> {
  const found = await findFiles(path, faults);
  if (found.size === 0 && faults.total === 0) {
    const expected = TABLE_NAMES.map((name) => `${name}.csv`).join(", ");
    const message = `holds none of ${expected}`;
    faults.add({ file: path, message });
  }
  const checked: Partial<Record<TableName, CheckedTable>> = {};
  let isWhole = found.size > 0;
  let rowsBefore = 0;
  for (const name of TABLE_NAMES) {
    const file = found.get(name);
    if (file === undefined) continue;
    let rows = 0;
    const table = await readCsvFile(join(path, file), name, file, files, faults, (done, total) => {
      rows = done;
      onRows(rowsBefore + done, rowsBefore + total);
    });
    rowsBefore += rows;
    if (table === undefined) isWhole = false;
    else checked[name] = table;
  }
  return isWhole ? checked : undefined;
}

/** The file of each table. */
async function findFiles(path: string, faults: FaultList): Promise<ReadonlyMap<TableName, string>> {
  const files = new Map<TableName, string>();
  for (const file of (await readdir(path)).sort()) {
    const name = basename(file.toLowerCase(), ".csv");
    if (extname(file).toLowerCase() !== ".csv") continue;
    const twin = isTableName(name) ? files.get(name) : undefined;
    if (twin !== undefined) {
      const message = `is the same table as ${twin}; keep one of the files, or put their rows into one`;
      faults.add({ file, message });
    } else if (isTableName(name)) files.set(name, file);
    else refuseMisnamed(file, name, faults);
  }
  return files;
}

/** A file that is almost named like a table was meant to be one; leaving it out unsaid would import half of the data. */
function refuseMisnamed(file: string, name: string, faults: FaultList): void {
  const nearest = findNearestName(name, TABLE_NAMES);
  if (nearest === undefined) return;
  const message = `is not a file that can be imported; did you mean ${nearest}.csv?`;
  faults.add({ file, message });
}
