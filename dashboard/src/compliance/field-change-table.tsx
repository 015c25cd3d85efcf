import { AUDIT_TEXTS as TEXTS } from "../texts/audit-texts.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import classes from "./field-change-table.module.css";
import type { FieldChange } from "./field-changes.ts";

const COLUMNS: readonly Column<FieldChange>[] = [
  { key: "field", header: TEXTS.field, isHeading: true, width: "22%", cell: ({ label }) => label },
  {
    key: "before",
    header: TEXTS.before,
    width: "39%",
    cell: ({ before, kind }) => (kind === "set" ? <Nothing /> : <del className={classes.before}>{before}</del>),
  },
  {
    key: "after",
    header: TEXTS.after,
    width: "39%",
    cell: ({ after, kind }) => (kind === "cleared" ? <Nothing /> : <ins className={classes.after}>{after}</ins>),
  },
];

/** Before and after, field by field. */
export function FieldChangeTable({ changes }: { readonly changes: readonly FieldChange[] }) {
  return <DataTable label={TEXTS.changes} columns={COLUMNS} rows={changes} rowKey={({ field }) => field} />;
}

function Nothing() {
  return <span className={classes.nothing}>{TEXTS.nothing}</span>;
}
