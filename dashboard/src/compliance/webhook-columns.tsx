import type { WebhookView } from "@lineup/api/dashboard/webhooks";
import { Text } from "@mantine/core";
import { WEBHOOKS_TEXTS as TEXTS } from "../texts/webhook-texts.ts";
import type { Column } from "../ui/data-table.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { TextLink } from "../ui/links.tsx";
import { RecentDeliveries } from "./recent-deliveries.tsx";
import { nameWebhook } from "./webhook-names.ts";
import { WebhookStateBadge } from "./webhook-state-badge.tsx";
import { sayAnswer, summarizeTypes } from "./webhook-states.ts";

const { columns } = TEXTS;

/** The columns of the list of webhooks. */
export function makeWebhookColumns(orgId: string): readonly Column<WebhookView>[] {
  return [
    {
      key: "name",
      header: columns.name,
      isHeading: true,
      width: "32%",
      cell: (webhook) => (
        <div>
          <TextLink
            inherit
            to="/orgs/$orgId/compliance/webhooks/$webhookId"
            params={{ orgId, webhookId: webhook.id }}
            fw={600}
            lineClamp={2}
          >
            {nameWebhook(webhook)}
          </TextLink>
          <Text ff="monospace" size="xs" c="dimmed" fw={400} lineClamp={2}>
            {webhook.url}
          </Text>
        </div>
      ),
    },
    { key: "state", header: columns.state, cell: (webhook) => <WebhookHealth webhook={webhook} /> },
    {
      key: "types",
      header: columns.types,
      cell: ({ types }) => (
        <Text span inherit style={{ whiteSpace: "nowrap" }}>
          {summarizeTypes(types)}
        </Text>
      ),
    },
    { key: "recent", header: columns.recent, cell: ({ recent }) => <RecentDeliveries recent={recent} /> },
    { key: "lastAttempt", header: columns.lastAttempt, cell: (webhook) => <LastAttempt webhook={webhook} /> },
    { key: "createdBy", header: columns.createdBy, isTyped: true, cell: ({ createdBy }) => createdBy },
  ];
}

/** The state, and what there is to know about it at a glance: since when, why, and how much waits. */
function WebhookHealth({ webhook }: { readonly webhook: WebhookView }) {
  const { state, failingSince, disabledReason, waiting } = webhook;
  return (
    <div>
      <WebhookStateBadge state={state} />
      {state === "failing" && failingSince !== null && (
        <Text size="xs" c="dimmed" component="div">
          {TEXTS.since} <ExactTime at={failingSince} as="day-time" />
        </Text>
      )}
      {state === "disabled" && disabledReason !== null && (
        <Text size="xs" c="dimmed" maw={{ sm: 220 }} lineClamp={2}>
          {disabledReason}
        </Text>
      )}
      {waiting > 0 && (
        <Text size="xs" c="dimmed">
          {TEXTS.waiting(waiting)}
        </Text>
      )}
    </div>
  );
}

function LastAttempt({ webhook: { lastAttempt } }: { readonly webhook: WebhookView }) {
  if (lastAttempt === null) return <ExactTime at={null} orElse={TEXTS.noAttempt} />;
  return (
    <>
      <ExactTime at={lastAttempt.at} />
      <Text size="xs" c="dimmed">
        {sayAnswer(lastAttempt)}
      </Text>
    </>
  );
}
