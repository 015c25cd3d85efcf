import { sql } from "kysely";
import type { JsonWriter } from "./json-writer.ts";

export const sqliteJson: JsonWriter = {
  text: (column) => `json_quote(${column})`,
  // Fifteen digits name one number; what needs more, or an exponent, is left to JavaScript.
  fraction: (column) =>
    `case when ${column} is null then 'null' when ${column} = 0 then '0' else format('%.15g', ${column}) end`,
  isExact: (column) =>
    `(${column} is null or ${column} = 0 or (${column} >= 0.0001 and cast(format('%.15g', ${column}) as real) = ${column}))`,
  joinClosed: (column) => sql.raw(`cast(group_concat(${column}, '') || ']' as blob)`),
  isAmong: (column, list) => sql`${column} in (select value from json_each(${list}))`,
  listOf: (ids) => JSON.stringify(ids),
};
