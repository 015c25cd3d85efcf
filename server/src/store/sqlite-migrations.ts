/**
 * The embedded store's schema, as numbered steps that only go forward. `PRAGMA user_version` holds the number of the last
 * one taken. A step that has been released is never edited; a change of mind is a new step. The tables of records are made from
 * the definitions of their resources, and what is added to those later is in `record-steps.ts`.
 */
import type { AnyResource } from "@lineup/api/resource";
import { among, createTable, type Dialect } from "./record-ddl.ts";
import { FIRST_RESOURCES, laterFields, writeRecordSteps } from "./record-steps.ts";
import { dashboardStep } from "./sqlite-dashboard-step.ts";

export interface Migration {
  readonly name: string;
  readonly sql: string;
}

const DIALECT: Dialect = {
  types: { text: "TEXT", integer: "INTEGER", number: "REAL" },
  jsonType: (column) => `json_type(${column})`,
  tableEnd: " STRICT, WITHOUT ROWID",
};

const organizations = `
CREATE TABLE settings (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
INSERT INTO settings (name, value) VALUES ('access_revision', 1);

CREATE TABLE organizations (
  id TEXT PRIMARY KEY CHECK (id LIKE 'org\\_%' ESCAPE '\\'),
  name TEXT NOT NULL CHECK (name <> ''),
  tier TEXT NOT NULL ${among("tier", ["Free", "Basic", "Pro", "Enterprise"])},
  revision INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX organizations_by_name ON organizations (name);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY CHECK (id LIKE 'key\\_%' ESCAPE '\\'),
  org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name <> ''),
  hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
  shown_prefix TEXT NOT NULL CHECK (length(shown_prefix) <= 16),
  permissions TEXT NOT NULL CHECK (json_array_length(permissions) >= 1),
  expires_at INTEGER,
  revoked_at INTEGER,
  successor_id TEXT,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX api_keys_by_org ON api_keys (org_id, id);
`;

const tables = FIRST_RESOURCES.map((resource) => createTable(resource, DIALECT, laterFields(resource.name))).join("\n");

const records = `
CREATE TABLE external_ids (
  org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  kind TEXT NOT NULL ${among("kind", ["player", "team", "event", "prospect", "contract"])},
  system TEXT NOT NULL CHECK (system <> ''),
  external_id TEXT NOT NULL CHECK (external_id <> ''),
  record_id TEXT NOT NULL,
  PRIMARY KEY (org_id, kind, system, external_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX external_ids_by_record ON external_ids (org_id, kind, record_id, system);

CREATE TABLE changes (
  org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL ${among("action", ["create", "update"])},
  kind TEXT NOT NULL,
  record_id TEXT NOT NULL,
  fields TEXT CHECK (fields IS NULL OR json_type(fields) = 'object'),
  note TEXT
) STRICT;
CREATE INDEX changes_by_record ON changes (org_id, record_id, at);
`;

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

export const MIGRATIONS: readonly Migration[] = [
  { name: "organizations, keys and their data", sql: [organizations, tables, records, sizes].join("\n") },
  { name: "people, history and use", sql: dashboardStep },
  { name: "external ids of any kind", sql: anyKind },
  // Beside an embedded store the request log is a file of its own. Both databases count their steps alike.
  { name: "requests as blocks of JSON", sql: "" },
  ...writeRecordSteps(DIALECT, (resource) => assumeSizes(sizesOf(resource))),
];
