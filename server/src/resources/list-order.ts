/** From a `sort` parameter to the order of a query. */
import { SORTED_CHARACTERS_MAX, type SortOrder } from "@lineup/api/parameters";
import { type RawBuilder, sql } from "kysely";
import type { ListOrder } from "../store/list-page.ts";

/** How each sortable field of a resource is read in SQL: a column, or an expression. */
export type SortColumns = Readonly<Record<string, string | RawBuilder<unknown>>>;

export function orderList(
  columns: SortColumns,
  sort: SortOrder | undefined,
  usual: SortOrder = BY_CREATION,
): ListOrder {
  const { field, descending } = sort ?? usual;
  const column = columns[field];
  const idColumn = columns.id;
  // The parameter admits sortable fields only; a field without a column is a mistake of ours.
  if (column === undefined || idColumn === undefined) throw new Error(`No column to sort by ${field}.`);
  return { column: expression(column), idColumn: expression(idColumn), descending, byId: field === "id" };
}

/**
 * How long texts are sorted: by their beginning. A cursor holds the value at which its page ended, and it travels in URLs
 * and headers, which do not have room for ten thousand characters.
 */
export function byBeginning(column: string): RawBuilder<unknown> {
  return sql`substr(${sql.ref(column)}, 1, ${SORTED_CHARACTERS_MAX})`;
}

const BY_CREATION: SortOrder = { field: "id", descending: false };

function expression(column: string | RawBuilder<unknown>): RawBuilder<unknown> {
  return typeof column === "string" ? sql.ref(column) : column;
}
