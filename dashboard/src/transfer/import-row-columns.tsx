/** A row of the preview: where it stands, what it is about, and what happens, cell by cell. */
import type { ImportRowView } from "@lineup/api/dashboard/transfer";
import { Text } from "@mantine/core";
import { showValue } from "../compliance/field-changes.ts";
import { TABLE_TEXTS, TRANSFER_TEXTS as TEXTS } from "../texts/transfer-texts.ts";
import type { Column } from "../ui/data-table.tsx";
import { sayDayAndTime } from "../ui/time-words.ts";
import classes from "./import-row-columns.module.css";

type Change = ImportRowView["changes"][number];

export function makeRowColumns(momentColumns: readonly string[]): readonly Column<ImportRowView>[] {
  const moments = new Set(momentColumns);
  return [
    { key: "row", header: TEXTS.columns.row, isHeading: true, width: "20%", cell: (row) => <RowName row={row} /> },
    { key: "where", header: TEXTS.columns.where, width: "18%", cell: sayWhere },
    {
      key: "what",
      header: TEXTS.columns.what,
      hideHeader: true,
      cell: (row) => (row.outcome === "fault" ? <FaultList row={row} /> : <ChangeList row={row} moments={moments} />),
    },
  ];
}

function RowName({ row: { name, externalId, table, line } }: { readonly row: ImportRowView }) {
  const called = name ?? externalId;
  return (
    <>
      {called ?? (line === null ? TEXTS.wholeFile : TEXTS.nameless)}
      <Text size="xs" c="dimmed" fw={400}>
        {table !== null && TABLE_TEXTS[table].name}
        {name !== null && externalId !== null && ` · ${externalId}`}
      </Text>
    </>
  );
}

function sayWhere({ file, line }: ImportRowView): string {
  if (file === null) return TEXTS.follows;
  return line === null ? file : TEXTS.line(file, line);
}

function FaultList({ row }: { readonly row: ImportRowView }) {
  return (
    <ul className={classes.cells}>
      {row.faults.map(({ column, value, message }) => (
        <li key={`${column} ${message}`}>
          {column !== null && <span className={classes.column}>{column}</span>}
          {value !== null && value !== column && <mark className={classes.fault}>{value}</mark>} {message}
        </li>
      ))}
    </ul>
  );
}

interface ChangeListProps {
  readonly row: ImportRowView;
  readonly moments: ReadonlySet<string>;
}

function ChangeList({ row, moments }: ChangeListProps) {
  if (row.changes.length === 0) return null;
  const isNew = row.changes.every(({ before }) => before === null);
  return (
    <ul className={classes.cells} data-inline={isNew || undefined}>
      {row.changes.map((change) => (
        <li key={change.column}>
          <span className={classes.column}>{change.column}</span>
          {!isNew && (
            <>
              <del className={classes.before}>{sayCell(change, change.before, moments)}</del>{" "}
              <span className={classes.arrow} role="img" aria-label={TEXTS.became}>
                →
              </span>{" "}
            </>
          )}
          <ins className={classes.after}>{sayCell(change, change.after, moments)}</ins>
        </li>
      ))}
    </ul>
  );
}

function sayCell({ column }: Change, value: unknown, moments: ReadonlySet<string>): string {
  if (value === null || value === "") return TEXTS.empty;
  if (!moments.has(column)) return typeof value === "object" ? JSON.stringify(value) : showValue(column, value);
  if (typeof value !== "number") return TEXTS.atImport;
  // A day is the same for everybody who reads it: midnight in UTC in a file, and the last moment of an end that was typed in the pages.
  const isDay = value % DAY_MS === 0 || (value + 1) % DAY_MS === 0;
  return isDay ? new Date(value).toISOString().slice(0, 10) : sayDayAndTime(value);
}

const DAY_MS = 86_400_000;
