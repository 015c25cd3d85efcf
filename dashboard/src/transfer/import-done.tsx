/** What an import has written. */
import { Alert, Button, Group, Stack } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { useEffect, useRef } from "react";
import { TABLE_TEXTS, TRANSFER_TEXTS as TEXTS } from "../texts/transfer-texts.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { ButtonLink } from "../ui/links.tsx";
import { sayNumber } from "../ui/number-words.ts";
import { SectionCard } from "../ui/section-card.tsx";
import type { ImportResult } from "./use-import.ts";

type TableResult = ImportResult["tables"][number];

const COLUMNS: readonly Column<TableResult>[] = [
  { key: "table", header: TEXTS.kind, isHeading: true, cell: ({ table }) => TABLE_TEXTS[table].name },
  { key: "created", header: TEXTS.doneColumns.created, align: "right", cell: ({ created }) => sayNumber(created) },
  { key: "changed", header: TEXTS.doneColumns.changed, align: "right", cell: ({ changed }) => sayNumber(changed) },
  {
    key: "unchanged",
    header: TEXTS.doneColumns.unchanged,
    align: "right",
    cell: ({ unchanged }) => sayNumber(unchanged),
  },
];

/** Where what was imported is seen. */
const PAGES = {
  teams: "/orgs/$orgId/data/teams",
  players: "/orgs/$orgId/data/players",
  roster: "/orgs/$orgId/data/roster",
  contracts: "/orgs/$orgId/data/contracts",
  schedule: "/orgs/$orgId/data/schedule",
  prospects: "/orgs/$orgId/data/prospects",
} as const;

export interface ImportDoneProps {
  readonly orgId: string;
  readonly result: ImportResult;
  readonly onAgain: () => void;
}

export function ImportDone({ orgId, result, onAgain }: ImportDoneProps) {
  const done = useRef<HTMLDivElement>(null);
  // The button that wrote it is gone, and the focus is at the heading at best. Who has gone elsewhere meanwhile stays there.
  useEffect(() => {
    if (document.activeElement?.matches("body, main h1")) done.current?.focus();
  }, []);
  return (
    <SectionCard title={TEXTS.importTitle}>
      <Stack gap="md">
        <Alert
          ref={done}
          tabIndex={-1}
          variant="light"
          color="green"
          role="status"
          icon={<IconCircleCheck size={18} aria-hidden />}
          title={TEXTS.doneTitle}
        >
          {TEXTS.doneBody}
        </Alert>
        <DataTable label={TEXTS.doneTable} columns={COLUMNS} rows={result.tables} rowKey={({ table }) => table} />
        <Group gap="xs">
          {result.tables.map(({ table }) => (
            <ButtonLink key={table} to={PAGES[table]} params={{ orgId }} variant="default" size="sm">
              {TABLE_TEXTS[table].name}
            </ButtonLink>
          ))}
          <Button size="sm" onClick={onAgain}>
            {TEXTS.again}
          </Button>
        </Group>
      </Stack>
    </SectionCard>
  );
}
