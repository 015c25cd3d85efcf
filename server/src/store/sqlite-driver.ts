/**
 * Kysely over a connection to SQLite that reads: whoever reads one state over several queries does so in a transaction, and transactions
 * go one after another, in the order they were asked for. Nobody waits for a writer, or the other way round (WAL). How writing is done
 * stands in sqlite-groups.ts.
 */
import type { Database as SqliteConnection } from "better-sqlite3";
import { type DatabaseConnection, type Dialect, type Driver, SqliteIntrospector } from "kysely";
import { PlannedOnceCompiler } from "./sqlite-compiler.ts";
import { PreparedConnection, QueuelessAdapter } from "./sqlite-connection.ts";

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

export function isBusy(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED");
}
