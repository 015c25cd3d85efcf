import { useActionMutation } from "../client/use-action.ts";

/** Sends a ping now, and waits for what the endpoint answers. */
export function useWebhookTest(orgId: string, webhookId: string) {
  const test = useActionMutation("testWebhook", {
    failure: "shown",
    changes: ["listWebhooks", "getWebhook", "listDeliveries"],
  });
  return { ...test, send: () => test.mutate({ path: { orgId, webhookId } }) };
}

export type WebhookTest = ReturnType<typeof useWebhookTest>;
