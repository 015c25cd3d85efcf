import type { Role } from "@lineup/api/dashboard/members";
import { Radio, Stack } from "@mantine/core";
import { ROLE_MEANINGS, ROLE_NAMES } from "../texts/frame-texts.ts";
import { MEMBERS_TEXTS } from "../texts/settings-texts.ts";

export interface RoleFieldsProps {
  readonly value: Role;
  readonly onChange: (role: Role) => void;
  readonly error?: string | undefined;
}

const CHOICES = Object.keys(ROLE_NAMES) as Role[];

/** The four roles with what each may do. */
export function RoleFields({ value, onChange, error }: RoleFieldsProps) {
  return (
    <Radio.Group label={MEMBERS_TEXTS.role} value={value} onChange={(role) => onChange(role as Role)} error={error}>
      <Stack gap="xs" mt="xs">
        {CHOICES.map((role) => (
          <Radio key={role} value={role} label={ROLE_NAMES[role]} description={ROLE_MEANINGS[role]} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
