/** What the table of records and the choice of its columns say. */
export const RECORD_TABLE_TEXTS = {
  select: "Select",
  selectAll: "Select all shown",
  sortBy: "Sort by",
  usualOrder: "Usual order",
  ascending: "Ascending: turn around",
  descending: "Descending: turn around",
  columns: "Columns",
  usualColumns: "Usual columns",
} as const;
