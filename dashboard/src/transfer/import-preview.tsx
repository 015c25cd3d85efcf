/** What an import would do: counts, faults, and the rows of one outcome at a time. */
import type { ImportPreviewView } from "@lineup/api/dashboard/transfer";
import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconDownload } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { useActionMutation } from "../client/use-action.ts";
import { OUTCOME_TEXTS, type RowOutcome, TABLE_TEXTS, TRANSFER_TEXTS as TEXTS } from "../texts/transfer-texts.ts";
import { DataTable } from "../ui/data-table.tsx";
import { downloadText } from "../ui/download-text.ts";
import { FilterSelect } from "../ui/filter-select.tsx";
import { FormError } from "../ui/form-error.tsx";
import { sayNumber } from "../ui/number-words.ts";
import { showDone } from "../ui/toasts.ts";
import { makeRowColumns } from "./import-row-columns.tsx";
import { listSent, type SourceFile, TABLES } from "./source-files.ts";
import { countRows, usePreviewRows } from "./use-preview-rows.ts";

const OUTCOMES = Object.keys(OUTCOME_TEXTS) as readonly RowOutcome[];

export interface ImportPreviewProps {
  readonly orgId: string;
  readonly preview: ImportPreviewView;
  readonly files: readonly SourceFile[];
}

export function ImportPreview({ orgId, preview, files }: ImportPreviewProps) {
  const counts = OUTCOMES.map((outcome) => [outcome, countRows(preview, { outcome, table: undefined })] as const);
  const present = counts.filter(([outcome, count]) => count > 0 || preview.rows.some((row) => row.outcome === outcome));
  const [chosen, setChosen] = useState<RowOutcome>();
  const outcome = present.some(([one]) => one === chosen) ? chosen : present[0]?.[0];
  const isUnchanged = present.every(([one]) => one === "leave");
  return (
    <Stack gap="md">
      {preview.faultTotal > 0 && <FaultNotice orgId={orgId} preview={preview} files={files} />}
      {isUnchanged && (
        <Alert variant="light" color="gray" icon={<IconCircleCheck size={18} aria-hidden />} title={TEXTS.nothingTitle}>
          {TEXTS.nothingBody}
        </Alert>
      )}
      <Group gap={6} role="group" aria-label={TEXTS.outcomes}>
        {present.map(([one, count]) => (
          <Button
            key={one}
            size="sm"
            variant={one === outcome ? "filled" : "default"}
            aria-pressed={one === outcome}
            onClick={() => setChosen(one)}
          >
            {OUTCOME_TEXTS[one].tab} · {sayNumber(count)}
          </Button>
        ))}
      </Group>
      {outcome !== undefined && (
        <RowList key={outcome} orgId={orgId} preview={preview} files={files} outcome={outcome} />
      )}
    </Stack>
  );
}

function FaultNotice({ orgId, preview, files }: ImportPreviewProps) {
  const mark = useActionMutation("markImportFaults", {
    onDone: ({ files: marked }) => {
      for (const { name, text } of marked) downloadText(name, text, "text/csv");
      showDone(marked.length === 0 ? TEXTS.cannotMark : TEXTS.marked);
    },
  });
  const sent = listSent(files);
  return (
    <Alert
      variant="light"
      color="red"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title={TEXTS.faultsTitle(preview.faultTotal)}
    >
      <Text size="sm" mb="sm">
        {TEXTS.faultsBody}
      </Text>
      <Button
        variant="default"
        size="xs"
        loading={mark.isPending}
        leftSection={<IconDownload size={14} aria-hidden />}
        onClick={() => sent !== undefined && mark.mutate({ path: { orgId }, body: { files: sent } })}
      >
        {TEXTS.markFaults}
      </Button>
    </Alert>
  );
}

function RowList({ orgId, preview, files, outcome }: ImportPreviewProps & { readonly outcome: RowOutcome }) {
  const [table, setTable] = useState<(typeof TABLES)[number]>();
  const list = usePreviewRows(orgId, preview, files, { outcome, table });
  const columns = useMemo(() => makeRowColumns(preview.momentColumns), [preview.momentColumns]);
  const present = preview.tables.filter((one) => one[outcome] > 0).map((one) => one.table);
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" maw={560}>
          {OUTCOME_TEXTS[outcome].lead}
        </Text>
        {present.length > 1 && (
          <FilterSelect
            label={TEXTS.kindFilter}
            isLabelHidden
            any={TEXTS.anyKind}
            choices={present.map((one) => ({ value: one, label: TABLE_TEXTS[one].name }))}
            value={table}
            onChange={(value) => setTable(TABLES.find((one) => one === value))}
          />
        )}
      </Group>
      <DataTable
        label={TEXTS.rowsTable}
        columns={columns}
        rows={list.rows}
        rowKey={(row) => `${row.table} ${row.file} ${row.line} ${list.rows.indexOf(row)}`}
      />
      <FormError failure={list.failure} />
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" role="status">
          {TEXTS.shown(list.rows.length, list.total)}
        </Text>
        {list.rows.length < list.total && (
          <Button variant="default" size="xs" loading={list.isLoading} onClick={list.showMore}>
            {TEXTS.more}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
