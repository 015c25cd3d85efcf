/**
 * A list of one organization's records: which are in it, and in which order. Nothing is read until one of the ways to read it is taken: as
 * records, whole or by pages, or as the JSON that is sent.
 */
import { type SelectQueryBuilder, sql } from "kysely";
import { type JsonFields, writeRow } from "./json-writer.ts";
import {
  isAfter,
  type JsonSlice,
  type List,
  type ListOrder,
  type ListPage,
  ordered,
  type PageRequest,
  readPage,
} from "./list-page.ts";
import type { OrgStore } from "./org-store.ts";
import { Place } from "./prepared-query.ts";
import type { Database } from "./schema.ts";

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
const AFTER = new Place("the id behind which a slice begins");
const AMONG = new Place("the ids that a slice holds");
const LIMIT = new Place("how many a slice holds");

type SliceReader = (limit: number, place?: Place, value?: unknown) => Promise<ReadSlice>;

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
    return async (limit: number, place?: Place, value?: unknown) => {
      const values = new Map<unknown, unknown>([[LIMIT, limit]]);
      if (place !== undefined) values.set(place, value);
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
function standIn(place: Place): never {
  return place as never;
}
