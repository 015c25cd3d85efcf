import type Database from "better-sqlite3";

/** How many rows a full statement has. */
export const BATCH_ROWS = 32;

/**
 * Writes rows of one kind many to a statement: to call SQLite costs about as much as what it then does for a row. A row is
 * written when the batch is full or finished, so what its values refer to must stay as it is until then.
 */
export class UpsertBatch<Row extends readonly unknown[]> {
  readonly #one: Database.Statement<unknown[]>;
  readonly #full: Database.Statement<unknown[]>;
  #rows: Row[] = [];

  /** `sql` has one `VALUES (?, …)`, which is repeated. */
  constructor(database: Database.Database, sql: string) {
    this.#one = database.prepare(sql);
    this.#full = database.prepare(
      sql.replace(/VALUES (\([^)]*\))/, (_, row) => `VALUES ${Array(BATCH_ROWS).fill(row)}`),
    );
  }

  /** The place that the next row will have in its statement. */
  get nextPlace(): number {
    return this.#rows.length;
  }

  add(row: Row): void {
    this.#rows.push(row);
    if (this.#rows.length < BATCH_ROWS) return;
    this.#full.run(this.#rows.flat());
    this.#rows = [];
  }

  finish(): void {
    for (const row of this.#rows) this.#one.run(row);
    this.#rows = [];
  }

  /** For a transaction that is rolled back. */
  discard(): void {
    this.#rows = [];
  }
}
