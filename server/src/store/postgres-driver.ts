/**
 * Kysely over a pool of PostgreSQL connections. Nothing is ever asked outside a transaction that has first taken one of the two
 * restricted roles and, for a tenant, named its organization; both end with the transaction, so a connection carries
 * nothing from one request to the next, and a pooler that hands it to somebody else in between does no harm. A single query travels
 * with the transaction around it in one round trip, and a longer transaction begins in one.
 *
 * A connection that broke, or that now leads to a server which no longer takes writes, is given up. A single read is then tried
 * once more on another one; a transaction is not, because only the caller knows whether it may happen twice.
 */
import {
  AbortedTransactionError,
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from "kysely";
import {
  type Client,
  type ClientBase,
  escapeLiteral,
  type Pool,
  type PoolClient,
  type QueryResult as PostgresResult,
  type QueryConfig,
} from "pg";
import { afterPatience } from "./patience.ts";
import { SCHEMA } from "./postgres-migrations.ts";
import { OPERATOR_ROLE, TENANT_ROLE } from "./postgres-row-guards.ts";
import type { Scope } from "./store.ts";

const STATEMENT_TIMEOUT_MS = 60_000;
const LOCK_TIMEOUT_MS = 30_000;
const IDLE_IN_TRANSACTION_MS = 60_000;
/**
 * Requests that wait for a connection, none of them for more than five seconds. To refuse them sooner would bring them back at once, and
 * after a restart nobody would get through.
 */
const WAITING_MAX = 20_000;
/** A single read takes milliseconds; one that is silent for this long is asked of another connection. */
const READ_PATIENCE_MS = 10_000;

/**
 * Told to every transaction rather than to every connection: a pooler in transaction mode would lose, or refuse, the latter.
 * An operator may have chosen more safety than "on" for commits, but nobody is told "done" with less. Queries are short, and compiling one
 * takes longer than any of them.
 */
export function preludeOf(scope: Scope): string {
  const [role, orgId] = scope === "operator" ? [OPERATOR_ROLE, ""] : [TENANT_ROLE, scope.orgId];
  return `SELECT set_config('role', '${role}', true), set_config('lineup.org', ${escapeLiteral(orgId)}, true),
set_config('search_path', '${SCHEMA}, pg_temp', true), set_config('statement_timeout', '${STATEMENT_TIMEOUT_MS}', true),
set_config('jit', 'off', true), set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true),
set_config('idle_in_transaction_session_timeout', '${IDLE_IN_TRANSACTION_MS}', true),
set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, true),
pg_is_in_recovery() AS is_replica`;
}

export function postgresDialect(pool: Pool, scope: Scope): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new ScopedDriver(pool, scope),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

class ScopedDriver implements Driver {
  readonly #pool: Pool;
  readonly #prelude: string;

  constructor(pool: Pool, scope: Scope) {
    this.#pool = pool;
    this.#prelude = preludeOf(scope);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<ScopedConnection> {
    return new ScopedConnection(this.#pool, this.#prelude);
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    await scoped(connection).begin(settings);
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const { rows } = await connection.executeQuery<{ command: string }>(CompiledQuery.raw("COMMIT"));
    // A transaction in which a statement failed ends like this, whatever it was told.
    if (rows[0]?.command === "ROLLBACK") throw new AbortedTransactionError();
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await scoped(connection).rollback();
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    scoped(connection).release();
  }

  async destroy(): Promise<void> {}
}

function scoped(connection: DatabaseConnection): ScopedConnection {
  if (connection instanceof ScopedConnection) return connection;
  throw new Error("The connection is another driver's.");
}

class ScopedConnection implements DatabaseConnection {
  readonly #pool: Pool;
  readonly #prelude: string;
  /** There while a transaction is under way. */
  #client: PoolClient | undefined;
  #fault: unknown;

  constructor(pool: Pool, prelude: string) {
    this.#pool = pool;
    this.#prelude = prelude;
  }

  async begin({ isolationLevel, accessMode }: TransactionSettings): Promise<void> {
    const client = await connect(this.#pool);
    this.#client = client;
    const mode = [isolationLevel && `ISOLATION LEVEL ${isolationLevel}`, accessMode].filter(Boolean).join(" ");
    try {
      refuseReplica(await askAll(client, [`BEGIN ${mode}`, this.#prelude]));
    } catch (error) {
      this.#fault = error;
      throw error;
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#client === undefined) return this.#readAlone(query);
    try {
      return resultOf<R>(await this.#client.query(query.sql, [...query.parameters]));
    } catch (error) {
      if (isConnectionLost(error)) this.#fault = error;
      throw error;
    }
  }

  async rollback(): Promise<void> {
    if (this.#client === undefined || this.#fault !== undefined) return;
    try {
      await this.#client.query("ROLLBACK");
    } catch (error) {
      this.#fault = error;
    }
  }

  release(): void {
    this.#client?.release(this.#fault !== undefined);
    this.#client = undefined;
  }

  // biome-ignore lint/correctness/useYield: Kysely asks for a generator even where nothing is streamed.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("Lists are read whole or in pages; nothing is streamed from PostgreSQL.");
  }

  async #readAlone<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return await this.#readOnce(query);
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      return this.#readOnce(query);
    }
  }

  async #readOnce<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const client = await connect(this.#pool);
    // All are on their way before the first is answered. Where the role was not taken, nothing that came back is used.
    const sent = [
      askAll(client, ["BEGIN READ ONLY", this.#prelude]).then(refuseReplica),
      client.query(query.sql, [...query.parameters]),
      client.query("COMMIT"),
    ] as const;
    const endWaiting = afterPatience(READ_PATIENCE_MS, () => destroy(client));
    const settled = await Promise.allSettled(sent);
    endWaiting();
    const failed = settled.find((one) => one.status === "rejected");
    client.release(failed !== undefined && isConnectionLost(failed.reason));
    if (failed !== undefined) throw failed.reason;
    return resultOf<R>(await sent[1]);
  }
}

/** How a statement is put to a connection. */
export type MakeStatement = (text: string, values: readonly unknown[]) => QueryConfig;

export const makeStatement: MakeStatement = (text, values) => ({ text, values: [...values] });

/** As many as the program has statements that it asks again and again. */
const names = new Map<string, string>();

/**
 * Under a name, a connection reads and plans a statement once. Not one that shows whatever columns a table has: where a newer version adds
 * one meanwhile, PostgreSQL refuses what it has planned.
 */
export const makeNamedStatement: MakeStatement = (text, values) => {
  const statement = makeStatement(text, values);
  if (/(^|[\s.])\*/.test(text)) return statement;
  const name = names.get(text) ?? `lineup_${names.size}`;
  names.set(text, name);
  return { ...statement, name };
};

/** Several statements without parameters in one message; returns the answer to each. */
export async function askAll(client: ClientBase, statements: readonly string[]): Promise<readonly PostgresResult[]> {
  return (await client.query(statements.join(";\n"))) as unknown as readonly PostgresResult[];
}

/** `answers` are those to the beginning and the prelude. It still answers reads, with what it knew before others went on without it. */
export function refuseReplica([, prelude]: readonly PostgresResult[]): void {
  if (prelude?.rows[0]?.is_replica !== true) return;
  throw Object.assign(new Error("The connection leads to a replica."), { code: "25006" });
}

export async function connect(pool: Pool): Promise<PoolClient> {
  if (pool.waitingCount >= WAITING_MAX) throw new Error("Too many requests are waiting for the database.");
  return pool.connect();
}

export function resultOf<R>({
  command,
  rowCount,
  rows,
}: {
  command: string;
  rowCount: number | null;
  rows: unknown[];
}): QueryResult<R> {
  if (command === "COMMIT" || command === "ROLLBACK") return { rows: [{ command }] as R[] };
  if (command === "SELECT") return { rows: rows as R[] };
  return { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) };
}

/**
 * Whether the connection is of no use any more: cut off (08…, 57P0…, or the network's own words), given up by the
 * server while a transaction was idle, or now leading to a replica (25006).
 */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  if (/^(08|57P0|25P03|25006)/.test(code)) return true;
  if (/^E[A-Z]+$/.test(code)) return true;
  return code === "" && /connection|Client was closed|query read timeout|not queryable/i.test(error.message);
}

/** Ends a connection without a word, which one that is silent would not answer. */
export function destroy(client: ClientBase): void {
  const { connection } = client as unknown as { connection?: { stream?: { destroy(): void } } };
  connection?.stream?.destroy();
}

/** In good order where the other end answers, and in any case soon. */
export async function endWithin(client: Client, patienceMs: number): Promise<void> {
  const silent = setTimeout(() => destroy(client), patienceMs);
  await client.end().catch(() => undefined);
  clearTimeout(silent);
}
