import type { WebhookView } from "@lineup/api/dashboard/webhooks";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useActionForm } from "../client/use-action-form.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { WEBHOOK_TEXTS as TEXTS } from "../texts/webhook-texts.ts";
import { FormError } from "../ui/form-error.tsx";
import { PlainDialog } from "../ui/plain-dialog.tsx";
import { WebhookFields } from "./webhook-fields.tsx";
import { bodyOf, checkWebhook, formOf } from "./webhook-form.ts";

export interface EditWebhookDialogProps {
  readonly orgId: string;
  readonly webhook: WebhookView;
  readonly onClose: () => void;
}

export function EditWebhookDialog({ orgId, webhook, onClose }: EditWebhookDialogProps) {
  const { form, onSubmit, isBusy, failure } = useActionForm("updateWebhook", {
    initialValues: formOf(webhook),
    validate: checkWebhook,
    toInput: (values) => ({ path: { orgId, webhookId: webhook.id }, body: bodyOf(values) }),
    changes: ["listWebhooks", "getWebhook"],
    says: TEXTS.saved,
    onDone: onClose,
  });
  return (
    <PlainDialog isOpen title={TEXTS.editTitle} onClose={onClose} size="xl">
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="lg">
          <WebhookFields form={form} isDialog />
          <Text size="sm" c="dimmed">
            {TEXTS.editNote}
          </Text>
          <FormError failure={failure} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {COMMON_TEXTS.cancel}
            </Button>
            <Button type="submit" loading={isBusy}>
              {COMMON_TEXTS.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </PlainDialog>
  );
}
