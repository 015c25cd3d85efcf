/** A small file of each table to begin with: its columns, and one row that an import takes, made of the examples in the reference. */
import { writeCell } from "./cells.ts";
import type { TextFile } from "./export-texts.ts";
import { type Column, csvNameOf, resourceOf, TABLE_NAMES, TABLES, type TableName } from "./tables.ts";
import { formatCsv } from "./write-export.ts";

export function makeExampleFiles(): TextFile[] {
  return TABLE_NAMES.map((table) => {
    const { columns } = TABLES[table];
    const rows = [columns.map(({ name }) => name), columns.map((column) => writeCell(exampleOf(table, column)))];
    return { name: csvNameOf(table), text: formatCsv(rows) };
  });
}

function exampleOf(table: TableName, column: Column): unknown {
  if (column.name === "externalId") return nameOf(table);
  const { example } = TABLES[table].resource.fields[column.field] ?? {};
  if (example === null || example === undefined) return null;
  if (column.target !== undefined) return nameOf(column.target);
  // As people write it: a day, or a day and its time.
  return column.kind === "instant" ? new Date(Number(example)).toISOString().replace("T00:00:00.000Z", "") : example;
}

function nameOf(table: TableName): string {
  return `example-${resourceOf(table).kind}`;
}
