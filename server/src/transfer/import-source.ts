/** Where an import comes from: a folder of CSV files, one JSON file, or rows in memory. All end as checked rows. */
import { readdir, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { findNearestName } from "@lineup/api/nearest-name";
import { type CheckedTable, type CheckedTables, RowChecker } from "./checked-rows.ts";
import { readCsvFile } from "./csv-file.ts";
import { type FaultList, showValue } from "./import-faults.ts";
import { ImportFiles } from "./import-files.ts";
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

/** The checked rows; undefined when the form of the file is broken. */
export async function readJsonFile(
  path: string,
  file: string,
  files: ImportFiles,
  faults: FaultList,
  onRows: (rows: number, expected: number) => void,
): Promise<CheckedTables | undefined> {
  const refuse = (line: number | null, column: string | null, value: unknown, message: string) =>
    void faults.add({ file, line, column, value: showValue(value), message });
  const text = files.read(path, file)?.toString("utf8");
  const root = text === undefined ? undefined : parseDocument(text, refuse);
  if (text === undefined || root === undefined) return undefined;
  if (!isObject(root)) return refuse(1, null, root, `must be an object with the lists ${TABLE_NAMES.join(", ")}`);
  const lists = Object.entries(root).filter(([, list]) => list !== null);
  const total = lists.reduce((sum, [, list]) => sum + (Array.isArray(list) ? list.length : 0), 0);
  if (!files.takeRows(file, total)) return undefined;
  const { lines, repeated } = locateItems(text);
  for (const { name, line } of repeated) refuse(line, showValue(name), null, "is there twice; keep one of the two");
  const tables: Partial<Record<TableName, RowChecker["checked"]>> = {};
  let done = 0;
  for (const [name, list] of lists) {
    if (!isTableName(name)) {
      const nearest = findNearestName(name, TABLE_NAMES);
      const hint = nearest === undefined ? `use ${TABLE_NAMES.join(", ")}` : `did you mean ${nearest}?`;
      refuse(null, showValue(name), null, `is not a list that can be imported; ${hint}`);
    } else if (!Array.isArray(list)) refuse(null, name, list, "must be a list of objects");
    else {
      const checker = new RowChecker(name, file, faults);
      tables[name] = checker.checked;
      for (const [index, item] of list.entries()) {
        const line = lines.get(name)?.[index] ?? 1;
        if (isObject(item)) checker.addObject(item, line);
        else refuse(line, name, item, "must be an object of columns and values");
        done += 1;
        if (done % 1_000 !== 0) continue;
        onRows(done, total);
        await breathe();
      }
    }
  }
  return tables;
}

interface Located {
  /** For each list of the outermost object, the lines its items begin on. */
  readonly lines: ReadonlyMap<string, readonly number[]>;
  /** Lists, and columns of items, that have the name of an earlier one, which JSON's own reader would drop unsaid. */
  readonly repeated: readonly { readonly name: string; readonly line: number }[];
}

function parseDocument(
  text: string,
  refuse: (line: number | null, column: string | null, value: unknown, message: string) => void,
): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) refuse(findSyntaxLine(error), null, null, `is not JSON: ${error.message}`);
    else throw error;
    return undefined;
  }
}

function findSyntaxLine(error: SyntaxError): number | null {
  const match = /line (\d+)/.exec(error.message);
  return match === null ? null : Number(match[1]);
}

export function isTableName(name: string): name is TableName {
  return (TABLE_NAMES as readonly string[]).includes(name);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]|\n/g;

/** Where things stand in a text that is valid JSON. */
function locateItems(text: string): Located {
  const lines = new Map<string, number[]>();
  const repeated: { name: string; line: number }[] = [];
  /** For each object or list around the present place, the names it has had; a list has none. */
  const around: (Set<string> | undefined)[] = [];
  let line = 1;
  let list = "";
  let isName = false;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "\n") line += 1;
    else if (token === "{" || token === "[") {
      // An item is an object, or a list by mistake; other mistakes have no line of their own and take the last one's.
      if (around.length === 2) lines.get(list)?.push(line);
      isName = token === "{";
      around.push(isName ? new Set() : undefined);
      if (around.length === 2) lines.set(list, []);
    } else if (token === "}" || token === "]") around.pop();
    else if (token === ",") isName = around.at(-1) !== undefined;
    else if (isName) {
      isName = false;
      if (around.length !== 1 && around.length !== 3) continue;
      const name = JSON.parse(token) as string;
      if (around.at(-1)?.has(name)) repeated.push({ name, line });
      around.at(-1)?.add(name);
      if (around.length === 1) list = name;
    }
  }
  return { lines, repeated };
}
