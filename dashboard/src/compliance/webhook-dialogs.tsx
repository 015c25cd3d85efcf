/** What can be done with a webhook: the buttons, and what each asks before it acts. */
import type { ActionResult } from "@lineup/api/dashboard/actions";
import type { WebhookView } from "@lineup/api/dashboard/webhooks";
import { Button, Stack, Text } from "@mantine/core";
import { IconBan, IconPencil, IconPlayerPlay, IconRefresh, IconTrash } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useActionMutation } from "../client/use-action.ts";
import { WEBHOOK_TEXTS as TEXTS } from "../texts/webhook-texts.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { EditWebhookDialog } from "./edit-webhook-dialog.tsx";
import { ReplayDialog } from "./replay-dialog.tsx";
import { TestButton } from "./test-button.tsx";
import type { WebhookTest } from "./use-webhook-test.ts";
import { hostOf } from "./webhook-names.ts";

export type ShownDialog = "edit" | "rotate" | "disable" | "enable" | "delete" | "replay" | null;
export type RotatedSecret = ActionResult<"rotateWebhook">;

export interface WebhookActionsProps {
  readonly webhook: WebhookView;
  readonly test: WebhookTest;
  readonly onShow: (shown: ShownDialog) => void;
}

export function WebhookActions({ webhook, test, onShow }: WebhookActionsProps) {
  const isOff = webhook.state === "disabled";
  return (
    <>
      <TestButton test={test} label={TEXTS.test} />
      <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={() => onShow("edit")}>
        {TEXTS.edit}
      </Button>
      <Button variant="default" leftSection={<IconRefresh size={16} aria-hidden />} onClick={() => onShow("rotate")}>
        {TEXTS.rotate}
      </Button>
      {isOff ? (
        <Button leftSection={<IconPlayerPlay size={16} aria-hidden />} onClick={() => onShow("enable")}>
          {TEXTS.enable}
        </Button>
      ) : (
        <Button variant="default" leftSection={<IconBan size={16} aria-hidden />} onClick={() => onShow("disable")}>
          {TEXTS.disable}
        </Button>
      )}
      <Button
        variant="light"
        color="red"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => onShow("delete")}
      >
        {TEXTS.delete}
      </Button>
    </>
  );
}

interface OneDialogProps {
  readonly orgId: string;
  readonly webhook: WebhookView;
  readonly onClose: () => void;
}

export interface WebhookDialogsProps extends OneDialogProps {
  readonly shown: ShownDialog;
  readonly onRotated: (made: RotatedSecret) => void;
}

export function WebhookDialogs({ shown, onRotated, ...one }: WebhookDialogsProps) {
  if (shown === "edit") return <EditWebhookDialog {...one} />;
  if (shown === "rotate") return <RotateDialog {...one} onRotated={onRotated} />;
  if (shown === "disable") return <DisableDialog {...one} />;
  if (shown === "enable") return <EnableDialog {...one} />;
  if (shown === "delete") return <DeleteDialog {...one} />;
  return shown === "replay" ? <ReplayDialog {...one} /> : null;
}

const READ_ANEW = ["listWebhooks", "getWebhook"] as const;

function RotateDialog({ orgId, webhook, onClose, onRotated }: OneDialogProps & Pick<WebhookDialogsProps, "onRotated">) {
  const rotate = useActionMutation("rotateWebhook", { failure: "shown", changes: READ_ANEW, onDone: onRotated });
  return (
    <ConfirmDialog
      isOpen
      title={TEXTS.rotateTitle}
      confirmLabel={TEXTS.rotateSubmit}
      tone="info"
      onConfirm={() => rotate.mutate({ path: { orgId, webhookId: webhook.id } })}
      onClose={onClose}
      isBusy={rotate.isPending}
      failure={rotate.error}
    >
      <Stack gap="xs">
        <Text size="sm">{TEXTS.rotateBody}</Text>
        {webhook.previousSecretUntil !== null && (
          <Text size="sm" fw={600}>
            {TEXTS.rotateAgain}
          </Text>
        )}
      </Stack>
    </ConfirmDialog>
  );
}

function DisableDialog({ orgId, webhook, onClose }: OneDialogProps) {
  const disable = useActionMutation("disableWebhook", {
    failure: "shown",
    changes: READ_ANEW,
    says: TEXTS.disabledDone,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      isOpen
      title={TEXTS.disableTitle}
      confirmLabel={TEXTS.disableSubmit}
      onConfirm={() => disable.mutate({ path: { orgId, webhookId: webhook.id } })}
      onClose={onClose}
      isBusy={disable.isPending}
      failure={disable.error}
    >
      <Text size="sm">{TEXTS.disableBody}</Text>
    </ConfirmDialog>
  );
}

function EnableDialog({ orgId, webhook, onClose }: OneDialogProps) {
  const enable = useActionMutation("enableWebhook", {
    failure: "shown",
    changes: READ_ANEW,
    says: TEXTS.enabledDone,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      isOpen
      title={TEXTS.enableTitle}
      confirmLabel={TEXTS.enableSubmit}
      tone="info"
      onConfirm={() => enable.mutate({ path: { orgId, webhookId: webhook.id } })}
      onClose={onClose}
      isBusy={enable.isPending}
      failure={enable.error}
    >
      <Text size="sm">{TEXTS.enableBody}</Text>
    </ConfirmDialog>
  );
}

/** Deleting cannot be taken back: it asks for the endpoint's host. */
function DeleteDialog({ orgId, webhook, onClose }: OneDialogProps) {
  const navigate = useNavigate();
  const remove = useActionMutation("deleteWebhook", {
    failure: "shown",
    changes: ["listWebhooks"],
    says: TEXTS.deletedDone,
    onDone: () => navigate({ to: "/orgs/$orgId/compliance/webhooks", params: { orgId } }),
  });
  return (
    <ConfirmDialog
      isOpen
      title={TEXTS.deleteTitle}
      confirmLabel={TEXTS.deleteSubmit}
      typedName={hostOf(webhook.url)}
      onConfirm={() => remove.mutate({ path: { orgId, webhookId: webhook.id } })}
      onClose={onClose}
      isBusy={remove.isPending}
      failure={remove.error}
    >
      <Text size="sm">{TEXTS.deleteBody}</Text>
    </ConfirmDialog>
  );
}
