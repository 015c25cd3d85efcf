/**
 * The two connections to SQLite on which there are transactions. One reads: who reads one state over several queries does so in a
 * transaction, and transactions go one after another, in the order they were asked for. One writes, in the groups of write-groups.ts.
 * Readers never wait for the writer, or the other way round (WAL).
 */
import type { Database as SqliteConnection, Statement } from "better-sqlite3";
import { CompiledQuery, type DatabaseConnection, type Dialect, type Driver, SqliteIntrospector } from "kysely";
import {
  ADD_ENTRY,
  MOVE_HEAD,
  RAISE_REVISION,
  SET_SEAL,
  valuesOfEntry,
  valuesOfHead,
  valuesOfSeal,
} from "./audit-chain.ts";
import { type ChainClaim, type ChainEngine, CLAIM } from "./audit-look.ts";
import { ask, LentConnection } from "./direct-handle.ts";
import type { Database } from "./schema.ts";
import { handleOn, PlannedOnceCompiler, PreparedConnection, QueuelessAdapter } from "./sqlite-connection.ts";
import { isBusy } from "./store-faults.ts";
import type { GroupMode, GroupWriter, WriteTransaction } from "./write-groups.ts";

/** How long a transaction waits for its turn before it is given up. */
const PATIENCE_MS = 30_000;
const QUEUE_MAX = 1_000;

/** `patienceMs` is for tests that cannot wait that long. */
export function snapshotDialect(connection: SqliteConnection, patienceMs = PATIENCE_MS): Dialect {
  return {
    createAdapter: () => new QueuelessAdapter(),
    createDriver: () => new SnapshotDriver(connection, patienceMs),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new PlannedOnceCompiler(),
  };
}

interface Waiting {
  takeTurn(): void;
}

class SnapshotDriver implements Driver {
  readonly #connection: PreparedConnection;
  readonly #sqlite: SqliteConnection;
  readonly #patienceMs: number;
  readonly #waiting = new Set<Waiting>();
  #taken = false;

  constructor(sqlite: SqliteConnection, patienceMs: number) {
    this.#sqlite = sqlite;
    this.#patienceMs = patienceMs;
    this.#connection = new PreparedConnection(sqlite);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#taken) await this.#waitForTurn();
    this.#taken = true;
    return this.#connection;
  }

  #waitForTurn(): Promise<void> {
    if (this.#waiting.size >= QUEUE_MAX) throw new Error("Too many transactions are waiting for the store.");
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(new Error("The store was busy for too long; the transaction was not begun."));
      }, this.#patienceMs);
      const waiting: Waiting = {
        takeTurn() {
          clearTimeout(timer);
          resolve();
        },
      };
      this.#waiting.add(waiting);
    });
  }

  async releaseConnection(): Promise<void> {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken = false;
      return;
    }
    this.#waiting.delete(next);
    next.takeTurn();
  }

  async beginTransaction(): Promise<void> {
    this.#sqlite.exec("BEGIN");
  }

  async commitTransaction(): Promise<void> {
    this.#sqlite.exec("COMMIT");
  }

  async rollbackTransaction(): Promise<void> {
    // SQLite has rolled back by itself after some errors.
    if (this.#sqlite.inTransaction) this.#sqlite.exec("ROLLBACK");
  }

  async destroy(): Promise<void> {
    this.#sqlite.close();
  }
}

const claim = CompiledQuery.raw(CLAIM) as CompiledQuery<ChainClaim>;
const addEntry = CompiledQuery.raw(ADD_ENTRY);
const fillCommitment = CompiledQuery.raw(
  "UPDATE audit SET facts = ?, salt = ?, commitment = ? WHERE org_id = ? AND seq = ?",
);
const moveHead = CompiledQuery.raw(MOVE_HEAD);
const setSeal = CompiledQuery.raw(SET_SEAL);
const raiseRevision = CompiledQuery.raw(RAISE_REVISION);

/** The audit log, to which there is one writer at a time. */
export const sqliteChains: ChainEngine = {
  async claimChain(db, chainId, mark, knownCount) {
    const [found] = await ask(db, claim, [knownCount, mark, chainId]);
    return found;
  },

  async appendToChain(db, rows, seal, raise) {
    for (const row of rows) await ask(db, addEntry, valuesOfEntry(row));
    await ask(db, moveHead, valuesOfHead(seal));
    await ask(db, setSeal, valuesOfSeal(seal));
    if (raise !== undefined) await ask(db, raiseRevision, [raise.by, raise.orgId]);
  },

  async fillCommitments(db, rows) {
    for (const { facts, salt, commitment, org_id, seq } of rows) {
      await ask(db, fillCommitment, [facts, salt, commitment, org_id, seq]);
    }
  },
};

/** The connection that writes. Its lock is never waited for inside SQLite. */
export class SqliteWriter implements GroupWriter, WriteTransaction {
  readonly answersAtOnce = true;
  readonly hasFailed = false;
  readonly chains = sqliteChains;
  readonly #sqlite: SqliteConnection;
  readonly #connection: PreparedConnection;
  readonly #statements: Readonly<Record<"begin" | "save" | "keep" | "undo" | "commit" | "rollback", Statement>>;
  readonly #pragmas = new Map<string, string>();

  constructor(sqlite: SqliteConnection) {
    this.#sqlite = sqlite;
    this.#connection = new PreparedConnection(sqlite);
    this.#statements = {
      begin: sqlite.prepare("BEGIN IMMEDIATE"),
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
