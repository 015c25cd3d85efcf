/** What the stores of all resources share: lists with their filters, one record by its id, and writing it. */
import type { SomeResource } from "@lineup/api/endpoints";
import { isIdOf } from "@lineup/api/ids";
import type { ExternalIdRef, SortOrder } from "@lineup/api/parameters";
import type { RecordOf, StoredOf } from "@lineup/api/resource";
import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import { type ExternalIds, hasExternalId, saveExternalIds } from "../store/external-ids.ts";
import type { JsonFields } from "../store/json-writer.ts";
import { type List, type ListOrder, StoredList } from "../store/list.ts";
import { type OrgStore, prepareQuery, type QueryValues } from "../store/org-store.ts";
import {
  expressionsOf,
  type FieldExpressions,
  joinedColumns,
  jsonFieldsOf,
  recordOf,
  rowOf,
  searchMatches,
  storedOf,
} from "../store/record-rows.ts";
import type { Database, ExternalIdKind, NewRow } from "../store/schema.ts";

const BY_CREATION: SortOrder = { field: "id", descending: false };

/** What every list takes, and a filter by any field. */
interface CommonFilter {
  readonly limit?: number;
  readonly cursor?: string;
  readonly sort?: SortOrder;
  readonly updatedSince?: number;
  readonly externalId?: readonly ExternalIdRef[];
  readonly search?: string;
}
type FieldFilter<R extends SomeResource> = CommonFilter & {
  readonly [K in Exclude<keyof R["fields"], keyof CommonFilter>]?: readonly string[];
};
/** A filter that is no field's is the resource's own to apply, and may not be left over. */
type NothingElse<F, R extends SomeResource> = { readonly [K in Exclude<keyof F, keyof FieldFilter<R>>]?: never };

interface ListSource<R extends SomeResource, T extends keyof Database, Row> {
  readonly query: SelectQueryBuilder<Database, T, Row>;
  /** The order where none is asked for; by creation, where none is given. */
  readonly usual?: SortOrder;
  /** Of fields that are not read as they are stored. */
  readonly expressions?: FieldExpressions;
  readonly json?: JsonFields<RecordOf<R>>;
  readonly fromRow?: (row: Row) => RecordOf<R>;
}

