/** What the endpoint answers to a ping, on the page that shows a secret. */
import { Group, Stack, Text } from "@mantine/core";
import { useAction } from "../client/use-action.ts";
import { SECRET_TEXTS as TEXTS } from "../texts/create-webhook-texts.ts";
import { AttemptPanel } from "./attempt-panel.tsx";
import { TestButton } from "./test-button.tsx";
import { useWebhookTest } from "./use-webhook-test.ts";

const ASK_MS = 1_000;

const PING_TEXTS = {
  waitingTitle: TEXTS.pingWaitingTitle,
  waitingBody: TEXTS.pingWaitingBody,
  takenTitle: TEXTS.pingTakenTitle,
  refusedTitle: TEXTS.pingRefusedTitle,
} as const;

export interface FirstPingProps {
  readonly orgId: string;
  readonly webhookId: string;
}

/** Waits for the answer to a new webhook's first message; the ping can be sent again, once the endpoint knows the secret. */
export function FirstPing({ orgId, webhookId }: FirstPingProps) {
  const test = useWebhookTest(orgId, webhookId);
  const webhook = useAction(
    "getWebhook",
    { path: { orgId, webhookId } },
    {
      refetchInterval: ({ state }) => (state.data?.lastAttempt == null ? ASK_MS : false),
      refetchIntervalInBackground: true,
      staleTime: 0,
    },
  );
  const attempt = test.data?.attempt ?? webhook.data?.lastAttempt ?? null;
  return (
    <AttemptPanel
      attempt={attempt}
      messageId={test.data?.deliveryId}
      isWaiting={test.isPending || (attempt === null && test.error === null)}
      texts={PING_TEXTS}
      action={<TestButton test={test} label={TEXTS.pingAgain} size="xs" />}
      failure={test.error}
    />
  );
}

/** After a rotation: a ping, as soon as somebody says that the new secret is in its place. */
export function NewSecretPing({ orgId, webhookId }: FirstPingProps) {
  const test = useWebhookTest(orgId, webhookId);
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <TestButton test={test} label={TEXTS.pingNow} />
        <Text size="sm" c="dimmed">
          {TEXTS.pingNowHint}
        </Text>
      </Group>
      <AttemptPanel
        attempt={test.data?.attempt ?? null}
        messageId={test.data?.deliveryId}
        isWaiting={test.isPending}
        texts={PING_TEXTS}
        failure={test.error}
      />
    </Stack>
  );
}
