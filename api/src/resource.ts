/**
 * A resource is one record of data: its fields, said once, with all that anybody has to know of them. From it come the schema of
 * answers, the bodies of POST and PATCH, the sort fields, the columns and rows of its table in both databases, the columns of its
 * file in imports and exports, and the words and examples of the reference.
 */
import * as z from "zod";
import * as field from "./fields.ts";
import { SORTED_CHARACTERS_MAX } from "./parameters.ts";

/** As a default: the moment of the write. */
export const NOW = Symbol("now");
/** As a default: what rules make of the other fields. */
export const BY_RULE = Symbol("by rule");

/** `clients`: by POST, PATCH and imports. `imports`: by imports alone. `server`: by nobody but the code. */
export type WrittenBy = "clients" | "imports" | "server";
/** A column of its own table, a column of a table that it is joined with, or worked out by code. */
export type FieldSource = "column" | "joined" | "computed";

interface Texts<V> {
  /** What the field means, in the words of the reference. */
  readonly note: string;
  /** Where a body says it differently. */
  readonly createNote?: string;
  readonly updateNote?: string;
  readonly example: V;
  /** What every row of the table obeys, in SQL; what follows from the schema need not be said. */
  readonly check?: string;
}

export interface Field<
  S extends z.ZodType = z.ZodType,
  W extends WrittenBy = WrittenBy,
  R extends boolean = boolean,
  C extends FieldSource = FieldSource,
> extends Texts<unknown> {
  readonly schema: S;
  readonly writtenBy: W;
  /** Whether a new record cannot be without it. */
  readonly required: R;
  /** What it is where nothing is said. */
  readonly default: unknown;
  readonly source: C;
  /** Of a joined field: table and column. */
  readonly joined?: string;
  /** The table whose record the value is the id of. */
  readonly refersTo?: string;
}

type Default<V> = V | typeof NOW | typeof BY_RULE;
type Otherwise<V> = null extends V ? { readonly default?: Default<V> } : { readonly default: Default<V> };
type Stored<V> = Texts<V> & { readonly refersTo?: string };

/** A field that clients and imports write. One that is neither required nor nullable has a default, or it does not compile. */
export function stored<S extends z.ZodType>(
  schema: S,
  options: Stored<z.output<S>> & { readonly required: true },
): Field<S, "clients", true, "column">;
export function stored<S extends z.ZodType>(
  schema: S,
  options: Stored<z.output<S>> & Otherwise<z.output<S>>,
): Field<S, "clients", false, "column">;
export function stored(schema: z.ZodType, options: Stored<unknown> & { required?: true; default?: unknown }): Field {
  return { default: null, required: false, ...options, schema, writtenBy: "clients", source: "column" };
}

/** A field that imports write and clients only read. */
export function imported<S extends z.ZodType>(
  schema: S,
  options: Stored<z.output<S>> &
    (null extends z.output<S> ? { readonly required?: true } : { readonly required: true }),
): Field<S, "imports", boolean, "column"> {
  return { default: null, required: false, ...options, schema, writtenBy: "imports", source: "column" };
}

/** A field that code writes, whatever clients and files say. */
export function readOnly<S extends z.ZodType>(
  schema: S,
  options: Stored<z.output<S>> & Otherwise<z.output<S>>,
): Field<S, "server", false, "column"> {
  return { default: null, ...options, schema, writtenBy: "server", required: false, source: "column" };
}

/** A column of another table, which the resource's own query joins. */
export function joined<S extends z.ZodType>(
  column: string,
  schema: S,
  options: Texts<z.output<S>>,
): Field<S, "server", false, "joined"> {
  return {
    ...options,
    schema,
    joined: column,
    writtenBy: "server",
    required: false,
    default: undefined,
    source: "joined",
  };
}

/** A field that stands in no table: the resource's store works it out. */
export function computed<S extends z.ZodType>(
  schema: S,
  options: Texts<z.output<S>>,
): Field<S, "server", false, "computed"> {
  return { ...options, schema, writtenBy: "server", required: false, default: undefined, source: "computed" };
}

export interface TableIndex {
  /** Columns behind that of the organization. */
  readonly columns: readonly string[];
  readonly unique?: true;
  /** For a part of the rows only. */
  readonly where?: string;
  /** For how many rows of an organization each further column narrows it down, as the planner of queries should assume. */
  readonly narrows: readonly number[];
  /** Where the index holds fewer rows than the table. */
  readonly rows?: number;
}

