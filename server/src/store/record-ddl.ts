/**
 * Tables as both databases make them. What a table is, is said once: those of records by the definitions of their resources, the others as SQL
 * that stands for both databases, from which the types of their rows follow.
 */
import {
  type AnyResource,
  columnOf,
  type Field,
  type FieldForm,
  formOf,
  innerOf,
  isNullable,
  partsOf,
} from "@lineup/api/resource";
import * as z from "zod";

/** In which the databases differ. */
export interface Dialect {
  readonly types: Readonly<Record<"text" | "integer" | "number", string>>;
  asJson(column: string): string;
  /** What kind of JSON a column holds. */
  jsonType(column: string): string;
  /** Whether a column `id` has ids of this kind. */
  isIdOf(kind: string): string;
  /** Of a table that is kept in the order of its primary key. */
  readonly tableEnd: string;
  /** Of one that is kept in the order in which its rows came. */
  readonly rowTableEnd: string;
}

export function among(column: string, values: readonly string[]): string {
  return `CHECK (${column} IN (${values.map((value) => `'${value}'`).join(", ")}))`;
}

/** The table and its indexes. `later` are fields that another step adds. */
export function createTable(resource: AnyResource, dialect: Dialect, later: readonly string[] = []): string {
  const { table, fields, searched, externalIds } = resource;
  const { text } = dialect.types;
  const { id, createdAt, updatedAt, ...others } = fields;
  const columnsOf = (some: Readonly<Record<string, Field | undefined>>) =>
    Object.entries(some).flatMap(([name, one]) => (one === undefined ? [] : describeColumns(name, one, dialect)));
  const own = Object.entries(others).filter(([name, one]) => one.source === "column" && !later.includes(name));
  const lines = [
    `org_id ${text} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE`,
    ...columnsOf({ id, createdAt, updatedAt, ...Object.fromEntries(own) }),
    ...(searched === undefined ? [] : [`search_text ${text} NOT NULL`]),
    ...(externalIds === false ? [`import_id ${text}`] : []),
    "PRIMARY KEY (org_id, id)",
    ...own.flatMap(([name, one]) => describeReference(name, one)),
    ...own.flatMap(([name, one]) => describeParts(name, one)),
  ];
  const body = lines.map((line) => `\n  ${line}`).join(",");
  return [`CREATE TABLE ${table} (${body}\n)${dialect.tableEnd};`, ...createIndexes(resource), ""].join("\n");
}

/** A new column of a table that has rows already: they get the default. */
export function addColumn({ table, fields }: AnyResource, name: string, dialect: Dialect): string {
  const one = fields[name];
  if (one === undefined) throw new Error(`${table} has no field ${name}.`);
  // Neither database adds a foreign key of two columns with a column.
  if (one.refersTo !== undefined) throw new Error(`${table}.${name} refers to others: write its step out.`);
  return describeColumns(name, one, dialect, true)
    .map((column) => `ALTER TABLE ${table} ADD COLUMN ${column};\n`)
    .join("");
}

function createIndexes({ table, indexes }: AnyResource): string[] {
  return Object.entries(indexes).map(([name, { columns, unique, where }]) => {
    const kind = unique === true ? "UNIQUE INDEX" : "INDEX";
    const part = where === undefined ? "" : ` WHERE ${where}`;
    return `CREATE ${kind} ${name} ON ${table} (org_id, ${columns.join(", ")})${part};`;
  });
}

function describeColumns(name: string, one: Field, dialect: Dialect, withDefault = false): string[] {
  const column = columnOf(name);
  const form = formOf(one);
  if (form === "parts") return partsOf(one).map((part) => `${column}_${part} ${dialect.types.integer}`);
  const presence = isNullable(one.schema) ? [] : ["NOT NULL", ...describeDefault(one, form, withDefault)];
  const checks = describeChecks(column, one, form, dialect);
  return [[column, typeOf(form, dialect), ...presence, ...checks].join(" ")];
}

function typeOf(form: FieldForm, { types }: Dialect): string {
  if (form === "text" || form === "json") return types.text;
  return form === "number" ? types.number : types.integer;
}

/** Rows are written whole, so a default is for rows that were there before; a column forgotten in a write is then refused. */
function describeDefault(one: Field, form: FieldForm, withDefault: boolean): string[] {
  const value = one.default;
  if (form === "json") return [`DEFAULT '${JSON.stringify(value)}'`];
  if (typeof value === "number") return [`DEFAULT ${value}`];
  if (!withDefault) return [];
  if (typeof value === "boolean") return [`DEFAULT ${Number(value)}`];
  if (typeof value === "string") return [`DEFAULT '${value.replaceAll("'", "''")}'`];
  throw new Error("A field that is added to a table is nullable or has a fixed default.");
}

