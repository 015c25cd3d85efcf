/** What people ask to be sent: one delivery again, or all since a moment, which keep their ids; or a ping, to try an endpoint out. */
import { DELIVERY_RETENTION_DAYS, PING_TYPE } from "@lineup/api/dashboard/webhooks";
import { DAY_MS } from "@lineup/api/tiers";
import type { Origin } from "../store/audit-entry.ts";
import { makeId } from "../store/ids.ts";
import type { Store } from "../store/store.ts";
import { findSeqBefore } from "./change-rows.ts";
import { endRound } from "./delivery-store.ts";
import type { SenderOptions } from "./sender.ts";
import { messageOfPing } from "./webhook-request.ts";
import {
  entryOf,
  requireEnabled,
  requireWebhook,
  secretsOf,
  setColumns,
  WebhookError,
  type WebhookRef,
  writeWebhook,
} from "./webhook-rows.ts";
import { disableGone, GONE } from "./webhook-store.ts";

/** One message again, at once, with all its attempts anew; also one that was taken, given up, or waits for its next attempt. */
export async function replayDelivery(
  store: Store,
  ref: WebhookRef,
  deliveryId: string,
  origin: Origin,
  now: number,
): Promise<void> {
  await writeWebhook(store, ref, origin, async (org, row) => {
    requireEnabled(row);
    // First, so that a process that writes down an attempt waits, or has done so.
    await setColumns(org, row.id, { next_due_at: Math.min(row.next_due_at ?? now, now), updated_at: now });
    const found = await org
      .selectFrom("webhook_deliveries")
      .select("attempts")
      .where("webhook_id", "=", row.id)
      .where("id", "=", deliveryId)
      .executeTakeFirst();
    if (found === undefined) {
      const message = `This webhook has no such delivery, or it is older than ${DELIVERY_RETENTION_DAYS} days. Load the list again.`;
      throw new WebhookError("not-found", message);
    }
    await org
      .updateTable("webhook_deliveries")
      .set({ state: "waiting", attempts: endRound(found.attempts), due_at: now, updated_at: now })
      .where("webhook_id", "=", row.id)
      .where("id", "=", deliveryId)
      .execute();
    await org.record([{ ...entryOf("webhook.replayed", row, now), note: `Delivery ${deliveryId}.` }]);
  });
}

/** All changes since a moment again. Returns how many entries of the audit log that is. */
export async function replaySince(
  store: Store,
  ref: WebhookRef,
  since: number,
  origin: Origin,
  now: number,
): Promise<number> {
  if (since > now || since < now - DELIVERY_RETENTION_DAYS * DAY_MS) {
    const message = `must lie within the last ${DELIVERY_RETENTION_DAYS} days`;
    throw new WebhookError("invalid", message, "since");
  }
  return writeWebhook(store, ref, origin, async (org, row) => {
    requireEnabled(row);
    const { count } = await org.readAuditEnd();
    const position = Math.min(row.position, await findSeqBefore(org, since));
    await setColumns(org, row.id, { position, replays: row.replays + 1, updated_at: now });
    const note = `All changes since ${new Date(since).toISOString()}.`;
    await org.record([{ ...entryOf("webhook.replayed", row, now), note }]);
    return count - position;
  });
}

/**
 * Sent at once, for somebody who waits for what comes of it; tried once, and stored with the other deliveries. Also to an endpoint that is
 * disabled: it may be tried out before it is enabled again. An answer of 410 disables, as
 * to any message.
 */
export async function sendTestPing(
  { store, box, requester }: Pick<SenderOptions, "store" | "box" | "requester">,
  { orgId, webhookId }: WebhookRef,
  now: number,
) {
  const row = await requireWebhook(store.org(orgId), webhookId);
  const deliveryId = makeId("ping");
  const message = messageOfPing(deliveryId, webhookId, now);
  const { at, status, durationMs, fault } = await requester.send(row.url, secretsOf(box, row, now), message);
  const attempt = { at, status, durationMs, fault };
  const succeeded = fault === null;
  await store.writeEvents(async (db) => {
    const its = db.updateTable("webhooks").where("org_id", "=", orgId).where("id", "=", webhookId);
    const health = succeeded ? { failing_since: null, warned_at: null, updated_at: now } : undefined;
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
  if (status === GONE) await disableGone(store, { orgId, webhookId }, now);
  return { deliveryId, succeeded, attempt };
}
