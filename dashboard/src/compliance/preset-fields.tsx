import type { Permission } from "@lineup/api/permissions";
import { Group, Radio, SimpleGrid, Text } from "@mantine/core";
import { CREATE_KEY_TEXTS } from "../texts/create-key-texts.ts";
import { PRESET_TEXTS } from "../texts/key-texts.ts";
import { findPreset, PERMISSION_PRESETS } from "./permission-presets.ts";
import classes from "./preset-fields.module.css";

export interface PresetFieldsProps {
  readonly permissions: readonly Permission[];
  readonly onChoose: (permissions: Permission[]) => void;
}

const CUSTOM = "custom";

/** A start for the permissions. What is chosen is always what the permissions say. */
export function PresetFields({ permissions, onChoose }: PresetFieldsProps) {
  const chosen = permissions.length === 0 ? null : (findPreset(permissions) ?? CUSTOM);
  const choose = (id: string) => {
    const preset = PERMISSION_PRESETS.find((each) => each.id === id);
    if (preset !== undefined) onChoose([...preset.permissions]);
  };
  return (
    <Radio.Group label={CREATE_KEY_TEXTS.preset} value={chosen} onChange={choose}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" mt="xs">
        {PERMISSION_PRESETS.map(({ id }) => (
          <PresetCard key={id} id={id} {...PRESET_TEXTS[id]} />
        ))}
      </SimpleGrid>
      {chosen === CUSTOM && (
        <Text size="sm" c="dimmed" mt="xs" role="status">
          {CREATE_KEY_TEXTS.custom}
        </Text>
      )}
    </Radio.Group>
  );
}

function PresetCard({ id, name, purpose }: { readonly id: string; readonly name: string; readonly purpose: string }) {
  return (
    <Radio.Card value={id} className={classes.card ?? ""} p="sm" aria-label={`${name}. ${purpose}`}>
      <Group wrap="nowrap" align="flex-start" gap="sm">
        <Radio.Indicator mt={2} />
        <div>
          <Text fw={600} size="sm">
            {name}
          </Text>
          <Text size="sm" c="dimmed">
            {purpose}
          </Text>
        </div>
      </Group>
    </Radio.Card>
  );
}
