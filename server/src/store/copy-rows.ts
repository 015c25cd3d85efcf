/**
 * The whole store as rows, read in the same way from either database: table by table, each in the order of its key, a page at a time.
 *
 * Both databases order texts by their bytes and give the same values for the same row. So the sum of a table, a hash over its rows
 * in that order, is the same wherever the rows lie, and two stores with the same sums are the same store.
 *
 * Which tables and columns there are is read from an empty embedded store.
 */
import { createHash } from "node:crypto";
import Sqlite, { type Database as SqliteConnection } from "better-sqlite3";
import type { ClientBase } from "pg";
import { MIGRATIONS } from "./sqlite-migrations.ts";
import { StoreError } from "./store-error.ts";

/** Enough for few round trips; a page of the longest rows that can be stored still fits into memory many times. */
const ROWS_A_PAGE = 2_000;

export type Row = Readonly<Record<string, string | number | null>>;

export interface TableShape {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** A state of a store that does not change while it is read. */
export interface RowSource {
  readonly kind: "sqlite" | "postgres";
  ask(sql: string, values: readonly unknown[]): Promise<readonly Row[]>;
}

export type StoreSums = Readonly<Record<string, { readonly rows: number; readonly sha256: string }>>;

export function sqliteRows(connection: SqliteConnection): RowSource {
  return { kind: "sqlite", ask: async (sql, values) => connection.prepare<unknown[], Row>(sql).all(...values) };
}

export function postgresRows(client: Pick<ClientBase, "query">): RowSource {
  return { kind: "postgres", ask: async (sql, values) => (await client.query(sql, [...values])).rows };
}

let known: readonly TableShape[] | undefined;

/** The tables as the steps make them, in that order, so that a new one cannot be forgotten. The log of requests is none of them: it stays behind. */
export function listTables(): readonly TableShape[] {
  known ??= readTables();
  return known;
}

function readTables(): TableShape[] {
  const connection = new Sqlite(":memory:");
  try {
    for (const { sql } of MIGRATIONS) connection.exec(sql);
    const tables = connection.prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid",
    );
    return tables
      .pluck()
      .all()
      .map((name) => {
        const columns = connection.pragma(`table_info(${name})`) as { name: string; type: string; pk: number }[];
        const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
        return { name, key: key.map((column) => column.name), columns };
      });
  } finally {
    connection.close();
  }
}

/** Reads everything once, hands each page on, and returns the sums of what was read. */
export async function readStore(
  source: RowSource,
  take: (shape: TableShape, rows: readonly Row[]) => Promise<void> | void = () => {},
  onRows?: (done: number, total: number) => void,
): Promise<StoreSums> {
  const total = onRows === undefined ? 0 : await countRows(source);
  const sums: Record<string, StoreSums[string]> = {};
  let done = 0;
  for (const shape of listTables()) {
    const hash = createHash("sha256");
    const names = shape.columns.map((column) => column.name);
    let rows = 0;
    let taking: Promise<void> | undefined;
    for await (const page of readPages(source, shape)) {
      await taking;
      // While it is taken, there is time for the sum and to read the next; whether it could be is seen after that.
      taking = Promise.resolve(take(shape, page));
      taking.catch(() => undefined);
      hash.update(page.map((row) => `${JSON.stringify(names.map((name) => row[name]))}\n`).join(""));
      rows += page.length;
      done += page.length;
      onRows?.(done, total);
    }
    await taking;
    sums[shape.name] = { rows, sha256: hash.digest("hex") };
  }
  return sums;
}

/** `total` is of rows, all tables together. */
export type OnProgress = (done: number, total: number, phase: "copying" | "checking") => void;

/** Hands every row on, reads back what became of them once that is finished, and throws unless it is what was read. */
export async function copyStore(
  from: RowSource,
  to: RowSource,
  take: (shape: TableShape, rows: readonly Row[]) => Promise<void> | void,
  onProgress: OnProgress | undefined,
  finish: () => void = () => {},
): Promise<StoreSums> {
  const read = await readStore(from, take, onProgress && ((...rows) => onProgress(...rows, "copying")));
  finish();
  const written = await readStore(to, undefined, onProgress && ((...rows) => onProgress(...rows, "checking")));
  const different = listDifferences(read, written);
  if (different.length === 0) return read;
  const shown = different.map((name) => `${name}: ${read[name]?.rows} rows there, ${written[name]?.rows} in the copy`);
  throw new StoreError(
    `The copy is not what was read (${shown.join("; ")}). It was not kept. Try again; if it happens again, please report it.`,
  );
}

/** The names of the tables that are not the same in both. */
export function listDifferences(one: StoreSums, other: StoreSums): string[] {
  return Object.keys(one).filter((name) => one[name]?.sha256 !== other[name]?.sha256);
}

async function* readPages(source: RowSource, shape: TableShape): AsyncGenerator<readonly Row[]> {
  const { key } = shape;
  const names = shape.columns.map((column) => column.name).join(", ");
  const order = key.join(", ");
  const marks = key.map((_, index) => (source.kind === "sqlite" ? "?" : `$${index + 1}`)).join(", ");
  let last: Row | undefined;
  for (;;) {
    const after = last === undefined ? "" : `WHERE (${order}) > (${marks})`;
    const values = key.map((name) => last?.[name]).filter((value) => value !== undefined);
    const page = await source.ask(
      `SELECT ${names} FROM ${shape.name} ${after} ORDER BY ${order} LIMIT ${ROWS_A_PAGE}`,
      values,
    );
    if (page.length > 0) yield page;
    last = page.at(-1);
    if (page.length < ROWS_A_PAGE) return;
  }
}

async function countRows(source: RowSource): Promise<number> {
  let total = 0;
  for (const { name } of listTables()) {
    const [found] = await source.ask(`SELECT count(*) AS number FROM ${name}`, []);
    total += Number(found?.number ?? 0);
  }
  return total;
}
