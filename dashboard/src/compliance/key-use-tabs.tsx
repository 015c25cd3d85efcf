import type { Permission } from "@lineup/api/permissions";
import { Anchor, Stack, Tabs, Text } from "@mantine/core";
import { KEY_USE_TEXTS as TEXTS } from "../texts/key-texts.ts";
import { CopyField } from "../ui/copy-button.tsx";
import { holdsKey, KEY_USES, makeUse } from "./key-uses.ts";

export interface KeyUseTabsProps {
  readonly permissions: readonly Permission[];
  /** Known only right after it was made. */
  readonly apiKey?: string;
}

/** How to call the API with a key, in four languages, each to copy. */
export function KeyUseTabs({ permissions, apiKey }: KeyUseTabsProps) {
  const used = { origin: window.location.origin, permissions, key: apiKey };
  return (
    <Tabs defaultValue={KEY_USES[0]}>
      <Tabs.List aria-label={TEXTS.choose}>
        {KEY_USES.map((use) => (
          <Tabs.Tab key={use} value={use} px={{ base: 10, xs: "md" }}>
            {TEXTS.uses[use].name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {KEY_USES.map((use) => (
        <Tabs.Panel key={use} value={use} pt="sm">
          <Stack gap="xs">
            <CopyField label={TEXTS.uses[use].name} value={makeUse(use, used)} hideLabel />
            <Text size="sm" c="dimmed">
              {TEXTS.uses[use].lead} {!holdsKey(use, used) && TEXTS.uses[use].keyless}{" "}
              {/* Beside this page, which may be showing a key that is not shown again. */}
              <Anchor
                href={`/docs#description/${TEXTS.uses[use].guide}`}
                target="_blank"
                rel="noopener"
                inherit
                underline="always"
              >
                {TEXTS.readOn}
              </Anchor>
            </Text>
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
