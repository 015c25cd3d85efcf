/**
 * Statements that insert several rows, asked again and again with others. As with a prepared query, to build one and to write its text takes several
 * times as long as to run it; so that is done once for each number of rows, and the values are filled in.
 */
import type { Compilable, CompiledQuery, Kysely } from "kysely";
import { Placeholder, withValues } from "./direct-handle.ts";

/** `Row` has the same columns always. One of these is for one database. */
export class PreparedRows<Tables, Row extends object> {
  readonly #build: (db: Kysely<Tables>, rows: readonly Row[]) => Compilable;
  /** By how many rows they insert. */
  readonly #built = new Map<number, CompiledQuery>();
  #width: number | undefined;

  /** The statement may not look at the values of its rows. */
  constructor(build: (db: Kysely<Tables>, rows: readonly Row[]) => Compilable) {
    this.#build = build;
  }

  async run(db: Kysely<Tables>, rows: readonly Row[]): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    this.#width ??= Object.keys(first).length;
    // One more would silently be left out.
    if (rows.some((row) => Object.keys(row).length !== this.#width)) throw new Error("All rows have the same columns.");
    const statement = this.#built.get(rows.length) ?? this.#buildFor(db, rows);
    await db.executeQuery(
      withValues(
        statement,
        statement.parameters.map((one) => valueAt(one, rows)),
      ),
    );
  }

  #buildFor(db: Kysely<Tables>, rows: readonly Row[]): CompiledQuery {
    const placeholders = rows.map((row, index) =>
      Object.fromEntries(Object.keys(row).map((column) => [column, new RowPlaceholder(column, index)])),
    );
    // Whatever a statement is built of, Kysely takes for a value and hands on as it is.
    const statement = this.#build(db, placeholders as unknown as Row[]).compile();
    this.#built.set(rows.length, statement);
    return statement;
  }
}

class RowPlaceholder extends Placeholder {
  readonly row: number;

  constructor(column: string, row: number) {
    super(column);
    this.row = row;
  }
}

function valueAt(one: unknown, rows: readonly object[]): unknown {
  if (!(one instanceof RowPlaceholder)) return one;
  const value = (rows[one.row] as Readonly<Record<string, unknown>> | undefined)?.[one.name];
  if (value === undefined) throw new Error(`A row that is to be written has no ${one.name}.`);
  return value;
}
