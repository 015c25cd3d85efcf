/** The head of a RecordTable, and what stands in its stead on a phone, where the table is a list of cards. */
import { ActionIcon, Group, NativeSelect, Text, Tooltip, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconSelector } from "@tabler/icons-react";
import { useEffect, useRef } from "react";
import { RECORD_TABLE_TEXTS as TEXTS } from "../texts/record-table-texts.ts";
import { type RecordColumn, ROLES } from "./record-columns.ts";
import classes from "./record-table.module.css";
import type { RowSort } from "./sort-rows.ts";
import type { RowSelection } from "./use-row-selection.ts";

interface SortProps {
  readonly sort: RowSort | undefined;
  readonly onSort: (sort: RowSort | undefined) => void;
}

interface SortButtonProps<Row> extends SortProps {
  readonly column: RecordColumn<Row>;
  /** Where the head is read out and not seen, nothing in it is to be pressed: `PhoneControls` are. */
  readonly isPhone: boolean;
}

/** Up, then down, then the usual order again. */
function turn(key: string, sort: RowSort | undefined): RowSort | undefined {
  if (sort?.key !== key) return { key, descending: false };
  return sort.descending ? undefined : { key, descending: true };
}

export function SortButton<Row>({ column, sort, onSort, isPhone }: SortButtonProps<Row>) {
  const { key, header, align, sortValue } = column;
  const order = sort?.key === key ? (sort.descending ? "descending" : "ascending") : undefined;
  const Arrow = order === undefined ? IconSelector : order === "ascending" ? IconArrowUp : IconArrowDown;
  return (
    <th {...ROLES.columnheader} scope="col" data-align={align} aria-sort={order}>
      {sortValue === undefined || isPhone ? (
        <HeadText column={column} />
      ) : (
        <UnstyledButton className={classes.sort} data-sorted={order} onClick={() => onSort(turn(key, sort))}>
          {header}
          <Arrow size={13} aria-hidden />
        </UnstyledButton>
      )}
    </th>
  );
}

function HeadText<Row>({ column }: { readonly column: RecordColumn<Row> }) {
  return column.hideHeader === true ? <VisuallyHidden>{column.header}</VisuallyHidden> : column.header;
}

interface SelectAllProps {
  readonly all: RowSelection["all"];
  readonly onChange: () => void;
  readonly isNamed?: boolean;
}

export function SelectAll({ all, onChange, isNamed = false }: SelectAllProps) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = all === "some";
  }, [all]);
  return (
    <label className={classes.select}>
      <input ref={box} type="checkbox" aria-label={TEXTS.selectAll} checked={all === "all"} onChange={onChange} />
      {isNamed && (
        <Text span size="sm" aria-hidden>
          {TEXTS.selectAll}
        </Text>
      )}
    </label>
  );
}

interface PhoneControlsProps<Row> extends SortProps {
  readonly columns: readonly RecordColumn<Row>[];
  readonly all: RowSelection["all"];
  readonly onAll: () => void;
}

export function PhoneControls<Row>({ columns, sort, onSort, all, onAll }: PhoneControlsProps<Row>) {
  const sortable = columns.filter(({ sortValue }) => sortValue !== undefined);
  const turned = sort?.descending === true ? TEXTS.descending : TEXTS.ascending;
  return (
    <Group gap="xs" mb="xs" wrap="nowrap" justify="space-between">
      {all === undefined ? <span /> : <SelectAll all={all} onChange={onAll} isNamed />}
      {sortable.length > 0 && (
        <Group gap={4} wrap="nowrap">
          <NativeSelect
            aria-label={TEXTS.sortBy}
            w={150}
            data={[
              { value: "", label: TEXTS.usualOrder },
              ...sortable.map(({ key, header }) => ({ value: key, label: header })),
            ]}
            value={sort?.key ?? ""}
            onChange={({ currentTarget: { value } }) =>
              onSort(value === "" ? undefined : { key: value, descending: sort?.descending === true })
            }
          />
          <Tooltip label={turned}>
            <ActionIcon
              variant="default"
              size={36}
              aria-label={turned}
              disabled={sort === undefined}
              onClick={() => sort !== undefined && onSort({ ...sort, descending: !sort.descending })}
            >
              {sort?.descending === true ? <IconArrowDown size={16} /> : <IconArrowUp size={16} />}
            </ActionIcon>
          </Tooltip>
        </Group>
      )}
    </Group>
  );
}
