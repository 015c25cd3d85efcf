import { sql } from "kysely";
import type { JsonWriter } from "./json-writer.ts";

export const postgresJson: JsonWriter = {
  text: (column) => `coalesce(to_json(${column})::text, 'null')`,
  // The shortest text that means the number, as in JavaScript; but here small ones get their exponent earlier.
  fraction: (column) =>
    `case when ${column} is null then 'null' when ${column} = 0 then '0' else (${column})::text end`,
  isExact: (column) => `(${column} is null or ${column} = 0 or ${column} >= 0.0001)`,
  joinClosed: (column) => sql.raw(`string_agg(${column}, '') || ']'`),
  isAmong: (column, list) => sql`${column} = any(${list})`,
  listOf: (ids) => ids,
};