export interface Definition {
  /** As the list is called in paths, in files and in error messages. */
  readonly name: string;
  /** The prefix of its ids, and what one of them is called. */
  readonly kind: string;
  /** Its name in the OpenAPI document. */
  readonly component: string;
  readonly description: string;
  readonly tag: { readonly name: string; readonly description: string };
  readonly table: string;
  /** How many rows of it a large organization has, as the planner of queries should assume. */
  readonly rows: number;
  readonly indexes: Readonly<Record<string, TableIndex>>;
  /** The field that people know a record by; null where it has no name of its own. */
  readonly called: string | null;
  /** The fields that `search` looks into. */
  readonly searched?: readonly string[] | undefined;
  readonly idNote: string;
  /** An example of its ids in other systems; false for a resource that has none. */
  readonly externalIds: Readonly<Record<string, string>> | false;
  /** All but `id`, `externalIds`, `createdAt` and `updatedAt`, which every record has. */
  readonly fields: Readonly<Record<string, Field>>;
}

type IdSchema = ReturnType<typeof field.idOf>;
type OwnField<S extends z.ZodType> = Field<S, "server", false, "column">;
type ExternalIds = Field<typeof field.externalIds, "clients", false, "column">;
type Flat<T> = { readonly [K in keyof T]: T[K] };

type FieldsOf<D extends Definition> = Flat<
  { id: OwnField<IdSchema> } & D["fields"] &
    (D["externalIds"] extends false ? unknown : { externalIds: ExternalIds }) & {
      createdAt: OwnField<typeof field.timestamp>;
      updatedAt: OwnField<typeof field.timestamp>;
    }
>;
type Writable<F> = { readonly [K in keyof F as F[K] extends Field<z.ZodType, "clients"> ? K : never]: F[K] };
type Schemas<F> = { -readonly [K in keyof F]: F[K] extends Field<infer S> ? S : never };
type RequiredOf<F> = { [K in keyof F]: F[K] extends Field<z.ZodType, "clients", true> ? K : never }[keyof F] & string;
type PatchSchemas<S> = { [K in keyof S]: K extends "externalIds" ? typeof field.externalIdsPatch : S[K] };

export interface Resource<D extends Definition> extends Omit<Definition, "fields"> {
  readonly name: D["name"];
  readonly kind: D["kind"];
  readonly table: D["table"];
  readonly component: D["component"];
  readonly externalIds: D["externalIds"];
  readonly searched: D extends { readonly searched: infer Names extends readonly string[] } ? Names : undefined;
  /** All of them, in the order in which answers show them. */
  readonly fields: FieldsOf<D>;
  /** What answers hold. */
  readonly schema: z.ZodObject<Schemas<FieldsOf<D>>, z.core.$strict>;
  /** What a POST may hold. */
  readonly createFields: z.ZodObject<Schemas<Writable<FieldsOf<D>>>, z.core.$strip>;
  /** What a PATCH may hold; `externalIds` is merged. */
  readonly updateFields: z.ZodObject<PatchSchemas<Schemas<Writable<FieldsOf<D>>>>, z.core.$strip>;
  readonly required: readonly RequiredOf<FieldsOf<D>>[];
  /** Fields that no client may set. */
  readonly readOnly: readonly string[];
  readonly sortFields: readonly string[];
  readonly example: z.output<z.ZodObject<Schemas<FieldsOf<D>>, z.core.$strict>>;
}

/** A resource of which nothing more is known. */
export interface AnyResource extends Omit<Definition, "fields"> {
  readonly fields: Readonly<Record<string, Field>>;
  readonly schema: z.ZodObject;
  readonly createFields: z.ZodObject;
  readonly updateFields: z.ZodObject;
  readonly required: readonly string[];
  readonly readOnly: readonly string[];
  readonly sortFields: readonly string[];
  readonly example: Readonly<Record<string, unknown>>;
}

/** A record as answers show it. */
export type RecordOf<R extends AnyResource> = z.output<R["schema"]>;

type Elsewhere<F> = {
  [K in keyof F]: F[K] extends Field<z.ZodType, WrittenBy, boolean, "column"> ? never : K;
}[keyof F];

/** A record as its own table holds it: what is joined or worked out is no part of it. */
export type StoredOf<R extends AnyResource> = Flat<Omit<RecordOf<R>, Elsewhere<R["fields"]>>>;

/** How a field's values are stored and written. `parts`: an object of whole numbers, each in a column of its own. */
export type FieldForm = "text" | "moment" | "integer" | "number" | "boolean" | "json" | "parts";

export function innerOf(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodNullable ? (schema.unwrap() as z.ZodType) : schema;
}

export function isNullable(schema: z.ZodType): boolean {
  return schema instanceof z.ZodNullable;
}

export function formOf({ schema }: Pick<Field, "schema">): FieldForm {
  const inner = innerOf(schema);
  if (inner === field.timestamp) return "moment";
  if (inner instanceof z.ZodBoolean) return "boolean";
  if (inner instanceof z.ZodNumber) return inner.isInt ? "integer" : "number";
  if (inner instanceof z.ZodObject) return "parts";
  return inner instanceof z.ZodString || inner instanceof z.ZodEnum ? "text" : "json";
}

