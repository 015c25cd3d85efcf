/**
 * The whole store in PostgreSQL as it was at one moment, and the transaction in which whole stores are copied, either way.
 *
 * Everything is read in one snapshot. The table of steps is locked before the snapshot is taken, in the weakest way there is, so that nobody
 * puts another store in place meanwhile: a snapshot from before would see that one empty. Servers go on reading and writing.
 */
import { type Client, type ClientBase, DatabaseError } from "pg";
import { postgresRows, type RowSource } from "./copy-rows.ts";
import { connectionOf, describeDatabase, explained, withClient } from "./postgres-connection.ts";
import { findStep } from "./postgres-migrate.ts";
import { OPERATOR_ROLE, POSTGRES_MIGRATIONS, SCHEMA } from "./postgres-migrations.ts";
import { SERVER_LOCK } from "./postgres-watch.ts";
import { codeOf, StoreError } from "./store-error.ts";

/** How long others who are at work on the tables are waited for. */
const PATIENCE = "5s";
const LOCK_NOT_AVAILABLE = "55P03";
/** No such role, schema or table. */
const NOT_THERE = new Set(["22023", "3F000", "42P01"]);

export interface PostgresAddress {
  readonly url: string;
  /** What it was given as, for messages: the address itself may hold a password. */
  readonly setting: string;
}

/** Past the pooler, where there is one; undefined where the store is the embedded one. */
export function findAddress(settings: {
  readonly databaseUrl: string | undefined;
  readonly databaseDirectUrl: string | undefined;
}): PostgresAddress | undefined {
  const { databaseUrl, databaseDirectUrl } = settings;
  if (databaseUrl === undefined) return undefined;
  if (databaseDirectUrl === undefined) return { url: databaseUrl, setting: "LINEUP_DATABASE_URL" };
  return { url: databaseDirectUrl, setting: "LINEUP_DATABASE_DIRECT_URL" };
}

/**
 * Hands the work one state of the whole store, which it must be done with when it returns. `alone`: no server may run on the database until
 * then.
 */
export async function readPostgresAtOnce<T>(
  address: PostgresAddress,
  work: (source: RowSource) => Promise<T>,
  { alone = false }: { readonly alone?: boolean } = {},
): Promise<T> {
  return inTransaction(address, "ISOLATION LEVEL REPEATABLE READ READ ONLY", async (client) => {
    await lockSteps(client, address);
    await requireCurrentSchema(client);
    if (alone) await claimServerLock(client);
    return work(postgresRows(client));
  });
}

/** Commits what the work did, or nothing. `prepare` comes before it, and stays. */
export async function inTransaction<T>(
  { url, setting }: PostgresAddress,
  mode: string,
  work: (client: Client) => Promise<T>,
  prepare: (client: Client) => Promise<void> = async () => {},
): Promise<T> {
  const config = connectionOf(setting, url);
  let isOfOtherEnd = false;
  try {
    return await withClient(config, async (client) => {
      await prepare(client);
      await client.query(`BEGIN ${mode}`);
      try {
        // None of these takes a snapshot, which is to come after the first lock.
        await client.query(`SET LOCAL lock_timeout = '${PATIENCE}'`);
        await client.query("SET LOCAL statement_timeout = 0");
        // Between two pages the other end is at work, which takes long where a disk is slow.
        await client.query("SET LOCAL idle_in_transaction_session_timeout = 0");
        const result = await work(client);
        await client.query("COMMIT");
        return result;
      } catch (error) {
        const isConnected = await client.query("ROLLBACK").then(
          () => true,
          () => false,
        );
        isOfOtherEnd = isConnected && !(error instanceof DatabaseError);
        throw error;
      }
    });
  } catch (error) {
    // A full disk, for one, is nothing that this database could be blamed for.
    if (isOfOtherEnd) throw error;
    if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw explained(error, config, setting);
    throw new StoreError(
      `Another program is at work on the tables of the ${describeDatabase(config)}. Wait for it to end, then try again. Nothing was changed.`,
    );
  }
}

/** Stores that a restore, or somebody, has put aside under another name, as names that can be pasted into a statement. */
export async function listKeptSchemas({ url, setting }: PostgresAddress): Promise<string[]> {
  const config = connectionOf(setting, url);
  try {
    return await withClient(config, async (client) => {
      const { rows } = await client.query(
        "SELECT quote_ident(nspname) AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace " +
          "WHERE relname = 'schema_steps' AND relkind = 'r' AND nspname <> $1 ORDER BY nspname",
        [SCHEMA],
      );
      return rows.map(({ name }) => String(name));
    });
  } catch (error) {
    throw explained(error, config, setting);
  }
}

/** Until the transaction ends, no server runs on the database, and none can start. */
export async function claimServerLock(client: ClientBase): Promise<void> {
  const { rows } = await client.query("SELECT pg_try_advisory_xact_lock($1) AS is_taken", [SERVER_LOCK]);
  if (rows[0]?.is_taken === true) return;
  throw new StoreError(
    "A Lineup server is running on the database (or a restore or a move is under way there). Stop it first. Nothing was changed.",
  );
}

async function lockSteps(client: ClientBase, { url, setting }: PostgresAddress): Promise<void> {
  try {
    await client.query(`SET LOCAL ROLE ${OPERATOR_ROLE}`);
    await client.query(`SET LOCAL search_path = ${SCHEMA}, pg_temp`);
    await client.query("LOCK TABLE schema_steps IN ACCESS SHARE MODE");
  } catch (error) {
    if (!NOT_THERE.has(codeOf(error))) throw error;
    throw new StoreError(
      `The ${describeDatabase(connectionOf(setting, url))} holds no Lineup store. Correct ${setting}.`,
    );
  }
}

async function requireCurrentSchema(client: ClientBase): Promise<void> {
  const step = await findStep(client);
  const known = POSTGRES_MIGRATIONS.length;
  if (step === known) return;
  throw new StoreError(
    step > known
      ? `The database was brought up to date by a newer version of Lineup (schema ${step}; this version knows ${known}). Use that version.`
      : `The database's schema is at step ${step}, not at ${known}. Use the version that serves it, or run "lineup migrate" first.`,
  );
}
