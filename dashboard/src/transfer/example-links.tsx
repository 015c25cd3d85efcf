/** A file of each kind to begin with. */

import type { ResourceName } from "@lineup/api/endpoints";
import { Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { callAction } from "../client/call-action.ts";
import { TABLE_TEXTS, TRANSFER_TEXTS as TEXTS } from "../texts/transfer-texts.ts";
import { downloadSheet } from "./download-sheet.ts";
import { TABLES } from "./source-files.ts";

export function ExampleLinks({ orgId }: { readonly orgId: string }) {
  const download = useMutation({
    mutationFn: async (table: ResourceName) => {
      const { files } = await callAction("listExampleFiles", { path: { orgId } });
      const file = files.find(({ name }) => name === `${table}.csv`);
      if (file !== undefined) downloadSheet(file.name, file.text);
    },
    meta: { failure: "toast" },
  });
  return (
    <Stack gap={6}>
      <Text size="sm" fw={600}>
        {TEXTS.examples}
      </Text>
      <Group gap="xs">
        {TABLES.map((table) => (
          <Button
            key={table}
            variant="default"
            size="xs"
            aria-label={TEXTS.exampleOf(TABLE_TEXTS[table].name)}
            leftSection={<IconDownload size={14} aria-hidden />}
            onClick={() => download.mutate(table)}
          >
            {TABLE_TEXTS[table].name}
          </Button>
        ))}
      </Group>
    </Stack>
  );
}
