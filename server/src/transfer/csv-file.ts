/**
 * Reads a CSV file as people have them: commas, semicolons or tabs, found in the header; with or without a byte order
 * mark; any line ends; quoted cells with line breaks in them. Whatever cannot be read is a fault with its physical line,
 * never a crash. Once the form of the file is broken (a quote that never closes) the rest cannot be trusted, and reading
 * ends there.
 */
import type { CsvError } from "csv-parse";
import { type CheckedTable, describeUnknownColumn, RowChecker } from "./checked-rows.ts";
import { CsvRecords, isSeparatorLine } from "./csv-records.ts";
import { type FaultList, showValue } from "./import-faults.ts";
import type { FileContent, ImportFiles } from "./import-files.ts";
import { type Column, FAULTS_COLUMN, type Table, type TableName } from "./tables.ts";

export type CsvProgress = (rows: number, expected: number) => void;

interface Header {
  /** Undefined for a column without a name, whose cells must be empty, and for the one that is not read. */
  readonly columns: readonly (Column | undefined)[];
  /** Where the column of faults stands; -1 without one. */
  readonly faultsAt: number;
}

/** The checked rows; undefined when the form of the file is broken. */
export async function readCsvFile(
  content: FileContent,
  name: TableName,
  file: string,
  files: ImportFiles,
  faults: FaultList,
  onRows: CsvProgress,
): Promise<CheckedTable | undefined> {
  const bytes = files.read(content, file);
  if (bytes === undefined) return undefined;
  const records = new CsvRecords(bytes);
  const checker = new RowChecker(name, file, faults, { decimalComma: records.delimiter === ";" });
  const rows = new CsvRows(checker, file, faults);
  try {
    for await (const { cells, line } of records) {
      // Empty lines count as well: to read millions of them takes minutes.
      const counted = rows.hasHeader ? 1 : 0;
      if (!rows.add(cells, line) || !files.takeRows(file, counted)) return undefined;
      if (rows.count % 1_000 === 0) onRows(rows.count, Math.ceil((rows.count * bytes.length) / rows.bytes));
    }
  } catch (error) {
    faults.add(describeUnreadable(error, file, records.nextLine));
    return undefined;
  }
  if (!rows.hasHeader) {
    const message = "is empty; its first line must name the columns";
    return void faults.add({ file, message });
  }
  onRows(rows.count, rows.count);
  return checker.checked;
}

/** Takes the first row for the header and skips empty ones. */
class CsvRows {
  count = 0;
  /** About as many as the records had in the file. */
  bytes = 0;
  #header: Header | undefined;
  readonly #checker: RowChecker;
  readonly #file: string;
  readonly #faults: FaultList;

  constructor(checker: RowChecker, file: string, faults: FaultList) {
    this.#checker = checker;
    this.#file = file;
    this.#faults = faults;
  }

  get hasHeader(): boolean {
    return this.#header !== undefined;
  }

  /** False when the rest of the file means nothing. */
  add(record: readonly string[], line: number): boolean {
    for (const cell of record) this.bytes += cell.length + 1;
    if (isSeparatorLine(record, line)) return true;
    if (record.every((cell) => cell.trim() === "")) return true;
    if (this.#header === undefined) {
      this.#header = readHeader(this.#checker.checked.table, record, this.#file, line, this.#faults);
      return this.#header !== undefined;
    }
    this.count += 1;
    this.#addRow(record, this.#header, line);
    return true;
  }

  #addRow(record: readonly string[], { columns, faultsAt }: Header, line: number): void {
    const isSurplus = (cell: string, position: number) =>
      columns[position] === undefined && position !== faultsAt && cell.trim() !== "";
    const surplus = record.findIndex(isSurplus);
    if (surplus !== -1) {
      const message = `stands in column ${surplus + 1}, which has no name in the header; check the quotes and separators of the line`;
      this.#refuse(line, record[surplus], message);
    } else if (record.length < columns.length) {
      const message = `the line has ${record.length} cells and the header ${columns.length}; check the quotes and separators of the line`;
      this.#refuse(line, null, message);
    } else this.#checker.addCells(record, columns, line);
  }

  #refuse(line: number, value: unknown, message: string): void {
    this.#faults.add({ file: this.#file, line, value: showValue(value), message });
  }
}

function readHeader(
  table: Table,
  names: readonly string[],
  file: string,
  line: number,
  faults: FaultList,
): Header | undefined {
  const before = faults.total;
  const seen = new Set<string>();
  const columns = names.map((cell) => {
    const name = cell.trim();
    if (name === "" || name === FAULTS_COLUMN) return undefined;
    const refuse = (message: string) =>
      faults.add({ file, line, column: showValue(name), value: showValue(name), message });
    const column = table.byName.get(name);
    if (column === undefined) refuse(describeUnknownColumn(table, name));
    else if (seen.has(name)) refuse("is in the header twice; keep one of the columns");
    seen.add(name);
    return column;
  });
  if (!seen.has("externalId")) {
    const message = "is missing from the header; every row needs a name of its own";
    faults.add({ file, line, column: "externalId", message });
  }
  const faultsAt = names.findIndex((cell) => cell.trim() === FAULTS_COLUMN);
  return faults.total > before ? undefined : { columns, faultsAt };
}

function describeUnreadable(error: unknown, file: string, line: number) {
  const code = error instanceof Error && "code" in error ? (error as CsvError).code : undefined;
  const message = code === undefined ? undefined : CSV_FAULTS[code];
  if (message === undefined) throw error;
  return { file, line, column: null, value: null, message };
}

const CSV_FAULTS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED:
    "a quote opens in this row and never closes; close it, or double it where it belongs to the text",
  CSV_INVALID_CLOSING_QUOTE: "a quoted cell goes on after its closing quote; double quotes that belong to the text",
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE:
    "a quoted cell goes on after its closing quote; double quotes that belong to the text",
  INVALID_OPENING_QUOTE:
    "a quote stands inside a cell that is not quoted; put the cell in quotes and double those in it",
  CSV_MAX_RECORD_SIZE: "the row is longer than any valid one; check its quotes",
};
