/**
 * A dense table: rows on a wide window, cards on a phone (or a table that scrolls, with phone="scroll").
 *
 * DataTable<Row> { label, columns, rows, rowKey, empty?, phone?, skeletonRows?, footer?, isOpen? }
 *   label         names the table for screen readers
 *   columns       { key, header, cell(row), align?, width?, isHeading?, isTyped?, hideHeader? }
 *                 isHeading: the cell that names the row (th scope=row; the card's title). hideHeader: header for screen readers only.
 *                 isTyped: somebody typed what stands there, so that it may be one long word; it breaks, and leaves room for others.
 *   rows          undefined while they load: skeleton rows are shown
 *   empty         what stands there when there are none, usually an EmptyState
 *   detail(row)   optional: shown under the row when it is not null (an opened row)
 *   rowProps(row) optional: attributes of the row, such as `data-…` or onClick; a control inside must do the same for the keyboard
 */
import { Skeleton, Table, VisuallyHidden } from "@mantine/core";
import { type ComponentPropsWithoutRef, memo, type ReactNode } from "react";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import classes from "./data-table.module.css";

export interface Column<Row> {
  readonly key: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: "left" | "right";
  readonly width?: number | string;
  readonly isHeading?: boolean;
  readonly isTyped?: boolean;
  readonly hideHeader?: boolean;
}

export interface DataTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[] | undefined;
  readonly rowKey: (row: Row) => string;
  readonly empty?: ReactNode;
  readonly phone?: "cards" | "scroll";
  readonly skeletonRows?: number;
  readonly detail?: (row: Row) => ReactNode;
  readonly rowProps?: (row: Row) => ComponentPropsWithoutRef<"tr"> & Record<`data-${string}`, unknown>;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, phone = "cards", empty } = props;
  if (rows !== undefined && rows.length === 0 && empty !== undefined) return <>{empty}</>;
  const table = (
    <Table
      className={classes.table}
      data-phone={phone}
      verticalSpacing={8}
      horizontalSpacing="sm"
      aria-label={label}
      aria-busy={rows === undefined}
      role="table"
    >
      <Table.Thead role="rowgroup">
        <Table.Tr role="row">
          {columns.map((column) => (
            <Table.Th key={column.key} role="columnheader" scope="col" w={column.width} data-align={column.align}>
              {column.hideHeader === true ? <VisuallyHidden>{column.header}</VisuallyHidden> : column.header}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody role="rowgroup">
        {rows === undefined ? <SkeletonRows {...props} /> : <Rows {...props} rows={rows} />}
      </Table.Tbody>
    </Table>
  );
  return (
    <Frame scrollLabel={phone === "scroll" ? label : undefined}>
      {rows === undefined && <VisuallyHidden role="status">{COMMON_TEXTS.loading}</VisuallyHidden>}
      {table}
    </Frame>
  );
}

/** What scrolls must be reachable by keyboard, and have a name. */
function Frame({ scrollLabel, children }: { readonly scrollLabel: string | undefined; readonly children: ReactNode }) {
  if (scrollLabel === undefined) return <div className={classes.frame}>{children}</div>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section className={classes.frame} aria-label={scrollLabel} tabIndex={0}>
      {children}
    </section>
  );
}

function Rows<Row>(props: DataTableProps<Row> & { readonly rows: readonly Row[] }) {
  const { columns, rows, rowKey, detail, rowProps } = props;
  return rows.map((row) => (
    <TableRow key={rowKey(row)} row={row} columns={columns} more={detail?.(row) ?? null} attributes={rowProps?.(row)} />
  ));
}

interface TableRowProps<Row> {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly more: ReactNode;
  readonly attributes: ComponentPropsWithoutRef<"tr"> | undefined;
}

/** Long lists are asked for anew every few seconds: a row that is the same, in the same columns, is not made again. */
const TableRow = memo(PlainTableRow) as typeof PlainTableRow;

function PlainTableRow<Row>({ row, columns, more, attributes }: TableRowProps<Row>) {
  return (
    <>
      <Table.Tr role="row" {...attributes} data-opened={more !== null || undefined}>
        {columns.map((column) => (
          <Cell key={column.key} column={column}>
            {column.cell(row)}
          </Cell>
        ))}
      </Table.Tr>
      {more !== null && (
        <Table.Tr role="row" className={classes.detail}>
          <Table.Td role="cell" colSpan={columns.length}>
            {more}
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}

function Cell<Row>({ column, children }: { readonly column: Column<Row>; readonly children: ReactNode }) {
  if (column.isHeading === true) {
    return (
      <Table.Th role="rowheader" scope="row" data-align={column.align} className={classes.heading}>
        {children}
      </Table.Th>
    );
  }
  return (
    <Table.Td role="cell" data-align={column.align} data-label={column.hideHeader === true ? undefined : column.header}>
      <div className={classes.value} data-typed={column.isTyped}>
        {children}
      </div>
    </Table.Td>
  );
}

const SKELETON_WIDTHS = ["70%", "55%", "80%", "45%", "62%"];

function SkeletonRows<Row>({ columns, skeletonRows = 5 }: DataTableProps<Row>) {
  return Array.from({ length: skeletonRows }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: these rows are alike and never move.
    <Table.Tr key={row} role="row" aria-hidden>
      {columns.map((column, index) => (
        <Table.Td key={column.key} role="cell">
          <Skeleton height={14} my={4} width={SKELETON_WIDTHS[(row + index) % SKELETON_WIDTHS.length] ?? "60%"} />
        </Table.Td>
      ))}
    </Table.Tr>
  ));
}
