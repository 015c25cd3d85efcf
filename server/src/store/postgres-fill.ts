/**
 * Puts a whole store into PostgreSQL, in one transaction. What always holds: whatever ends it before its commit, a lost connection
 * or a lost machine, the database is as it was.
 *
 * No server runs on it meanwhile and none can start, and every other program that has touched a table is waited for. A store that is there
 * is given another name and kept, or is a reason to stop. The new one is made by the same steps as ever, filled in the restricted
 * role that sees all, read back, and compared with the archive.
 */
import type { ClientBase } from "pg";
import {
  copyStore,
  listDifferences,
  listTables,
  type OnProgress,
  postgresRows,
  type Row,
  type RowSource,
  readStore,
  type StoreSums,
  type TableShape,
} from "./copy-rows.ts";
import { connectionOf, describeDatabase } from "./postgres-connection.ts";
import { COMMIT_TO_DISK } from "./postgres-driver.ts";
import { findStep, prepareDatabase, takeSteps } from "./postgres-migrate.ts";
import { OPERATOR_ROLE, POSTGRES_MIGRATIONS, SCHEMA } from "./postgres-migrations.ts";
import { claimServerLock, inTransaction, type PostgresAddress } from "./postgres-snapshot.ts";
import { codeOf, reasonOf, StoreError } from "./store-error.ts";

/** What PostgreSQL says of texts that it cannot keep, those with a NUL among them. */
const TEXT_REFUSED = new Set(["22021", "22P05"]);
/** By their names in the embedded store's schema. */
const TYPES: Readonly<Record<string, string>> = { TEXT: "text", INTEGER: "bigint", REAL: "double precision" };

export interface FillOptions {
  /** What becomes of another store that is there. */
  readonly occupied: "keep" | "refuse";
  readonly onProgress?: OnProgress | undefined;
  readonly now?: Date | undefined;
  /** The last thing before others can see the store. Where it fails, they never do. */
  beforeCommit?(): Promise<void>;
}

export interface Filled {
  readonly sums: StoreSums;
  /** The schema in which the store that was there is kept; undefined where there was none. */
  readonly keptAs: string | undefined;
  /** Whether the very same store was there already. */
  readonly wasThere: boolean;
}

export async function fillPostgres(
  address: PostgresAddress,
  archive: RowSource,
  options: FillOptions,
): Promise<Filled> {
  const work = async (client: ClientBase): Promise<Filled> => {
    await claimServerLock(client);
    await lockTables(client);
    const isThere = await isOccupied(client);
    if (isThere && options.occupied === "refuse") {
      const sums = await requireSameStore(client, archive, address);
      await options.beforeCommit?.();
      return { sums, keptAs: undefined, wasThere: true };
    }
    const keptAs = isThere ? await putAside(client, options.now ?? new Date()) : undefined;
    await takeSteps(client, POSTGRES_MIGRATIONS);
    const sums = await fill(client, archive, options.onProgress);
    await options.beforeCommit?.();
    return { sums, keptAs, wasThere: false };
  };
  return inTransaction(address, "", work, prepareDatabase);
}

/** Waits for transactions that have read or written any of them; later ones wait, and then find the new store. */
async function lockTables(client: ClientBase): Promise<void> {
  const { rows } = await client.query(
    "SELECT format('%I.%I', nspname, relname) AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace " +
      "WHERE nspname = $1 AND relkind IN ('r', 'p') ORDER BY relname",
    [SCHEMA],
  );
  const names = rows.map((row) => row.name).join(", ");
  if (names !== "") await client.query(`LOCK TABLE ${names} IN ACCESS EXCLUSIVE MODE`);
}

/** A store without an organization and without people has nothing to lose. Whatever else bears the schema's name is somebody's. */
async function isOccupied(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query(
    "SELECT count(*)::int AS number FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1",
    [SCHEMA],
  );
  if (rows[0]?.number === 0) return false;
  const step = await findStep(client);
  if (step === 0 || step > POSTGRES_MIGRATIONS.length) return true;
  return asOperator(client, async () => {
    // The first step has no people yet.
    const tables = step === 1 ? ["organizations"] : ["organizations", "users"];
    const found = await client.query(
      `SELECT ${tables.map((table) => `EXISTS (SELECT FROM ${table})`).join(" OR ")} AS has_rows`,
    );
    return found.rows[0]?.has_rows === true;
  });
}

