/**
 * Reads a CSV file as people have them: commas, semicolons or tabs, found in the header; with or without a byte order
 * mark; any line ends; quoted cells with line breaks in them. Whatever cannot be read is a fault with its physical line,
 * never a crash. Once the form of the file is broken (a quote that never closes) the rest cannot be trusted, and reading
 * ends there.
 */
import { pipeline, Readable } from "node:stream";
import { type CsvError, parse } from "csv-parse";
import { type CheckedTable, describeUnknownColumn, RowChecker } from "./checked-rows.ts";
import { type FaultList, showValue } from "./import-faults.ts";
import type { ImportFiles } from "./import-files.ts";
import type { Column, Table, TableName } from "./tables.ts";

/** Others of this process run in between. */
const PIECE_BYTES = 256 * 1024;
const HEADER_MAX_BYTES = 16 * 1024;
/** Longer than any row can be whose cells are valid. */
const ROW_MAX_BYTES = 512 * 1024;

export type CsvProgress = (rows: number, expected: number) => void;

interface Header {
  /** Undefined for a column without a name, whose cells must be empty. */
  readonly columns: readonly (Column | undefined)[];
}

/** The checked rows; undefined when the form of the file is broken. */
export async function readCsvFile(
  path: string,
  name: TableName,
  file: string,
  files: ImportFiles,
  faults: FaultList,
  onRows: CsvProgress,
): Promise<CheckedTable | undefined> {
  const bytes = files.read(path, file);
  if (bytes === undefined) return undefined;
  const start = skipSeparatorLine(bytes.toString("utf8", 0, HEADER_MAX_BYTES));
  const delimiter = start.delimiter ?? findDelimiter(start.text);
  const checker = new RowChecker(name, file, faults, { decimalComma: delimiter === ";" });
  const rows = new CsvRows(checker, file, faults);
  const counter = new LineCounter();
  try {
    const parser = pipeline(
      Readable.from(piecesOf(bytes)),
      parse({
        delimiter,
        record_delimiter: ["\r\n", "\n", "\r"],
        relax_column_count: true,
        trim: true,
        max_record_size: ROW_MAX_BYTES,
        // Lines are counted as rows are found: when the form breaks, the parser drops rows that nobody took yet.
        on_record: (cells: string[]) => ({ cells, line: counter.pass(cells) }) as never,
      }),
      () => {},
    );
    for await (const { cells, line } of parser as AsyncIterable<{ cells: string[]; line: number }>) {
      // Empty lines count as well: to read millions of them takes minutes.
      const counted = rows.hasHeader ? 1 : 0;
      if (!rows.add(cells, line) || !files.takeRows(file, counted)) return undefined;
      if (rows.count % 1_000 === 0) onRows(rows.count, Math.ceil((rows.count * bytes.length) / rows.bytes));
    }
  } catch (error) {
    faults.add(describeUnreadable(error, file, counter.next));
    return undefined;
  }
  if (!rows.hasHeader) {
    const message = "is empty; its first line must name the columns";
    return void faults.add({ file, message });
  }
  onRows(rows.count, rows.count);
  return checker.checked;
}

/** Counts physical lines: a row has one, and one more for each line break in its cells. */
class LineCounter {
  next = 1;

  /** The line that the row begins on. */
  pass(cells: readonly string[]): number {
    const line = this.next;
    this.next += 1;
    for (const cell of cells) {
      if (/[\r\n]/.test(cell)) this.next += cell.match(/\r\n|\r|\n/g)?.length ?? 0;
    }
    return line;
  }
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
    if (line === 1 && SEPARATOR_LINE.test(record.join(","))) return true;
    if (record.every((cell) => cell.trim() === "")) return true;
    if (this.#header === undefined) {
      this.#header = readHeader(this.#checker.checked.table, record, this.#file, line, this.#faults);
      return this.#header !== undefined;
    }
    this.count += 1;
    this.#addRow(record, this.#header, line);
    return true;
  }

  #addRow(record: readonly string[], { columns }: Header, line: number): void {
    const surplus = record.findIndex((cell, position) => columns[position] === undefined && cell.trim() !== "");
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
    if (name === "") return undefined;
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
  return faults.total > before ? undefined : { columns };
}

const SEPARATOR_LINE = /^sep=.?,?$/i;

/** Spreadsheets may say in a first line of its own which separator they used. */
function skipSeparatorLine(text: string): { delimiter: string | undefined; text: string } {
  const match = /^sep=([,;\t])\r?\n/i.exec(text);
  return match === null ? { delimiter: undefined, text } : { delimiter: match[1], text: text.slice(match[0].length) };
}

/** The separator that the header has most of, outside of quotes. */
function findDelimiter(text: string): string {
  const header = /^(?:"[^"]*"|[^"\r\n])*/.exec(text.trimStart())?.[0].replaceAll(/"[^"]*"/g, "") ?? "";
  const count = (delimiter: string) => header.split(delimiter).length;
  return [",", ";", "\t"].reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best));
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) yield bytes.subarray(from, from + PIECE_BYTES);
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
