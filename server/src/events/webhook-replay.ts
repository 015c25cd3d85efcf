/** Sending again: one delivery, or all since a moment. What is sent again keeps its id. */
import { DELIVERIES_KEPT_DAYS } from "@lineup/api/dashboard/webhooks";
import { DAY_MS } from "@lineup/api/tiers";
import type { Origin } from "../store/audit-entry.ts";
import type { Store } from "../store/store.ts";
import { findSeqBefore } from "./change-rows.ts";
import {
  describedBy,
  entryOf,
  requireEnabled,
  requireWebhook,
  setColumns,
  WebhookError,
  type WebhookPlace,
} from "./webhook-rows.ts";

/** One message again, at once; also one that was taken, or given up. */
export async function replayDelivery(
  store: Store,
  { orgId, webhookId }: WebhookPlace,
  deliveryId: string,
  origin: Origin,
  now: number,
): Promise<void> {
  await store.writeOrg(orgId, origin, async (org) => {
    const row = requireEnabled(await requireWebhook(org, webhookId));
    const found = await org
      .updateTable("webhook_deliveries")
      .set({ state: "waiting", due_at: now, updated_at: now })
      .where("webhook_id", "=", webhookId)
      .where("id", "=", deliveryId)
      .returning("type")
      .execute();
    if (found.length === 0) {
      const message = `This webhook has no such delivery, or it is older than ${DELIVERIES_KEPT_DAYS} days. Load the list again.`;
      throw new WebhookError("not-found", message);
    }
    await setColumns(org, webhookId, { next_due_at: Math.min(row.next_due_at ?? now, now) });
    await org.record([{ ...entryOf("webhook.replayed", describedBy(row), now), note: `Delivery ${deliveryId}.` }]);
  });
}

/** All changes since a moment again. Returns how many entries of the audit log that is. */
export async function replaySince(
  store: Store,
  { orgId, webhookId }: WebhookPlace,
  since: number,
  origin: Origin,
  now: number,
): Promise<number> {
  if (since > now || since < now - DELIVERIES_KEPT_DAYS * DAY_MS) {
    const message = `must lie within the last ${DELIVERIES_KEPT_DAYS} days`;
    throw new WebhookError("invalid", message, "since");
  }
  return store.writeOrg(orgId, origin, async (org) => {
    const row = requireEnabled(await requireWebhook(org, webhookId));
    const { count } = await org.readAuditEnd();
    const position = Math.min(row.position, await findSeqBefore(org, since));
    await setColumns(org, webhookId, { position, replays: row.replays + 1, updated_at: now });
    const note = `All changes since ${new Date(since).toISOString()}.`;
    await org.record([{ ...entryOf("webhook.replayed", describedBy(row), now), note }]);
    return count - position;
  });
}
