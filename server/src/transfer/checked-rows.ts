/** Rows whose every cell was judged by itself. What needs other rows, or stored records, is judged by the plan. */
import { findNearestName } from "@lineup/api/nearest-name";
import { CellReader, type CellResult } from "./cells.ts";
import { type FaultList, showValue } from "./import-faults.ts";
import { type Column, FAULTS_COLUMN, TABLE_NAMES, TABLES, type Table, type TableName } from "./tables.ts";

export interface CheckedRow {
  readonly source: CheckedTable;
  /** A name that no other row of the import has. */
  readonly key: string;
  /** The physical line where the row begins. */
  readonly line: number;
  readonly externalId: string;
  /** Column → value, null for an empty cell. What is not in it was not given. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Moments as they were written, where that was not in milliseconds. */
  readonly written: Readonly<Record<string, string>> | undefined;
  /** Columns whose cells were refused; undefined where none was. Such a row still has a name that others may refer to. */
  readonly faulty: ReadonlySet<string> | undefined;
}

export interface CheckedTable {
  readonly table: Table;
  /** What faults call the source. */
  readonly file: string;
  readonly rows: CheckedRow[];
}

export type CheckedTables = Readonly<Partial<Record<TableName, CheckedTable>>>;

/** Takes rows in, one by one, and keeps those it can. */
export class RowChecker {
  readonly checked: CheckedTable;
  readonly #faults: FaultList;
  readonly #readers: ReadonlyMap<string, CellReader>;
  readonly #lineByName = new Map<string, number>();
  #count = 0;

  constructor(name: TableName, file: string, faults: FaultList, decimalComma = false) {
    const table = TABLES[name];
    this.checked = { table, file, rows: [] };
    this.#faults = faults;
    this.#readers = new Map(table.columns.map((column) => [column.name, new CellReader(column, decimalComma)]));
  }

  /** Judges the cells of a CSV line; `columns` says which column each is in, undefined for one without a name. */
  addCells(cells: readonly string[], columns: readonly (Column | undefined)[], line: number): void {
    const draft = this.#begin(line);
    for (const [position, column] of columns.entries()) {
      const cell = cells[position] ?? "";
      const reader = column && this.#readers.get(column.name);
      if (reader !== undefined) this.#read(draft, reader.column, cell, reader.readText(cell));
    }
    this.#keep(draft);
  }

  /** Judges an object of a JSON file, or of a table in memory. */
  addObject(object: Readonly<Record<string, unknown>>, line: number): void {
    const { table } = this.checked;
    const draft = this.#begin(line);
    for (const [name, value] of Object.entries(object)) {
      if (name === FAULTS_COLUMN) continue;
      const reader = this.#readers.get(name);
      if (reader === undefined) {
        this.#refuse(draft, name, value, this.#faults.isFull ? "" : describeUnknownColumn(table, name));
      } else if (value !== undefined) this.#read(draft, reader.column, value, reader.readValue(value));
    }
    this.#keep(draft);
  }

  #begin(line: number): RowDraft {
    this.#count += 1;
    const key = rowKeyOf(this.checked.table.name, this.#count);
    return { source: this.checked, key, line, externalId: "", given: {}, written: undefined, faulty: undefined };
  }

  #read(draft: RowDraft, column: Column, input: unknown, result: CellResult): void {
    if ("fault" in result) {
      this.#refuse(draft, column.name, input, result.fault);
      return;
    }
    draft.given[column.name] = result.value;
    const isWritten = column.form === "moment" && typeof input === "string" && input !== String(result.value);
    if (isWritten) draft.written = { ...draft.written, [column.name]: input };
  }

  #refuse(draft: RowDraft, column: string, value: unknown, message: string): void {
    draft.faulty = new Set(draft.faulty).add(column);
    const { file } = this.checked;
    const fault = { file, line: draft.line, column: showValue(column), value: showValue(value), message };
    this.#faults.add(fault, draft.key);
  }

  #keep(draft: RowDraft): void {
    const { externalId } = draft.given;
    if (typeof externalId !== "string") {
      const message = "is missing; every row needs a name of its own";
      if (draft.faulty === undefined) this.#refuse(draft, "externalId", null, message);
      return;
    }
    const earlier = this.#lineByName.get(externalId);
    if (earlier !== undefined) {
      const message = `is on line ${earlier} already; give every row a name of its own`;
      this.#refuse(draft, "externalId", externalId, message);
      return;
    }
    this.#lineByName.set(externalId, draft.line);
    this.checked.rows.push(Object.assign(draft, { externalId }));
  }
}

/** A row whose cells are being read. */
type RowDraft = { -readonly [K in keyof CheckedRow]: CheckedRow[K] } & { readonly given: Record<string, unknown> };

/** Of the row that is the n-th of its table. */
export function rowKeyOf(table: TableName, number: number): string {
  return `${table} ${number}`;
}

export function findTableOfRow(key: string): TableName | undefined {
  return TABLE_NAMES.find((name) => key.startsWith(`${name} `));
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
