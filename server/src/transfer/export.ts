/**
 * Exports an organization into a folder of CSV files, or into one JSON file, that import reads. The files show one moment,
 * for everything is read from one state of the store, a page at a time; others write meanwhile, and wait for nothing.
 * Files are written under temporary names and take their own only when all are whole and on the disk, so an export that
 * fails before leaves what was there. Only a failure among the renames of a folder can leave files of two moments.
 */
import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { stringify } from "csv-stringify/sync";
import { type ExternalIds, IMPORT_SYSTEM } from "../store/external-ids.ts";
import type { OrgStore } from "../store/org-store.ts";
import { storedOf } from "../store/record-rows.ts";
import type { Store } from "../store/store.ts";
import { StoreError } from "../store/store-error.ts";
import { writeCell, writeInstant } from "./cells.ts";
import {
  type Column,
  RECORD_TABLES,
  type RecordTable,
  resourceOf,
  TABLE_NAMES,
  TABLES,
  type TableName,
} from "./tables.ts";

export interface ExportOptions {
  readonly onProgress?: (progress: { readonly table: TableName; readonly done: number }) => void;
}

/** How many rows were written of each table. */
export type ExportSummary = Record<TableName, number>;

export async function exportFrom(
  store: Store,
  orgId: string,
  path: string,
  options: ExportOptions = {},
): Promise<ExportSummary> {
  const isJson = extname(path).toLowerCase() === ".json";
  const target = isJson ? new Target(dirname(path), [basename(path)]) : new Target(path, TABLE_NAMES.map(csvName));
  const report = (table: TableName, done: number) => options.onProgress?.({ table, done });
  if ((await store.revisionOf(orgId)) === undefined) throw new StoreError(`No organization has the id ${orgId}.`);
  try {
    const summary = await store.readOrgAtOnce(orgId, (org) =>
      isJson ? writeJson(org, target, report) : writeCsv(org, target, report),
    );
    await target.finish();
    return summary;
  } catch (error) {
    await target.abandon();
    throw error;
  }
}

function csvName(table: TableName): string {
  return `${table}.csv`;
}

type Report = (table: TableName, done: number) => void;

async function writeCsv(org: OrgStore, target: Target, report: Report): Promise<ExportSummary> {
  return eachTable(org, report, async (table, names, onRows) => {
    const file = await target.begin(csvName(table));
    const header = TABLES[table].columns.map((column) => column.name);
    await file.appendFile(formatCsv([header]));
    for await (const page of listRows(org, table, names)) {
      await file.appendFile(formatCsv(page.map((row) => row.map(writeCell))));
      await onRows(page.length);
    }
  });
}

/** Cells with another program's separator in them are quoted too, so that whatever reads the file keeps them whole. */
function formatCsv(rows: readonly (readonly string[])[]): string {
  return stringify(rows as string[][], { quoted_match: /[;\t\r\n]/, record_delimiter: "\r\n" });
}

async function writeJson(org: OrgStore, target: Target, report: Report): Promise<ExportSummary> {
  const file = await target.begin(target.names[0] ?? "");
  let lead = "{";
  const summary = await eachTable(org, report, async (table, names, onRows) => {
    await file.appendFile(`${lead}\n"${table}": [`);
    lead = ",";
    let separator = "\n";
    for await (const page of listRows(org, table, names)) {
      await file.appendFile(separator + page.map((row) => JSON.stringify(asObject(table, row))).join(",\n"));
      separator = ",\n";
      await onRows(page.length);
    }
    await file.appendFile(separator === "\n" ? "]" : "\n]");
  });
  await file.appendFile("\n}\n");
  return summary;
}

function asObject(table: TableName, row: ExportRow): Record<string, unknown> {
  return Object.fromEntries(TABLES[table].columns.map((column, position) => [column.name, row[position]]));
}

async function eachTable(
  org: OrgStore,
  report: Report,
  writeTable: (table: TableName, names: Names, onRows: (rows: number) => Promise<void>) => Promise<void>,
): Promise<ExportSummary> {
  const names = await loadNames(org);
  const summary = Object.fromEntries(TABLE_NAMES.map((table) => [table, 0])) as ExportSummary;
  for (const table of TABLE_NAMES) {
    await writeTable(table, names, async (rows) => {
      summary[table] += rows;
      report(table, summary[table]);
      await breathe();
    });
  }
  return summary;
}

/** Files on their way: each has a temporary name in its own folder until all are finished. */
class Target {
  readonly names: readonly string[];
  readonly #folder: string;
  readonly #suffix = `.${randomUUID()}.tmp`;
  readonly #open = new Map<string, FileHandle>();

  constructor(folder: string, names: readonly string[]) {
    this.#folder = folder;
    this.names = names;
  }

  async begin(name: string): Promise<FileHandle> {
    await mkdir(this.#folder, { recursive: true });
    // The data is people's; who exports it decides who else may read it.
    const file = await open(this.#temporary(name), "wx", 0o600);
    this.#open.set(name, file);
    return file;
  }

  async finish(): Promise<void> {
    for (const file of this.#open.values()) {
      await file.sync();
      await file.close();
    }
    for (const name of this.#open.keys()) await rename(this.#temporary(name), join(this.#folder, name));
  }

  async abandon(): Promise<void> {
    for (const [name, file] of this.#open) {
      // It may be closed already, where only a name could not be given.
      await file.close();
      await rm(this.#temporary(name), { force: true });
    }
  }

  #temporary(name: string): string {
    return join(this.#folder, `${name}${this.#suffix}`);
  }
}

const PAGE = 1_000;

export type ExportRow = readonly unknown[];

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

/** Pages of rows; a row has a value for each column of the table, in its order. */
export async function* listRows(org: OrgStore, table: TableName, names: Names): AsyncGenerator<ExportRow[]> {
  const { columns } = TABLES[table];
  for (let last = ""; ; ) {
    const page = await readRecords(org, table, last);
    if (page.length === 0) return;
    yield page.map((record) => columns.map((column) => cellOf(record, column, names)));
    last = page.at(-1)?.id ?? last;
  }
}

interface ExportedRecord {
  readonly id: string;
  readonly importName: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
}

async function readRecords(org: OrgStore, table: TableName, after: string): Promise<ExportedRecord[]> {
  const resource = resourceOf(table);
  const rows = await org
    .selectFrom(resource.table as "players")
    .selectAll()
    .where("id", ">", after)
    .orderBy("id")
    .limit(PAGE)
    .execute();
  return rows.map((row) => {
    const fields = storedOf(resource, row as never) as ExportedRecord["fields"];
    const { import_id = null } = row as { readonly import_id?: string | null };
    const ids = fields.externalIds as ExternalIds | undefined;
    return { id: row.id, importName: ids?.[IMPORT_SYSTEM] ?? import_id, fields };
  });
}

function cellOf({ id, importName, fields }: ExportedRecord, column: Column, names: Names): unknown {
  if (column.name === "externalId") return importName ?? id;
  const value = fields[column.field];
  if (column.name === "externalIds") return withoutImport(value as ExternalIds);
  if (column.kind === "instant" && typeof value === "number") return writeInstant(value);
  if (column.target === undefined || typeof value !== "string") return value;
  return names[column.target]?.get(value) ?? value;
}

/** The ids in other systems; null when there are none. */
function withoutImport(ids: ExternalIds): ExternalIds | null {
  const others = Object.entries(ids).filter(([system]) => system !== IMPORT_SYSTEM);
  return others.length === 0 ? null : Object.fromEntries(others);
}
