import type { ActionResult } from "@lineup/api/dashboard/actions";
import { Button, Group, Stack, Text } from "@mantine/core";
import { LINK_TEXTS as TEXTS } from "../texts/settings-texts.ts";
import { CopyField } from "../ui/copy-button.tsx";
import { ExactTime } from "../ui/exact-time.tsx";

export interface MadeLinkProps {
  readonly made: ActionResult<"makeResetLink">;
  readonly email: string;
  readonly onDone: () => void;
}

/** A link that works once, shown this once: to copy, or mailed already. */
export function MadeLink({ made, email, onDone }: MadeLinkProps) {
  return (
    <Stack gap="md">
      <Text size="sm" role="status">
        {made.wasMailed ? TEXTS.mailed(email) : TEXTS.give(email)}
      </Text>
      <CopyField label={TEXTS.label} value={made.link} wraps />
      <Text size="sm" c="dimmed">
        {TEXTS.until} <ExactTime at={made.expiresAt} as="day-time" />.
      </Text>
      <Group justify="flex-end">
        <Button onClick={onDone}>{TEXTS.done}</Button>
      </Group>
    </Stack>
  );
}
