/**
 * A table of thousands of rows, of which only those near what is looked at stand on the page. Rows on a wide window, in a frame that scrolls
 * under a head that stays; cards on a phone.
 *
 * RecordTable<Row> { label, columns, rows, rowKey, sort, onSort, hidden?, selection?, empty?, isBusy?, footPx? }
 *   label      names the table for screen readers
 *   columns    { key, header, cell(row), sortValue?(row), width?, align?, isHeading?, isAlwaysShown?, hideHeader? }, the same array from
 *              render to render. width: pixels at least, of which each column also has its share of what is left over (140 unless said).
 *              isHeading: the cell that names the row; always shown. sortValue: what the column sorts by; without it, it does not.
 *   rows       undefined while they load: skeleton rows are shown. In the order that holds where nothing is sorted.
 *   sort       by which column; undefined for the rows' own order. The page keeps it, usually in its address (readRowSort, writeRowSort).
 *   hidden     keys of columns that are not shown: see useHiddenColumns and ColumnMenu
 *   selection  { selected, onChange }: keys of rows. Shift selects all between; the box in the head selects all rows.
 *   empty      what stands there when there are no rows, usually an EmptyState
 *   isBusy     whether more rows are still coming
 *   footPx     what is left free below it, for a bar at the foot of the window
 *
 * Up and Down lead from a control to the same one of the next row.
 */
import { VisuallyHidden } from "@mantine/core";
import { type ReactNode, useMemo, useRef } from "react";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { RECORD_TABLE_TEXTS as TEXTS } from "../texts/record-table-texts.ts";
import { type RecordColumn, ROLES } from "./record-columns.ts";
import classes from "./record-table.module.css";
import { PhoneControls, SelectAll, SortButton } from "./record-table-head.tsx";
import { RecordRow, SkeletonRecordRows } from "./record-table-row.tsx";
import { type RowSort, sortRows } from "./sort-rows.ts";
import { moveByArrow } from "./table-arrows.ts";
import { useIsPhone } from "./use-is-phone.ts";
import { type Selection, useRowSelection } from "./use-row-selection.ts";
import { usePageTop, useVirtualRows } from "./use-virtual-rows.ts";

export interface RecordTableProps<Row> {
  readonly label: string;
  readonly columns: readonly RecordColumn<Row>[];
  readonly rows: readonly Row[] | undefined;
  readonly rowKey: (row: Row) => string;
  readonly sort: RowSort | undefined;
  readonly onSort: (sort: RowSort | undefined) => void;
  readonly hidden?: ReadonlySet<string>;
  readonly selection?: Selection | undefined;
  readonly empty?: ReactNode;
  readonly isBusy?: boolean;
  readonly footPx?: number;
}

const NONE_HIDDEN: ReadonlySet<string> = new Set();

export function RecordTable<Row>(props: RecordTableProps<Row>) {
  const { rows, empty, columns, sort } = props;
  const sorted = useMemo(() => (rows === undefined ? undefined : sortRows(rows, columns, sort)), [rows, columns, sort]);
  if (rows !== undefined && rows.length === 0 && empty !== undefined) return <>{empty}</>;
  return <FilledTable {...props} rows={sorted} />;
}

function FilledTable<Row>(props: RecordTableProps<Row>) {
  const {
    label,
    columns,
    rows,
    rowKey,
    sort,
    onSort,
    hidden = NONE_HIDDEN,
    selection,
    isBusy = false,
    footPx = 0,
  } = props;
  const isPhone = useIsPhone();
  const frame = useRef<HTMLElement>(null);
  const pageTopPx = usePageTop(frame);
  const shown = useMemo(() => columns.filter((column) => isShown(column, hidden)), [columns, hidden]);
  const keys = useMemo(() => (rows ?? []).map(rowKey), [rows, rowKey]);
  const virtual = useVirtualRows(keys, frame, pageTopPx, isPhone);
  const { toggle, all, toggleAll } = useRowSelection(keys, selection);
  const isLoading = rows === undefined;
  return (
    <>
      {isPhone && <PhoneControls columns={columns} sort={sort} onSort={onSort} all={all} onAll={toggleAll} />}
      <Frame frame={frame} label={label} isPhone={isPhone} pageTopPx={pageTopPx} footPx={footPx}>
        {isLoading && <VisuallyHidden role="status">{COMMON_TEXTS.loading}</VisuallyHidden>}
        <table
          {...ROLES.table}
          className={classes.table}
          style={layOut(shown, selection !== undefined)}
          aria-label={label}
          aria-busy={isLoading || isBusy}
          aria-rowcount={isLoading || isBusy ? -1 : keys.length + 1}
          onKeyDown={moveByArrow}
          onFocus={({ target }) => virtual.noteFocus(target.closest("tr")?.dataset.key ?? null)}
          onBlur={() => virtual.noteFocus(null)}
        >
          <thead {...ROLES.rowgroup}>
            <tr {...ROLES.row} aria-rowindex={1}>
              {selection !== undefined && (
                <th {...ROLES.columnheader} scope="col" className={classes.selectCell}>
                  {isPhone ? TEXTS.select : <SelectAll all={all} onChange={toggleAll} />}
                </th>
              )}
              {shown.map((column) => (
                <SortButton key={column.key} column={column} sort={sort} onSort={onSort} isPhone={isPhone} />
              ))}
            </tr>
          </thead>
          <tbody {...ROLES.rowgroup} style={isLoading ? undefined : { height: virtual.totalPx }}>
            {isLoading && <SkeletonRecordRows columns={shown} hasSelection={selection !== undefined} />}
            {virtual.items.map(({ key, index, top }) => {
              const row = rows?.[index];
              if (row === undefined) return null;
              return (
                <RecordRow
                  key={key}
                  id={key}
                  row={row}
                  columns={shown}
                  index={index}
                  top={top}
                  isSelected={selection?.selected.has(key)}
                  onToggle={toggle}
                  measure={virtual.measure}
                />
              );
            })}
          </tbody>
        </table>
      </Frame>
    </>
  );
}

function isShown<Row>(column: RecordColumn<Row>, hidden: ReadonlySet<string>): boolean {
  return column.isHeading === true || column.isAlwaysShown === true || !hidden.has(column.key);
}

const WIDTH_PX = 140;
const SELECT_PX = 44;

/** Every row is a grid of its own: fixed least widths make them all alike. */
function layOut<Row>(columns: readonly RecordColumn<Row>[], hasSelection: boolean) {
  const widths = columns.map(({ width = WIDTH_PX }) => width);
  const tracks = widths.map((width) => `minmax(${width}px, ${width}fr)`);
  const least = widths.reduce((sum, width) => sum + width, hasSelection ? SELECT_PX : 0);
  return {
    "--tracks": [...(hasSelection ? [`${SELECT_PX}px`] : []), ...tracks].join(" "),
    "--least": `${least}px`,
  };
}

interface FrameProps {
  readonly frame: React.RefObject<HTMLElement | null>;
  readonly label: string;
  readonly isPhone: boolean;
  readonly pageTopPx: number;
  readonly footPx: number;
  readonly children: ReactNode;
}

/** What scrolls must be reachable by keyboard, and have a name. */
function Frame({ frame, label, isPhone, pageTopPx, footPx, children }: FrameProps) {
  return (
    <section
      ref={frame}
      className={classes.frame}
      style={{ "--page-top": `${pageTopPx}px`, "--foot": `${footPx}px` }}
      aria-label={label}
      {...(isPhone ? {} : { tabIndex: 0, "data-scroll-restoration-id": "record-table" })}
    >
      {children}
    </section>
  );
}
