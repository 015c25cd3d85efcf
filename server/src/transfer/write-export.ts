/** An organization as CSV files or as one JSON file, piece by piece; and how a value stands in such a file. */
import { type ExternalIds, IMPORT_SYSTEM } from "../store/external-ids.ts";
import type { OrgStore } from "../store/org-store.ts";
import { formatCsv, writeCell, writeInstant } from "./cells.ts";
import { readPages, type StoredFields } from "./stored-records.ts";
import {
  type Column,
  csvNameOf,
  RECORD_TABLES,
  type RecordTable,
  resourceOf,
  TABLE_NAMES,
  TABLES,
  type TableName,
} from "./tables.ts";

const PAGE = 1_000;

/** The names of records in files, where they have one, of those that others refer to. */
export type Names = Readonly<Partial<Record<RecordTable, ReadonlyMap<string, string>>>>;

export async function loadNames(org: OrgStore): Promise<Names> {
  const targets = Object.values(TABLES).flatMap(({ columns }) => columns.map(({ target }) => target));
  const names: Partial<Record<RecordTable, ReadonlyMap<string, string>>> = {};
  for (const table of RECORD_TABLES) if (targets.includes(table)) names[table] = await loadNamesOf(org, table);
  return names;
}

async function loadNamesOf(org: OrgStore, table: RecordTable): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  const { kind } = resourceOf(table);
  for (let last = ""; ; ) {
    const rows = await org
      .selectFrom("external_ids")
      .select(["external_ids.record_id", "external_ids.external_id"])
      .where("external_ids.kind", "=", kind)
      .where("external_ids.system", "=", IMPORT_SYSTEM)
      .where("external_ids.external_id", ">", last)
      .orderBy("external_ids.external_id")
      .limit(PAGE)
      .execute();
    for (const row of rows) names.set(row.record_id, row.external_id);
    last = rows.at(-1)?.external_id ?? last;
    if (rows.length < PAGE) return names;
  }
}

/** The value of a column, as a file has it. */
export function cellOf({ id, importName, fields }: StoredFields, column: Column, names: Names): unknown {
  if (column.name === "externalId") return importName ?? id;
  const value = fields[column.field];
  if (column.name === "externalIds") return withoutImport(value as ExternalIds);
  if (column.form === "moment" && typeof value === "number") return writeInstant(value);
  if (column.target === undefined || typeof value !== "string") return value;
  return names[column.target]?.get(value) ?? value;
}

/** The ids in other systems; null when there are none. */
function withoutImport(ids: ExternalIds): ExternalIds | null {
  const others = Object.entries(ids).filter(([system]) => system !== IMPORT_SYSTEM);
  return others.length === 0 ? null : Object.fromEntries(others);
}

/** Some text of a file, which stands behind what came of it before. */
export interface ExportPiece {
  readonly file: string;
  readonly text: string;
  readonly table: TableName;
  /** How many rows of the table are in it. */
  readonly rows: number;
}

/** All of it in one JSON file, where that is named. */
export interface ExportForm {
  readonly jsonFile?: string | undefined;
  readonly tables?: readonly TableName[];
}

export async function* exportPieces(
  org: OrgStore,
  { jsonFile, tables = TABLE_NAMES }: ExportForm,
): AsyncGenerator<ExportPiece> {
  const names = await loadNames(org);
  let lead = "{";
  for (const table of tables) {
    if (jsonFile === undefined) {
      for await (const piece of csvPieces(org, table, names)) yield { file: csvNameOf(table), table, ...piece };
      continue;
    }
    yield { file: jsonFile, table, text: lead, rows: 0 };
    lead = ",";
    for await (const piece of jsonPieces(org, table, names)) yield { file: jsonFile, table, ...piece };
    if (table === tables.at(-1)) yield { file: jsonFile, table, text: "\n}\n", rows: 0 };
  }
}

type Piece = Pick<ExportPiece, "text" | "rows">;

async function* csvPieces(org: OrgStore, table: TableName, names: Names): AsyncGenerator<Piece> {
  const { columns } = TABLES[table];
  yield { text: formatCsv([columns.map(({ name }) => name)]), rows: 0 };
  for await (const page of readPages(org, table)) {
    const rows = page.map((record) => columns.map((column) => writeCell(cellOf(record, column, names))));
    yield { text: formatCsv(rows), rows: rows.length };
  }
}

async function* jsonPieces(org: OrgStore, table: TableName, names: Names): AsyncGenerator<Piece> {
  const { columns } = TABLES[table];
  yield { text: `\n"${table}": [`, rows: 0 };
  let separator = "\n";
  for await (const page of readPages(org, table)) {
    const objects = page.map((record) =>
      Object.fromEntries(columns.map((column) => [column.name, cellOf(record, column, names)])),
    );
    yield { text: separator + objects.map((one) => JSON.stringify(one)).join(",\n"), rows: objects.length };
    separator = ",\n";
  }
  yield { text: separator === "\n" ? "]" : "\n]", rows: 0 };
}

export interface TextFile {
  readonly name: string;
  readonly text: string;
}

/** A small file of each table to begin with: its columns, and one row that an import takes, made of the examples in the reference. */
export function makeExampleFiles(): TextFile[] {
  return TABLE_NAMES.map((table) => {
    const { columns } = TABLES[table];
    const rows = [columns.map(({ name }) => name), columns.map((column) => writeCell(exampleOf(table, column)))];
    return { name: csvNameOf(table), text: formatCsv(rows) };
  });
}

function exampleOf(table: TableName, column: Column): unknown {
  if (column.name === "externalId") return nameOf(table);
  const { example } = TABLES[table].resource.fields[column.field] ?? {};
  if (example === null || example === undefined) return null;
  if (column.target !== undefined) return nameOf(column.target);
  // As people write it: a day, or a day and its time.
  return column.form === "moment" ? new Date(Number(example)).toISOString().replace("T00:00:00.000Z", "") : example;
}

function nameOf(table: TableName): string {
  return `example-${resourceOf(table).kind}`;
}
