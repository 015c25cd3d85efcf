/**
 * Kysely over a pool of PostgreSQL connections. Nothing is ever asked outside a transaction that has first taken one of the two
 * restricted roles and, for a tenant, named its organization; both end with the transaction, so a connection carries
 * nothing from one request to the next, and a pooler that hands it to somebody else in between does no harm. A single query travels
 * with the transaction around it in one round trip, and a longer transaction begins in one.
 *
 * A connection that broke, or that now leads to a server which no longer takes writes, is given up. A single read is then tried
 * once more on another one; a transaction is not, because only the caller knows whether it may happen twice.
 */
import { type CompiledQuery, PostgresAdapter, PostgresQueryCompiler, type QueryResult } from "kysely";
import {
  type ClientBase,
  escapeLiteral,
  type Pool,
  type PoolClient,
  type QueryResult as PostgresResult,
  type QueryConfig,
} from "pg";
import { type Direct, makeHandles } from "./direct-handle.ts";
import { afterPatience, destroy, isConnectionLost } from "./postgres-connection.ts";
import { OPERATOR_ROLE, SCHEMA, TENANT_ROLE } from "./postgres-migrations.ts";
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

/** An operator may have chosen more safety than "on", but nobody is told "done" with less. */
export const COMMIT_TO_DISK =
  "set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' " +
  "ELSE current_setting('synchronous_commit') END, true)";

/**
 * Told to every transaction rather than to every connection: a pooler in transaction mode would lose, or refuse, the latter.
 * Queries are short, and compiling one takes longer than any of them.
 */
export function preludeOf(scope: Scope): string {
  const [role, orgId] = scope === "operator" ? [OPERATOR_ROLE, ""] : [TENANT_ROLE, scope.orgId];
  return `SELECT set_config('role', '${role}', true), set_config('lineup.org', ${escapeLiteral(orgId)}, true),
set_config('search_path', '${SCHEMA}, pg_temp', true), set_config('statement_timeout', '${STATEMENT_TIMEOUT_MS}', true),
set_config('jit', 'off', true), set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true),
set_config('idle_in_transaction_session_timeout', '${IDLE_IN_TRANSACTION_MS}', true),
${COMMIT_TO_DISK}, pg_is_in_recovery() AS is_replica`;
}

export const handleOn = makeHandles(new PostgresAdapter(), new PostgresQueryCompiler());

/** Each query in a transaction of its own, which only reads. */
export class SingleReads implements Direct {
  readonly #pool: Pool;
  readonly #prelude: string;

  constructor(pool: Pool, scope: Scope) {
    this.#pool = pool;
    this.#prelude = preludeOf(scope);
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return await this.#readOnce(query);
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      return this.#readOnce(query);
    }
  }

  async ask<R>(query: CompiledQuery<R>, parameters: readonly unknown[]): Promise<readonly R[]> {
    return (await this.executeQuery<R>({ ...query, parameters })).rows;
  }

  async send(query: CompiledQuery, parameters: readonly unknown[]): Promise<void> {
    await this.ask(query, parameters);
  }

  async #readOnce<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const client = await connect(this.#pool);
    // All are on their way before the first is answered. Where the role was not taken, nothing that came back is used.
    const sent = [
      begin(client, "BEGIN READ ONLY", this.#prelude),
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

/** In one message. A replica still answers reads, with what it knew before others went on without it. */
export async function begin(client: ClientBase, statement: string, prelude: string): Promise<void> {
  const [, answer] = (await client.query(`${statement};\n${prelude}`)) as unknown as readonly PostgresResult[];
  if (answer?.rows[0]?.is_replica !== true) return;
  throw Object.assign(new Error("The connection leads to a replica."), { code: "25006" });
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

export async function connect(pool: Pool): Promise<PoolClient> {
  if (pool.waitingCount >= WAITING_MAX) throw new Error("Too many requests are waiting for the database.");
  return pool.connect();
}

export function resultOf<R>({ command, rowCount, rows }: PostgresResult): QueryResult<R> {
  if (command === "SELECT") return { rows: rows as R[] };
  return { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) };
}
