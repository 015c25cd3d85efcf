/** Data › Import & export: files in, looked at before anything is written; files out. */
import * as z from "zod";
import { RESOURCES, type ResourceName } from "../endpoints.ts";
import { defineAction } from "./action.ts";

/** In base64, a third more than the files themselves. */
const FILES_MAX_BYTES = 33 * 1024 * 1024;
const FILES_MAX = 20;

const TABLES = RESOURCES.map(({ name }) => name) as [ResourceName, ...ResourceName[]];
const table = z.enum(TABLES);
const count = z.int().min(0);

/** Bytes, so that what is no text in UTF-8 is told from what is. */
const sentFile = z.strictObject({ name: z.string().trim().min(1).max(200), base64: z.string() });
const files = z.array(sentFile).min(1).max(FILES_MAX);

const textFile = z.strictObject({ name: z.string(), text: z.string() });

/**
 * What happens to a row: `leave` is as it is already, `follow` is a record that changes because of other rows, `unclear` hangs on a row
 * with a fault.
 */
export const ROW_OUTCOMES = ["fault", "unclear", "create", "change", "follow", "leave"] as const;
const outcome = z.enum(ROW_OUTCOMES);

export const importRowSchema = z.strictObject({
  table: table.nullable(),
  /** Null where no row of a file is about the record. */
  file: z.string().nullable(),
  /** Null where it is about the whole file, or about no row. */
  line: z.int().nullable(),
  outcome,
  externalId: z.string().nullable(),
  name: z.string().nullable(),
  /** Cells as an export writes them; `now` in a column of moments is when it will be written. Long ones are cut. */
  changes: z.array(z.strictObject({ column: z.string(), before: z.unknown(), after: z.unknown() })),
  faults: z.array(z.strictObject({ column: z.string().nullable(), value: z.string().nullable(), message: z.string() })),
});
export type ImportRowView = z.output<typeof importRowSchema>;

export const importPreviewSchema = z.strictObject({
  /** For what is applied; null while there are faults. */
  fingerprint: z.string().nullable(),
  /** How many rows of each table come to what. */
  tables: z.array(
    z.strictObject({ table, fault: count, unclear: count, create: count, change: count, follow: count, leave: count }),
  ),
  /** Of all files; a row may have several. */
  faultTotal: count,
  rows: z.array(importRowSchema),
  /** Columns that hold milliseconds since the Unix epoch. */
  momentColumns: z.array(z.string()),
});
export type ImportPreviewView = z.output<typeof importPreviewSchema>;

export const TRANSFER_ACTIONS = [
  defineAction({
    name: "previewImport",
    method: "POST",
    path: "/orgs/{orgId}/import/preview",
    access: "data:manage",
    summary: "What an import of these files would do, row by row, and what is wrong with them; writes nothing",
    /** Without an outcome the first rows of each; with one those of it, of one table if it is named, from a number on. */
    body: z.strictObject({ files, outcome: outcome.optional(), table: table.optional(), from: count.optional() }),
    bodyMaxBytes: FILES_MAX_BYTES,
    result: importPreviewSchema,
  }),
  defineAction({
    name: "markImportFaults",
    method: "POST",
    path: "/orgs/{orgId}/import/faults",
    access: "data:manage",
    summary: "The files that have faults, with a further column that says what is wrong with each row",
    body: z.strictObject({ files }),
    bodyMaxBytes: FILES_MAX_BYTES,
    result: z.strictObject({ files: z.array(textFile) }),
  }),
  defineAction({
    name: "applyImport",
    method: "POST",
    path: "/orgs/{orgId}/import",
    access: "data:manage",
    summary: "Imports the files as they were previewed: all of them, or nothing",
    body: z.strictObject({ files, fingerprint: z.string().min(1).max(100) }),
    bodyMaxBytes: FILES_MAX_BYTES,
    result: z.strictObject({
      tables: z.array(z.strictObject({ table, created: count, changed: count, unchanged: count })),
    }),
  }),
  defineAction({
    name: "listExampleFiles",
    method: "GET",
    path: "/orgs/{orgId}/import/examples",
    access: "data:manage",
    summary: "A small file of each table to begin with",
    result: z.strictObject({ files: z.array(textFile) }),
  }),
  defineAction({
    name: "exportData",
    method: "POST",
    path: "/orgs/{orgId}/export",
    access: "data:view",
    summary: "The organization's data as files that an import reads; the export is itself recorded",
    body: z.strictObject({ format: z.enum(["csv", "json"]), table: table.optional() }),
    result: z.strictObject({ files: z.array(textFile) }),
  }),
] as const;
