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
import type { FileContent, ImportFiles } from "./import-files.ts";
import { type Column, FAULTS_COLUMN, type Table, type TableName } from "./tables.ts";

/** Others of this process run in between. */
const PIECE_BYTES = 256 * 1024;
const HEADER_MAX_BYTES = 16 * 1024;
/** Longer than any row can be whose cells are valid. */
const ROW_MAX_BYTES = 512 * 1024;

export interface CsvRecord {
  readonly cells: string[];
  readonly line: number;
}

/** Iterating throws the parser's own errors, once the form of the file is broken. */
export class CsvRecords {
  readonly delimiter: string;
  /** The line after the rows that were read. */
  nextLine = 1;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    const start = skipSeparatorLine(bytes.toString("utf8", 0, HEADER_MAX_BYTES));
    this.delimiter = start.delimiter ?? findDelimiter(start.text);
    this.#bytes = bytes;
  }

  [Symbol.asyncIterator](): AsyncIterator<CsvRecord> {
    const parser = pipeline(
      Readable.from(piecesOf(this.#bytes)),
      parse({
        delimiter: this.delimiter,
        record_delimiter: ["\r\n", "\n", "\r"],
        relax_column_count: true,
        trim: true,
        max_record_size: ROW_MAX_BYTES,
        // Lines are counted as rows are found: when the form breaks, the parser drops rows that nobody took yet.
        on_record: (cells: string[]) => ({ cells, line: this.#pass(cells) }) as never,
      }),
      () => {},
    );
    return (parser as AsyncIterable<CsvRecord>)[Symbol.asyncIterator]();
  }

  /** The physical line that the row begins on; it has one, and one more for each line break in its cells. */
  #pass(cells: readonly string[]): number {
    const line = this.nextLine;
    this.nextLine += 1;
    for (const cell of cells) this.nextLine += cell.match(/\r\n|\r|\n/g)?.length ?? 0;
    return line;
  }
}

const SEPARATOR_LINE = /^sep=.?,?$/i;

/** Whether a row is empty, or only says which separator the file has. */
export function holdsNothing({ cells, line }: CsvRecord): boolean {
  return (line === 1 && SEPARATOR_LINE.test(cells.join(","))) || cells.every((cell) => cell.trim() === "");
}

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
): Promise<CheckedTable | undefined> {
  const { faults } = files;
  const bytes = files.read(content, file);
  if (bytes === undefined) return undefined;
  const records = new CsvRecords(bytes);
  const checker = new RowChecker(name, file, faults, records.delimiter === ";");
  let header: Header | undefined;
  let rows = 0;
  /** About as many as the rows had in the file. */
  let bytesRead = 0;
  try {
    for await (const record of records) {
      const { cells, line } = record;
      for (const cell of cells) bytesRead += cell.length + 1;
      // Empty lines count as well: to read millions of them takes minutes.
      if (header !== undefined && !files.takeRows(file, 1)) return undefined;
      if (holdsNothing(record)) continue;
      if (header !== undefined) {
        addRow(checker, header, record, faults);
        rows += 1;
        if (rows % 1_000 === 0) files.report(rows, Math.ceil((rows * bytes.length) / bytesRead));
        continue;
      }
      header = readHeader(checker.checked.table, cells, file, line, faults);
      if (header === undefined) return undefined;
    }
  } catch (error) {
    faults.add(describeUnreadable(error, file, records.nextLine));
    return undefined;
  }
  if (header === undefined) {
    const message = "is empty; its first line must name the columns";
    return void faults.add({ file, message });
  }
  files.finish(rows);
  return checker.checked;
}

function addRow(checker: RowChecker, header: Header, { cells, line }: CsvRecord, faults: FaultList): void {
  const { columns, faultsAt } = header;
  const { file } = checker.checked;
  const isSurplus = (cell: string, position: number) =>
    columns[position] === undefined && position !== faultsAt && cell.trim() !== "";
  const surplus = cells.findIndex(isSurplus);
  const hint = "check the quotes and separators of the line";
  if (surplus !== -1) {
    const message = `stands in column ${surplus + 1}, which has no name in the header; ${hint}`;
    faults.add({ file, line, value: showValue(cells[surplus]), message });
  } else if (cells.length < columns.length) {
    const message = `the line has ${cells.length} cells and the header ${columns.length}; ${hint}`;
    faults.add({ file, line, message });
  } else checker.addCells(cells, columns, line);
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
    const column = table.columns.find((one) => one.name === name);
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