function describeChecks(column: string, one: Field, form: FieldForm, dialect: Dialect): string[] {
  const inner = innerOf(one.schema);
  const checks: string[] = [];
  if (inner instanceof z.ZodEnum) checks.push(among(column, inner.options as string[]));
  else if (form === "boolean") checks.push(`CHECK (${column} IN (0, 1))`);
  else if (form === "json") {
    const isJson = `${dialect.jsonType(column)} = '${inner instanceof z.ZodArray ? "array" : "object"}'`;
    checks.push(`CHECK (${isNullable(one.schema) ? `${column} IS NULL OR ${isJson}` : isJson})`);
  } else if (!isNullable(one.schema) && inner.meta()?.minLength === 1) checks.push(`CHECK (${column} <> '')`);
  if (one.check !== undefined) checks.push(`CHECK (${one.check})`);
  return checks;
}

/** Every reference begins with the organization: the database itself refuses a player in another organization's team. */
function describeReference(name: string, { refersTo }: Field): string[] {
  if (refersTo === undefined) return [];
  return [`FOREIGN KEY (org_id, ${columnOf(name)}) REFERENCES ${refersTo} (org_id, id)`];
}

/** All parts, or none. */
function describeParts(name: string, one: Field): string[] {
  const [first, ...others] = partsOf(one).map((part) => `${columnOf(name)}_${part} IS NULL`);
  return others.map((other) => `CHECK ((${first}) = (${other}))`);
}

/**
 * By column, its type and what else it has to be. Where the databases say it differently, it is "is id of KIND", "is JSON array", "is JSON
 * object" or "as JSON".
 */
type Columns = Readonly<Record<string, `${"text" | "integer"}${string}`>>;

export interface Table<Name extends string = string, C extends Columns = Columns> {
  readonly name: Name;
  readonly columns: C;
  /** Whether it is kept in the order of its primary key, or in that in which its rows came. */
  readonly keptBy: "key" | "row";
  readonly rules?: readonly string[];
  /** By name, what an index is on. */
  readonly indexes?: Readonly<Record<string, string>>;
}

export function defineTable<const Name extends string, const C extends Columns>(table: Table<Name, C>) {
  return table;
}

/** The rows of several tables, by their names. */
export type RowsOf<T extends readonly Table[]> = { [One in T[number] as One["name"]]: RowOf<One["columns"]> };

/** Truth is 0 or 1; times are milliseconds since the Unix epoch. */
export type RowOf<C extends Columns> = { -readonly [Name in keyof C]: ValueOf<C[Name]> };
type ValueOf<C> = C extends `${string}NOT NULL${string}` | `${string}PRIMARY KEY${string}`
  ? PlainOf<C>
  : PlainOf<C> | null;
type PlainOf<C> = C extends `text${infer Rules}`
  ? Rules extends `${string} IN ('${infer Words}'))${string}`
    ? WordsOf<Words>
    : string
  : number;
type WordsOf<W> = W extends `${infer First}', '${infer Rest}` ? First | WordsOf<Rest> : W;

export function createTables(dialect: Dialect, ...tables: readonly Table[]): string {
  return tables.map((table) => `\n${createDefined(dialect, table)}`).join("");
}

function createDefined(dialect: Dialect, { name, columns, keptBy, rules = [], indexes = {} }: Table): string {
  const lines = Object.entries(columns).map((column) => describeColumn(dialect, column));
  const end = keptBy === "key" ? dialect.tableEnd : dialect.rowTableEnd;
  const made = Object.entries(indexes).map(([index, on]) => `CREATE INDEX ${index} ON ${name} ${on};\n`);
  return `CREATE TABLE ${name} (\n  ${[...lines, ...rules].join(",\n  ")}\n)${end};\n${made.join("")}`;
}

/** For a table that has rows already. */
export function addColumns(dialect: Dialect, table: string, columns: Columns): string {
  const added = Object.entries(columns).map((column) => describeColumn(dialect, column));
  return added.map((column) => `ALTER TABLE ${table} ADD COLUMN ${column};\n`).join("");
}

function describeColumn(dialect: Dialect, [name, column]: readonly [string, string]): string {
  const rules = column
    .replace(/^(text|integer)/, (type) => dialect.types[type as "text" | "integer"])
    .replace(/is id of (\w+)/, (_, kind) => dialect.isIdOf(kind))
    .replace("as JSON", dialect.asJson(name))
    .replace(/is JSON (\w+)/, (_, what) => `${dialect.jsonType(name)} = '${what}'`);
  return `${name} ${rules}`;
}
