import { PERMISSION_GRANTS, PERMISSIONS, type Permission } from "@lineup/api/permissions";
import { Checkbox, SimpleGrid } from "@mantine/core";
import type { ReactNode } from "react";
import { CREATE_KEY_TEXTS } from "../texts/create-key-texts.ts";
import { sortPermissions } from "./permission-presets.ts";

export interface PermissionFieldsProps {
  readonly value: readonly Permission[];
  readonly onChange: (permissions: Permission[]) => void;
  readonly error?: ReactNode;
}

/** Each of the eight permissions with its meaning. */
export function PermissionFields({ value, onChange, error }: PermissionFieldsProps) {
  return (
    <Checkbox.Group<Permission>
      label={CREATE_KEY_TEXTS.permissions}
      description={CREATE_KEY_TEXTS.permissionsHint}
      error={error}
      value={[...value]}
      onChange={(chosen) => onChange(sortPermissions(chosen))}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" my="xs">
        {PERMISSIONS.map((permission, index) => (
          <Checkbox
            key={permission}
            value={permission}
            data-field={index === 0 ? "permissions" : undefined}
            label={permission}
            description={capitalize(PERMISSION_GRANTS[permission])}
            styles={{ label: { fontFamily: "var(--mantine-font-family-monospace)" } }}
          />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  );
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
