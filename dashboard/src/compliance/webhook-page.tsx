/** Compliance › Webhooks › one webhook: how it goes, what was sent, and what can be done with it. */
import type { WebhookView } from "@lineup/api/dashboard/webhooks";
import { Box, SimpleGrid, Stack } from "@mantine/core";
import { IconWebhookOff } from "@tabler/icons-react";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { live } from "../client/live.ts";
import type { RequestFailure } from "../client/request-failure.ts";
import { useAllows, useOrganization } from "../client/session.ts";
import { useAction } from "../client/use-action.ts";
import { SECRET_TEXTS } from "../texts/create-webhook-texts.ts";
import { WEBHOOK_TEXTS as TEXTS, WEBHOOKS_TEXTS } from "../texts/webhook-texts.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { BackLink } from "../ui/links.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { PageSkeleton } from "../ui/skeletons.tsx";
import { AttemptPanel } from "./attempt-panel.tsx";
import { Deliveries } from "./deliveries.tsx";
import { NewSecretPing } from "./first-ping.tsx";
import { useWebhookTest } from "./use-webhook-test.ts";
import { type RotatedSecret, type ShownDialog, WebhookActions, WebhookDialogs } from "./webhook-dialogs.tsx";
import { WebhookFacts, WebhookHealth } from "./webhook-facts.tsx";
import { nameWebhook } from "./webhook-names.ts";
import { WebhookNotice } from "./webhook-notice.tsx";
import { WebhookReveal } from "./webhook-reveal.tsx";
import { WebhookStateBadge } from "./webhook-state-badge.tsx";

const LIVE_MS = 3_000;

export function WebhookPage() {
  const { webhookId = "" } = useParams({ strict: false });
  // Another webhook's page begins anew: nothing of this one stays.
  return <OneWebhook key={webhookId} webhookId={webhookId} />;
}

function OneWebhook({ webhookId }: { readonly webhookId: string }) {
  const { id: orgId } = useOrganization();
  const [made, setMade] = useState<RotatedSecret | null>(null);
  const webhook = useAction("getWebhook", { path: { orgId, webhookId } }, live(LIVE_MS));
  if (made !== null) return <RotatedReveal orgId={orgId} made={made} onStored={() => setMade(null)} />;
  if (webhook.data !== undefined) return <WebhookDetails orgId={orgId} webhook={webhook.data} onRotated={setMade} />;
  if (webhook.error === null) return <PageSkeleton />;
  return <MissingWebhook orgId={orgId} failure={webhook.error} onRetry={webhook.refetch} />;
}

interface RotatedRevealProps {
  readonly orgId: string;
  readonly made: RotatedSecret;
  readonly onStored: () => void;
}

/** The way on leads to the page that one is on already, so it is a step of the page's own. */
function RotatedReveal({ orgId, made, onStored }: RotatedRevealProps) {
  return (
    <WebhookReveal
      orgId={orgId}
      made={made}
      title={SECRET_TEXTS.rotatedTitle}
      onGoOn={onStored}
      lead={
        <>
          {SECRET_TEXTS.oldUntil} <ExactTime at={made.previousSecretUntil} as="day-time" />.
        </>
      }
      beneath={<NewSecretPing orgId={orgId} webhookId={made.id} />}
    />
  );
}

interface MissingWebhookProps {
  readonly orgId: string;
  readonly failure: RequestFailure;
  readonly onRetry: () => unknown;
}

function MissingWebhook({ orgId, failure, onRetry }: MissingWebhookProps) {
  return (
    <>
      <PageHeader title={TEXTS.missingTitle} back={<ToWebhooks orgId={orgId} />} />
      {failure.code === "NOT_FOUND" ? (
        <EmptyState icon={<IconWebhookOff size={22} />} title={TEXTS.missingLead}>
          {failure.message}
        </EmptyState>
      ) : (
        <LoadFault failure={failure} onRetry={onRetry} />
      )}
    </>
  );
}

function ToWebhooks({ orgId }: { readonly orgId: string }) {
  return (
    <BackLink to="/orgs/$orgId/compliance/webhooks" params={{ orgId }}>
      {WEBHOOKS_TEXTS.title}
    </BackLink>
  );
}

interface WebhookDetailsProps {
  readonly orgId: string;
  readonly webhook: WebhookView;
  readonly onRotated: (made: RotatedSecret) => void;
}

function WebhookDetails({ orgId, webhook, onRotated }: WebhookDetailsProps) {
  const [shown, setShown] = useState<ShownDialog>(null);
  const mayManage = useAllows("keys:manage");
  const test = useWebhookTest(orgId, webhook.id);
  return (
    <>
      <PageHeader
        title={nameWebhook(webhook)}
        back={<ToWebhooks orgId={orgId} />}
        badge={<WebhookStateBadge state={webhook.state} />}
        actions={mayManage ? <WebhookActions webhook={webhook} test={test} onShow={setShown} /> : undefined}
      />
      <WebhookNotice webhook={webhook} />
      {!test.isIdle && (
        <Box mb="md">
          <AttemptPanel
            attempt={test.data?.attempt ?? null}
            messageId={test.data?.deliveryId}
            isWaiting={test.isPending}
            texts={{ waitingTitle: TEXTS.testing, takenTitle: TEXTS.tested, refusedTitle: TEXTS.testFailed }}
            failure={test.error}
          />
        </Box>
      )}
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <WebhookHealth webhook={webhook} />
          <WebhookFacts webhook={webhook} />
        </SimpleGrid>
        <Deliveries orgId={orgId} webhook={webhook} onReplayAll={mayManage ? () => setShown("replay") : undefined} />
      </Stack>
      <WebhookDialogs
        orgId={orgId}
        webhook={webhook}
        shown={shown}
        onClose={() => setShown(null)}
        onRotated={onRotated}
      />
    </>
  );
}
