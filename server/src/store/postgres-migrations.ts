/**
 * The schema in PostgreSQL, as numbered steps that only go forward; `schema_steps` holds those taken. Table by table it is the
 * embedded store's: the same names, the same checks, texts in the order of their bytes whatever the database's locale, times and
 * counts in 64 bits. A step that has been released is never edited.
 *
 * Two roles, neither of which can sign in, own nothing and bypass nothing. Every transaction takes one of them. `lineup_tenant`
 * sees the rows of the one organization that its transaction has named, and no key: those it finds by their hash alone,
 * through one function. `lineup_operator` sees all; commands, backups and moves take it, requests never do. Row level security is
 * forced, so that code that forgets to take a role sees nothing rather than everything.
 *
 * A change of an organization's revision, or of the revision of keys and tiers, is told to every node by the transaction that
 * makes it. Triggers do so, so that no writer can forget it.
 */
import type { AnyResource } from "@lineup/api/resource";
import { createOrganizations, createRecordTables } from "./access-tables.ts";
import { AUDIT_HEADS, createHistoryAndUse } from "./audit-tables.ts";
import { createEventTables, EVENT_TABLES, extendIdempotentWrites, fillContractClock } from "./event-tables.ts";
import { createCalendarLinks, createPeople, PEOPLE } from "./people-tables.ts";
import { createTable, type Dialect } from "./record-ddl.ts";
import { FIRST_RESOURCES, laterFields, writeRecordSteps } from "./record-steps.ts";
import type { Migration } from "./sqlite-migrations.ts";

export const TENANT_ROLE = "lineup_tenant";
export const OPERATOR_ROLE = "lineup_operator";

export const TEXT = 'text COLLATE "C"';

const THIS_ORGANIZATION = "current_setting('lineup.org', true)";
/**
 * A policy for a role is for all who may take it; this one is to be for those who have. As a query of its own it is asked once, and
 * not taken for a condition that few rows meet.
 */
const IS_OPERATOR = `(SELECT current_user = '${OPERATOR_ROLE}')`;

/** With no column that names its owner, a table is the operator's alone. */
export function guard(table: string, owner: string): string {
  return `
ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;
CREATE POLICY all_of_them ON ${table} TO ${OPERATOR_ROLE} USING (${IS_OPERATOR}) WITH CHECK (${IS_OPERATOR});
${owner === "" ? "" : `CREATE POLICY own_rows ON ${table} TO ${TENANT_ROLE} USING (${owner} = ${THIS_ORGANIZATION}) WITH CHECK (${owner} = ${THIS_ORGANIZATION});`}`;
}

export const SCHEMA = "lineup";
export const CHANGES_CHANNEL = "lineup_changes";

const DIALECT: Dialect = {
  types: { text: TEXT, integer: "bigint", number: "double precision" },
  asJson: (column) => `${column}::json`,
  jsonType: (column) => `json_typeof(${column}::json)`,
  isIdOf: (kind) => `id LIKE '${kind}\\_%'`,
  tableEnd: "",
  rowTableEnd: "",
};

const tables = FIRST_RESOURCES.map((resource) => createTable(resource, DIALECT, laterFields(resource.name))).join("\n");

const POSITION = "\n  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,";

const OWNED_BY_ORGANIZATIONS = [...FIRST_RESOURCES.map(({ table }) => table), "external_ids", "changes"];

/** What a table of records that comes later needs of what the first step gives to all. */
function guardLater({ table }: AnyResource): string {
  return `GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO ${OPERATOR_ROLE}, ${TENANT_ROLE};${guard(table, "org_id")}`;
}

const guards = `
GRANT USAGE ON SCHEMA ${SCHEMA} TO ${TENANT_ROLE}, ${OPERATOR_ROLE};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${SCHEMA} TO ${OPERATOR_ROLE};
GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${SCHEMA} TO ${OPERATOR_ROLE}, ${TENANT_ROLE};
REVOKE INSERT, UPDATE, DELETE ON schema_steps FROM ${OPERATOR_ROLE};
GRANT SELECT ON settings, schema_steps, organizations TO ${TENANT_ROLE};
GRANT UPDATE (revision) ON organizations TO ${TENANT_ROLE};
GRANT SELECT, INSERT, UPDATE, DELETE ON ${OWNED_BY_ORGANIZATIONS.filter((table) => table !== "changes").join(", ")} TO ${TENANT_ROLE};
GRANT SELECT, INSERT ON changes TO ${TENANT_ROLE};
${OWNED_BY_ORGANIZATIONS.map((table) => guard(table, "org_id")).join("\n")}
${guard("organizations", "id")}
${guard("api_keys", "")}

CREATE FUNCTION find_key(wanted text) RETURNS TABLE (
  id text, name text, permissions text, expires_at bigint, revoked_at bigint, org_id text, org_name text, tier text
) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ${SCHEMA}, pg_temp AS $$
  SELECT api_keys.id, api_keys.name, api_keys.permissions, api_keys.expires_at, api_keys.revoked_at, api_keys.org_id,
    organizations.name, organizations.tier
  FROM api_keys JOIN organizations ON organizations.id = api_keys.org_id
  WHERE api_keys.hash = wanted
$$;
REVOKE ALL ON FUNCTION find_key(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_key(text) TO ${TENANT_ROLE}, ${OPERATOR_ROLE};
GRANT CREATE ON SCHEMA ${SCHEMA} TO ${OPERATOR_ROLE};
ALTER FUNCTION find_key(text) OWNER TO ${OPERATOR_ROLE};
REVOKE CREATE ON SCHEMA ${SCHEMA} FROM ${OPERATOR_ROLE};
`;

