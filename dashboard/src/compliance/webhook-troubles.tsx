import type { WebhookView } from "@lineup/api/dashboard/webhooks";
import { Alert, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { WEBHOOKS_TEXTS as TEXTS } from "../texts/webhook-texts.ts";
import { ExactTime } from "../ui/exact-time.tsx";
import { TextLink } from "../ui/links.tsx";
import { nameWebhook } from "./webhook-names.ts";
import { listTroubled } from "./webhook-states.ts";

export interface WebhookTroublesProps {
  readonly orgId: string;
  readonly webhooks: readonly WebhookView[];
}

/** Announces the webhooks that fail, and those that were disabled because they did. */
export function WebhookTroubles({ orgId, webhooks }: WebhookTroublesProps) {
  const troubled = listTroubled(webhooks);
  if (troubled.length === 0) return null;
  return (
    <Alert
      color="amber"
      variant="light"
      mb="md"
      role="status"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title={TEXTS.troubleTitle(troubled.length)}
    >
      <Text size="sm" mb={4}>
        {TEXTS.troubleBody}
      </Text>
      {troubled.map((webhook) => (
        <Text size="sm" key={webhook.id} style={{ overflowWrap: "anywhere" }}>
          <TextLink
            inherit
            to="/orgs/$orgId/compliance/webhooks/$webhookId"
            params={{ orgId, webhookId: webhook.id }}
            fw={600}
            c="inherit"
            underline="always"
          >
            {nameWebhook(webhook)}
          </TextLink>{" "}
          <Trouble webhook={webhook} />
        </Text>
      ))}
    </Alert>
  );
}

function Trouble({ webhook }: { readonly webhook: WebhookView }) {
  if (webhook.disabledAt !== null) {
    return (
      <>
        {TEXTS.wasDisabled} <ExactTime at={webhook.disabledAt} />.
      </>
    );
  }
  return (
    <>
      {TEXTS.failingSince} <ExactTime at={webhook.failingSince} as="day-time" />
      {webhook.disablesAt !== null && (
        <>
          {" "}
          {TEXTS.disablesIn} <ExactTime at={webhook.disablesAt} />
        </>
      )}
      .
    </>
  );
}
