import { Button, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconFilter, IconX } from "@tabler/icons-react";
import { type ReactNode, useId } from "react";
import { REQUESTS_TEXTS } from "../texts/request-texts.ts";
import classes from "./filter-panel.module.css";

/** The width of a filter; on a phone it fills its place. */
export function widthOf(pixels: number): { readonly base: string; readonly sm: number } {
  return { base: "100%", sm: pixels };
}

export interface FilterPanelProps {
  /** How many filters are set. */
  readonly count: number;
  readonly onClear: () => void;
  readonly children: ReactNode;
}

/** Filters in a row; on a phone behind a button that says how many are set. */
export function FilterPanel({ count, onClear, children }: FilterPanelProps) {
  const [isOpen, { toggle }] = useDisclosure(false);
  const id = useId();
  const clear = (
    <Button variant="subtle" color="gray" leftSection={<IconX size={14} aria-hidden />} onClick={onClear}>
      {REQUESTS_TEXTS.clear}
    </Button>
  );
  return (
    <>
      <Group hiddenFrom="sm" gap="xs" mb="xs">
        <Button
          variant="default"
          leftSection={<IconFilter size={16} aria-hidden />}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={toggle}
        >
          {REQUESTS_TEXTS.moreFilters(count)}
        </Button>
        {count > 0 && clear}
      </Group>
      <div id={id} className={classes.panel} data-open={isOpen || undefined}>
        {children}
        {count > 0 && <div className={classes.wide}>{clear}</div>}
      </div>
    </>
  );
}
