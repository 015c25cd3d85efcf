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
  Transaction,
} from "kysely";
import type { AtOnce } from "./at-once.ts";
import { PlannedOnceCompiler } from "./sqlite-compiler.ts";

const STATEMENTS_KEPT = 500;

/** Keeps Kysely from queueing before the driver does: its queue has no bound, and would hold up readers as well. */
export class QueuelessAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

interface Prepared {
  readonly statement: Statement;
  /** Whether it gives rows, which one that writes may do as well. */
  readonly gives: boolean;
  readonly writes: boolean;
}

const NO_ROWS: readonly never[] = [];

export class PreparedConnection implements DatabaseConnection, AtOnce {
  readonly #sqlite: SqliteConnection;
  readonly #statements = new Map<string, Prepared>();

  constructor(sqlite: SqliteConnection) {
    this.#sqlite = sqlite;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { statement, gives } = this.#prepare(sql);
    if (gives) return { rows: statement.all(parameters) as R[] };
    const { changes } = statement.run(parameters);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  askAtOnce<R>(sql: string, parameters: readonly unknown[]): readonly R[] {
    const { statement, gives } = this.#prepare(sql);
    if (gives) return statement.all(parameters) as R[];
    statement.run(parameters);
    return NO_ROWS;
  }

  /** Whether the statement may write. */
  writes(sql: string): boolean {
    return this.#prepare(sql).writes;
  }

  // biome-ignore lint/correctness/useYield: Kysely asks for a generator even where nothing is streamed.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("Lists are read whole or in pages; nothing is streamed from SQLite.");
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known !== undefined) {
      if (this.#statements.size < STATEMENTS_KEPT) return known;
      // Moved to the end, so that the first one in the map is the one unused for longest.
      this.#statements.delete(sql);
      this.#statements.set(sql, known);
      return known;
    }
    const statement = this.#sqlite.prepare(sql);
    // Asked once: each of these is a call into SQLite.
    const prepared: Prepared = { statement, gives: statement.reader, writes: !statement.readonly };
    const oldest = this.#statements.size >= STATEMENTS_KEPT ? this.#statements.keys().next().value : undefined;
    if (oldest !== undefined) this.#statements.delete(oldest);
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

/** A connection for as long as one piece of work has it: what is left running afterwards does not reach into the work of others. */
export class LentConnection implements DatabaseConnection, AtOnce {
  #connection: PreparedConnection | undefined;
  #hasWritten = false;

  constructor(connection: PreparedConnection) {
    this.#connection = connection;
  }

  /** Whether there may be something to undo: a statement that writes was asked, be it in vain. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  takeBack(): void {
    this.#connection = undefined;
  }

  askAtOnce<R>(sql: string, parameters: readonly unknown[]): readonly R[] {
    return this.#requireFor(sql).askAtOnce<R>(sql, parameters);
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#requireFor(query.sql).executeQuery<R>(query);
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    return this.#require().streamQuery<R>();
  }

  #requireFor(sql: string): PreparedConnection {
    const connection = this.#require();
    this.#hasWritten ||= connection.writes(sql);
    return connection;
  }

  #require(): PreparedConnection {
    if (this.#connection !== undefined) return this.#connection;
    throw new Error("The transaction has ended; nothing more can be asked in it.");
  }
}

const compiler = new PlannedOnceCompiler();
const adapter = new QueuelessAdapter();
const driver = new DummyDriver();
const dialect: Dialect = {
  createAdapter: () => adapter,
  createDriver: () => driver,
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => compiler,
};

/** A handle whose queries all go to this connection. Transactions are somebody else's to begin and to end. */
export function handleOn<DB>(connection: DatabaseConnection & AtOnce): Transaction<DB> {
  return new Transaction<DB>({ config: { dialect }, dialect, driver, executor: new DirectExecutor(connection) });
}

class DirectExecutor extends DefaultQueryExecutor implements AtOnce {
  readonly #connection: DatabaseConnection & AtOnce;

  constructor(connection: DatabaseConnection & AtOnce) {
    super(compiler, adapter, { provideConnection: (consumer) => consumer(connection) });
    this.#connection = connection;
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#connection.executeQuery<R>(query);
  }

  askAtOnce<R>(sql: string, parameters: readonly unknown[]): readonly R[] {
    return this.#connection.askAtOnce<R>(sql, parameters);
  }
}
