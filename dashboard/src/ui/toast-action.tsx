import { Button, Group, Text } from "@mantine/core";

export interface ToastAction {
  readonly label: string;
  readonly run: () => void;
}

interface ToastWithActionProps {
  readonly message: string;
  readonly label: string;
  readonly onClick: () => void;
}

/** A message with one button, such as Undo. */
export function ToastWithAction({ message, label, onClick }: ToastWithActionProps) {
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <Text size="sm" inherit style={{ overflowWrap: "anywhere" }}>
        {message}
      </Text>
      <Button size="compact-sm" variant="light" flex="none" aria-label={`${label}: ${message}`} onClick={onClick}>
        {label}
      </Button>
    </Group>
  );
}
