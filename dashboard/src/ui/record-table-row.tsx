/** The rows of a RecordTable. One that is the same, in the same columns, is not made again while others come and go. */
import { Skeleton } from "@mantine/core";
import { type ChangeEvent, memo } from "react";
import { RECORD_TABLE_TEXTS as TEXTS } from "../texts/record-table-texts.ts";
import { type RecordColumn, ROLES } from "./record-columns.ts";
import classes from "./record-table.module.css";

interface RecordRowProps<Row> {
  readonly id: string;
  readonly row: Row;
  readonly columns: readonly RecordColumn<Row>[];
  readonly index: number;
  readonly top: number;
  /** Undefined where rows cannot be selected. */
  readonly isSelected: boolean | undefined;
  readonly onToggle: (id: string, isRange: boolean) => void;
  readonly measure: (element: HTMLTableRowElement | null) => void;
}

export const RecordRow = memo(PlainRecordRow) as typeof PlainRecordRow;

function PlainRecordRow<Row>(props: RecordRowProps<Row>) {
  const { id, row, columns, index, top, isSelected, onToggle, measure } = props;
  return (
    <tr
      ref={measure}
      {...ROLES.row}
      className={classes.row}
      // The head is the first.
      aria-rowindex={index + 2}
      data-selected={isSelected === true || undefined}
      data-index={index}
      data-key={id}
      style={{ transform: `translateY(${top}px)` }}
    >
      {isSelected !== undefined && (
        <td {...ROLES.cell} className={classes.selectCell}>
          <RowCheckbox id={id} isSelected={isSelected} onToggle={onToggle} />
        </td>
      )}
      {columns.map((column) =>
        column.isHeading === true ? (
          <th key={column.key} {...ROLES.rowheader} scope="row" id={`name-${id}`} className={classes.heading}>
            {column.cell(row)}
          </th>
        ) : (
          <td
            key={column.key}
            {...ROLES.cell}
            data-align={column.align}
            data-label={column.hideHeader === true ? undefined : column.header}
          >
            {column.cell(row)}
          </td>
        ),
      )}
    </tr>
  );
}

type RowCheckboxProps = Pick<RecordRowProps<unknown>, "id" | "onToggle"> & { readonly isSelected: boolean };

function RowCheckbox({ id, isSelected, onToggle }: RowCheckboxProps) {
  const change = ({ nativeEvent }: ChangeEvent) => onToggle(id, (nativeEvent as MouseEvent).shiftKey === true);
  return (
    <label className={classes.select}>
      <input
        type="checkbox"
        id={`select-${id}`}
        aria-label={TEXTS.select}
        aria-labelledby={`select-${id} name-${id}`}
        checked={isSelected}
        onChange={change}
      />
    </label>
  );
}

const SKELETON_ROWS = 12;
const SKELETON_WIDTHS = ["70%", "55%", "80%", "45%", "62%"];

interface SkeletonRecordRowsProps<Row> {
  readonly columns: readonly RecordColumn<Row>[];
  readonly hasSelection: boolean;
}

export function SkeletonRecordRows<Row>({ columns, hasSelection }: SkeletonRecordRowsProps<Row>) {
  return Array.from({ length: SKELETON_ROWS }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: these rows are alike and never move.
    <tr key={row} {...ROLES.row} className={classes.skeleton} aria-hidden>
      {hasSelection && <td {...ROLES.cell} className={classes.selectCell} />}
      {columns.map((column, index) => (
        <td key={column.key} {...ROLES.cell}>
          <Skeleton height={14} my={3} width={SKELETON_WIDTHS[(row + index) % SKELETON_WIDTHS.length] ?? "60%"} />
        </td>
      ))}
    </tr>
  ));
}
