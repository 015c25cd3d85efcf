/**
 * The embedded store's schema, as numbered steps that only go forward. `PRAGMA user_version` holds the number of the last
 * one taken. A step that has been released is never edited; a change of mind is a new step. The tables of records are made from
 * the definitions of their resources, and what is added to those later is in `record-steps.ts`.
 */
import type { AnyResource } from "@lineup/api/resource";
import { createEventTables, fillContractClock } from "./event-tables.ts";
import {
  AUDIT_HEADS,
  createHistory,
  createOrganizations,
  createPeople,
  createRecordTables,
  createUse,
} from "./first-steps.ts";
import { createTable, type Dialect } from "./record-ddl.ts";
import { FIRST_RESOURCES, laterFields, writeRecordSteps } from "./record-steps.ts";

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
    sql: [createPeople(DIALECT), createHistory(DIALECT, AUDIT_HEADS), createUse(DIALECT)].join("\n"),
  },
  { name: "external ids of any kind", sql: anyKind },
  // Beside an embedded store the request log is a file of its own. Both databases count their steps alike.
  { name: "requests as blocks of JSON", sql: "" },
  { name: "events and safe writes", sql: createEventTables(DIALECT) + fillContractClock(NOW_MS) },
  ...writeRecordSteps(DIALECT, (resource) => assumeSizes(sizesOf(resource))),
];
