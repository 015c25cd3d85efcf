/**
 * How an organization's data is written in PostgreSQL: in groups (write-groups.ts), each in a transaction that has locked the
 * organization's row and claimed its audit log before the first member begins. The head of a log is locked while a transaction appends to
 * it, and what is appended goes in one statement.
 */
import { AbortedTransactionError, CompiledQuery, type Kysely, type QueryResult } from "kysely";
import type { Pool, PoolClient, QueryConfig } from "pg";
import { MOVE_HEAD, SET_SEAL, valuesOfHead, valuesOfSeal } from "./audit-chain.ts";
import { AUDIT_COLUMNS } from "./audit-entry.ts";
import { type ChainClaim, type ChainEngine, type ChainLook, CLAIM, type ClaimedChain } from "./audit-look.ts";
import { ask, type DirectConnection, LentConnection, send } from "./direct-handle.ts";
import { isConnectionLost } from "./postgres-connection.ts";
import { begin, connect, handleOn, type MakeStatement, makeStatement, preludeOf, resultOf } from "./postgres-driver.ts";
import type { Database } from "./schema.ts";
import type { Scope } from "./store.ts";
import { OrganizationGone } from "./store-error.ts";
import { type GroupMode, type GroupWriter, LateFault, type WriteTransaction } from "./write-groups.ts";

/** Statements of a transaction that may be on their way at once. */
const UNANSWERED_MAX = 64;

const LOCK_ORGANIZATION = CompiledQuery.raw("SELECT id FROM organizations WHERE id = $1 FOR NO KEY UPDATE");
const CLAIM_CHAIN = CompiledQuery.raw(numbered(`${CLAIM} FOR UPDATE OF h`)) as CompiledQuery<ChainClaim>;

const COLUMNS = AUDIT_COLUMNS.join(", ");
/** However many rows there are, the text is the same: they come as one piece of JSON. */
const APPEND = CompiledQuery.raw(
  numbered(
    `WITH added AS (INSERT INTO audit (${COLUMNS}) SELECT ${COLUMNS} FROM json_populate_recordset(NULL::audit, ?)), ` +
      `moved AS (${MOVE_HEAD}) ${SET_SEAL}`,
  ),
);

const FILL = CompiledQuery.raw(
  "UPDATE audit SET facts = filled.facts, salt = filled.salt, commitment = filled.commitment " +
    "FROM json_populate_recordset(NULL::audit, $1) AS filled WHERE audit.org_id = filled.org_id AND audit.seq = filled.seq",
);

export const postgresChains: ChainEngine = {
  async claimChain(db, chainId, mark, knownCount) {
    const [found] = await ask(db, CLAIM_CHAIN, [knownCount, mark, chainId]);
    return found;
  },

  async appendToChain(db, rows, seal) {
    await send(db, APPEND, [JSON.stringify(rows), ...valuesOfHead(seal), ...valuesOfSeal(seal)]);
  },

  async fillCommitments(db, rows) {
    if (rows.length > 0) await send(db, FILL, [JSON.stringify(rows)]);
  },
};

function numbered(statement: string): string {
  let number = 0;
  return statement.replaceAll("?", () => `$${++number}`);
}

/** Of one organization. */
export class PostgresWriter implements GroupWriter {
  readonly answersAtOnce = false;
  readonly chains = postgresChains;
  readonly #pool: Pool;
  readonly #orgId: string;
  readonly #makeRepeated: MakeStatement;

  constructor(pool: Pool, orgId: string, makeRepeated: MakeStatement) {
    this.#pool = pool;
    this.#orgId = orgId;
    this.#makeRepeated = makeRepeated;
  }