async function requireSameStore(client: ClientBase, archive: RowSource, address: PostgresAddress): Promise<StoreSums> {
  const sums = await readStore(archive);
  const isCurrent = (await findStep(client)) === POSTGRES_MIGRATIONS.length;
  const there = isCurrent && (await asOperator(client, () => readStore(postgresRows(client))));
  if (there && listDifferences(sums, there).length === 0) return sums;
  throw new StoreError(
    `The ${describeDatabase(connectionOf(address.setting, address.url))} holds another store. Nothing was changed. Name an empty database; ` +
      `or put that store aside, while no server runs on it: ALTER SCHEMA ${SCHEMA} RENAME TO ${SCHEMA}_old.`,
  );
}

async function putAside(client: ClientBase, now: Date): Promise<string> {
  const stamp = now
    .toISOString()
    .toLowerCase()
    .replaceAll(/[^0-9tz]/g, "");
  const kept = `${SCHEMA}_before_restore_${stamp}`;
  await client.query(`ALTER SCHEMA ${SCHEMA} RENAME TO ${kept}`);
  return kept;
}

async function fill(client: ClientBase, archive: RowSource, onProgress: OnProgress | undefined): Promise<StoreSums> {
  const addReferences = await dropReferences(client);
  const sums = await asOperator(client, async () => {
    // The steps have put first rows there, which the archive brings too.
    await client.query("DELETE FROM settings; DELETE FROM audit_heads");
    return copyStore(archive, postgresRows(client), (shape, page) => insertRows(client, shape, page), onProgress);
  });
  await addReferences();
  // Until it has looked at the tables, PostgreSQL plans as if they were empty.
  await client.query(
    `ANALYZE ${listTables()
      .map(({ name }) => name)
      .join(", ")}`,
  );
  await client.query(`SELECT ${COMMIT_TO_DISK}`);
  return sums;
}

/**
 * To look at all references at once, when the rows are there, takes a tenth of the time of looking at each as it comes. Returns what puts
 * them back as they were. Whom row level security is forced on would, while adding one, look at no row and find no fault.
 */
async function dropReferences(client: ClientBase): Promise<() => Promise<void>> {
  const { rows: references } = await client.query(
    "SELECT conrelid::regclass::text AS table, quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition " +
      "FROM pg_constraint WHERE connamespace = $1::regnamespace AND contype = 'f' ORDER BY conrelid, conname",
    [SCHEMA],
  );
  const { rows: forced } = await client.query(
    "SELECT oid::regclass::text AS table FROM pg_class WHERE relnamespace = $1::regnamespace AND relforcerowsecurity",
    [SCHEMA],
  );
  for (const { table, name } of references) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  return async () => {
    for (const { table } of forced) await client.query(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
    for (const { table, name, definition } of references) {
      await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
    }
    for (const { table } of forced) await client.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
  };
}

/** A list for each column, so that one statement, always the same, takes as many rows as it is given. */
async function insertRows(client: ClientBase, { name, columns }: TableShape, rows: readonly Row[]): Promise<void> {
  const names = columns.map((column) => column.name).join(", ");
  const lists = columns.map(({ type }, index) => `$${index + 1}::${TYPES[type] ?? type}[]`).join(", ");
  try {
    await client.query(
      `INSERT INTO ${name} (${names}) SELECT ${names} FROM unnest(${lists}) WITH ORDINALITY AS given (${names}, ordinality) ` +
        "ORDER BY ordinality",
      columns.map((column) => rows.map((row) => row[column.name])),
    );
  } catch (error) {
    if (!TEXT_REFUSED.has(codeOf(error))) throw error;
    throw new StoreError(
      `A row of ${name} holds a text that PostgreSQL cannot keep (${reasonOf(error)}). Nothing was changed.`,
    );
  }
}

async function asOperator<T>(client: ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query(`SET LOCAL ROLE ${OPERATOR_ROLE}`);
  await client.query(`SET LOCAL search_path = ${SCHEMA}, pg_temp`);
  const result = await work();
  await client.query("SET LOCAL ROLE NONE");
  return result;
}