const notifications = `
CREATE FUNCTION tell_organization() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('${CHANGES_CHANNEL}', COALESCE(NEW.id, OLD.id));
  RETURN NULL;
END $$;
CREATE TRIGGER tell_organization AFTER UPDATE OF revision OR DELETE ON organizations
  FOR EACH ROW EXECUTE FUNCTION tell_organization();

CREATE FUNCTION tell_access() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('${CHANGES_CHANNEL}', 'access');
  RETURN NULL;
END $$;
CREATE TRIGGER tell_access AFTER UPDATE OF value ON settings
  FOR EACH ROW WHEN (NEW.name = 'access_revision') EXECUTE FUNCTION tell_access();
`;

const requests = `
CREATE TABLE request_blocks (
  org_id ${TEXT} NOT NULL,
  id ${TEXT} NOT NULL,
  first_id ${TEXT} NOT NULL,
  last_id ${TEXT} NOT NULL,
  requests bigint NOT NULL,
  key_marks bigint NOT NULL,
  kind_marks bigint NOT NULL,
  body ${TEXT} NOT NULL,
  PRIMARY KEY (org_id, id)
);
CREATE INDEX request_blocks_by_last ON request_blocks (org_id, last_id);
CREATE INDEX request_blocks_by_age ON request_blocks (last_id);
`;

const OPERATORS_ALONE = ["installation", ...PEOPLE.map(({ name }) => name)];
const OWNED = ["audit", "audit_heads", "audit_seals", "key_usage", "request_blocks"];

const peopleGuards = `
GRANT SELECT, INSERT, UPDATE, DELETE ON ${[...OPERATORS_ALONE, ...OWNED].join(", ")} TO ${OPERATOR_ROLE};
GRANT SELECT, INSERT ON audit TO ${TENANT_ROLE};
GRANT SELECT, INSERT, UPDATE ON audit_heads, audit_seals TO ${TENANT_ROLE};
GRANT SELECT ON key_usage, request_blocks TO ${TENANT_ROLE};
${OPERATORS_ALONE.map((table) => guard(table, "")).join("\n")}
${OWNED.map((table) => guard(table, "org_id")).join("\n")}
`;

/** As the operator: row level security keeps even the owner of the tables from seeing what organizations there are. */
const heads = `
SET LOCAL ROLE ${OPERATOR_ROLE};
${AUDIT_HEADS}SET LOCAL ROLE NONE;
`;

/**
 * What a block was before stays beside what it is: nodes of the version before go on writing and reading theirs, and see nothing in new
 * ones. Once no such node is left, and no such block, a later step can drop these columns.
 */
const requestBlocksOfJson = `
ALTER TABLE request_blocks
  ADD COLUMN terms ${TEXT} NOT NULL DEFAULT '',
  ADD COLUMN records bytea,
  ALTER COLUMN key_marks SET DEFAULT 0,
  ALTER COLUMN kind_marks SET DEFAULT 0,
  ALTER COLUMN body SET DEFAULT '{"ids":"","words":[],"facts":[]}';
`;

const eventGuards = `
GRANT SELECT, INSERT, UPDATE, DELETE ON ${EVENT_TABLES.join(", ")} TO ${OPERATOR_ROLE}, ${TENANT_ROLE};
GRANT SELECT, INSERT, UPDATE, DELETE ON leases TO ${OPERATOR_ROLE};
${EVENT_TABLES.map((table) => guard(table, "org_id")).join("\n")}
${guard("leases", "")}
`;

const calendarGuards = `
GRANT SELECT, INSERT, UPDATE, DELETE ON calendar_links TO ${OPERATOR_ROLE}, ${TENANT_ROLE};
${guard("calendar_links", "org_id")}
`;

const runningContracts = `
SET LOCAL ROLE ${OPERATOR_ROLE};
${fillContractClock("(extract(epoch FROM now()) * 1000)::bigint")}SET LOCAL ROLE NONE;
`;

export const POSTGRES_MIGRATIONS: readonly Migration[] = [
  {
    name: "organizations, keys and their data",
    sql: [createOrganizations(DIALECT), tables, createRecordTables(DIALECT, POSITION), guards, notifications].join(
      "\n",
    ),
  },
  {
    name: "people, history and use",
    sql: [createPeople(DIALECT), createHistoryAndUse(DIALECT), requests, peopleGuards, heads].join("\n"),
  },
  {
    name: "external ids of any kind",
    sql: "ALTER TABLE external_ids DROP CONSTRAINT external_ids_kind_check, ADD CHECK (kind <> '');",
  },
  { name: "requests as blocks of JSON", sql: requestBlocksOfJson },
  { name: "events and safe writes", sql: createEventTables(DIALECT) + eventGuards + runningContracts },
  { name: "calendar links", sql: createCalendarLinks(DIALECT) + calendarGuards },
  { name: "the request of a kept answer", sql: extendIdempotentWrites(DIALECT) },
  ...writeRecordSteps(DIALECT, guardLater),
];
