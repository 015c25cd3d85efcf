/** Rows whose every cell was judged by itself. What needs other rows, or stored records, is judged by the plan. */
import { findNearestName } from "@lineup/api/nearest-name";
import { type CellFormat, CellReader } from "./cells.ts";
import { type FaultList, showValue } from "./import-faults.ts";
import { type Column, FAULTS_COLUMN, TABLE_NAMES, TABLES, type Table, type TableName } from "./tables.ts";

export interface CheckedRow {
  readonly source: CheckedTable;
  /** A name that no other row of the import has. */
  readonly key: string;
  /** The physical line where the row begins; of rows in memory, their number. */
  readonly line: number;
  readonly externalId: string;
  /** Column → value, null for an empty cell. What is not in it was not given. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Moments as they were written, where that was not in milliseconds. */
  readonly written: Readonly<Record<string, string>> | undefined;
  /** Whether a cell was refused. Such a row still has a name that others may refer to. */
  readonly isFaulty: boolean;
}

export interface CheckedTable {
  readonly table: Table;
  /** What faults call the source. */
  readonly file: string;
  readonly rows: CheckedRow[];
}

export type CheckedTables = Readonly<Partial<Record<TableName, CheckedTable>>>;

const PLAIN: CellFormat = { decimalComma: false };

/** Takes rows in, one by one, and keeps those it can. */
export class RowChecker {
  readonly checked: CheckedTable;
  readonly #faults: FaultList;
  readonly #readers: ReadonlyMap<string, CellReader>;
  readonly #lineByName = new Map<string, number>();
  #count = 0;

  constructor(name: TableName, file: string, faults: FaultList, format: CellFormat = PLAIN) {
    const table = TABLES[name];
    this.checked = { table, file, rows: [] };
    this.#faults = faults;
    this.#readers = new Map(table.columns.map((column) => [column.name, new CellReader(column, format)]));
  }

  /** Judges the cells of a CSV line; `columns` says which column each is in, undefined for one without a name. */
  addCells(cells: readonly string[], columns: readonly (Column | undefined)[], line: number): void {
    const draft = this.#begin(line);
    for (const [position, column] of columns.entries()) {
      const cell = cells[position] ?? "";
      if (column !== undefined) draft.read(column, cell, this.#readerOf(column).readText(cell));
    }
    this.#keep(draft);
  }

  /** Judges an object of a JSON file, or of a table in memory. */
  addObject(object: Readonly<Record<string, unknown>>, line: number): void {
    const draft = this.#begin(line);
    for (const [name, value] of Object.entries(object)) {
      if (name === FAULTS_COLUMN) continue;
      const column = this.checked.table.byName.get(name);
      if (column === undefined) draft.refuse(name, value, describeUnknownColumn(this.checked.table, name));
      else if (value !== undefined) draft.read(column, value, this.#readerOf(column).readValue(value));
    }
    this.#keep(draft);
  }

  #begin(line: number): RowDraft {
    this.#count += 1;
    return new RowDraft(this.checked, rowKeyOf(this.checked.table.name, this.#count), line, this.#faults);
  }

  #readerOf(column: Column): CellReader {
    const reader = this.#readers.get(column.name);
    if (reader === undefined) throw new Error(`No reader for the column ${column.name}.`);
    return reader;
  }

  #keep(draft: RowDraft): void {
    const { externalId } = draft.given;
    if (typeof externalId !== "string") {
      if (!draft.isFaulty) draft.refuse("externalId", null, "is missing; every row needs a name of its own");
      return;
    }
    const earlier = this.#lineByName.get(externalId);
    if (earlier !== undefined) {
      draft.refuse("externalId", externalId, `is on line ${earlier} already; give every row a name of its own`);
      return;
    }
    this.#lineByName.set(externalId, draft.line);
    this.checked.rows.push(draft.finish(externalId));
  }
}

/** Of the row that is the n-th of its table. */
export function rowKeyOf(table: TableName, number: number): string {
  return `${table} ${number}`;
}

export function findTableOfRow(key: string): TableName | undefined {
  return TABLE_NAMES.find((name) => key.startsWith(`${name} `));
}

class RowDraft {
  readonly given: Record<string, unknown> = {};
  readonly line: number;
  isFaulty = false;
  #written: Record<string, string> | undefined;
  readonly #source: CheckedTable;
  readonly #key: string;
  readonly #faults: FaultList;

  constructor(source: CheckedTable, key: string, line: number, faults: FaultList) {
    this.#source = source;
    this.#key = key;
    this.line = line;
    this.#faults = faults;
  }

  read(column: Column, input: unknown, result: ReturnType<CellReader["readValue"]>): void {
    if ("fault" in result) {
      this.refuse(column.name, input, result.fault);
      return;
    }
    this.given[column.name] = result.value;
    if (column.kind !== "instant" || typeof input !== "string" || input === String(result.value)) return;
    this.#written ??= {};
    this.#written[column.name] = input;
  }

  refuse(column: string, value: unknown, message: string): void {
    this.isFaulty = true;
    const { file } = this.#source;
    const fault = { file, line: this.line, column: showValue(column), value: showValue(value), message };
    this.#faults.add(fault, this.#key);
  }

  finish(externalId: string): CheckedRow {
    const { line, given, isFaulty } = this;
    return { source: this.#source, key: this.#key, line, externalId, given, written: this.#written, isFaulty };
  }
}

export function describeUnknownColumn(table: Table, name: string): string {
  const known = table.columns.map((column) => column.name);
  // Anyone who writes the API's own name means the reference.
  const nearest = findNearestName(name, known) ?? findNearestName(name.replace(/Id$/, ""), known);
  if (nearest !== undefined) return `is not a column of ${table.name}; did you mean ${nearest}?`;
  return `is not a column of ${table.name}; it has ${known.join(", ")}`;
}

/** Reports what is wrong with a row beyond its cells, with the cell as it was written, or with another value. */
export function refuseCell(faults: FaultList, row: CheckedRow, column: string, message: string, value?: unknown): void {
  const shown = showValue(value ?? row.written?.[column] ?? row.given[column]);
  faults.add({ file: row.source.file, line: row.line, column, value: shown, message }, row.key);
}
