/** What became of the rows of an import. */
import type { TableName } from "./tables.ts";

export interface TableSummary {
  created: number;
  updated: number;
  unchanged: number;
}

/** For each table that the source has. */
export type ImportSummary = Partial<Record<TableName, TableSummary>>;

export function countRow(counts: TableSummary, isStored: boolean, isChanged: boolean): void {
  if (!isStored) counts.created += 1;
  else if (isChanged) counts.updated += 1;
  else counts.unchanged += 1;
}
