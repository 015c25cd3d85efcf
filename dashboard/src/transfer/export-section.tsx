/** Export: everything, or one kind, as files that an import reads. */

import type { ResourceName } from "@lineup/api/endpoints";
import { Button, Group, Stack, Text } from "@mantine/core";
import { IconBraces, IconDownload, IconFileZip } from "@tabler/icons-react";
import { useActionMutation } from "../client/use-action.ts";
import { TABLE_TEXTS, TRANSFER_TEXTS as TEXTS } from "../texts/transfer-texts.ts";
import { downloadBytes, downloadText } from "../ui/download-text.ts";
import { SectionCard } from "../ui/section-card.tsx";
import { BYTE_ORDER_MARK, downloadSheet } from "./download-sheet.ts";
import { TABLES } from "./source-files.ts";
import { makeZip, type NamedText } from "./zip-file.ts";

type Asked = { readonly format: "csv" | "json"; readonly table?: ResourceName | undefined };

export function ExportSection({ orgId }: { readonly orgId: string }) {
  const download = useActionMutation("exportData", {
    says: TEXTS.exported,
    onDone: ({ files }, { body }) => handOver(files, body),
  });
  const isAsked = (asked: Asked) => {
    const { format, table } = download.variables?.body ?? {};
    return download.isPending && format === asked.format && table === asked.table;
  };
  const buttonOf = (asked: Asked) => ({
    variant: "default",
    loading: isAsked(asked),
    disabled: download.isPending && !isAsked(asked),
    onClick: () => download.mutate({ path: { orgId }, body: asked }),
  });
  return (
    <SectionCard title={TEXTS.exportTitle} lead={TEXTS.exportLead}>
      <Stack gap="md">
        <Group gap="xs">
          <Button {...buttonOf({ format: "csv" })} leftSection={<IconFileZip size={16} aria-hidden />}>
            {TEXTS.exportCsv}
          </Button>
          <Button {...buttonOf({ format: "json" })} leftSection={<IconBraces size={16} aria-hidden />}>
            {TEXTS.exportJson}
          </Button>
        </Group>
        <Stack gap={6}>
          <Text size="sm" fw={600}>
            {TEXTS.exportEach}
          </Text>
          <Group gap="xs">
            {TABLES.map((table) => (
              <Button
                key={table}
                size="xs"
                aria-label={TEXTS.exportOf(TABLE_TEXTS[table].name)}
                leftSection={<IconDownload size={14} aria-hidden />}
                {...buttonOf({ format: "csv", table })}
              >
                {TABLE_TEXTS[table].name}
              </Button>
            ))}
          </Group>
        </Stack>
      </Stack>
    </SectionCard>
  );
}

function handOver(files: readonly NamedText[], { format, table }: Asked): void {
  const [first] = files;
  if (first === undefined) return;
  const now = new Date();
  const name = `lineup-${now.toISOString().slice(0, 10)}`;
  if (format === "json") downloadText(`${name}.json`, first.text, "application/json");
  else if (table !== undefined) downloadSheet(first.name, first.text);
  else {
    const sheets = files.map((file) => ({ name: file.name, text: BYTE_ORDER_MARK + file.text }));
    downloadBytes(`${name}.zip`, makeZip(sheets, now), "application/zip");
  }
}
