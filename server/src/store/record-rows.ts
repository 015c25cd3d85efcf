/** Between the records of a resource and the rows of its table: which columns there are, and how each is read and written. */
import { SORTED_CHARACTERS_MAX } from "@lineup/api/parameters";
import {
  type AnyResource,
  columnOf,
  type Field,
  formOf,
  isLongText,
  partsOf,
  type RecordOf,
  type StoredOf,
} from "@lineup/api/resource";
import { type RawBuilder, sql } from "kysely";
import type { FieldChanges } from "./audit-entry.ts";
import type { JsonField, JsonFields } from "./json-writer.ts";
import type { NewRow } from "./schema.ts";

type Values = Readonly<Record<string, unknown>>;

/** How each field is read in SQL, for filters and sorts: a column, or an expression. */
export type FieldExpressions = Readonly<Record<string, RawBuilder<unknown>>>;

/** A field, with what is worked out of its definition once. */
type KnownField = ReturnType<typeof describeField>;

function describeField([name, one]: readonly [string, Field]) {
  return { name, column: columnOf(name), form: formOf(one), parts: partsOf(one), source: one.source };
}

const known = new WeakMap<AnyResource, readonly KnownField[]>();

function knownFields(resource: AnyResource): readonly KnownField[] {
  const before = known.get(resource);
  if (before !== undefined) return before;
  const fields = Object.entries(resource.fields).map(describeField);
  known.set(resource, fields);
  return fields;
}

/** The row of a record, its organization aside, which the handle adds. */
export function rowOf<R extends AnyResource>(resource: R, record: StoredOf<R>): NewRow<R> {
  const values = record as Values;
  const row: Record<string, unknown> = {};
  for (const { name, column, form, parts, source } of knownFields(resource)) {
    if (source !== "column") continue;
    const value = values[name];
    // Said here, because a record without it would be shown as it was sent and stored without it.
    if (value === undefined) throw new Error(`A ${resource.kind} that is to be stored has no ${name}.`);
    if (form === "json") row[column] = value === null ? null : JSON.stringify(value);
    else if (form === "boolean") row[column] = Number(value);
    else if (form !== "parts") row[column] = value;
    else for (const part of parts) row[`${column}_${part}`] = (value as Values | null)?.[part] ?? null;
  }
  if (resource.searched !== undefined) {
    row.search_text = searchTextOf(...resource.searched.map((name) => values[name] as string | null));
  }
  return row as NewRow<R>;
}

/** A record as its own table holds it. */
export function storedOf<R extends AnyResource>(resource: R, row: NewRow<R>): StoredOf<R> {
  const record: Record<string, unknown> = {};
  for (const one of knownFields(resource)) {
    if (one.source === "column") record[one.name] = readField(one, row as Values);
  }
  return record as StoredOf<R>;
}

/** A record as answers show it, from a row with the columns that are joined. What code works out is left for it to fill in. */
export function recordOf<R extends AnyResource>(resource: R, row: object): RecordOf<R> {
  const record: Record<string, unknown> = {};
  for (const one of knownFields(resource)) {
    record[one.name] = one.source === "computed" ? undefined : readField(one, row as Values);
  }
  return record as RecordOf<R>;
}

function readField({ column, form, parts }: KnownField, row: Values): unknown {
  if (form === "parts") {
    const values = parts.map((part) => [part, row[`${column}_${part}`]] as const);
    return values.some(([, value]) => value === null) ? null : Object.fromEntries(values);
  }
  const value = row[column];
  if (form === "boolean") return value === 1;
  return form === "json" && value !== null ? JSON.parse(value as string) : value;
}

/** What a query selects beside the resource's own columns. */
export function joinedColumns(resource: AnyResource) {
  const joined = Object.entries(resource.fields).filter(([, one]) => one.source === "joined");
  return joined.map(([name, one]) => sql.ref(one.joined ?? "").as(columnOf(name)));
}

/** What records of the resource show of a record of another table in which these fields change; undefined where that is nothing. */
export function findShownChanges(
  resource: AnyResource,
  table: string,
  changes: FieldChanges,
): FieldChanges | undefined {
  const columns = new Map(Object.entries(changes).map(([name, change]) => [`${table}.${columnOf(name)}`, change]));
  const shown = Object.entries(resource.fields).flatMap(([name, { joined = "" }]) => {
    const change = columns.get(joined);
    return change === undefined ? [] : [[name, change] as const];
  });
  return shown.length === 0 ? undefined : Object.fromEntries(shown);
}

