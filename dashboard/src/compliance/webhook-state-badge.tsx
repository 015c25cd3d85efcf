import type { DeliveryState, WebhookState } from "@lineup/api/dashboard/webhooks";
import { DELIVERY_STATE_TEXTS, WEBHOOK_STATE_TEXTS } from "../texts/webhook-texts.ts";
import { StatusBadge } from "../ui/status-badge.tsx";
import { DELIVERY_STATE_LOOKS, WEBHOOK_STATE_LOOKS } from "./webhook-states.ts";

/** A webhook's state: icon, word, and what to do in its tooltip. */
export function WebhookStateBadge({ state }: { readonly state: WebhookState }) {
  const { word, advice } = WEBHOOK_STATE_TEXTS[state];
  return <StatusBadge {...WEBHOOK_STATE_LOOKS[state]} word={word} tip={advice} />;
}

/** A delivery's state. In long lists whose rows open, without a stop for the keyboard. */
export function DeliveryStateBadge({ state }: { readonly state: DeliveryState }) {
  return <StatusBadge {...DELIVERY_STATE_LOOKS[state]} word={DELIVERY_STATE_TEXTS[state].word} />;
}
