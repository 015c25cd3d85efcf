/** Sends a ping at once, for somebody who waits for what comes of it. It is tried once, and kept with the other deliveries. */
import { PING_TYPE } from "@lineup/api/dashboard/webhooks";
import { makeId } from "../store/ids.ts";
import type { Store } from "../store/store.ts";
import { messageOfPing } from "./messages.ts";
import type { Attempt, WebhookRequester } from "./webhook-request.ts";
import { requireWebhook, secretsOf, type WebhookPlace } from "./webhook-rows.ts";
import type { SecretBox } from "./webhook-secret.ts";

export interface PingTools {
  readonly store: Store;
  readonly box: SecretBox;
  readonly requester: WebhookRequester;
}

export interface SentPing {
  readonly deliveryId: string;
  readonly succeeded: boolean;
  readonly attempt: Attempt;
}

/** Also to an endpoint that is disabled: it may be tried out before it is enabled again. */
export async function sendTestPing(
  tools: PingTools,
  { orgId, webhookId }: WebhookPlace,
  now: number,
): Promise<SentPing> {
  const { store, box, requester } = tools;
  const row = await requireWebhook(store.org(orgId), webhookId);
  const deliveryId = makeId("ping");
  const message = messageOfPing(deliveryId, webhookId, now);
  const { at, status, durationMs, fault } = await requester.send(row.url, secretsOf(box, row, now), message);
  const attempt = { at, status, durationMs, fault };
  const succeeded = fault === null;
  await store.writeEvents(async (db) => {
    const its = db.updateTable("webhooks").where("org_id", "=", orgId).where("id", "=", webhookId);
    const health = succeeded ? { failing_since: null, warned_at: null } : undefined;
    const there = await its
      .set((eb) => health ?? { position: eb.ref("position") })
      .returning("id")
      .execute();
    if (there.length === 0) return;
    const delivery = { id: deliveryId, seq: null, type: PING_TYPE, attempts: JSON.stringify([attempt]) };
    const state = succeeded ? "delivered" : "failed";
    const times = { due_at: now, created_at: now, updated_at: now };
    await db
      .insertInto("webhook_deliveries")
      .values({ org_id: orgId, webhook_id: webhookId, ...delivery, state, ...times })
      .execute();
  });
  return { deliveryId, succeeded, attempt };
}
