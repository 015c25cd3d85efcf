/**
 * How an organization's data is written in PostgreSQL: in groups (write-groups.ts), each in a transaction that has locked the
 * organization's row and claimed its audit log before the first member begins. The head of a log is locked while a transaction appends to
 * it, and what is appended goes in one statement.
 */
import {
  AbortedTransactionError,
  CompiledQuery,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import { escapeLiteral, type Pool, type PoolClient, type QueryResult as PostgresResult } from "pg";
import {
  AUDIT_COLUMNS,
  type ChainEnd,
  MOVE_HEAD,
  RAISE_REVISION,
  SET_SEAL,
  valuesOfHead,
  valuesOfSeal,
} from "./audit-chain.ts";
import { type ChainClaim, type ChainEngine, type ChainLook, CLAIM, type ClaimedChain } from "./audit-look.ts";
import { type DirectConnection, LentConnection, makeHandles, send } from "./direct-handle.ts";
import { askAll, connect, isConnectionLost, preludeOf, refuseReplica, resultOf } from "./postgres-driver.ts";
import { withValues } from "./prepared-query.ts";
import type { Database } from "./schema.ts";
import { OrganizationGone } from "./store-error.ts";
import { type Company, type GroupWriter, LateFault, type WriteTransaction } from "./write-groups.ts";

/** Statements of a transaction that may be on their way at once. */
const UNANSWERED_MAX = 64;

const CLAIM_CHAIN = CompiledQuery.raw(numbered(`${CLAIM} FOR UPDATE OF h`));

const COLUMNS = AUDIT_COLUMNS.join(", ");
/** However many rows there are, the text is the same: they come as one piece of JSON. */
const APPEND = CompiledQuery.raw(
  numbered(
    `WITH added AS (INSERT INTO audit (${COLUMNS}) SELECT ${COLUMNS} FROM json_populate_recordset(NULL::audit, ?)), ` +
      `moved AS (${MOVE_HEAD}), raised AS (${RAISE_REVISION}) ${SET_SEAL}`,
  ),
);

export const postgresChains: ChainEngine = {
  async claimChain(db, chainId, mark, knownCount) {
    const claim = withValues<ChainClaim>(CLAIM_CHAIN, [knownCount, mark, chainId]);
    return (await db.executeQuery(claim)).rows[0];
  },

  async appendToChain(db, rows, seal, raise) {
    const raised = [raise?.by ?? 0, raise?.orgId ?? null];
    await send(db, APPEND, [JSON.stringify(rows), ...valuesOfHead(seal), ...raised, ...valuesOfSeal(seal)]);
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
    if (look !== undefined) statements.push(...claimTexts(look));
    try {
      const answers = await askAll(client, statements);
      refuseReplica(answers);
      if (answers[2]?.rows.length === 0) throw new OrganizationGone(this.#orgId);
      const claimed = look === undefined ? undefined : { look, claim: findPlainClaim(answers.slice(3)) };
      return new PostgresTransaction(client, claimed);
    } catch (error) {
      await new PostgresTransaction(client, undefined, error).rollback();
      throw error;
    }
  }
}

/**
 * The head, which is locked, our seal, the last entry, and the one that this machine has seen last. Apart they are planned in a third of the
 * time that `CLAIM` takes. The values, none of which is anybody's input, stand in the text: a message of several statements takes no
 * parameters.
 */
function claimTexts({ chainId, mark, known }: ChainLook): string[] {
  const id = escapeLiteral(chainId);
  return [
    `SELECT count, hash FROM audit_heads WHERE org_id = ${id} FOR UPDATE`,
    `SELECT count, hash, seal FROM audit_seals WHERE org_id = ${id} AND mark = ${escapeLiteral(mark)}`,
    `SELECT seq AS count, hash FROM audit WHERE org_id = ${id} ORDER BY seq DESC LIMIT 1`,
    `SELECT hash FROM audit WHERE org_id = ${id} AND seq = ${Number(known?.count ?? 0)}`,
  ];
}

/** A chain whose head, seal and last entry agree, as they nearly always do; undefined of any other, which is then asked for by `CLAIM`. */
function findPlainClaim(answers: readonly PostgresResult[]): ChainClaim | undefined {
  const [head, seal, last, known] = answers.map(({ rows }) => rows[0]);
  const isNamedBy = (end: ChainEnd | undefined) => end?.count === head?.count && end?.hash === head?.hash;
  if (head === undefined || !isNamedBy(seal) || !isNamedBy(last)) return undefined;
  const { count, hash } = head;
  return {
    count,
    hash,
    head_hash: hash,
    last_seq: count,
    seal_count: count,
    seal_hash: hash,
    seal: seal.seal,
    sealed_hash: hash,
    seals: 1,
    known_hash: known?.hash ?? null,
  };
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
    await this.#query("ROLLBACK TO SAVEPOINT member", []);
    this.#failure = undefined;
    await this.keep();
  }

  async commit(): Promise<void> {
    const { command } = await this.#query("COMMIT", []);
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
