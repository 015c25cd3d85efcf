/**
 * The embedded store's schema, as numbered steps that only go forward. `PRAGMA user_version` holds the number of the last
 * one taken. A step that has been released is never edited; a change of mind is a new step. The tables of records are made from
 * the definitions of their resources, and what is added to those later is in `record-steps.ts`.
 */

import { closeSync, openSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { AnyResource } from "@lineup/api/resource";
import Sqlite, { type Database as SqliteConnection } from "better-sqlite3";
import { createOrganizations, createRecordTables } from "./access-tables.ts";
import { AUDIT_HEADS, createHistoryAndUse } from "./audit-tables.ts";
import { createEventTables, extendIdempotentWrites, fillContractClock } from "./event-tables.ts";
import { createCalendarLinks, createPeople } from "./people-tables.ts";
import { createTable, type Dialect } from "./record-ddl.ts";
import { FIRST_RESOURCES, laterFields, writeRecordSteps } from "./record-steps.ts";
import { codeOf, isBusy, reasonOf, StoreError } from "./store-error.ts";

export interface Migration {
  readonly name: string;
  readonly sql: string;
}

const DIALECT: Dialect = {
  types: { text: "TEXT", integer: "INTEGER", number: "REAL" },
  asJson: (column) => column,
  jsonType: (column) => `json_type(${column})`,
  isIdOf: (kind) => `id LIKE '${kind}\\_%' ESCAPE '\\'`,
  tableEnd: " STRICT, WITHOUT ROWID",
  rowTableEnd: " STRICT",
};

const tables = FIRST_RESOURCES.map((resource) => createTable(resource, DIALECT, laterFields(resource.name))).join("\n");

/**
 * What SQLite takes for granted about sizes: about 100,000 players in an organization. Without it, it thinks that an
 * organization has ten rows of anything, looks at all of them and never at an index that narrows them down.
 * The numbers are rows in all, then rows for each further column of the index that is known.
 */
const EXTERNAL_IDS_SIZES: readonly IndexSize[] = [
  ["external_ids", "external_ids", "400000 200000 50000 50000 1"],
  ["external_ids", "external_ids_by_record", "400000 200000 50000 1 1"],
];

type IndexSize = readonly [table: string, index: string, numbers: string];

function sizesOf({ table, rows, indexes }: AnyResource): IndexSize[] {
  const numbers = (inOrg: number, narrows: readonly number[]) => [inOrg * 2, inOrg, ...narrows].join(" ");
  return [
    [table, table, numbers(rows, [1])],
    ...Object.entries(indexes).map(
      ([name, index]): IndexSize => [table, name, numbers(index.rows ?? rows, index.narrows)],
    ),
  ];
}

function assumeSizes(sizes: readonly IndexSize[]): string {
  return `
ANALYZE sqlite_schema;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
${sizes.map(([table, index, numbers]) => `  ('${table}', '${index}', '${numbers}')`).join(",\n")};
ANALYZE sqlite_schema;
`;
}

const sizes = assumeSizes([
  ...FIRST_RESOURCES.flatMap(sizesOf),
  ...EXTERNAL_IDS_SIZES,
  ["changes", "changes_by_record", "1000000 500000 5 1"],
]);

/** SQLite takes no check away from a table: the table is made anew. */
const anyKind = `
CREATE TABLE external_ids_of_any_kind (
  org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind <> ''),
  system TEXT NOT NULL CHECK (system <> ''),
  external_id TEXT NOT NULL CHECK (external_id <> ''),
  record_id TEXT NOT NULL,
  PRIMARY KEY (org_id, kind, system, external_id)
) STRICT, WITHOUT ROWID;
INSERT INTO external_ids_of_any_kind SELECT org_id, kind, system, external_id, record_id FROM external_ids;
DROP TABLE external_ids;
ALTER TABLE external_ids_of_any_kind RENAME TO external_ids;
CREATE UNIQUE INDEX external_ids_by_record ON external_ids (org_id, kind, record_id, system);
${assumeSizes(EXTERNAL_IDS_SIZES)}`;

const NOW_MS = "unixepoch() * 1000";

export const MIGRATIONS: readonly Migration[] = [
  {
    name: "organizations, keys and their data",
    sql: [createOrganizations(DIALECT), tables, createRecordTables(DIALECT), sizes].join("\n"),
  },
  {
    name: "people, history and use",
    sql: [createPeople(DIALECT), createHistoryAndUse(DIALECT, AUDIT_HEADS)].join("\n"),
  },
  { name: "external ids of any kind", sql: anyKind },
  // Beside an embedded store the request log is a file of its own. Both databases count their steps alike.
  { name: "requests as blocks of JSON", sql: "" },
  { name: "events and safe writes", sql: createEventTables(DIALECT) + fillContractClock(NOW_MS) },
  { name: "calendar links", sql: createCalendarLinks(DIALECT) },
  { name: "the request of a kept answer", sql: extendIdempotentWrites(DIALECT) },
  ...writeRecordSteps(DIALECT, (resource) => assumeSizes(sizesOf(resource))),
];

/**
 * Brings a store's schema up to date: all steps that are missing, or none, in one transaction that waits for anyone else who is
 * doing the same. A store that holds data is copied first, under the same lock, so that the copy is what the steps began with.
 */

/** Marks the file as Lineup's ("LnUp"), so that no other program's database is ever migrated by mistake. */
export const APPLICATION_ID = 0x4c6e5570;
/** How long opening waits for another process that opens, migrates or imports. */
export const START_PATIENCE_MS = 5_000;
const SNAPSHOTS_MAX = 3;

/** Returns how many steps were taken. */
export async function migrate(
  connection: SqliteConnection,
  file: string,
  migrations: readonly Migration[],
): Promise<number> {
  if (connection.pragma("user_version", { simple: true }) === migrations.length) {
    proveWritable(connection);
    return 0;
  }
  connection.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have migrated while this one waited for the lock, and may know more steps.
    const from = connection.pragma("user_version", { simple: true }) as number;
    refuseNewer(file, from, migrations.length);
    const steps = migrations.slice(from);
    // With the lock held, so that nothing is written between the snapshot and the first step.
    if (from > 0 && steps.length > 0) await takeSnapshot(file, from);
    for (const [index, step] of steps.entries()) takeStep(file, connection, step.sql, from + index + 1);
    connection.pragma(`application_id = ${APPLICATION_ID}`);
    connection.pragma(`user_version = ${migrations.length}`);
    connection.exec("COMMIT");
    return steps.length;
  } finally {
    if (connection.inTransaction) connection.exec("ROLLBACK");
  }
}