/** Of every field that can be sorted by. Long texts by their beginning: a cursor holds the value at which its page ended. */
export function expressionsOf(resource: AnyResource): FieldExpressions {
  return Object.fromEntries(
    resource.sortFields.map((name) => {
      const one = requireField(resource, name);
      const column = sql.ref(sqlColumn(resource, name, one));
      return [name, isLongText(one) ? sql`substr(${column}, 1, ${SORTED_CHARACTERS_MAX})` : column];
    }),
  );
}

/** How each field is written as JSON. Those that code works out have to be given. */
export function jsonFieldsOf<R extends AnyResource>(
  resource: R,
  own: Readonly<Record<string, JsonField>> = {},
): JsonFields<RecordOf<R>> {
  const fields = Object.entries(resource.fields).map(([name, one]) => {
    const json = own[name] ?? jsonFieldOf(sqlColumn(resource, name, one), one);
    if (one.source === "computed" && own[name] === undefined) throw new Error(`Nobody works out ${name}.`);
    return [name, json];
  });
  return Object.fromEntries(fields) as JsonFields<RecordOf<R>>;
}

function jsonFieldOf(column: string, one: Field): JsonField {
  switch (formOf(one)) {
    case "text":
      return { write: (writer) => writer.text(column) };
    case "number":
      return { write: (writer) => writer.fraction(column), isExact: (writer) => writer.isExact(column) };
    case "boolean":
      return { write: () => `case ${column} when 1 then 'true' else 'false' end` };
    case "json":
      // It was written by JSON.stringify, and stays as it is.
      return { write: () => `coalesce(${column}, 'null')` };
    case "parts":
      return { write: () => writeParts(column, partsOf(one)) };
    default:
      return { write: () => `coalesce(cast(${column} as text), 'null')` };
  }
}

function writeParts(column: string, parts: readonly string[]): string {
  const isNone = parts.map((part) => `${column}_${part} is null`).join(" or ");
  const members = parts.map((part, index) => `'${index === 0 ? "{" : ","}"${part}":', ${column}_${part}`).join(", ");
  return `case when ${isNone} then 'null' else concat(${members}, '}') end`;
}

function sqlColumn({ table }: AnyResource, name: string, one: Field): string {
  return one.joined ?? `${table}.${columnOf(name)}`;
}

function requireField(resource: AnyResource, name: string): Field {
  const one = resource.fields[name];
  if (one === undefined) throw new Error(`A ${resource.kind} has no ${name}.`);
  return one;
}

/**
 * Case-insensitive search that means the same on every database: names are folded by JavaScript when they are written,
 * what is searched for is folded the same way, and the database only looks for one in the other.
 */

/** What is no character: SQLite looks for all of them alike, and PostgreSQL for each by itself. */
const NO_CHARACTERS = /[\uFFFE\uFFFF]/g;

const PLAIN = /^[\x20-\x7e]*$/;

/** Lower then upper case brings together what either alone keeps apart, such as ß, ẞ and SS, or σ and ς. */
export function foldCase(text: string): string {
  // The rest changes nothing in it.
  if (PLAIN.test(text)) return text.toUpperCase();
  return text.normalize("NFC").toLowerCase().toUpperCase().normalize("NFC").replaceAll(NO_CHARACTERS, "\uFFFD");
}

/** What is stored to be searched. Names hold no line breaks, so a match never spans two of them. */
export function searchTextOf(...names: readonly (string | null)[]): string {
  return names.map((name) => foldCase(name ?? "")).join("\n");
}

export function searchMatches(column: string, wanted: string): RawBuilder<boolean> {
  const pattern = `%${foldCase(wanted).replaceAll(/[\\%_]/g, "\\$&")}%`;
  // Joined to nothing, so that SQLite does not plan anew for each pattern (`sqlite-driver.ts`).
  return sql<boolean>`${sql.ref(column)} like ('' || ${pattern}) escape '\\'`;
}
