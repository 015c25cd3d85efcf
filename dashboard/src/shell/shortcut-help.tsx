import { Group, Kbd, Stack, Text } from "@mantine/core";
import { NAVIGATION_TEXTS } from "../texts/frame-texts.ts";
import { SHORTCUT_TEXTS } from "../texts/shortcut-texts.ts";
import { PlainDialog } from "../ui/plain-dialog.tsx";
import { FIND_KEYS } from "./shortcut-keys.ts";

export function ShortcutHelp({ onClose }: { readonly onClose: () => void }) {
  const rows = [
    [FIND_KEYS, SHORTCUT_TEXTS.find],
    ["/", SHORTCUT_TEXTS.search],
    ["?", SHORTCUT_TEXTS.help],
    ["Tab", SHORTCUT_TEXTS.tab],
    ["Esc", SHORTCUT_TEXTS.escape],
  ] as const;
  return (
    <PlainDialog isOpen title={NAVIGATION_TEXTS.shortcuts} onClose={onClose}>
      <Stack gap="sm" component="dl" m={0}>
        {rows.map(([keys, meaning]) => (
          <Group key={keys} justify="space-between" wrap="nowrap">
            <Text component="dd" m={0} style={{ order: 1 }}>
              <Kbd>{keys}</Kbd>
            </Text>
            <Text component="dt">{meaning}</Text>
          </Group>
        ))}
      </Stack>
      <Text size="sm" c="dimmed" mt="md">
        {SHORTCUT_TEXTS.note}
      </Text>
    </PlainDialog>
  );
}
