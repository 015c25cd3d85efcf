/**
 * Which columns of a RecordTable are shown, chosen by a person and remembered by their browser.
 *
 *   const columnChoice = useHiddenColumns("players", ["joinDate"]);   // under which name; what is hidden unless they say otherwise
 *   <ColumnMenu columns={columns} {...columnChoice} />  <RecordTable hidden={columnChoice.hidden} … />
 */
import { Button, Menu } from "@mantine/core";
import { IconColumns3 } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { RECORD_TABLE_TEXTS as TEXTS } from "../texts/record-table-texts.ts";
import type { RecordColumn } from "./record-columns.ts";

export interface ColumnChoice {
  readonly hidden: ReadonlySet<string>;
  /** Undefined goes back to what is usual. */
  readonly onHide: (hidden: ReadonlySet<string> | undefined) => void;
}

export function useHiddenColumns(name: string, usual: readonly string[]): ColumnChoice {
  const key = `lineup-columns-${name}`;
  const [chosen, setChosen] = useState(() => readHidden(key));
  const hidden = useMemo(() => chosen ?? new Set(usual), [chosen, usual]);
  return {
    hidden,
    onHide: (next) => {
      setChosen(next);
      writeHidden(key, next);
    },
  };
}

function readHidden(key: string): ReadonlySet<string> | undefined {
  try {
    const text = localStorage.getItem(key);
    return text === null ? undefined : new Set(text.split(",").filter((each) => each !== ""));
  } catch {
    return undefined;
  }
}

function writeHidden(key: string, hidden: ReadonlySet<string> | undefined): void {
  try {
    if (hidden === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, [...hidden].join(","));
  } catch {
    // Storage is forbidden or full: the choice holds until the page is left.
  }
}

interface ColumnMenuProps<Row> extends ColumnChoice {
  readonly columns: readonly RecordColumn<Row>[];
}

export function ColumnMenu<Row>({ columns, hidden, onHide }: ColumnMenuProps<Row>) {
  const toggle = (key: string) => {
    const next = new Set(hidden);
    if (!next.delete(key)) next.add(key);
    onHide(next);
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconColumns3 size={16} aria-hidden />}>
          {TEXTS.columns}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflowY: "auto" }}>
        {columns
          .filter((column) => column.isHeading !== true && column.isAlwaysShown !== true)
          .map(({ key, header }) => (
            <Menu.CheckboxItem key={key} checked={!hidden.has(key)} onChange={() => toggle(key)}>
              {header}
            </Menu.CheckboxItem>
          ))}
        <Menu.Divider />
        <Menu.Item closeMenuOnClick={false} onClick={() => onHide(undefined)}>
          {TEXTS.usualColumns}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