export class RecordStore<R extends SomeResource> {
  readonly resource: R;
  readonly #expressions: FieldExpressions;
  readonly #json: JsonFields<RecordOf<R>> | undefined;
  readonly #select = prepareQuery((org, { id }: { id: string }) =>
    this.select(org).where(sql.ref(`${this.resource.table}.id`), "=", id),
  );
  readonly #insert = prepareQuery((org, row: QueryValues) => org.insertInto(this.resource.table, [row as never]));
  readonly #update = prepareQuery((org, { id, ...columns }: QueryValues) =>
    org
      .updateTable(this.resource.table as "players")
      .set(columns)
      .where("id", "=", id as string),
  );

  constructor(resource: R) {
    this.resource = resource;
    this.#expressions = expressionsOf(resource);
    const isComputed = Object.values(resource.fields).some((one) => one.source === "computed");
    this.#json = isComputed ? undefined : jsonFieldsOf(resource);
  }

  /** Whole rows; of a resource that shows other tables' columns, its own query joins them. */
  select(org: OrgStore): SelectQueryBuilder<Database, R["table"], { id: string }> {
    // The tables of records share the columns that are used here, which a union of tables hides from Kysely.
    const table = this.resource.table as "players";
    return org.selectFrom(table).selectAll(table) as never;
  }

  /** Adds the columns that are shown of other tables. */
  selectJoined<T extends keyof Database, Row>(query: SelectQueryBuilder<Database, T, Row>): typeof query {
    return query.select(joinedColumns(this.resource) as never) as never;
  }

  list<F extends FieldFilter<R>, T extends keyof Database = R["table"], Row extends { id: string } = { id: string }>(
    org: OrgStore,
    filter: F & NothingElse<F, R>,
    source: ListSource<R, T, Row> = { query: this.select(org) as never },
  ): List<RecordOf<R>> {
    const expressions = { ...this.#expressions, ...source.expressions };
    const fields = source.json ?? this.#json;
    if (fields === undefined) throw new Error(`The store of ${this.resource.name} does not say how they are written.`);
    return new StoredList({
      org,
      query: this.#filter(org, filter, source.query, expressions),
      order: orderOf(expressions, filter.sort ?? source.usual ?? BY_CREATION),
      fields,
      fromRow: source.fromRow ?? this.fromRow,
    });
  }

  /** Without what is shown of other tables, or worked out. */
  async find(org: OrgStore, id: string): Promise<StoredOf<R> | undefined> {
    if (!isIdOf(this.resource.kind, id)) return undefined;
    const [row] = await org.run(this.#select, { id });
    return row === undefined ? undefined : storedOf(this.resource, row as unknown as NewRow<R>);
  }

  /** With their ids in other systems. What refers to them is for the caller to take away before. */
  async delete(org: OrgStore, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { table, kind, externalIds } = this.resource;
    await org
      .deleteFrom(table as "players")
      .where("id", "in", ids)
      .execute();
    if (externalIds === false) return;
    await org
      .deleteFrom("external_ids")
      .where("kind", "=", kind as ExternalIdKind)
      .where("record_id", "in", ids)
      .execute();
  }

  async insert(org: OrgStore, record: StoredOf<R>): Promise<void> {
    await org.run(this.#insert, this.toRow(record) as QueryValues);
    await this.#saveExternalIds(org, undefined, record);
  }

  async update(org: OrgStore, before: StoredOf<R>, after: StoredOf<R>): Promise<void> {
    const { created_at: _, ...columns } = this.toRow(after) as QueryValues;
    await org.run(this.#update, columns);
    await this.#saveExternalIds(org, before, after);
  }

  readonly toRow = (record: StoredOf<R>): NewRow<R> => rowOf(this.resource, record);

  readonly fromRow = (row: object): RecordOf<R> => recordOf(this.resource, row);

  async #saveExternalIds(org: OrgStore, before: object | undefined, after: object): Promise<void> {
    if (this.resource.externalIds === false) return;
    const { id, externalIds } = after as { readonly id: string; readonly externalIds: ExternalIds };
    const known = (before as { readonly externalIds: ExternalIds } | undefined)?.externalIds ?? {};
    await saveExternalIds(org, this.resource.kind as ExternalIdKind, id, known, externalIds);
  }

  #filter<T extends keyof Database, Row>(
    org: OrgStore,
    { limit: _, cursor: __, sort: ___, ...filter }: CommonFilter,
    query: SelectQueryBuilder<Database, T, Row>,
    expressions: FieldExpressions,
  ): SelectQueryBuilder<Database, T, Row> {
    const { updatedSince, externalId, search, ...byField } = filter;
    const { kind, table, name } = this.resource;
    const conditions: RawBuilder<boolean>[] = [];
    for (const [field, values] of Object.entries(byField as Readonly<Record<string, readonly string[] | undefined>>)) {
      if (values === undefined) continue;
      const column = expressions[field];
      if (column === undefined) throw new Error(`Nothing filters ${name} by ${field}.`);
      conditions.push(sql`${column} in (${sql.join(values)})`);
    }
    if (search !== undefined) conditions.push(searchMatches(`${table}.search_text`, search));
    if (updatedSince !== undefined) conditions.push(sql`${expressions.updatedAt} >= ${updatedSince}`);
    if (externalId !== undefined) {
      conditions.push(hasExternalId(org, kind as ExternalIdKind, `${table}.id`, externalId));
    }
    return conditions.reduce((narrowed, condition) => narrowed.where(condition), query);
  }
}

/** A player's records of a kind, as they are stored, in order of creation. */
export async function listOfPlayer<R extends Extract<SomeResource, { fields: { playerId: unknown } }>>(
  org: OrgStore,
  resource: R,
  playerId: string,
): Promise<StoredOf<R>[]> {
  const rows = await org
    .selectFrom(resource.table as "contracts")
    .selectAll()
    .where("player_id", "=", playerId)
    .orderBy("id")
    .execute();
  return rows.map((row) => storedOf(resource, row as unknown as NewRow<R>));
}

function orderOf(expressions: FieldExpressions, { field, descending }: SortOrder): ListOrder {
  const { [field]: column, id: idColumn } = expressions;
  // The parameter admits sortable fields only; a field without a column is a mistake of ours.
  if (column === undefined || idColumn === undefined) throw new Error(`No column to sort by ${field}.`);
  return { column, idColumn, descending, byId: field === "id" };
}
