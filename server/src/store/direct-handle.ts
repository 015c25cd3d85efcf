/**
 * Handles on one connection, without the half dozen promises that Kysely puts before one that it first has to get. The embedded store has
 * every answer at once, and to be promised what is there already takes as long as to look it up; PostgreSQL need not have answered a
 * statement that gives no rows before the next one is sent. Who asks the same few statements for every write asks this way; the others do
 * not notice which database it is.
 */
import {
  type Compilable,
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

/*
 * Queries that are asked again and again with other values. To build one and to write its text takes several times as long as SQLite takes
 * to answer it, so it is built once for each database, with a mark in the place of every value, the organization's id among them. Only
 * the values are new each time.
 */

export type QueryValues = Readonly<Record<string, string | number | null>>;

/** Stands for a value while the query is built. It is an object, so no value that anybody sends is ever taken for it. */
export class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const ORGANIZATION = new Placeholder("the organization");

export class BuiltQuery<R> {
  readonly query: CompiledQuery<R>;
  readonly writes: boolean;
  /** How many values it was built with; not one more may be given to it, which it would silently leave out. */
  readonly #size: number;

  constructor(query: CompiledQuery<R>, writes: boolean, size: number) {
    this.query = query;
    this.writes = writes;
    this.#size = size;
  }

  /** Its parameters, in their order. */
  fill(orgId: string, values: QueryValues): readonly unknown[] {
    if (Object.keys(values).length !== this.#size) throw new Error("A prepared query always takes the same values.");
    return this.query.parameters.map((one) => (one instanceof Placeholder ? valueAt(one, orgId, values) : one));
  }
}

/** An organization's handle, as far as a query is built on one. */
interface Handle {
  readonly hasChanged: boolean;
}

export class PreparedQuery<O extends Handle, V extends QueryValues, R> {
  readonly #build: (org: O, values: V) => Compilable<R>;
  /** By the kind of adapter: there is one for each database, however many handles there are on it. */
  readonly #built = new Map<unknown, BuiltQuery<R>>();

  constructor(build: (org: O, values: V) => Compilable<R>) {
    this.#build = build;
  }

  /** `makeHandle` makes a handle on the organization of an id, on the database with that adapter. */
  buildFor(adapter: DialectAdapter, makeHandle: (orgId: string) => O, values: V): BuiltQuery<R> {
    const known = this.#built.get(adapter.constructor);
    if (known !== undefined) return known;
    const built = this.#buildOnce(makeHandle, values);
    this.#built.set(adapter.constructor, built);
    return built;
  }

  #buildOnce(makeHandle: (orgId: string) => O, values: V): BuiltQuery<R> {
    const names = Object.keys(values);
    const placeholders = Object.fromEntries(names.map((name) => [name, new Placeholder(name)]));
    // Whatever a query is built of, Kysely takes for a value and hands on as it is.
    const org = makeHandle(ORGANIZATION as unknown as string);
    const query = this.#build(org, placeholders as unknown as V).compile();
    return new BuiltQuery(query, org.hasChanged, names.length);
  }
}

/** A statement that was written by hand, with values. */
export function withValues<R>(statement: CompiledQuery, parameters: readonly unknown[]): CompiledQuery<R> {
  return { ...statement, parameters };
}

function valueAt(placeholder: Placeholder, orgId: string, values: QueryValues): string | number | null {
  if (placeholder === ORGANIZATION) return orgId;
  const value = values[placeholder.name];
  if (value === undefined) throw new Error(`A prepared query was not given its value for ${placeholder.name}.`);
  return value;
}