/** A step that does not fit what is stored is no damage, and no backup would help. */
function takeStep(file: string, connection: SqliteConnection, statements: string, number: number): void {
  try {
    connection.exec(statements);
  } catch (error) {
    if (!/^SQLITE_(?:ERROR|CONSTRAINT|MISMATCH)/.test(codeOf(error))) throw error;
    throw new StoreError(
      `${file} could not be brought to schema ${number} (${reasonOf(error)}). Nothing was changed. ` +
        "Start the version of Lineup that you had before, and report this.",
      { cause: error },
    );
  }
}

/** Takes the write lock and writes a page that is then given back, which a read-only or full file does not allow. */
function proveWritable(connection: SqliteConnection): void {
  try {
    connection.pragma("busy_timeout = 0");
    connection.exec("BEGIN IMMEDIATE");
    connection.exec("UPDATE settings SET value = value WHERE name = 'access_revision'");
  } catch (error) {
    // A command that is writing at this moment has proved it already.
    if (!isBusy(error)) throw error;
  } finally {
    if (connection.inTransaction) connection.exec("ROLLBACK");
    connection.pragma(`busy_timeout = ${START_PATIENCE_MS}`);
  }
}

/** Gets its name when it is whole: what bears the name can be gone back to. */
async function takeSnapshot(file: string, version: number): Promise<void> {
  const folder = dirname(file);
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, "-");
  const snapshot = `${file}.before-schema-${version + 1}.${stamp}`;
  const unfinished = `${snapshot}.unfinished`;
  closeSync(openSync(unfinished, "wx", 0o600));
  const source = new Sqlite(file, { readonly: true });
  try {
    await source.backup(unfinished);
    renameSync(unfinished, snapshot);
  } finally {
    source.close();
    rmSync(unfinished, { force: true });
  }
  const snapshots = readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(file)}.before-schema-`))
    .sort((a, b) => statSync(join(folder, a)).mtimeMs - statSync(join(folder, b)).mtimeMs);
  for (const old of snapshots.slice(0, -SNAPSHOTS_MAX)) rmSync(join(folder, old));
}

export function refuseNewer(file: string, version: number, schemaVersion: number): void {
  if (version <= schemaVersion) return;
  throw new StoreError(
    `${file} was written by a newer version of Lineup (schema ${version}; this version knows ${schemaVersion}). ` +
      "Start that version or a later one, or restore a backup that this version made.",
  );
}
