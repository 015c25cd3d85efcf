/**
 * The files of an import as they were sent, with what is wrong with each row written beside it. Mended, they can be imported as they are: the
 * column of faults is not read. A file that could not be read to its end, or has more rows than an import takes, is left out, for nobody can say which of its rows are rows.
 */
import { CsvError } from "csv-parse";
import { formatCsv } from "./cells.ts";
import { rowKeyOf } from "./checked-rows.ts";
import { CsvRecords, holdsNothing } from "./csv-file.ts";
import type { ImportFault } from "./import-faults.ts";
import { SENT_LIMITS } from "./import-files.ts";
import { isJson, type SentFile } from "./import-source.ts";
import { isObject } from "./json-file.ts";
import type { ImportPreview } from "./preview.ts";
import { FAULTS_COLUMN, TABLE_NAMES } from "./tables.ts";
import type { TextFile } from "./write-export.ts";

const BYTE_ORDER_MARK = "\u{FEFF}";

type Faults = ImportPreview["faultsByRow"];

interface FaultsColumn {
  readonly position: number;
  /** False where the file was marked before. */
  readonly isNew: boolean;
}

/** Those files that have a row with a fault. */
export async function markFaults(files: readonly SentFile[], faults: Faults): Promise<TextFile[]> {
  const marked: TextFile[] = [];
  for (const file of files) {
    const text = isJson(file.name) ? markJson(file, faults) : await markCsv(file, faults);
    if (text !== undefined) marked.push({ name: file.name, text });
  }
  return marked;
}

function describe(faults: readonly ImportFault[]): string {
  return faults.map(({ column, message }) => (column === null ? message : `${column}: ${message}`)).join(" | ");
}

async function markCsv({ name, bytes }: SentFile, faults: Faults): Promise<string | undefined> {
  const own = [...faults.values()].flat().filter(({ file, line }) => file === name && line !== null);
  if (own.length === 0) return undefined;
  const byLine = Map.groupBy(own, ({ line }) => line);
  const text = bytes.toString("utf8");
  const hasMark = text.startsWith(BYTE_ORDER_MARK);
  const records = new CsvRecords(hasMark ? bytes.subarray(3) : bytes);
  const rows: string[][] = [];
  let column: FaultsColumn | undefined;
  /** What is wrong with the header is told beside the first row: its own cell is the column's name. */
  let ofHeader: readonly ImportFault[] = [];
  try {
    for await (const record of records) {
      const { cells, line } = record;
      rows.push(cells);
      if (rows.length > SENT_LIMITS.rows) return undefined;
      if (holdsNothing(record)) continue;
      const found = byLine.get(line) ?? [];
      if (column === undefined) {
        const already = cells.findIndex((cell) => cell.trim() === FAULTS_COLUMN);
        column = { position: already === -1 ? cells.length : already, isNew: already === -1 };
        cells[column.position] = FAULTS_COLUMN;
        ofHeader = found;
        continue;
      }
      putCell(cells, column, describe([...ofHeader, ...found]));
      ofHeader = [];
    }
  } catch (error) {
    if (error instanceof CsvError) return undefined;
    throw error;
  }
  return `${hasMark ? BYTE_ORDER_MARK : ""}${formatCsv(rows, records.delimiter)}`;
}

/** A row that has more cells than the header keeps them, and its faults stand behind the last. */
function putCell(cells: string[], { position, isNew }: FaultsColumn, text: string): void {
  const at = isNew ? Math.max(position, cells.length) : position;
  while (cells.length < at) cells.push("");
  cells[at] = text;
}

function markJson({ name, bytes }: SentFile, faults: Faults): string | undefined {
  if (![...faults.values()].flat().some(({ file, line }) => file === name && line !== null)) return undefined;
  let root: unknown;
  try {
    root = JSON.parse(bytes.toString("utf8").replace(BYTE_ORDER_MARK, ""));
  } catch {
    return undefined;
  }
  if (typeof root !== "object" || root === null) return undefined;
  for (const table of TABLE_NAMES) {
    const list = (root as Readonly<Record<string, unknown>>)[table];
    const items = Array.isArray(list) ? list.filter(isObject) : [];
    for (const [index, item] of items.entries()) {
      const found = faults.get(rowKeyOf(table, index + 1));
      if (found === undefined) delete item[FAULTS_COLUMN];
      else item[FAULTS_COLUMN] = found.map((fault) => describe([fault]));
    }
  }
  return `${JSON.stringify(root, null, 1)}\n`;
}
