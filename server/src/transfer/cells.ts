/**
 * Between a value and the cell of a file that holds it.
 *
 * A spreadsheet takes a cell that begins with one of `= + - @`, a tab or a carriage return for a formula. Such a text is
 * written with an apostrophe before it, and so is one that begins with an apostrophe itself; reading takes away one
 * apostrophe that stands before any of these. So every text comes back as it was, whatever it begins with.
 */
import { findMeantDay, parseInstant } from "@lineup/api/instants";
import { stringify } from "csv-stringify/sync";
import type { Column } from "./tables.ts";

const DEFUSED = /^['=+\-@\t\r]/;
const RESTORED = /^'['=+\-@\t\r]/;
const REPEATED_KEPT_MAX = 2_000;
const REPEATED_MAX_CHARS = 32;

/** A cell's value, judged; null for an empty cell. */
export type CellResult = { readonly value: unknown } | { readonly fault: string };

export function defuseText(text: string): string {
  return DEFUSED.test(text) ? `'${text}` : text;
}

export function restoreText(cell: string): string {
  return RESTORED.test(cell) ? cell.slice(1) : cell;
}

/** A value as a cell of a CSV file. Numbers are ours and begin no formula. */
export function writeCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return defuseText(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Cells with another program's separator in them are quoted too, so that whatever reads the file keeps them whole. */
export function formatCsv(rows: readonly (readonly string[])[], delimiter = ","): string {
  return stringify(rows as string[][], { delimiter, quoted_match: /[,;\t\r\n]/, record_delimiter: "\r\n" });
}

/** Reads the cells of one column. Short values come again and again, and are judged once. */
export class CellReader {
  readonly column: Column;
  readonly #decimalComma: boolean;
  readonly #known = new Map<string, CellResult>();

  /** Spreadsheets of half of Europe write 7,5 for seven and a half, and therefore semicolons between cells. */
  constructor(column: Column, decimalComma: boolean) {
    this.column = column;
    this.#decimalComma = decimalComma;
  }

  /** A cell of a CSV file. */
  readText(cell: string): CellResult {
    const text = restoreText(cell.trim());
    if (text === "") return EMPTY;
    if (text.length > REPEATED_MAX_CHARS) return this.#judge(text);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const result = this.#judge(text);
    if (this.#known.size < REPEATED_KEPT_MAX) this.#known.set(text, result);
    return result;
  }

  /** A value of a JSON file: a native one, or a text as in a CSV file. */
  readValue(value: unknown): CellResult {
    if (value === null) return EMPTY;
    if (value === "" && !this.column.holdsEmptyText) return EMPTY;
    return this.#judge(value);
  }

  #judge(input: unknown): CellResult {
    const read = typeof input === "string" ? this.#readTyped(input) : this.#readNative(input);
    if ("fault" in read || read.value === null) return read;
    const result = this.column.schema.safeParse(read.value);
    if (result.success) return { value: result.data };
    const issue = result.error.issues[0];
    const path = issue?.path.join(".") ?? "";
    return { fault: `${path === "" ? "" : `${path} `}${issue?.message ?? "is not valid"}` };
  }

  #readNative(value: unknown): CellResult {
    if (this.column.form === "moment" && typeof value === "number") return refuseMeantDay(value) ?? { value };
    const isName = this.column.target !== undefined || this.column.name === "externalId";
    return { value: isName && Number.isSafeInteger(value) ? String(value) : value };
  }

  #readTyped(text: string): CellResult {
    switch (this.column.form) {
      case "moment":
        return readInstant(text);
      case "integer":
      case "number":
        return readNumber(text, this.#decimalComma);
      case "boolean":
        return readBoolean(text);
      case "json":
      case "parts":
        return readJson(text);
      default:
        return { value: text };
    }
  }
}

const EMPTY: CellResult = { value: null };

function readInstant(text: string): CellResult {
  const value = parseInstant(text.trim());
  if (value !== undefined) return refuseMeantDay(text.trim()) ?? { value };
  return {
    fault: "must be milliseconds since the Unix epoch, or ISO 8601 such as 2026-01-31 or 2026-01-31T18:00:00+01:00",
  };
}

function refuseMeantDay(written: string | number): { readonly fault: string } | undefined {
  const day = findMeantDay(String(written));
  if (day === undefined) return undefined;
  const moment = new Date(Number(written)).toISOString();
  return { fault: `would be read as milliseconds; write ${day} for the day, or ${moment} if that moment is meant` };
}

/** A moment as a file holds it: milliseconds, but for those that look like a day and are refused. */
export function writeInstant(ms: number): number | string {
  return findMeantDay(String(ms)) === undefined ? ms : new Date(ms).toISOString();
}

function readNumber(text: string, decimalComma: boolean): CellResult {
  if (decimalComma && /^[+-]?\d{1,3},\d{3}$/.test(text.trim())) {
    return { fault: "may be thousands or a fraction; write it without the comma, or with a point before the fraction" };
  }
  const plain = decimalComma ? text.trim().replace(",", ".") : text.trim();
  if (/^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(plain)) return { value: Number(plain) };
  return { fault: "must be a number" };
}

function readBoolean(text: string): CellResult {
  const word = text.trim().toLowerCase();
  if (["true", "yes", "1"].includes(word)) return { value: true };
  if (["false", "no", "0"].includes(word)) return { value: false };
  return { fault: "must be true or false" };
}

function readJson(text: string): CellResult {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { fault: 'must be JSON, such as {"kda": 4.2} or ["aim", "ladder"]' };
  }
}
