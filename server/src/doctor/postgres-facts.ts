/**
 * PostgreSQL as it answers: asked in transactions that write nothing, with a limit to every statement. Nothing is set beyond such a transaction: where a
 * pooler stands between, a server may be the next to get this connection.
 */
import { randomUUID } from "node:crypto";
import { type Client, type ClientConfig, escapeLiteral } from "pg";
import type { Config } from "../config.ts";
import { connectionOf, explained, withClient } from "../store/postgres-connection.ts";
import { findStep, refuseUnfit } from "../store/postgres-migrate.ts";
import { OPERATOR_ROLE, POSTGRES_MIGRATIONS, SCHEMA, TENANT_ROLE } from "../store/postgres-migrations.ts";
import { type Installation, inTime } from "./check.ts";
import { readEmbedded } from "./embedded-facts.ts";
import { type Reader, readContents, type StoreContents } from "./store-contents.ts";

const STATEMENT_WITHIN_MS = 4_000;
/** All of it: a server that stands still limits nothing itself. */
const ANSWERED_WITHIN_MS = 9_000;
const HEARD_WITHIN_MS = 2_000;
const CHANNEL = "lineup_doctor";

export interface PostgresFacts {
  readonly name: string;
  readonly user: string;
  readonly isSuperuser: boolean;
  readonly bypassesGuards: boolean;
  readonly isReadOnly: boolean;
  readonly settings: Readonly<Record<"fsync" | "full_page_writes" | "autovacuum", string>>;
  /** How many connections its users may open, at most, and how many are open by others than Lineup. */
  readonly connectionsMax: number;
  readonly connectionsOfOthers: number;
  /** Of the two that every transaction takes one of. */
  readonly roles: readonly FoundRole[];
  /** Tables that have policies, which nobody is held to. */
  readonly unguarded: readonly string[];
  /** By how many steps the schema is behind this version; below 0 it is ahead. */
  readonly missingSteps: number;
  readonly step: number;
  /** How far its clock is ahead of this machine's. */
  readonly aheadMs: number;
  readonly isHeard: boolean;
  readonly found: StoreContents | undefined;
}

export interface FoundRole {
  readonly name: string;
  readonly isThere: boolean;
  readonly isUnfit: boolean;
  readonly canBeTaken: boolean;
}

export async function readPostgres({ config }: Installation): Promise<PostgresFacts> {
  const { databaseUrl = "", databaseDirectUrl } = config;
  const pooled = connectionOf("LINEUP_DATABASE_URL", databaseUrl);
  const isDirect = databaseDirectUrl !== undefined;
  const direct = isDirect ? connectionOf("LINEUP_DATABASE_DIRECT_URL", databaseDirectUrl) : pooled;
  try {
    return await withClient(direct, (client) => inTime(ANSWERED_WITHIN_MS, readFacts(client, config, pooled)));
  } catch (error) {
    throw explained(error, direct, isDirect ? "LINEUP_DATABASE_DIRECT_URL" : "LINEUP_DATABASE_URL");
  }
}

async function readFacts(client: Client, config: Config, pooled: ClientConfig): Promise<PostgresFacts> {
  await refuseUnfit(client);
  const about = await withoutTrace(client, () => readAbout(client));
  const isHeard = await isHeardOver(client, pooled);
  const found = about.missingSteps === 0 ? await withoutTrace(client, () => readStore(client, config)) : undefined;
  return { ...about, isHeard, found };
}

async function withoutTrace<T>(client: Client, read: () => Promise<T>): Promise<T> {
  await client.query(`BEGIN READ ONLY; SET LOCAL statement_timeout = ${STATEMENT_WITHIN_MS}`);
  try {
    return await read();
  } finally {
    await client.query("ROLLBACK");
  }
}

