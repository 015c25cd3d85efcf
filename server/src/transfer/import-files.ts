/**
 * The files of one import, read one after the other: as text in UTF-8, and together no more than an import takes. What was read stays in memory
 * until it is written, many times as large as in the file. So bytes, rows and values are bounded, which keeps the command under 1 GB.
 */
import { isUtf8 } from "node:buffer";
import { describeBytes, readBounded, UnfitFile } from "../store/bounded-file.ts";
import type { FaultList } from "./import-faults.ts";

export const IMPORT_LIMITS = { bytes: 64 * 1024 * 1024, rows: 150_000, values: 4_000_000 } as const;
export type ImportLimits = { readonly [L in keyof typeof IMPORT_LIMITS]: number };

/** What a server takes that serves others meanwhile. */
export const SENT_LIMITS: ImportLimits = { bytes: 24 * 1024 * 1024, rows: 60_000, values: 1_500_000 };

/** The path of a file, or what one holds. */
export type FileContent = string | Buffer;

const SPLIT = "split it, and import the parts one after the other";
const SAVE_AS = "save it as UTF-8 (in a spreadsheet: CSV UTF-8)";

/** By the bytes they begin with, in hexadecimal digits: what people have that is no CSV and no JSON. */
const OTHER_FORMATS: readonly (readonly [start: RegExp, message: string])[] = [
  [/^504b0(?:304|506)/, "is a zip archive or an Excel workbook; unpack it, or save the sheet as CSV UTF-8"],
  [/^d0cf11e0/, "is an Excel workbook; save the sheet as CSV UTF-8"],
  [/^1f8b/, "is compressed with gzip; unpack it"],
  [/^(?:fffe|feff)/, `is written in UTF-16; ${SAVE_AS}`],
  // Without a byte order mark. A header and JSON begin with characters that have a zero byte there.
  [/^(?:(?:(?!00)..00){2}|(?:00(?!00)..){2})/, `looks like UTF-16; ${SAVE_AS}`],
];

/** How many rows were read, of how many; the second is an estimate until the end. */
export type ReadProgress = (done: number, total: number) => void;

export class ImportFiles {
  readonly faults: FaultList;
  readonly #onRows: ReadProgress;
  readonly #limits: ImportLimits;
  /** Of what the limits allow. */
  readonly #left: Record<keyof ImportLimits, number>;
  /** Of the files that were read to their end. */
  #rowsBefore = 0;

  constructor(faults: FaultList, onRows: ReadProgress = () => {}, limits: ImportLimits = IMPORT_LIMITS) {
    this.faults = faults;
    this.#onRows = onRows;
    this.#limits = limits;
    this.#left = { ...limits };
  }

  /** The bytes of a text without a byte order mark; undefined, and a fault, where there are none to be had. */
  read(content: FileContent, file: string): Buffer | undefined {
    let bytes: Buffer;
    try {
      bytes = typeof content === "string" ? readBounded(content, this.#left.bytes) : content;
      if (bytes.length > this.#left.bytes) throw new UnfitFile(file, "EFBIG", "it is too large");
    } catch (error) {
      if (!(error instanceof UnfitFile)) throw error;
      return this.#refuse(file, null, describeUnfit(error, this.#limits));
    }
    this.#left.bytes -= bytes.length;
    const start = bytes.toString("hex", 0, 4);
    const other = OTHER_FORMATS.find(([pattern]) => pattern.test(start));
    if (other !== undefined) return this.#refuse(file, 1, other[1]);
    if (!isUtf8(bytes)) return this.#refuse(file, findFaultyLine(bytes), `holds bytes that are not UTF-8; ${SAVE_AS}`);
    this.#left.values -= countSeparators(bytes);
    if (this.#left.values < 0) return this.#refuse(file, null, tooMany("values", this.#limits.values));
    return start.startsWith("efbbbf") ? bytes.subarray(3) : bytes;
  }

  /** False, and a fault, when the rows are more than an import takes. */
  takeRows(file: string, count: number): boolean {
    this.#left.rows -= count;
    if (this.#left.rows >= 0) return true;
    this.#refuse(file, null, tooMany("rows", this.#limits.rows));
    return false;
  }

  /** Of the file that is being read. */
  report(rows: number, expected: number): void {
    this.#onRows(this.#rowsBefore + rows, this.#rowsBefore + expected);
  }

  finish(rows: number): void {
    this.report(rows, rows);
    this.#rowsBefore += rows;
  }

  #refuse(file: string, line: number | null, message: string): undefined {
    this.faults.add({ file, line, column: null, value: null, message });
    return undefined;
  }
}

function tooMany(what: string, most: number): string {
  return `has more ${what} than one import takes, which is ${most.toLocaleString("en")} in all files together; ${SPLIT}`;
}

/** What begins or parts values in CSV and in JSON, wherever it stands: never fewer than there are values, and cheap to count. */
const IS_SEPARATOR = new Uint8Array(256);
for (const byte of Buffer.from(",;\t{[\n\r")) IS_SEPARATOR[byte] = 1;
const [RETURN = 0, NEW_LINE = 0] = Buffer.from("\r\n");

function countSeparators(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    // Both together end one line.
    if (!(byte === RETURN && bytes[at + 1] === NEW_LINE)) count += IS_SEPARATOR[byte] ?? 0;
  }
  return count;
}

function describeUnfit({ code, reason }: UnfitFile, limits: ImportLimits): string {
  if (code === "EISDIR") return "is a folder; put a file of that name there";
  if (code !== "EFBIG") return `cannot be read: ${reason}; put a file of that name there`;
  return `is larger than one import takes, which is ${describeBytes(limits.bytes)} in all files together; ${SPLIT}`;
}

/** The first line of the bytes that is not UTF-8. */
function findFaultyLine(bytes: Buffer): number {
  let line = 1;
  let from = 0;
  for (let end = bytes.indexOf("\n"); end !== -1; end = bytes.indexOf("\n", from)) {
    if (!isUtf8(bytes.subarray(from, end))) return line;
    from = end + 1;
    line += 1;
  }
  return line;
}