  async begin(_mode: GroupMode, look: ChainLook | undefined): Promise<WriteTransaction> {
    const transaction = new PostgresTransaction(await connect(this.#pool), this.#makeRepeated);
    try {
      // All are on their way before the first is answered. The row is locked before the log is looked at, which then stands still.
      const [, locked, claims] = await Promise.all([
        transaction.begin("BEGIN", { orgId: this.#orgId }),
        transaction.ask(LOCK_ORGANIZATION, [this.#orgId]),
        look && transaction.ask(CLAIM_CHAIN, [look.known?.count ?? 0, look.mark, look.chainId]),
      ]);
      if (locked.length === 0) throw new OrganizationGone(this.#orgId);
      if (look !== undefined) transaction.claimed = { look, claim: claims?.[0] };
      return transaction;
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  }
}

/** A transaction that nobody else shares. */
export async function transact<T>(
  pool: Pool,
  scope: Scope,
  makeRepeated: MakeStatement,
  work: (db: Kysely<Database>) => Promise<T>,
  mode = "",
): Promise<T> {
  const transaction = new PostgresTransaction(await connect(pool), makeRepeated);
  try {
    await transaction.begin(`BEGIN ${mode}`, scope);
    const { connection, db } = transaction.lend();
    const result = await work(db).finally(() => connection.takeBack());
    await transaction.commit();
    return result;
  } catch (error) {
    await transaction.rollback();
    throw error instanceof LateFault ? error.cause : error;
  }
}

/**
 * One transaction. What gives no rows is sent without waiting for its answer: PostgreSQL takes statements in their order, so
 * whatever is asked next sees it, and where it has failed, whatever is asked next fails with it, the commit at the latest.
 */
class PostgresTransaction implements WriteTransaction, DirectConnection {
  claimed: ClaimedChain | undefined;
  readonly #client: PoolClient;
  readonly #makeRepeated: MakeStatement;
  /** Why the connection is of no use any more. */
  #fault: unknown;
  /** The first statement that failed and was not undone. */
  #failure: unknown;
  #unanswered = 0;
  #lastSent: Promise<void> | undefined;
  #hasEnded = false;

  constructor(client: PoolClient, makeRepeated: MakeStatement) {
    this.#client = client;
    this.#makeRepeated = makeRepeated;
  }

  async begin(statement: string, scope: Scope): Promise<void> {
    await begin(this.#client, statement, preludeOf(scope)).catch((error) => {
      this.#fault ??= error;
      throw error;
    });
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
    return (await this.#query(this.#makeRepeated(sql, parameters))).rows as R[];
  }

  send({ sql }: CompiledQuery, parameters: readonly unknown[]): void | Promise<void> {
    this.#unanswered++;
    const settle = () => void this.#unanswered--;
    this.#lastSent = this.#query(this.#makeRepeated(sql, parameters)).then(settle, settle);
    return this.#unanswered < UNANSWERED_MAX ? undefined : this.#lastSent;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    return resultOf<R>(await this.#query(makeStatement(sql, parameters)));
  }

  save(): void | Promise<void> {
    return this.send(CompiledQuery.raw("SAVEPOINT member"), []);
  }

  async keep(): Promise<void> {
    await this.#query("RELEASE SAVEPOINT member");
  }

  async undo(): Promise<void> {
    await this.#lastSent;
    await this.#query("ROLLBACK TO SAVEPOINT member");
    this.#failure = undefined;
    await this.keep();
  }

  async commit(): Promise<void> {
    const { command } = await this.#query("COMMIT");
    this.#hasEnded = true;
    await this.#lastSent;
    this.#client.release(this.#fault !== undefined);
    // A transaction in which a statement failed ends like this, whatever it was told.
    if (command !== "ROLLBACK") return;
    if (this.#failure === undefined) throw new AbortedTransactionError();
    throw new LateFault("A statement has failed.", { cause: this.#failure });
  }

  async rollback(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.isOpen) await this.#client.query("ROLLBACK").catch((error) => (this.#fault = error));
    this.#client.release(!this.isOpen);
  }

  async #query(statement: string | QueryConfig) {
    try {
      return await this.#client.query(statement);
    } catch (error) {
      if (isConnectionLost(error)) this.#fault ??= error;
      // What comes after the first failure says no more than that there was one.
      this.#failure ??= error;
      throw this.#failure;
    }
  }
}
