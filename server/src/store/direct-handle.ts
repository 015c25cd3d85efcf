/**
 * Handles on one connection, without the half dozen promises that Kysely puts before one that it first has to get. The embedded store has
 * every answer at once, and to be promised what is there already takes as long as to look it up; PostgreSQL need not have answered a
 * statement that gives no rows before the next one is sent. Who asks the same few statements for every write asks this way; the others do
 * not notice which database it is.
 */
import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  DeleteQueryNode,
  type Dialect,
  type DialectAdapter,
  DummyDriver,
  InsertQueryNode,
  type Kysely,
  type QueryCompiler,
  type QueryResult,
  Transaction,
  UpdateQueryNode,
} from "kysely";
import { withValues } from "./prepared-query.ts";
import type { Database } from "./schema.ts";

/** Rows are promised only where they have to be waited for. */
type Rows<R> = readonly R[] | Promise<readonly R[]>;

export interface Direct {
  ask<R>(query: CompiledQuery<R>, parameters: readonly unknown[]): Rows<R>;
  /** For what gives no rows. What fails of it may be told by whatever is asked next, or at the end of the transaction. */
  send(query: CompiledQuery, parameters: readonly unknown[]): void | Promise<void>;
}

export interface DirectConnection extends DatabaseConnection, Direct {
  /** Whether the statement may write. */
  writes(query: CompiledQuery): boolean;
}

/** Whether a query writes and gives no rows for it. */
export function givesNothing({ query: node }: CompiledQuery): boolean {
  const writes = InsertQueryNode.is(node) || UpdateQueryNode.is(node) || DeleteQueryNode.is(node);
  return writes && node.returning === undefined;
}

export function ask<R>(db: Kysely<Database>, query: CompiledQuery<R>, parameters: readonly unknown[]): Rows<R> {
  const executor = db.getExecutor();
  if (isDirect(executor)) return executor.ask<R>(query, parameters);
  return executor.executeQuery(withValues<R>(query, parameters)).then(({ rows }) => rows);
}

export async function send(db: Kysely<Database>, query: CompiledQuery, parameters: readonly unknown[]): Promise<void> {
  const executor = db.getExecutor();
  if (isDirect(executor)) await executor.send(query, parameters);
  else await executor.executeQuery(withValues(query, parameters));
}

function isDirect(executor: object): executor is Direct {
  return executor instanceof DirectExecutor;
}

/** A connection for as long as one piece of work has it: what is left running afterwards does not reach into the work of others. */
export class LentConnection implements DatabaseConnection, Direct {
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

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("Lists are read whole or in pages; nothing is streamed in a transaction.");
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
  return <DB>(connection: DatabaseConnection & Direct): Transaction<DB> =>
    new Transaction<DB>({
      config: { dialect },
      dialect,
      driver,
      executor: new DirectExecutor(compiler, adapter, connection),
    });
}

class DirectExecutor extends DefaultQueryExecutor implements Direct {
  readonly #connection: DatabaseConnection & Direct;

  constructor(compiler: QueryCompiler, adapter: DialectAdapter, connection: DatabaseConnection & Direct) {
    super(compiler, adapter, { provideConnection: (consumer) => consumer(connection) });
    this.#connection = connection;
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#connection.executeQuery<R>(query);
  }

  ask<R>(query: CompiledQuery<R>, parameters: readonly unknown[]): Rows<R> {
    return this.#connection.ask(query, parameters);
  }

  send(query: CompiledQuery, parameters: readonly unknown[]): void | Promise<void> {
    return this.#connection.send(query, parameters);
  }
}
