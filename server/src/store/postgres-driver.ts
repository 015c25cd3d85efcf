/**
 * Kysely over a pool of PostgreSQL connections. Nothing is ever asked outside a transaction that has first taken one of the two
 * restricted roles and, for a tenant, named its organization; both end with the transaction, so a connection carries
 * nothing from one request to the next, and a pooler that hands it to somebody else in between does no harm. A single query travels
 * with the transaction around it in one round trip, and a longer transaction begins in one.
 *
 * A connection that broke, or that now leads to a server which no longer takes writes, is given up. A single read is then tried
 * once more on another one; a transaction is not, because only whoever asked for it knows whether it may happen twice.
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
} from "pg";
import type { ChainClaim, ChainLook, ClaimedChain } from "./audit-look.ts";
import { type DirectConnection, LentConnection, makeHandles } from "./direct-handle.ts";
import { OrganizationGone } from "./organization-gone.ts";
import { afterPatience } from "./patience.ts";
import { CLAIM_AND_LOCK, postgresChains } from "./postgres-audit.ts";
import { SCHEMA } from "./postgres-migrations.ts";
import { OPERATOR_ROLE, TENANT_ROLE } from "./postgres-row-guards.ts";
import type { Database } from "./schema.ts";
import type { Scope } from "./store.ts";
import { type Company, type GroupWriter, LateFault, type WriteTransaction } from "./write-groups.ts";

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
/** Statements of a transaction that may be on their way at once. */
const UNANSWERED_MAX = 64;

/**
 * Told to every transaction rather than to every connection: a pooler in transaction mode would lose, or refuse, the latter.
 * An operator may have chosen more safety than "on" for commits, but nobody is told "done" with less. Queries are short, and compiling one
 * takes longer than any of them.
 */
function preludeOf(scope: Scope): string {
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

/** Writes of one organization, each group in a transaction that has locked the organization's row and claimed its audit log. */
export class PostgresWriter implements GroupWriter {
  readonly answersAtOnce = false;
  readonly chains = postgresChains;
  readonly #pool: Pool;
  readonly #orgId: string;

  constructor(pool: Pool, orgId: string) {
    this.#pool = pool;
    this.#orgId = orgId;
  }

  async begin(_company: Company, look: ChainLook | undefined): Promise<WriteTransaction> {
    const client = await connect(this.#pool);
    const orgId = escapeLiteral(this.#orgId);
    const statements = [
      "BEGIN",
      preludeOf({ orgId: this.#orgId }),
      `SELECT id FROM organizations WHERE id = ${orgId} FOR NO KEY UPDATE`,
    ];
    if (look !== undefined) statements.push(claimText(look));
    try {
      const answers = await askAll(client, statements);
      refuseReplica(answers);
      if (answers[2]?.rows.length === 0) throw new OrganizationGone(this.#orgId);
      const claimed = look === undefined ? undefined : { look, claim: answers[3]?.rows[0] as ChainClaim | undefined };
      return new PostgresTransaction(client, claimed);
    } catch (error) {
      await new PostgresTransaction(client, undefined, error).rollback();
      throw error;
    }
  }
}

/** None of the values is anybody's input; they stand in the text because a message of several statements takes no parameters. */
function claimText({ chainId, mark, known }: ChainLook): string {
  const values = [String(known?.count ?? 0), escapeLiteral(mark), escapeLiteral(chainId)];
  return CLAIM_AND_LOCK.replaceAll("?", () => values.shift() ?? "");
}

const handleOn = makeHandles(new PostgresAdapter(), new PostgresQueryCompiler());

/**
 * A transaction of a group. What gives no rows is sent without waiting for its answer: PostgreSQL takes statements in their order, so
 * whatever is asked next sees it, and where it has failed, whatever is asked next fails with it, the commit at the latest.
 */
class PostgresTransaction implements WriteTransaction, DirectConnection {
  readonly claimed: ClaimedChain | undefined;
  readonly #client: PoolClient;
  /** Why the connection is of no use any more. */
  #fault: unknown;
  /** The first statement that failed and was not undone. */
  #failure: unknown;
  #unanswered = 0;
  #lastSent: Promise<void> | undefined;
  #hasEnded = false;

  constructor(client: PoolClient, claimed: ClaimedChain | undefined, error?: unknown) {
    this.#client = client;
    this.claimed = claimed;
    if (isConnectionLost(error)) this.#fault = error;
  }

  lend() {
    const connection = new LentConnection(this);
    return { connection, db: handleOn<Database>(connection) };
  }

  get isOpen(): boolean {
    return this.#fault === undefined;
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  writes({ query }: CompiledQuery): boolean {
    return query.kind !== "SelectQueryNode";
  }

  async ask<R>({ sql }: CompiledQuery<R>, parameters: readonly unknown[]): Promise<readonly R[]> {
    return (await this.#query(sql, parameters)).rows as R[];
  }

  send({ sql }: CompiledQuery, parameters: readonly unknown[]): void | Promise<void> {
    this.#unanswered++;
    const settle = () => void this.#unanswered--;
    this.#lastSent = this.#query(sql, parameters).then(settle, settle);
    return this.#unanswered < UNANSWERED_MAX ? undefined : this.#lastSent;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return resultOf<R>(await this.#query(query.sql, query.parameters));
  }

  // biome-ignore lint/correctness/useYield: Kysely asks for a generator even where nothing is streamed.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("Lists are read whole or in pages; nothing is streamed from PostgreSQL.");
  }

  save(): void | Promise<void> {
    return this.send(CompiledQuery.raw("SAVEPOINT member"), []);
  }

  async keep(): Promise<void> {
    await this.#query("RELEASE SAVEPOINT member", []);
  }

  async undo(): Promise<void> {
    await this.#lastSent;
    this.#failure = undefined;
    await this.#query("ROLLBACK TO SAVEPOINT member", []);
    await this.keep();
  }

  async commit(): Promise<void> {
    const { command } = await this.#query("COMMIT", []);
    this.#hasEnded = true;
    await this.#lastSent;
    this.#client.release(this.#fault !== undefined);
    if (this.#failure !== undefined) throw new LateFault("A statement has failed.", { cause: this.#failure });
    // A transaction in which a statement failed ends like this, whatever it was told.
    if (command === "ROLLBACK") throw new AbortedTransactionError();
  }

  async rollback(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.isOpen) await this.#client.query("ROLLBACK").catch((error) => (this.#fault = error));
    this.#client.release(!this.isOpen);
  }

  async #query(text: string, values: readonly unknown[]) {
    try {
      return await this.#client.query(text, [...values]);
    } catch (error) {
      if (isConnectionLost(error)) this.#fault ??= error;
      // What comes after the first failure says no more than that there was one.
      this.#failure ??= error;
      throw this.#failure;
    }
  }
}

/** Several statements without parameters in one message; returns the answer to each. */
async function askAll(client: ClientBase, statements: readonly string[]): Promise<readonly PostgresResult[]> {
  return (await client.query(statements.join(";\n"))) as unknown as readonly PostgresResult[];
}

/** `answers` are those to the beginning and the prelude. It still answers reads, with what it knew before others went on without it. */
function refuseReplica([, prelude]: readonly PostgresResult[]): void {
  if (prelude?.rows[0]?.is_replica !== true) return;
  throw Object.assign(new Error("The connection leads to a replica."), { code: "25006" });
}

async function connect(pool: Pool): Promise<PoolClient> {
  if (pool.waitingCount >= WAITING_MAX) throw new Error("Too many requests are waiting for the database.");
  return pool.connect();
}

function resultOf<R>({
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
