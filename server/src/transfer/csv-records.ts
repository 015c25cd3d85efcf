/** The cells of a CSV file, row by row, each with the physical line that it begins on. Separators are found in the header. */
import { pipeline, Readable } from "node:stream";
import { parse } from "csv-parse";

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
  readonly #bytes: Buffer;
  readonly #counter = new LineCounter();

  constructor(bytes: Buffer) {
    const start = skipSeparatorLine(bytes.toString("utf8", 0, HEADER_MAX_BYTES));
    this.delimiter = start.delimiter ?? findDelimiter(start.text);
    this.#bytes = bytes;
  }

  /** The line after the rows that were read. */
  get nextLine(): number {
    return this.#counter.next;
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
        on_record: (cells: string[]) => ({ cells, line: this.#counter.pass(cells) }) as never,
      }),
      () => {},
    );
    return (parser as AsyncIterable<CsvRecord>)[Symbol.asyncIterator]();
  }
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

const SEPARATOR_LINE = /^sep=.?,?$/i;

/** Whether a row only says which separator the file has. */
export function isSeparatorLine(cells: readonly string[], line: number): boolean {
  return line === 1 && SEPARATOR_LINE.test(cells.join(","));
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
