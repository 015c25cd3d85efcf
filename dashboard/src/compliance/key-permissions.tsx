import { PERMISSION_GRANTS, type Permission } from "@lineup/api/permissions";
import { Alert, Button, Group, Text } from "@mantine/core";
import { IconBulb, IconCircleDashed } from "@tabler/icons-react";
import { KEY_TEXTS as TEXTS } from "../texts/key-texts.ts";
import { SectionCard } from "../ui/section-card.tsx";
import { StatusBadge } from "../ui/status-badge.tsx";
import classes from "./key-permissions.module.css";
import { capitalize } from "./permission-fields.tsx";
import { sortPermissions } from "./permission-presets.ts";

export interface KeyPermissionsProps {
  readonly permissions: readonly Permission[];
  readonly unused: readonly Permission[];
  /** Whether it is too soon to say what is unused: see `isProven`. */
  readonly isNew: boolean;
  /** Undefined where the key cannot be edited. */
  readonly onDrop: (() => void) | undefined;
}

/** What the key may do, and what of it no request has ever needed. */
export function KeyPermissions({ permissions, unused, isNew, onDrop }: KeyPermissionsProps) {
  const marked = isNew ? [] : unused;
  return (
    <SectionCard title={TEXTS.permissions}>
      {marked.length > 0 && onDrop !== undefined && (
        <Alert
          color="petrol"
          role="note"
          variant="light"
          mb="sm"
          icon={<IconBulb size={18} aria-hidden />}
          title={TEXTS.unusedTitle(marked.length)}
        >
          <Text size="sm">{TEXTS.unusedBody}</Text>
          {marked.length < permissions.length && (
            <Button size="xs" variant="default" mt="sm" onClick={onDrop}>
              {TEXTS.dropUnused}
            </Button>
          )}
        </Alert>
      )}
      {isNew && (
        <Text size="sm" c="dimmed" mb="sm">
          {TEXTS.tooSoon}
        </Text>
      )}
      <ul className={classes.list}>
        {sortPermissions(permissions).map((permission) => (
          <li key={permission}>
            <Group justify="space-between" gap="xs" mih={26}>
              <Text size="sm" ff="monospace" fw={500}>
                {permission}
              </Text>
              {marked.includes(permission) && <StatusBadge icon={IconCircleDashed} word={TEXTS.unused} tone="quiet" />}
            </Group>
            <Text size="sm" c="dimmed">
              {capitalize(PERMISSION_GRANTS[permission])}
            </Text>
          </li>
        ))}
      </ul>
    </SectionCard>
  );
}
