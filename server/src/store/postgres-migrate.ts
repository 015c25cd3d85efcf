/**
 * Brings the schema in PostgreSQL up to date: all steps that are missing, or none, in one transaction. However many nodes start at once,
 * one takes the steps while the others wait for its lock and then find nothing left to do. Nodes of the version before keep serving
 * meanwhile and afterwards: steps only add.
 */
import type { ClientBase } from "pg";
import { OPERATOR_ROLE, SCHEMA, TENANT_ROLE } from "./postgres-migrations.ts";
import type { Migration } from "./sqlite-migrations.ts";
import { codeOf, StoreError } from "./store-error.ts";

/** "LnUp", as the embedded store marks its file. */
const MIGRATION_LOCK = 0x4c6e5570;
const OLDEST_VERSION = 140_000;
/** How long a node waits for another that migrates. */
const PATIENCE = "60s";
const ATTEMPTS = 20;
const RETRY_MS = 50;

/** Returns how many steps were taken. */
export async function migratePostgres(client: ClientBase, migrations: readonly Migration[]): Promise<number> {
  await refuseUnfit(client);
  const from = await findStep(client);
  refuseNewerSchema(from, migrations.length);
  if (from === migrations.length) return 0;
  await makeRoles(client);
  await client.query("BEGIN");
  try {
    const taken = await takeSteps(client, migrations);
    await client.query("COMMIT");
    return taken;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** What a database must be, and what its cluster must have, before a transaction can take the steps. */
export async function prepareDatabase(client: ClientBase): Promise<void> {
  await refuseUnfit(client);
  await makeRoles(client);
}

/** Inside a transaction, which from here on finds Lineup's tables first. Returns how many steps were taken. */
export async function takeSteps(client: ClientBase, migrations: readonly Migration[]): Promise<number> {
  await client.query(`SET LOCAL lock_timeout = '${PATIENCE}'`);
  await client.query("SET LOCAL statement_timeout = 0");
  await client.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
  // Another node may have migrated while this one waited, and may know more steps.
  const present = await findStep(client);
  refuseNewerSchema(present, migrations.length);
  if (present === 0) await makeSchema(client);
  await client.query(`SET LOCAL search_path = ${SCHEMA}, pg_temp`);
  for (const [index, step] of migrations.entries()) {
    if (index < present) continue;
    await client.query(step.sql);
    await client.query("INSERT INTO schema_steps (step, name) VALUES ($1, $2)", [index + 1, step.name]);
  }
  return migrations.length - present;
}

/** The number of the last step taken; 0 where there is no schema yet. */
export async function findStep(client: Pick<ClientBase, "query">): Promise<number> {
  // Asked of the table of tables: a look-up by name may answer from what this connection knew before others made it.
  const found = await client.query(
    "SELECT FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'schema_steps'",
    [SCHEMA],
  );
  if (found.rowCount === 0) return 0;
  const { rows } = await client.query(`SELECT COALESCE(max(step), 0)::int AS step FROM ${SCHEMA}.schema_steps`);
  return rows[0]?.step ?? 0;
}

async function makeSchema(client: ClientBase): Promise<void> {
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
  await client.query(
    `CREATE TABLE ${SCHEMA}.schema_steps (step integer PRIMARY KEY, name text NOT NULL, taken_at timestamptz NOT NULL DEFAULT now())`,
  );
}

export async function refuseUnfit(client: ClientBase): Promise<void> {
  const { rows } = await client.query(
    "SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name, " +
      "current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS is_replica",
  );
  const { version, name, encoding, is_replica: isReplica } = rows[0] ?? {};
  if (version < OLDEST_VERSION) {
    throw new StoreError(`PostgreSQL ${name} is too old for Lineup. Use version 14 or newer.`);
  }
  if (encoding !== "UTF8") {
    throw new StoreError(
      `The database's encoding is ${encoding}. Make one with ENCODING 'UTF8', and name it in LINEUP_DATABASE_URL.`,
    );
  }
  if (isReplica) {
    throw new StoreError(
      "LINEUP_DATABASE_URL leads to a replica, which cannot be written. Name the primary's address.",
    );
  }
}

/**
 * Roles belong to the whole cluster, and other databases of it may be making them at this moment; who comes second finds
 * them there. One who may not make roles asks for them.
 */
async function makeRoles(client: ClientBase): Promise<void> {
  for (const role of [TENANT_ROLE, OPERATOR_ROLE]) {
    for (let attempt = 1; ; attempt++) {
      try {
        await makeRole(client, role);
        break;
      } catch (error) {
        const code = codeOf(error);
        if (code === "42501") throw cannotMakeRoles(error);
        // 42710 and 23505: made by somebody else just now. XX000: both changed the same entry of a catalogue.
        if (!["42710", "23505", "XX000"].includes(code) || attempt === ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }
}

async function makeRole(client: ClientBase, role: string): Promise<void> {
  const found = await client.query(
    "SELECT rolsuper OR rolbypassrls OR rolcanlogin AS is_unfit FROM pg_roles WHERE rolname = $1",
    [role],
  );
  if (found.rows[0]?.is_unfit) {
    throw new StoreError(
      `The role ${role} may sign in, or sees through row level security. It is Lineup's own, to have fewer rights: ` +
        `ALTER ROLE ${role} NOSUPERUSER NOBYPASSRLS NOLOGIN.`,
    );
  }
  if (found.rows.length === 0) await client.query(`CREATE ROLE ${role} NOLOGIN`);
  // Since version 16, who makes a role may administer it, but not take it.
  const { rows } = await client.query(
    "SELECT pg_has_role(current_user, $1, CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END) AS may_take",
    [role],
  );
  if (!rows[0]?.may_take) await client.query(`GRANT ${role} TO CURRENT_USER`);
}

function cannotMakeRoles(cause: unknown): StoreError {
  return new StoreError(
    "The database's user may not make the two roles that keep organizations apart. Let it (ALTER ROLE … CREATEROLE), or once, " +
      `as an administrator, make those that are missing and give them to it: CREATE ROLE ${TENANT_ROLE}; CREATE ROLE ${OPERATOR_ROLE}; GRANT ${TENANT_ROLE}, ${OPERATOR_ROLE} TO <user>.`,
    { cause },
  );
}

function refuseNewerSchema(step: number, known: number): void {
  if (step <= known) return;
  throw new StoreError(
    `The database was brought up to date by a newer version of Lineup (schema ${step}; this version knows ${known}). ` +
      "Start that version or a later one.",
  );
}
