/**
 * Handles on one connection, without the half dozen promises that Kysely puts before one that it first has to get. The embedded store has
 * every answer at once, and to be promised what is there already takes as long as to look it up; PostgreSQL need not have answered a
 * statement that gives no rows before the next one is sent. Who asks the same few statements for every write asks this way; the others do
 * not notice which database it is.
 */
import {
  type CompiledQuery,
  DefaultQueryExecutor,
  type Dialect,
  type DialectAdapter,
  DummyDriver,
  type Kysely,
  type QueryCompiler,
  type QueryResult,
  Transaction,
} from "kysely";
import type { Database } from "./schema.ts";

/** Rows are promised only where they have to be waited for. */
type Rows<R> = readonly R[] | Promise<readonly R[]>;

/** A connection, as handles ask it. */
export interface Direct {
  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>>;
  ask<R>(query: CompiledQuery<R>, parameters: readonly unknown[]): Rows<R>;
  /** For what gives no rows. What fails of it may be told by whatever is asked next, or at the end of the transaction. */
  send(query: CompiledQuery, parameters: readonly unknown[]): void | Promise<void>;
}

export interface DirectConnection extends Direct {
  /** Whether the statement may write. */
  writes(query: CompiledQuery): boolean;
}

export function ask<R>(db: Kysely<Database>, query: CompiledQuery<R>, parameters: readonly unknown[]): Rows<R> {
  return connectionOf(db).ask(query, parameters);
}

export async function send(db: Kysely<Database>, query: CompiledQuery, parameters: readonly unknown[]): Promise<void> {
  await connectionOf(db).send(query, parameters);
}

function connectionOf(db: Kysely<Database>): Direct {
  const executor = db.getExecutor();
  if (executor instanceof DirectExecutor) return executor.connection;
  throw new Error("The handle is none that makeHandles made.");
}

/** A connection for as long as one piece of work has it: what is left running afterwards does not reach into the work of others. */
export class LentConnection implements Direct {
  #connection: DirectConnection | undefined;
  #hasWritten = false;

  constructor(connection: DirectConnection) {
    this.#connection = connection;
  }

  /** Whether there may be something to undo: a statement that writes was asked, be it one that failed. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  takeBack(): void {
    this.#connection = undefined;
  }

  ask<R>(query: CompiledQuery<R>, parameters: readonly unknown[]): Rows<R> {
    return this.#requireFor(query).ask(query, parameters);
  }

  send(query: CompiledQuery, parameters: readonly unknown[]): void | Promise<void> {
    return this.#requireFor(query).send(query, parameters);
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#requireFor(query).executeQuery<R>(query);
  }

  #requireFor(query: CompiledQuery): DirectConnection {
    if (this.#connection === undefined) throw new Error("The transaction has ended; nothing more can be asked in it.");
    this.#hasWritten ||= this.#connection.writes(query);
    return this.#connection;
  }
}

/** Makes handles whose queries all go to one connection. Transactions are somebody else's to begin and to end. */
export function makeHandles(adapter: DialectAdapter, compiler: QueryCompiler) {
  const driver = new DummyDriver();
  const dialect: Dialect = {
    createAdapter: () => adapter,
    createDriver: () => driver,
    createIntrospector: () => {
      throw new Error("A handle on one connection does not look at the schema.");
    },
    createQueryCompiler: () => compiler,
  };
  return <DB>(connection: Direct): Transaction<DB> =>
    new Transaction<DB>({
      config: { dialect },
      dialect,
      driver,
      executor: new DirectExecutor(compiler, adapter, connection),
    });
}

class DirectExecutor extends DefaultQueryExecutor {
  readonly connection: Direct;

  constructor(compiler: QueryCompiler, adapter: DialectAdapter, connection: Direct) {
    super(compiler, adapter, {
      provideConnection: () => {
        throw new Error("Lists are read whole or in pages; nothing is streamed.");
      },
    });
    this.connection = connection;
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.connection.executeQuery<R>(query);
  }
}
