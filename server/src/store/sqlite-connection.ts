/**
 * A connection to SQLite as Kysely uses it. Statements are prepared once. Nobody ever waits: every answer is there at once.
 */
import type { Database as SqliteConnection, Statement } from "better-sqlite3";
import { type CompiledQuery, type QueryResult, SqliteAdapter } from "kysely";
import { type DirectConnection, makeHandles } from "./direct-handle.ts";
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

export class PreparedConnection implements DirectConnection {
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

export const handleOn = makeHandles(new QueuelessAdapter(), new PlannedOnceCompiler());