/** Whether values are too long to be sorted by, or to stand in a cursor, whole. */
export function isLongText({ schema }: Pick<Field, "schema">): boolean {
  return Number(innerOf(schema).meta()?.maxLength ?? 0) > SORTED_CHARACTERS_MAX;
}

/** The column of a field; of one that is joined, what the query calls it. */
export function columnOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function partsOf({ schema }: Pick<Field, "schema">): string[] {
  const inner = innerOf(schema);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

const MS = "in milliseconds since the Unix epoch";
const CREATED_EXAMPLE = Date.UTC(2025, 0, 3, 9, 30);
export const UPDATED_EXAMPLE = Date.UTC(2025, 11, 18, 15, 4, 5);
/** Of every kind, behind its prefix. */
export const ID_EXAMPLE = "01jb8v6k3ze5xr9m4q7w2t5n8d";

const createdAt = readOnly(field.timestamp, {
  default: NOW,
  note: `When the record was made, ${MS}.`,
  example: CREATED_EXAMPLE,
});
const updatedAt = readOnly(field.timestamp, {
  default: NOW,
  note: `When the record last changed, ${MS}. It changes on every change and never goes backwards: keep the latest you have seen and ask with \`updatedSince\`, less a minute.`,
  example: UPDATED_EXAMPLE,
  check: "updated_at >= created_at",
});

const EXTERNAL_IDS = {
  default: {},
  note: "The record's ids in other systems, as system name → id there, at most 20. System names are made of `a`–`z`, `0`–`9`, `_` and `-`. A pair of system and id belongs to one record of a kind in your organization.",
  updateNote:
    "Merged into what is there: a string sets the id in that system, null removes the system. At most 20 may remain.",
};

export function defineResource<const D extends Definition>(definition: D): Resource<D> {
  const { kind, idNote, externalIds } = definition;
  const fields: Record<string, Field> = {
    id: readOnly(field.idOf(kind), { default: BY_RULE, note: idNote, example: `${kind}_${ID_EXAMPLE}` }),
    ...definition.fields,
    ...(externalIds === false
      ? {}
      : { externalIds: stored(field.externalIds, { ...EXTERNAL_IDS, example: externalIds }) }),
    createdAt,
    updatedAt,
  };
  const all = Object.entries(fields);
  const writable = all.filter(([, one]) => one.writtenBy === "clients");
  const schemas = (some: typeof all, note: (one: Field) => string) =>
    Object.fromEntries(some.map(([name, one]) => [name, one.schema.describe(note(one))]));
  const createFields = z.object(schemas(writable, (one) => (one.createNote ?? one.note) + describeDefault(one)));
  const patch = { externalIds: field.externalIdsPatch.describe(EXTERNAL_IDS.updateNote) };
  const updateFields = z.object({
    ...schemas(writable, (one) => one.updateNote ?? one.note),
    ...(externalIds === false ? {} : patch),
  });
  const isKept = (name: string) => ["id", "createdAt", "updatedAt"].includes(name);
  const others = all.filter(([name, one]) => one.writtenBy !== "clients" && !isKept(name));
  const resource: AnyResource = {
    ...definition,
    searched: definition.searched,
    fields,
    schema: z.strictObject(schemas(all, (one) => one.note)),
    createFields,
    updateFields,
    required: writable.filter(([, one]) => one.required).map(([name]) => name),
    readOnly: ["id", "createdAt", "updatedAt", ...others.map(([name]) => name)],
    sortFields: all.filter(([, one]) => isSortable(one)).map(([name]) => name),
    example: Object.fromEntries(all.map(([name, one]) => [name, one.example])),
  };
  return resource as unknown as Resource<D>;
}

/** Any stored field that holds a single value. */
function isSortable(one: Field): boolean {
  return one.source !== "computed" && !["json", "parts"].includes(formOf(one));
}

/** Said in words: generators make what has a `default` in JSON Schema a field that must be sent. */
function describeDefault(one: Field): string {
  if (typeof one.default !== "string") return "";
  return ` When left out: ${one.default === "" ? "an empty string" : `\`${one.default}\``}.`;
}

/** The fields of a new record: those given, and the defaults of the others, in the order of the resource. */
export function fillIn<R extends AnyResource>(
  resource: R,
  given: Readonly<Record<string, unknown>>,
  now: number,
): StoredOf<R> {
  const record: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(resource.fields)) {
    if (one.source !== "column") continue;
    const value = given[name] === undefined ? one.default : given[name];
    if (value === BY_RULE) throw new Error(`A new ${resource.kind} was not given its ${name}.`);
    record[name] = value === NOW ? now : value;
  }
  return record as StoredOf<R>;
}
