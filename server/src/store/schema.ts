/** The tables as the queries see them. Times are milliseconds since the Unix epoch; JSON and permissions are texts. */
import { RESOURCES, type SomeResource } from "@lineup/api/endpoints";
import type { AnyResource, Field, WrittenBy } from "@lineup/api/resource";
import type * as z from "zod";
import type { AccessTables } from "./access-tables.ts";
import type { HistoryTables } from "./audit-tables.ts";
import type { EventTables } from "./event-tables.ts";
import type { CalendarLinksTable, PeopleTables } from "./people-tables.ts";

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${Snake<Rest>}`
    : `_${Lowercase<First>}${Snake<Rest>}`
  : Name;

/** Flags are 0 or 1; what is no single value is JSON. */
type ColumnValue<V> = V extends boolean ? number : V extends string | number | null ? V : string;

type PartsOf<S> = S extends z.ZodNullable<z.ZodObject<infer Shape>> ? keyof Shape & string : never;
type StoredFields<F> = {
  [K in keyof F & string as F[K] extends Field<z.ZodType, WrittenBy, boolean, "column">
    ? K
    : never]: F[K] extends Field<infer S> ? S : never;
};
type FieldColumns<S> = {
  [K in keyof S & string as PartsOf<S[K]> extends never ? Snake<K> : never]: S[K] extends z.ZodType
    ? ColumnValue<z.output<S[K]>>
    : never;
} & {
  [K in keyof S & string as PartsOf<S[K]> extends never ? never : `${Snake<K>}_${PartsOf<S[K]>}`]: number | null;
};

/** The row of a resource's table. */
export type TableOf<R extends AnyResource> = { org_id: string } & FieldColumns<StoredFields<R["fields"]>> &
  (R["searched"] extends readonly string[] ? { search_text: string } : unknown) &
  /** The row's name in imported files, where it has one; records with ids in other systems have it among those. */
  (R["externalIds"] extends false ? { import_id: string | null } : unknown);

/** A row as it is written: the handle adds the organization. */
export type NewRow<R extends AnyResource> = Omit<TableOf<R>, "org_id">;

type RecordTables = { [R in SomeResource as R["table"]]: TableOf<R> };

/** The tables of records, in the order in which they can be filled. */
export const RECORD_TABLES: readonly RecordTable[] = RESOURCES.map(({ table }) => table);
export type RecordTable = keyof RecordTables;

/** The kinds of records that have ids in other systems. */
export type ExternalIdKind = Exclude<SomeResource, { externalIds: false }>["kind"];

export interface ExternalIdsTable {
  org_id: string;
  kind: ExternalIdKind;
  system: string;
  external_id: string;
  record_id: string;
}

export interface Database extends RecordTables, AccessTables, PeopleTables, HistoryTables, EventTables {
  external_ids: ExternalIdsTable;
  calendar_links: CalendarLinksTable;
}

/** The tables that belong to an organization. Everything in them is reached through an `OrgStore` alone. */
export type OrgTable = Exclude<keyof Database, OperatorTable | "audit_heads" | "audit_seals">;

/** The tables that belong to the operator, and to no organization alone. */
export type OperatorTable = keyof AccessTables | keyof PeopleTables | "leases";
