/**
 * Kysely over better-sqlite3, with two things its own dialect lacks. Statements are prepared once and kept. And waiting
 * for the write lock never blocks the event loop: SQLite's own wait is synchronous, so here it is told not to wait at all,
 * and `BEGIN IMMEDIATE` is tried again between other work until the deadline. Writers of this process queue for the one
 * connection in order; readers never wait for anybody (WAL). Whoever reads one state over several queries does so in a
 * transaction on a connection of its own, and queues for that.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Database as SqliteConnection, Statement } from "better-sqlite3";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";

const STATEMENTS_KEPT = 500;
/** How long a transaction waits for its turn and for other processes, such as a long import, before it is given up. */
const WRITE_LOCK_DEADLINE_MS = 30_000;
const QUEUE_MAX = 1_000;

/** Single queries, each whole by itself; or transactions, one after another. */
export type ConnectionUse = "queries" | "transactions";

/** `patienceMs` is for tests that cannot wait that long. */
export function sqliteDialect(
  connection: SqliteConnection,
  use: ConnectionUse,
  patienceMs = WRITE_LOCK_DEADLINE_MS,
): Dialect {
  return {
    createAdapter: () => new QueuelessAdapter(),
    createDriver: () => new PatientSqliteDriver(connection, use, patienceMs),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Keeps Kysely from queueing before the driver does: its queue has no bound, and would hold up readers as well. */
class QueuelessAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

interface Waiting {
  takeTurn(): void;
}

class PatientSqliteDriver implements Driver {
  readonly #connection: PreparedConnection;
  readonly #sqlite: SqliteConnection;
  readonly #use: ConnectionUse;
  readonly #patienceMs: number;
  readonly #waiting = new Set<Waiting>();
  #taken = false;
  /** Until when the present holder may wait for other processes. */
  #deadline = 0;

  constructor(sqlite: SqliteConnection, use: ConnectionUse, patienceMs: number) {
    this.#sqlite = sqlite;
    this.#use = use;
    this.#patienceMs = patienceMs;
    this.#connection = new PreparedConnection(sqlite);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#use === "queries") return this.#connection;
    // The time runs from here: whoever waits for others of this process is not to wait for another process all over again.
    const deadline = performance.now() + this.#patienceMs;
    if (this.#taken) await this.#waitForTurn();
    this.#taken = true;
    this.#deadline = deadline;
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
    for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 50)) {
      try {
        this.#sqlite.exec(this.#sqlite.readonly ? "BEGIN" : "BEGIN IMMEDIATE");
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > this.#deadline) throw error;
        await sleep(waitMs);
      }
    }
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("COMMIT"));
  }

  async rollbackTransaction(): Promise<void> {
    // SQLite has rolled back by itself after some errors, a full disk among them.
    if (this.#sqlite.inTransaction) this.#sqlite.exec("ROLLBACK");
  }

  async destroy(): Promise<void> {
    this.#sqlite.close();
  }
}

class PreparedConnection implements DatabaseConnection {
  readonly #sqlite: SqliteConnection;
  readonly #statements = new Map<string, Statement>();

  constructor(sqlite: SqliteConnection) {
    this.#sqlite = sqlite;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const statement = this.#prepare(query.sql);
    if (statement.reader) return { rows: statement.all(query.parameters) as R[] };
    const { changes } = statement.run(query.parameters);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  // biome-ignore lint/correctness/useYield: Kysely asks for a generator even where nothing is streamed.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("Lists are read whole or in pages; nothing is streamed from SQLite.");
  }

  #prepare(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) {
      // Moved to the end, so that the first one in the map is the one unused for longest.
      this.#statements.delete(sql);
      this.#statements.set(sql, known);
      return known;
    }
    const statement = this.#sqlite.prepare(sql);
    const oldest = this.#statements.size >= STATEMENTS_KEPT ? this.#statements.keys().next().value : undefined;
    if (oldest !== undefined) this.#statements.delete(oldest);
    this.#statements.set(sql, statement);
    return statement;
  }
}

export function isBusy(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED");
}
