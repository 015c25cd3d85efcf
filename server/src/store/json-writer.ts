/**
 * Rows as the JSON they are sent as, written by the database. A large list then comes as bytes that are ready to go: no row becomes an
 * object, and no object a text. What always holds: the bytes are those that JSON.stringify makes of the record. A row of which
 * the database cannot promise that says so, and is read in the usual way.
 *
 * Columns and what is made of them are plain SQL here, because a query of thirty parts takes longer to put together than to answer.
 */
import { type RawBuilder, sql } from "kysely";

/** In which the databases differ. */
export interface JsonWriter {
  /** A text in quotes, with what has to be escaped; null for none. */
  text(column: string): string;
  /** A number that need not be whole and is not negative; null for none. */
  fraction(column: string): string;
  /** Whether `fraction` writes it as JavaScript does: the shortest text that means this number and no other. */
  isExact(column: string): string;
  /** All of a column's texts, one behind the other, as bytes or as a text; in the order in which the rows come. */
  join(column: string): RawBuilder<Buffer | string | null>;
  /** Whether an id is among these, which are one parameter however many there are. */
  isAmong(column: RawBuilder<unknown>, ids: readonly string[]): RawBuilder<boolean>;
}

/** How one field of a record is written. */
export interface JsonField {
  write(writer: JsonWriter): string | RawBuilder<unknown>;
  /** Where it is not always written as JavaScript would: whether it is. */
  isExact?(writer: JsonWriter): string;
}

/** The fields of a record in the order in which they are sent. */
export type JsonFields<Item> = { readonly [Field in keyof Required<Item>]: JsonField };

/** A whole number that a query works out; null for none. */
export function computed(value: RawBuilder<unknown>): JsonField {
  return { write: () => sql`coalesce(cast(${value} as text), 'null')` };
}

/** One of our own words, in which nothing has to be escaped, as a query works it out. */
export function word(value: RawBuilder<string>): JsonField {
  return { write: () => sql`concat('"', ${value}, '"')` };
}

/** By fields and writer. Most are the same for every list of a kind, and to put them together takes a good part of what the list takes. */
const writtenRows = new WeakMap<object, Map<JsonWriter, RawBuilder<string | null>>>();

/** A row's JSON behind a comma; null where not all of it would be exact. */
export function writeRow(fields: Readonly<Record<string, JsonField>>, writer: JsonWriter): RawBuilder<string | null> {
  const known = writtenRows.get(fields) ?? new Map<JsonWriter, RawBuilder<string | null>>();
  const row = known.get(writer) ?? putRowTogether(fields, writer);
  writtenRows.set(fields, known.set(writer, row));
  return row;
}

function putRowTogether(fields: Readonly<Record<string, JsonField>>, writer: JsonWriter): RawBuilder<string | null> {
  const all = Object.entries(fields);
  const conditions = all.flatMap(([, field]) => field.isExact?.(writer) ?? []);
  const parts: RawBuilder<unknown>[] = [];
  let plain = conditions.length === 0 ? "concat(" : `case when ${conditions.join(" and ")} then concat(`;
  for (const [index, [name, field]] of all.entries()) {
    const json = field.write(writer);
    plain += `'${index === 0 ? ",{" : ","}"${name}":', `;
    if (typeof json === "string") plain += json;
    else {
      parts.push(sql.raw(plain), json);
      plain = "";
    }
    plain += ", ";
  }
  parts.push(sql.raw(`${plain}'}')${conditions.length === 0 ? "" : " end"}`));
  return sql.join(parts, sql.raw(""));
}

export const sqliteJson: JsonWriter = {
  text: (column) => `json_quote(${column})`,
  // Fifteen digits name one number; what needs more, or an exponent, is left to JavaScript.
  fraction: (column) =>
    `case when ${column} is null then 'null' when ${column} = 0 then '0' else format('%.15g', ${column}) end`,
  isExact: (column) =>
    `(${column} is null or ${column} = 0 or (${column} >= 0.0001 and cast(format('%.15g', ${column}) as real) = ${column}))`,
  join: (column) => sql.raw(`cast(group_concat(${column}, '') as blob)`),
  isAmong: (column, ids) => sql`${column} in (select value from json_each(${JSON.stringify(ids)}))`,
};

export const postgresJson: JsonWriter = {
  text: (column) => `coalesce(to_json(${column})::text, 'null')`,
  // The shortest text that means the number, as in JavaScript; but here small ones get their exponent earlier.
  fraction: (column) =>
    `case when ${column} is null then 'null' when ${column} = 0 then '0' else (${column})::text end`,
  isExact: (column) => `(${column} is null or ${column} = 0 or ${column} >= 0.0001)`,
  join: (column) => sql.raw(`string_agg(${column}, '')`),
  isAmong: (column, ids) => sql`${column} = any(${ids})`,
};
