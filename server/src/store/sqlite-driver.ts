/**
 * SQLite as Kysely uses it. Statements are prepared once, and every answer is there at once. On two connections there are transactions, one
 * after another, in the order they were asked for (write-groups.ts): on one of them work reads one state over several queries, on the
 * other it writes. Readers never wait for the writer, or the other way round (WAL).
 */

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Database as SqliteConnection, Statement } from "better-sqlite3";
import { CompiledQuery, type LimitNode, type QueryResult, SqliteAdapter, SqliteQueryCompiler, ValueNode } from "kysely";
import { ADD_ENTRY, MOVE_HEAD, SET_SEAL, valuesOfEntry, valuesOfHead, valuesOfSeal } from "./audit-chain.ts";
import { type ChainClaim, type ChainEngine, CLAIM } from "./audit-look.ts";
import { BoundedMap } from "./bounded-map.ts";
import { ask, type DirectConnection, LentConnection, makeHandles } from "./direct-handle.ts";
import type { Database } from "./schema.ts";
import { isBusy } from "./store-error.ts";
import type { GroupMode, GroupWriter, WriteTransaction } from "./write-groups.ts";

/**
 * SQLite looks at the value of a parameter that stands for a limit, or that something is to be like, when it makes its plan; so as to be
 * right for the next one too, it parses and plans the statement again each time such a value is given, which takes several times as long as
 * most queries do. It does not look into a sum, nor into a text that is joined (`searchMatches`).
 */
class PlannedOnceCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    super.visitLimit(node);
    if (ValueNode.is(node.limit)) this.append(" + 0");
  }
}

const STATEMENTS_MAX = 500;

interface Prepared {
  readonly statement: Statement;
  /** Whether it gives rows, which one that writes may do as well. */
  readonly gives: boolean;
  readonly writes: boolean;
}

const NO_ROWS: readonly never[] = [];

export class PreparedConnection implements DirectConnection {
  readonly #sqlite: SqliteConnection;
  readonly #statements = new BoundedMap<string, Prepared>(STATEMENTS_MAX);

  constructor(sqlite: SqliteConnection) {
    this.#sqlite = sqlite;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { statement, gives } = this.#prepare(sql);
    if (gives) return { rows: statement.all(parameters) as R[] };
    const { changes } = statement.run(parameters);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  ask<R>({ sql }: CompiledQuery<R>, parameters: readonly unknown[]): readonly R[] {
    const { statement, gives } = this.#prepare(sql);
    if (gives) return statement.all(parameters) as R[];
    statement.run(parameters);
    return NO_ROWS;
  }

  send(query: CompiledQuery, parameters: readonly unknown[]): void {
    this.ask(query, parameters);
  }

  writes({ sql }: CompiledQuery): boolean {
    return this.#prepare(sql).writes;
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known !== undefined) {
      if (this.#statements.size < STATEMENTS_MAX) return known;
      // Put in anew, so that the first one in the map is the one unused for longest.
      this.#statements.set(sql, known);
      return known;
    }
    const statement = this.#sqlite.prepare(sql);
    // Asked once: each of these is a call into SQLite.
    const prepared: Prepared = { statement, gives: statement.reader, writes: !statement.readonly };
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

export const handleOn = makeHandles(new SqliteAdapter(), new PlannedOnceCompiler());

const claim = CompiledQuery.raw(CLAIM) as CompiledQuery<ChainClaim>;
const addEntry = CompiledQuery.raw(ADD_ENTRY);
const fillCommitment = CompiledQuery.raw(
  "UPDATE audit SET facts = ?, salt = ?, commitment = ? WHERE org_id = ? AND seq = ?",
);
const moveHead = CompiledQuery.raw(MOVE_HEAD);
const setSeal = CompiledQuery.raw(SET_SEAL);

/** The audit log, to which there is one writer at a time. */
export const sqliteChains: ChainEngine = {
  async claimChain(db, chainId, mark, knownCount) {
    const [found] = await ask(db, claim, [knownCount, mark, chainId]);
    return found;
  },

  async appendToChain(db, rows, seal) {
    for (const row of rows) await ask(db, addEntry, valuesOfEntry(row));
    await ask(db, moveHead, valuesOfHead(seal));
    await ask(db, setSeal, valuesOfSeal(seal));
  },

  async fillCommitments(db, rows) {
    for (const { facts, salt, commitment, org_id, seq } of rows) {
      await ask(db, fillCommitment, [facts, salt, commitment, org_id, seq]);
    }
  },
};

/** The transactions of one connection. A lock is never waited for inside SQLite. */
export class SqliteTransactions implements GroupWriter, WriteTransaction {
  readonly answersAtOnce = true;
  readonly hasFailed = false;
  readonly chains = sqliteChains;
  readonly #sqlite: SqliteConnection;
  readonly #connection: PreparedConnection;
  readonly #statements: Readonly<Record<"begin" | "save" | "keep" | "undo" | "commit" | "rollback", Statement>>;
  readonly #pragmas = new Map<string, string>();

  constructor(sqlite: SqliteConnection, begin: "BEGIN" | "BEGIN IMMEDIATE") {
    this.#sqlite = sqlite;
    this.#connection = new PreparedConnection(sqlite);
    this.#statements = {
      begin: sqlite.prepare(begin),
      save: sqlite.prepare("SAVEPOINT member"),
      keep: sqlite.prepare("RELEASE member"),
      undo: sqlite.prepare("ROLLBACK TO member"),
      commit: sqlite.prepare("COMMIT"),
      rollback: sqlite.prepare("ROLLBACK"),
    };
  }

  async begin(mode: GroupMode): Promise<WriteTransaction | "busy"> {
    try {
      this.#set("synchronous", mode === "soon" ? "NORMAL" : "FULL");
      this.#set("temp_store", mode === "grouped" ? "MEMORY" : "DEFAULT");
      this.#statements.begin.run();
      return this;
    } catch (error) {
      if (isBusy(error)) return "busy";
      throw error;
    }
  }

  lend() {
    const connection = new LentConnection(this.#connection);
    return { connection, db: handleOn<Database>(connection) };
  }

  get isOpen(): boolean {
    return this.#sqlite.inTransaction;
  }

  save(): void {
    this.#statements.save.run();
  }

  keep(): void {
    this.#statements.keep.run();
  }

  undo(): void {
    this.#statements.undo.run();
    this.#statements.keep.run();
  }

  commit(): void {
    this.#statements.commit.run();
  }

  rollback(): void {
    if (this.#sqlite.inTransaction) this.#statements.rollback.run();
  }

  /**
   * Only between transactions. What a savepoint may have to put back is little for a brief member, and kept in memory, for in a file
   * it takes more time than all else; for others it may be the whole store.
   */
  #set(pragma: "synchronous" | "temp_store", value: string): void {
    if (this.#pragmas.get(pragma) === value) return;
    this.#sqlite.pragma(`${pragma} = ${value}`);
    this.#pragmas.set(pragma, value);
  }
}

/**
 * Rewrites a SQLite file without its free pages and without what is left over inside of others: `secure_delete` overwrites what is deleted,
 * but not the copies that stay behind where pages were split or merged. Done in a thread of its own, because for a large file it takes
 * seconds; others read meanwhile, and writers wait.
 */
export async function vacuumFile(file: string): Promise<void> {
  const worker = new Worker(new URL("./sqlite-vacuum-worker.ts", import.meta.url), { workerData: file });
  await once(worker, "exit");
}
