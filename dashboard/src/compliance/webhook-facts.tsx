/** What is known of a webhook, and how it goes. */
import type { WebhookView } from "@lineup/api/dashboard/webhooks";
import { Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { WEBHOOK_TEXTS as TEXTS, WEBHOOKS_TEXTS } from "../texts/webhook-texts.ts";
import { CopyIconButton } from "../ui/copy-button.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { type Fact, FactList } from "../ui/fact-list.tsx";
import { sayNumber } from "../ui/number-words.ts";
import { SectionCard } from "../ui/section-card.tsx";
import { RecentDeliveries } from "./recent-deliveries.tsx";
import { explainAttempt, sayAnswer } from "./webhook-states.ts";

export function WebhookFacts({ webhook }: { readonly webhook: WebhookView }) {
  const facts: Fact[] = [
    { name: TEXTS.url, value: <Copied value={webhook.url} label={TEXTS.copyUrl} /> },
    { name: TEXTS.types, value: <Types types={webhook.types} /> },
    { name: TEXTS.id, value: <Copied value={webhook.id} label={TEXTS.copyId} /> },
    { name: TEXTS.secret, value: <Secrets until={webhook.previousSecretUntil} /> },
    { name: TEXTS.created, value: <ExactTime at={webhook.createdAt} as="day" /> },
    { name: TEXTS.createdBy, value: webhook.createdBy },
    { name: TEXTS.changed, value: <ExactTime at={webhook.updatedAt} /> },
  ];
  return (
    <SectionCard title={TEXTS.facts}>
      <FactList facts={facts} />
    </SectionCard>
  );
}

function Copied({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Text span inherit ff="monospace" lineClamp={6} style={{ overflowWrap: "anywhere" }}>
        {value}
      </Text>
      <CopyIconButton value={value} label={label} />
    </Group>
  );
}

function Types({ types }: Pick<WebhookView, "types">): ReactNode {
  if (types === null) return TEXTS.allTypes;
  return (
    <Text span inherit ff="monospace">
      {types.join(", ")}
    </Text>
  );
}

function Secrets({ until }: { readonly until: number | null }): ReactNode {
  if (until === null) return TEXTS.secretAlone;
  return (
    <>
      {TEXTS.secretUntil} <ExactTime at={until} as="day-time" />
    </>
  );
}

export function WebhookHealth({ webhook }: { readonly webhook: WebhookView }) {
  const { failingSince, disablesAt, disabledAt, behind } = webhook;
  const facts: Fact[] = [
    { name: TEXTS.latest, value: <RecentDeliveries recent={webhook.recent} /> },
    { name: TEXTS.lastAttempt, value: <LastAttempt webhook={webhook} /> },
    { name: TEXTS.waiting, value: sayWaiting(webhook) },
    ...(behind > 0 ? [{ name: TEXTS.behind, value: TEXTS.behindSome(sayNumber(behind)) }] : []),
    ...(failingSince === null ? [] : [{ name: TEXTS.failingSince, value: <ExactTime at={failingSince} /> }]),
    ...(disablesAt === null || disabledAt !== null
      ? []
      : [{ name: TEXTS.disablesAt, value: <ExactTime at={disablesAt} /> }]),
  ];
  return (
    <SectionCard title={TEXTS.health}>
      <FactList facts={facts} />
    </SectionCard>
  );
}

function LastAttempt({ webhook: { lastAttempt } }: { readonly webhook: WebhookView }) {
  if (lastAttempt === null) return <ExactTime at={null} orElse={WEBHOOKS_TEXTS.noAttempt} />;
  const explained = explainAttempt(lastAttempt);
  return (
    <>
      {sayAnswer(lastAttempt)}, <ExactTime at={lastAttempt.at} />
      {explained !== null && (
        <Text size="sm" c="dimmed">
          {explained}
        </Text>
      )}
    </>
  );
}

function sayWaiting({ waiting, state }: WebhookView): string {
  if (waiting === 0) return TEXTS.waitingNone;
  const count = waiting >= WAITING_COUNTED ? TEXTS.orMore(sayNumber(waiting)) : sayNumber(waiting);
  return state === "disabled" ? TEXTS.waitingDisabled(count) : TEXTS.waitingSome(count);
}

/** The server counts no further. */
const WAITING_COUNTED = 1_000;
