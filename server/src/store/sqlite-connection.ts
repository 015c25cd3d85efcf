/**
 * A connection to SQLite as Kysely uses it. Statements are prepared once. Nobody ever waits: every answer is there at once.
 */
import type { Database as SqliteConnection, Statement } from "better-sqlite3";
import {
  type CompiledQuery,
  type LimitNode,
  type QueryResult,
  SqliteAdapter,
  SqliteQueryCompiler,
  ValueNode,
} from "kysely";
import { BoundedMap } from "./bounded-map.ts";
import { type DirectConnection, makeHandles } from "./direct-handle.ts";

/**
 * SQLite looks at the value of a parameter that stands for a limit, or that something is to be like, when it makes its plan; so as to be
 * right for the next one too, it parses and plans the statement again each time such a value is given, which takes several times as long as
 * most queries do. It does not look into a sum, nor into a text that is joined (`searchMatches`).
 */
export class PlannedOnceCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    super.visitLimit(node);
    if (ValueNode.is(node.limit)) this.append(" + 0");
  }
}

const STATEMENTS_MAX = 500;

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

  // biome-ignore lint/correctness/useYield: Kysely asks for a generator even where nothing is streamed.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("Lists are read whole or in pages; nothing is streamed from SQLite.");
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

export const handleOn = makeHandles(new QueuelessAdapter(), new PlannedOnceCompiler());
