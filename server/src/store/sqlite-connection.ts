/**
 * A connection to SQLite as Kysely uses it. Statements are prepared once and kept. A handle on it asks the connection itself, without the
 * half dozen promises that Kysely puts before one that may have to be waited for: here nobody ever waits, every answer is there at once.
 */
import type { Database as SqliteConnection, Statement } from "better-sqlite3";
import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  DummyDriver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  Transaction,
} from "kysely";

const STATEMENTS_KEPT = 500;

/** Keeps Kysely from queueing before the driver does: its queue has no bound, and would hold up readers as well. */
export class QueuelessAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

export class PreparedConnection implements DatabaseConnection {
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
      if (this.#statements.size < STATEMENTS_KEPT) return known;
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

/** A connection for as long as one piece of work has it: what is left running afterwards does not reach into the work of others. */
export class LentConnection implements DatabaseConnection {
  #connection: PreparedConnection | undefined;

  constructor(connection: PreparedConnection) {
    this.#connection = connection;
  }

  takeBack(): void {
    this.#connection = undefined;
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#require().executeQuery<R>(query);
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    return this.#require().streamQuery<R>();
  }

  #require(): PreparedConnection {
    if (this.#connection !== undefined) return this.#connection;
    throw new Error("The transaction has ended; nothing more can be asked in it.");
  }
}

const compiler = new SqliteQueryCompiler();
const adapter = new QueuelessAdapter();
const driver = new DummyDriver();
const dialect: Dialect = {
  createAdapter: () => adapter,
  createDriver: () => driver,
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => compiler,
};

/** A handle whose queries all go to this connection. Transactions are somebody else's to begin and to end. */
export function handleOn<DB>(connection: DatabaseConnection): Transaction<DB> {
  return new Transaction<DB>({ config: { dialect }, dialect, driver, executor: new DirectExecutor(connection) });
}

class DirectExecutor extends DefaultQueryExecutor {
  readonly #connection: DatabaseConnection;

  constructor(connection: DatabaseConnection) {
    super(compiler, adapter, { provideConnection: (consumer) => consumer(connection) });
    this.#connection = connection;
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#connection.executeQuery<R>(query);
  }
}
