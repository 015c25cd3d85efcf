/** The tables of organizations and keys, and what all records have beside their own. */
import { among, createTables, type Dialect, defineTable, type RowsOf } from "./record-ddl.ts";

const organizations = defineTable({
  name: "organizations",
  keptBy: "row",
  indexes: { organizations_by_name: "(name)" },
  columns: {
    id: "text PRIMARY KEY CHECK (is id of org)",
    name: "text NOT NULL CHECK (name <> '')",
    tier: "text NOT NULL CHECK (tier IN ('Free', 'Basic', 'Pro', 'Enterprise'))",
    /** Grows with every change to the organization's data: what was read under one revision is current while it stands. */
    revision: "integer NOT NULL DEFAULT 1",
    created_at: "integer NOT NULL",
    updated_at: "integer NOT NULL",
  },
});

const apiKeys = defineTable({
  name: "api_keys",
  keptBy: "row",
  indexes: { api_keys_by_org: "(org_id, id)" },
  columns: {
    id: "text PRIMARY KEY CHECK (is id of key)",
    org_id: "text NOT NULL REFERENCES organizations (id) ON DELETE CASCADE",
    name: "text NOT NULL CHECK (name <> '')",
    hash: "text NOT NULL UNIQUE CHECK (length(hash) = 64)",
    shown_prefix: "text NOT NULL CHECK (length(shown_prefix) <= 16)",
    /** JSON array. */
    permissions: "text NOT NULL CHECK (json_array_length(as JSON) >= 1)",
    expires_at: "integer",
    revoked_at: "integer",
    /** The key that took this one's place. */
    successor_id: "text",
    created_by: "text NOT NULL",
    created_at: "integer NOT NULL",
    updated_at: "integer NOT NULL",
  },
});

const tables = [organizations, apiKeys] as const;

export interface AccessTables extends RowsOf<typeof tables> {
  settings: { name: string; value: number };
}

export type OrganizationsTable = AccessTables["organizations"];
export type ApiKeysTable = AccessTables["api_keys"];

export function createOrganizations(dialect: Dialect): string {
  const { text, integer } = dialect.types;
  return `
CREATE TABLE settings (name ${text} PRIMARY KEY, value ${integer} NOT NULL)${dialect.rowTableEnd};
INSERT INTO settings (name, value) VALUES ('access_revision', 1);
${createTables(dialect, ...tables)}`;
}

/** As the first step made them; `position` is what PostgreSQL wanted to tell changes apart by. Changes have gone into the audit log since. */
export function createRecordTables(dialect: Dialect, position = ""): string {
  const { text, integer } = dialect.types;
  return `
CREATE TABLE external_ids (
  org_id ${text} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  kind ${text} NOT NULL ${among("kind", ["player", "team", "event", "prospect", "contract"])},
  system ${text} NOT NULL CHECK (system <> ''),
  external_id ${text} NOT NULL CHECK (external_id <> ''),
  record_id ${text} NOT NULL,
  PRIMARY KEY (org_id, kind, system, external_id)
)${dialect.tableEnd};
CREATE UNIQUE INDEX external_ids_by_record ON external_ids (org_id, kind, record_id, system);

CREATE TABLE changes (${position}
  org_id ${text} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  at ${integer} NOT NULL,
  actor ${text} NOT NULL,
  action ${text} NOT NULL ${among("action", ["create", "update"])},
  kind ${text} NOT NULL,
  record_id ${text} NOT NULL,
  fields ${text} CHECK (fields IS NULL OR ${dialect.jsonType("fields")} = 'object'),
  note ${text}
)${dialect.rowTableEnd};
CREATE INDEX changes_by_record ON changes (org_id, record_id, at);
`;
}