async function readAbout(client: Client): Promise<Omit<PostgresFacts, "isHeard" | "found">> {
  const one = async (sql: string) => (await client.query(sql)).rows[0] ?? {};
  const { is_read_only: isReadOnly } = await one(
    "SELECT current_setting('default_transaction_read_only') = 'on' AS is_read_only",
  );
  const askedAt = Date.now();
  const { at } = await one("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at");
  const aheadMs = at - (askedAt + Date.now()) / 2;
  const about = await one(
    `SELECT current_setting('server_version') AS name, current_user AS "user", rolsuper AS "isSuperuser", rolbypassrls AS "bypassesGuards",
       LEAST(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
         NULLIF(rolconnlimit, -1), (SELECT NULLIF(datconnlimit, -1) FROM pg_database WHERE datname = current_database())) AS "connectionsMax",
       (SELECT count(*)::int FROM pg_stat_activity WHERE usesysid IS NOT NULL AND COALESCE(backend_type, 'client backend') = 'client backend' AND application_name <> 'lineup') AS "connectionsOfOthers"
     FROM pg_roles WHERE rolname = current_user`,
  );
  const settings = await one(
    "SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes, current_setting('autovacuum') AS autovacuum",
  );
  const step = await findStep(client);
  return {
    ...about,
    settings,
    isReadOnly,
    aheadMs,
    step,
    missingSteps: POSTGRES_MIGRATIONS.length - step,
    roles: await readRoles(client),
    unguarded: await listUnguarded(client),
  };
}

async function readRoles(client: Client): Promise<FoundRole[]> {
  const { rows } = await client.query(
    `SELECT n AS name, r.rolname IS NOT NULL AS "isThere", COALESCE(rolsuper OR rolbypassrls OR rolcanlogin, false) AS "isUnfit",
       COALESCE(pg_has_role(current_user, r.oid, CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END), false) AS "canBeTaken"
     FROM unnest($1::text[]) AS n LEFT JOIN pg_roles AS r ON r.rolname = n ORDER BY n`,
    [[TENANT_ROLE, OPERATOR_ROLE]],
  );
  return rows;
}

async function listUnguarded(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)
       AND relkind IN ('r', 'p') AND EXISTS (SELECT FROM pg_policy WHERE polrelid = pg_class.oid) AND NOT (relrowsecurity AND relforcerowsecurity) ORDER BY relname`,
    [SCHEMA],
  );
  return rows.map(({ name }) => name);
}

/** A word through the pool must be heard by those who listen directly, over a connection that stays the same. */
async function isHeardOver(client: Client, pooled: ClientConfig): Promise<boolean> {
  const word = randomUUID();
  const { promise: heard, resolve } = Promise.withResolvers<boolean>();
  client.on("notification", ({ payload }) => payload === word && resolve(true));
  const late = setTimeout(() => resolve(false), HEARD_WITHIN_MS);
  try {
    await client.query(`LISTEN ${CHANNEL}`);
    await withClient(pooled, (other) => other.query(`NOTIFY ${CHANNEL}, ${escapeLiteral(word)}`));
    const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
    return (await heard) && rows[0]?.pid === (client as unknown as { processID?: number }).processID;
  } finally {
    clearTimeout(late);
    // A pooler that was taken for the database itself hands this connection on to others.
    await client.query(`UNLISTEN ${CHANNEL}`).catch(() => undefined);
  }
}

async function readStore(client: Client, config: Config): Promise<StoreContents> {
  await client.query(`SET LOCAL ROLE ${OPERATOR_ROLE}`);
  await client.query(`SET LOCAL search_path = ${SCHEMA}, pg_temp`);
  const reader: Reader = {
    async all(sql, ...values) {
      let number = 0;
      return (
        await client.query(
          sql.replaceAll("?", () => `$${++number}`),
          [...values],
        )
      ).rows as never;
    },
  };
  return readContents(reader, config);
}

/** What the store holds, wherever it is. */
export async function readFound(installation: Installation): Promise<StoreContents> {
  const isEmbedded = installation.config.databaseUrl === undefined;
  const { found } = await (isEmbedded ? installation.read(readEmbedded) : installation.read(readPostgres));
  if (found === undefined) throw new Error("The store is not of this version.");
  return found;
}
