/** What Compliance › Webhooks keeps in its address. */
import type { WebhookState, WebhookView } from "@lineup/api/dashboard/webhooks";
import { dropUnset, readChoice, readText } from "./search-values.ts";
import { WEBHOOK_STATE_LOOKS } from "./webhook-states.ts";

export const WEBHOOK_STATE_FILTERS = Object.keys(WEBHOOK_STATE_LOOKS) as readonly WebhookState[];

export interface WebhooksSearch {
  readonly q?: string;
  readonly state?: WebhookState;
}

export function readWebhooksSearch(search: Readonly<Record<string, unknown>>): WebhooksSearch {
  return dropUnset({ q: readText(search.q), state: readChoice(search.state, WEBHOOK_STATE_FILTERS) });
}

/** Newest first as the server has them, but disabled ones after all others. */
export function filterWebhooks(webhooks: readonly WebhookView[], { q = "", state }: WebhooksSearch): WebhookView[] {
  const words = q.toLowerCase().split(/\s+/);
  const found = webhooks.filter(
    (webhook) => (state === undefined || webhook.state === state) && words.every((word) => mentions(webhook, word)),
  );
  const isOff = (webhook: WebhookView) => webhook.state === "disabled";
  return [...found.filter((webhook) => !isOff(webhook)), ...found.filter(isOff)];
}

function mentions({ url, description, id, createdBy, types }: WebhookView, word: string): boolean {
  return [url, description, id, createdBy, ...(types ?? [])].some((text) => text.toLowerCase().includes(word));
}
