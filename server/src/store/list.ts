/**
 * A list of one organization's records: which are in it, and in which order. Nothing is read until one of the ways to read it is taken: as
 * records, whole or by pages, or as the JSON that is sent.
 *
 * Pages go by position in the order (the sort value and the id of the last item), never by offset: whatever is written between two
 * pages, an item that matches throughout and keeps its sort value comes exactly once. Nulls come last in both directions, ties go by id,
 * so the order is total.
 */
import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import { type JsonFields, writeRow } from "./json-writer.ts";
import type { GatheredJson, OrgStore } from "./org-store.ts";
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

/** Records as they stand in a list behind others, each behind a comma. Anyone who was given the bytes may write into them. */
export type JsonSlice = Pick<GatheredJson, "bytes" | "count">;

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

function ordered<T extends keyof Database, Row>(query: SelectQueryBuilder<Database, T, Row>, order: ListOrder) {
  const direction = order.descending ? sql`desc` : sql`asc`;
  if (order.byId) return query.orderBy(sql`${order.idColumn} ${direction}`);
  return query
    .orderBy(sql`(${order.column}) is null`)
    .orderBy(sql`${order.column} ${direction}`)
    .orderBy(sql`${order.idColumn} asc`);
}

function isAfter(order: ListOrder, position: Position): RawBuilder<boolean> {
  const { column, idColumn } = order;
  const beyond = order.descending ? sql`<` : sql`>`;
  if (order.byId) return sql<boolean>`${idColumn} ${beyond} ${position.id}`;
  if (position.value === null) return sql<boolean>`((${column}) is null and ${idColumn} > ${position.id})`;
  return sql<boolean>`(${column} ${beyond} ${position.value} or (${column} = ${position.value} and ${idColumn} > ${position.id}) or (${column}) is null)`;
}

export interface ListSource<T extends keyof Database, Row, Item> {
  readonly org: OrgStore;
  /** Selects whole rows. */
  readonly query: SelectQueryBuilder<Database, T, Row>;
  readonly order: ListOrder;
  readonly fields: JsonFields<Item>;
  fromRow(row: Row): Item;
}

/** Ids are of a–z, 0–9 and the line between their parts. */
const BEFORE_ALL_IDS = "";
const BEHIND_ALL_IDS = "~";

export class StoredList<T extends keyof Database, Row extends { id: string }, Item> implements List<Item> {
  readonly #source: ListSource<T, Row, Item>;

  constructor(source: ListSource<T, Row, Item>) {
    this.#source = source;
  }

  async readPage(page: PageRequest | undefined): Promise<ListPage<Item>> {
    const { query, order, fromRow } = this.#source;
    const { items, next } = await readPage(query, order, page);
    return { items: items.map(fromRow), next };
  }

  /** Looks at which records there are, and at nothing in them: far less than to read them. */
  async countUpTo(most: number): Promise<number> {
    const { org, query, order } = this.#source;
    return org.countRows(query.clearSelect().select(sql<string>`${order.idColumn}`.as("id")).limit(most));
  }

  async readBeginning(limit: number): Promise<JsonSlice> {
    return this.#readSlice(this.#source.query, limit);
  }

  readSlices(nextLimit: () => number, most = Number.MAX_SAFE_INTEGER): AsyncGenerator<JsonSlice> {
    return this.#source.order.byId ? this.#readById(nextLimit, most) : this.#readByOrder(nextLimit, most);
  }

  async *#readById(nextLimit: () => number, most: number): AsyncGenerator<JsonSlice> {
    const { query, order } = this.#source;
    let after = order.descending ? BEHIND_ALL_IDS : BEFORE_ALL_IDS;
    for (let left = most; left > 0; ) {
      const limit = Math.min(nextLimit(), left);
      const slice = await this.#readSlice(query.where(isAfter(order, { value: null, id: after })), limit);
      if (slice.count > 0) yield slice;
      const last = order.descending ? slice.firstId : slice.lastId;
      if (slice.count < limit || last === null) return;
      after = last;
      left -= slice.count;
    }
  }

  /** Sorted once: a slice that begins behind the one before would have to sort everything again. */
  async *#readByOrder(nextLimit: () => number, most: number): AsyncGenerator<JsonSlice> {
    const { org, query, order } = this.#source;
    const sorted = ordered(query.clearSelect(), order).select(sql<string>`${order.idColumn}`.as("id"));
    const ids = (await sorted.limit(most).execute()).map((row) => (row as { id: string }).id);
    for (let start = 0, limit = 0; start < ids.length; start += limit) {
      limit = nextLimit();
      const some = ids.slice(start, start + limit);
      yield await this.#readSlice(query.where(org.json.isAmong(order.idColumn, some)), limit);
    }
  }

  /** The query's first rows. */
  async #readSlice(query: SelectQueryBuilder<Database, T, Row>, limit: number): Promise<GatheredJson> {
    const { org, order, fields, fromRow } = this.#source;
    const rows = ordered(query.clearSelect(), order)
      .select([sql<string>`${order.idColumn}`.as("id"), writeRow(fields, org.json).as("json")])
      .limit(limit);
    const gathered = await org.gatherJson(rows);
    if (gathered.isWhole) return gathered;
    const records = await ordered(query, order).limit(limit).execute();
    const bytes = Buffer.from(records.map((row) => `,${JSON.stringify(fromRow(row as Row))}`).join(""));
    return { ...gathered, bytes };
  }
}
