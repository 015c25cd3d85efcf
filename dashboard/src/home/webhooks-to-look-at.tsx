import { useAction } from "../client/use-action.ts";
import { WebhookTroubles } from "../compliance/webhook-troubles.tsx";

const RENEW_MS = 60_000;

/** Webhooks that fail, or were disabled because they did; where all goes well, nothing. */
export function WebhooksToLookAt({ orgId }: { readonly orgId: string }) {
  const { data } = useAction("listWebhooks", { path: { orgId } }, { refetchInterval: RENEW_MS });
  return <WebhookTroubles orgId={orgId} webhooks={data?.webhooks ?? []} />;
}
