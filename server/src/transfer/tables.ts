/**
 * The tables that import reads and export writes, one for each resource. Their columns are the API's writable fields, in the API's
 * order and judged by the API's schemas, behind those that only imports write; references to other records go by those records'
 * `externalId`, and so their columns lose the `Id` at the end.
 */
import { RESOURCES, type ResourceName, type ResourceNamed, type SomeResource } from "@lineup/api/endpoints";
import * as field from "@lineup/api/fields";
import {
  type AnyResource,
  type Field,
  type FieldForm,
  formOf,
  innerOf,
  isNullable,
  type StoredOf,
} from "@lineup/api/resource";
import type * as z from "zod";

export type TableName = ResourceName;
export const TABLE_NAMES: readonly TableName[] = RESOURCES.map(({ name }) => name);

export function isTableName(name: string): name is TableName {
  return (TABLE_NAMES as readonly string[]).includes(name);
}

export function csvNameOf(table: TableName): string {
  return `${table}.csv`;
}

/** The tables whose records have ids in other systems. Assignments have none, and a plan of their own. */
export type RecordTable = Exclude<SomeResource, { externalIds: false }>["name"];
export const RECORD_TABLES = RESOURCES.filter(({ externalIds }) => externalIds !== false).map(
  ({ name }) => name as RecordTable,
);

export type RecordByTable = { readonly [N in RecordTable]: StoredOf<ResourceNamed<N>> };
export type AnyRecord = RecordByTable[RecordTable];

/** Something for each table of records. What is of which type is for the caller to say. */
export async function eachRecordTable<T extends Readonly<Record<RecordTable, unknown>>>(
  make: (table: RecordTable) => Promise<unknown>,
): Promise<T> {
  const made: Partial<Record<RecordTable, unknown>> = {};
  for (const table of RECORD_TABLES) made[table] = await make(table);
  return made as T;
}

/** The column that a file gets in which faults are marked. Who mends such a file may leave it in: it is not read. */
export const FAULTS_COLUMN = "faults";

export interface Column {
  readonly name: string;
  /** The field of the record. */
  readonly field: string;
  /** How a cell is written; what has parts, as JSON. */
  readonly form: FieldForm;
  readonly schema: z.ZodType;
  /** The table whose rows it refers to, by their externalId. */
  readonly target: RecordTable | undefined;
  /** Whether a new record cannot be without it. */
  readonly required: boolean;
  /** Whether an empty cell clears the field of a record that exists. */
  readonly nullable: boolean;
  /** Whether an empty text is a value of its own, where a file can tell it from nothing. */
  readonly holdsEmptyText: boolean;
}

export interface Table {
  readonly name: TableName;
  readonly resource: AnyResource;
  readonly columns: readonly Column[];
}

const EXTERNAL_ID: Column = {
  name: "externalId",
  field: "externalId",
  form: "text",
  schema: field.shortText,
  target: undefined,
  required: true,
  nullable: false,
  holdsEmptyText: false,
};

function describeColumn(name: string, one: Field): Column {
  const { schema, required } = one;
  const target = RESOURCES.find(({ table }) => table === one.refersTo)?.name as RecordTable | undefined;
  const common = { field: name, target, required, nullable: isNullable(schema) };
  if (target !== undefined) {
    return { ...common, form: "text", schema: field.shortText, holdsEmptyText: false, name: name.replace(/Id$/, "") };
  }
  const form = formOf(one);
  // A role is any text to its schema, and never none.
  const holdsEmptyText = form === "text" && innerOf(schema).meta()?.enum === undefined && schema.safeParse("").success;
  // Merged, as in PATCH.
  return { ...common, name, form, schema: name === "externalIds" ? field.externalIdsPatch : schema, holdsEmptyText };
}

function describeTable(resource: AnyResource): Table {
  const fields = Object.entries(resource.fields);
  const written = (by: Field["writtenBy"]) => fields.filter(([, one]) => one.writtenBy === by);
  const own = [...written("imports"), ...written("clients")].map(([name, one]) => describeColumn(name, one));
  return { name: resource.name as TableName, resource, columns: [EXTERNAL_ID, ...own] };
}

export const TABLES = Object.fromEntries(
  RESOURCES.map((resource) => [resource.name, describeTable(resource)]),
) as Readonly<Record<TableName, Table>>;

export function resourceOf<N extends TableName>(table: N): SomeResource & { readonly name: N } {
  return TABLES[table].resource as SomeResource & { readonly name: N };
}

/** What became of the rows of a table. */
export interface TableSummary {
  created: number;
  updated: number;
  unchanged: number;
}

/** For each table that an import's source has. */
export type ImportSummary = Partial<Record<TableName, TableSummary>>;
