/** The rows that files show of an organization: a page at a time, each a value for every column of its table. */
import { type ExternalIds, IMPORT_SYSTEM } from "../store/external-ids.ts";
import type { OrgStore } from "../store/org-store.ts";
import { storedOf } from "../store/record-rows.ts";
import { writeInstant } from "./cells.ts";
import type { StoredFields } from "./draft-records.ts";
import { type Column, RECORD_TABLES, type RecordTable, resourceOf, TABLES, type TableName } from "./tables.ts";

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

async function readRecords(org: OrgStore, table: TableName, after: string): Promise<StoredFields[]> {
  const resource = resourceOf(table);
  const rows = await org
    .selectFrom(resource.table as "players")
    .selectAll()
    .where("id", ">", after)
    .orderBy("id")
    .limit(PAGE)
    .execute();
  return rows.map((row) => {
    const fields = storedOf(resource, row as never) as StoredFields["fields"];
    const { import_id = null } = row as { readonly import_id?: string | null };
    const ids = fields.externalIds as ExternalIds | undefined;
    return { id: row.id, importName: ids?.[IMPORT_SYSTEM] ?? import_id, fields };
  });
}

/** The value of a column, as a file has it. */
export function cellOf({ id, importName, fields }: StoredFields, column: Column, names: Names): unknown {
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
