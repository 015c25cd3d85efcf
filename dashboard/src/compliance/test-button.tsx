import { Button, type ButtonProps } from "@mantine/core";
import { IconSend } from "@tabler/icons-react";
import type { WebhookTest } from "./use-webhook-test.ts";

export interface TestButtonProps {
  readonly test: WebhookTest;
  readonly label: string;
  readonly size?: ButtonProps["size"];
}

export function TestButton({ test, label, size = "sm" }: TestButtonProps) {
  return (
    <Button
      variant="default"
      size={size}
      leftSection={<IconSend size={16} aria-hidden />}
      loading={test.isPending}
      onClick={test.send}
    >
      {label}
    </Button>
  );
}
