/** Where an import comes from: a folder of CSV files, one JSON file, the contents of such files, or rows in memory. All end as checked rows. */
import type { Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { findNearestName } from "@lineup/api/nearest-name";
import { codeOf, reasonOf } from "../store/store-error.ts";
import type { CheckedTable, CheckedTables } from "./checked-rows.ts";
import { readCsvFile } from "./csv-file.ts";
import type { FaultList } from "./import-faults.ts";
import { type FileContent, ImportFiles, type ImportLimits, type ReadProgress } from "./import-files.ts";
import { readJsonFile } from "./json-file.ts";
import { csvNameOf, isTableName, TABLE_NAMES, type TableName } from "./tables.ts";

/** Rows as a JSON file would hold them: column → value; a column left out changes nothing, null is an empty cell. */
export type ImportTables = Readonly<Partial<Record<TableName, readonly Readonly<Record<string, unknown>>[]>>>;

/** A file that somebody has sent, by the name that it has with them. */
export interface SentFile {
  readonly name: string;
  readonly bytes: Buffer;
}

export type ImportSource =
  | { readonly path: string }
  | { readonly files: readonly SentFile[]; readonly limits?: ImportLimits }
  | { readonly tables: ImportTables };

/** The checked rows; undefined when a file could not be read to its end, which leaves nothing to plan with. */
export async function readSource(
  source: ImportSource,
  faults: FaultList,
  onRows: ReadProgress,
): Promise<CheckedTables | undefined> {
  if ("tables" in source) {
    return readJsonFile(Buffer.from(JSON.stringify(source.tables)), "tables.json", new ImportFiles(faults, onRows));
  }
  if ("files" in source) return readSentFiles(source.files, new ImportFiles(faults, onRows, source.limits));
  const { path } = source;
  const refuse = (message: string) => void faults.add({ file: path, message });
  let found: Stats;
  try {
    found = await stat(path);
  } catch (error) {
    return refuse(describeUnfound(error));
  }
  const files = new ImportFiles(faults, onRows);
  if (found.isDirectory()) return readFolder(path, files);
  if (isJson(path)) return readJsonFile(path, basename(path), files);
  return refuse(
    "is neither a folder of CSV files nor a .json file; for one CSV file give the folder that holds it, " +
      "unpack an archive, and save the sheets of a workbook as CSV UTF-8",
  );
}

/** Why nothing is known of what was named, as the end of a sentence that begins with its path. */
export function describeUnfound(error: unknown): string {
  const code = codeOf(error);
  if (code === "EACCES" || code === "EPERM") {
    return "may not be read by this user; give them read access to it and its folder, or run the command as another";
  }
  if (code === "ENOENT" || code === "ENOTDIR") return "is not there; give a folder of CSV files or one .json file";
  return `cannot be read (${reasonOf(error)})`;
}

export function isJson(file: string): boolean {
  return extname(file).toLowerCase() === ".json";
}

/** The table that a CSV file of this name holds. */
export function findTable(file: string): TableName | undefined {
  const name = basename(file.toLowerCase(), ".csv");
  return extname(file).toLowerCase() === ".csv" && isTableName(name) ? name : undefined;
}

async function readFolder(path: string, files: ImportFiles): Promise<CheckedTables | undefined> {
  const { faults } = files;
  const names = (await readdir(path)).sort();
  const found = findFiles(names, faults, (file) => refuseMisnamed(file, faults));
  if (found.size === 0 && faults.total === 0) {
    const message = `holds none of ${TABLE_NAMES.map(csvNameOf).join(", ")}`;
    faults.add({ file: path, message });
  }
  return readCsvFiles(found, (file) => join(path, file), files);
}

/** Unlike a folder, in which anything may lie, everything that was sent is meant to be imported. */
async function readSentFiles(sent: readonly SentFile[], files: ImportFiles): Promise<CheckedTables | undefined> {
  const { faults } = files;
  const [first, ...others] = sent;
  if (first !== undefined && others.length === 0 && isJson(first.name)) {
    return readJsonFile(first.bytes, first.name, files);
  }
  const contents = new Map(sent.map(({ name, bytes }) => [name, bytes]));
  const expected = TABLE_NAMES.map(csvNameOf).join(", ");
  const found = findFiles(
    sent.map(({ name }) => name),
    faults,
    (file) => {
      const message = isJson(file)
        ? "holds all tables by itself; import it alone, or leave it out"
        : `is none of ${expected}; give it the name of what it holds, or leave it out`;
      faults.add({ file, message });
    },
  );
  return readCsvFiles(found, (file) => contents.get(file) ?? Buffer.alloc(0), files);
}

async function readCsvFiles(
  found: ReadonlyMap<TableName, string>,
  contentOf: (file: string) => FileContent,
  files: ImportFiles,
): Promise<CheckedTables | undefined> {
  const checked: Partial<Record<TableName, CheckedTable>> = {};
  let isWhole = found.size > 0;
  for (const name of TABLE_NAMES) {
    const file = found.get(name);
    if (file === undefined) continue;
    const table = await readCsvFile(contentOf(file), name, file, files);
    if (table === undefined) isWhole = false;
    else checked[name] = table;
  }
  return isWhole ? checked : undefined;
}

/** The file of each table. */
function findFiles(
  names: readonly string[],
  faults: FaultList,
  onOther: (file: string) => void,
): ReadonlyMap<TableName, string> {
  const files = new Map<TableName, string>();
  for (const file of names) {
    const table = findTable(file);
    const twin = table === undefined ? undefined : files.get(table);
    if (table === undefined) onOther(file);
    else if (twin === undefined) files.set(table, file);
    else {
      const message = `is the same table as ${twin}; keep one of the files, or put their rows into one`;
      faults.add({ file, message });
    }
  }
  return files;
}

/** A file that is almost named like a table was meant to be one; leaving it out unsaid would import half of the data. */
function refuseMisnamed(file: string, faults: FaultList): void {
  if (extname(file).toLowerCase() !== ".csv") return;
  const nearest = findNearestName(basename(file.toLowerCase(), ".csv"), TABLE_NAMES);
  if (nearest === undefined) return;
  const message = `is not a file that can be imported; did you mean ${nearest}.csv?`;
  faults.add({ file, message });
}
