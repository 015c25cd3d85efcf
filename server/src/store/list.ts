/**
 * A list of one organization's records: which are in it, and in which order. Nothing is read until one of the ways to read it is taken: as
 * records, whole or by pages, or as the JSON that is sent.
 *
 * Pages go by position in the order (the sort value and the id of the last item), never by offset: whatever is written between two
 * pages, an item that matches throughout and keeps its sort value comes exactly once. Nulls come last in both directions, ties go by id,
 * so the order is total.
 */
import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import { Placeholder } from "./direct-handle.ts";
import { type JsonFields, writeRow } from "./json-writer.ts";
import type { OrgStore } from "./org-store.ts";
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

export interface ListSource<T extends keyof Database, Row, Item> {
  readonly org: OrgStore;
  /** Selects whole rows. */
  readonly query: SelectQueryBuilder<Database, T, Row>;
  readonly order: ListOrder;
  readonly fields: JsonFields<Item>;
  fromRow(row: Row): Item;
}

export function makeList<T extends keyof Database, Row extends { id: string }, Item>(
  source: ListSource<T, Row, Item>,
): List<Item> {
  return new StoredList(source);
}

/** Parameters whose value is another one each time a query is asked. */
const AFTER = new Placeholder("the id behind which a slice begins");
const AMONG = new Placeholder("the ids that a slice holds");
const LIMIT = new Placeholder("how many a slice holds");

type SliceReader = (limit: number, placeholder?: Placeholder, value?: unknown) => Promise<ReadSlice>;

interface ReadSlice extends JsonSlice {
  /** In the order of ids. */
  readonly firstId: string | null;
  readonly lastId: string | null;
}

/** Ids are of a–z, 0–9 and the line between their parts. */
const BEFORE_ALL_IDS = "";
const BEHIND_ALL_IDS = "~";

class StoredList<T extends keyof Database, Row extends { id: string }, Item> implements List<Item> {
  readonly #source: ListSource<T, Row, Item>;
  /** Put together when it is first asked for. */
  #beginning: SliceReader | undefined;

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
    this.#beginning ??= this.#reader(this.#source.query);
    return this.#beginning(limit);
  }

  readSlices(nextLimit: () => number, most = Number.MAX_SAFE_INTEGER): AsyncGenerator<JsonSlice> {
    return this.#source.order.byId ? this.#readById(nextLimit, most) : this.#readByOrder(nextLimit, most);
  }

  async *#readById(nextLimit: () => number, most: number): AsyncGenerator<JsonSlice> {
    const { query, order } = this.#source;
    const readAfter = this.#reader(query.where(isAfter(order, { value: null, id: standIn(AFTER) })));
    let after = order.descending ? BEHIND_ALL_IDS : BEFORE_ALL_IDS;
    for (let left = most; left > 0; ) {
      const limit = Math.min(nextLimit(), left);
      const slice = await readAfter(limit, AFTER, after);
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
    const readAmong = this.#reader(query.where(org.json.isAmong(order.idColumn, AMONG)));
    for (let start = 0, limit = 0; start < ids.length; start += limit) {
      limit = nextLimit();
      yield await readAmong(limit, AMONG, org.json.listOf(ids.slice(start, start + limit)));
    }
  }

  /** Reads the query's first rows, with a value in the place of a parameter. */
  #reader(query: SelectQueryBuilder<Database, T, Row>): SliceReader {
    const { org, order, fields, fromRow } = this.#source;
    const rows = ordered(query.clearSelect(), order)
      .select([sql<string>`${order.idColumn}`.as("id"), writeRow(fields, org.json).as("json")])
      .limit(standIn(LIMIT));
    const gather = org.gatherJson(rows);
    return async (limit: number, placeholder?: Placeholder, value?: unknown) => {
      const values = new Map<unknown, unknown>([[LIMIT, limit]]);
      if (placeholder !== undefined) values.set(placeholder, value);
      const gathered = await gather(values);
      if (gathered.isWhole) return gathered;
      const records = await org.readWith(ordered(query, order).limit(standIn(LIMIT)), values);
      return {
        ...gathered,
        closed: undefined,
        bytes: Buffer.from(records.map((row) => `,${JSON.stringify(fromRow(row))}`).join("")),
      };
    };
  }
}

/** Whatever a query is built of, Kysely takes for a value and hands on as it is. */
function standIn(placeholder: Placeholder): never {
  return placeholder as never;
}
