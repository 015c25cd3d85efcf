/** What a column of a RecordTable is; record-table.tsx says what each part means. */
import type { ReactNode } from "react";
import type { SortValue } from "./sort-rows.ts";

export interface RecordColumn<Row> {
  readonly key: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  readonly sortValue?: (row: Row) => SortValue;
  readonly width?: number;
  readonly align?: "left" | "right";
  readonly isHeading?: boolean;
  readonly isAlwaysShown?: boolean;
  readonly hideHeader?: boolean;
}

/** Said outright, because some browsers forget what a table is once its parts are laid out as a grid. */
export const ROLES = {
  table: { role: "table" },
  rowgroup: { role: "rowgroup" },
  row: { role: "row" },
  cell: { role: "cell" },
  columnheader: { role: "columnheader" },
  rowheader: { role: "rowheader" },
} as const;
