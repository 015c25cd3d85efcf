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
      // Not `loading`, which disables it: the focus of who pressed it by a key would be lost.
      {...(test.isPending && { "data-disabled": true, "aria-disabled": true })}
      onClick={() => !test.isPending && test.send()}
    >
      {label}
    </Button>
  );
}
