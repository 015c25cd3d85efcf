/**
 * Orders a list and cuts one page out of it. Pages go by position in the order (the sort value and the id of the last
 * item), never by offset: whatever is written between two pages, an item that matches throughout and keeps its sort value
 * comes exactly once. Nulls come last in both directions, ties go by id, so the order is total.
 */
import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import type { Database } from "./schema.ts";

export type SortValue = string | number | null;

/** Where a page ended. */
export interface Position {
  readonly value: SortValue;
  readonly id: string;
}

export interface PageRequest {
  readonly limit: number;
  readonly after: Position | undefined;
}

export interface ListOrder {
  /** The value that is sorted by, as the database computes it. */
  readonly column: RawBuilder<unknown>;
  readonly idColumn: RawBuilder<unknown>;
  readonly descending: boolean;
  /** Whether the column is the id itself, which needs no tie-break and is never null. */
  readonly byId: boolean;
}

export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; null when this is the last one, or the whole list. */
  readonly next: Position | null;
}

/** Records as they stand in a list behind others, each behind a comma. Whoever was given the bytes may write into them. */
export interface JsonSlice {
  readonly bytes: Buffer;
  /** The same memory with the bracket that ends a list behind it, so that a list of one slice need not be copied; where there is one. */
  readonly closed?: Buffer | undefined;
  readonly count: number;
}

export interface List<Item> {
  /** Everything, where no page is asked for. */
  readPage(page: PageRequest | undefined): Promise<ListPage<Item>>;
  /** How many are in it, or so many where there are more. */
  countUpTo(most: number): Promise<number>;
  /** The first of it, at most so many. */
  readBeginning(limit: number): Promise<JsonSlice>;
  /**
   * All of it, or the first of it up to `most`, one slice after another, each at most as long as is asked for then; none is empty. On a
   * handle that sees one state of the store, or the slices would not be of one list.
   */
  readSlices(nextLimit: () => number, most?: number): AsyncGenerator<JsonSlice>;
}

const SORT_VALUE = "sort_value";

export async function readPage<T extends keyof Database, Row extends { id: string }>(
  query: SelectQueryBuilder<Database, T, Row>,
  order: ListOrder,
  page: PageRequest | undefined,
): Promise<ListPage<Row>> {
  if (page === undefined) return { items: await ordered(query, order).execute(), next: null };
  const from = page.after === undefined ? query : query.where(isAfter(order, page.after));
  const rows = await ordered(from, order)
    .select(order.column.as(SORT_VALUE) as never)
    .limit(page.limit + 1)
    .execute();
  const items = rows.slice(0, page.limit) as unknown as (Row & { [SORT_VALUE]: SortValue })[];
  const last = items.at(-1);
  const next = rows.length > page.limit && last !== undefined ? { value: last[SORT_VALUE], id: last.id } : null;
  return { items, next };
}

export function ordered<T extends keyof Database, Row>(query: SelectQueryBuilder<Database, T, Row>, order: ListOrder) {
  const direction = order.descending ? sql`desc` : sql`asc`;
  if (order.byId) return query.orderBy(sql`${order.idColumn} ${direction}`);
  return query
    .orderBy(sql`(${order.column}) is null`)
    .orderBy(sql`${order.column} ${direction}`)
    .orderBy(sql`${order.idColumn} asc`);
}

export function isAfter(order: ListOrder, position: Position): RawBuilder<boolean> {
  const { column, idColumn } = order;
  const beyond = order.descending ? sql`<` : sql`>`;
  if (order.byId) return sql<boolean>`${idColumn} ${beyond} ${position.id}`;
  if (position.value === null) return sql<boolean>`((${column}) is null and ${idColumn} > ${position.id})`;
  return sql<boolean>`(${column} ${beyond} ${position.value} or (${column} = ${position.value} and ${idColumn} > ${position.id}) or (${column}) is null)`;
}
