import type { ChangeType } from "@lineup/api/change-types";
import { Button, Checkbox, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { CHANGE_WORDS, KIND_NAMES, CREATE_WEBHOOK_TEXTS as TEXTS } from "../texts/create-webhook-texts.ts";
import classes from "./change-type-fields.module.css";
import { groupTypes, sortTypes } from "./webhook-form.ts";

const GROUPS = [...groupTypes()];

export interface ChangeTypeFieldsProps {
  readonly value: readonly ChangeType[];
  readonly onChange: (types: ChangeType[]) => void;
  readonly error?: ReactNode;
}

/** Every type of change with its meaning, by the kind of record it is about. */
export function ChangeTypeFields({ value, onChange, error }: ChangeTypeFieldsProps) {
  return (
    <Checkbox.Group<ChangeType>
      label={TEXTS.chosen}
      error={error}
      value={[...value]}
      onChange={(chosen) => onChange(sortTypes(chosen))}
    >
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="lg" my="xs">
        {GROUPS.map(([kind, types], place) => (
          <KindFields
            key={kind}
            name={KIND_NAMES[kind] ?? kind}
            types={types}
            isFirst={place === 0}
            onAll={() => onChange(sortTypes([...value, ...types]))}
          />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  );
}

interface KindFieldsProps {
  readonly name: string;
  readonly types: readonly ChangeType[];
  /** Gets the focus where no type is chosen. */
  readonly isFirst: boolean;
  readonly onAll: () => void;
}

function KindFields({ name, types, isFirst, onAll }: KindFieldsProps) {
  const nameId = useId();
  return (
    <fieldset className={classes.kind} aria-labelledby={nameId}>
      <Group gap="xs" mb={6} mih={26}>
        <Text id={nameId} size="sm" fw={600}>
          {name}
        </Text>
        <Button variant="subtle" size="compact-xs" aria-label={TEXTS.everyOf(name)} onClick={onAll}>
          {TEXTS.every}
        </Button>
      </Group>
      <Stack gap="xs">
        {types.map((type, place) => (
          <Checkbox
            key={type}
            value={type}
            data-field={isFirst && place === 0 ? "types" : undefined}
            label={type}
            description={CHANGE_WORDS[type.slice(type.indexOf(".") + 1)]}
            styles={{ label: { fontFamily: "var(--mantine-font-family-monospace)" } }}
          />
        ))}
      </Stack>
    </fieldset>
  );
}
