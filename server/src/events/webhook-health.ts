/** Endpoints that take nothing: their people are warned after three days, and after five they are disabled. */
import { SERVER_ORIGIN } from "../store/audit-entry.ts";
import type { Store } from "../store/store.ts";
import type { WebhookRow } from "./endpoint-queue.ts";
import { DISABLED_AFTER_MS, WARNED_AFTER_MS } from "./retry-delays.ts";
import { disableWebhook } from "./webhook-store.ts";

const JUDGED_AT_ONCE = 100;
const DAYS = DISABLED_AFTER_MS / 86_400_000;

export interface Notice {
  readonly orgId: string;
  readonly webhookId: string;
  /** Of the endpoint's address; the rest of it may hold a secret. */
  readonly host: string;
  readonly description: string;
  readonly what: "failing" | "disabled";
  readonly failingSince: number;
  readonly disablesAt: number;
}

export interface HealthTools {
  readonly store: Store;
  /** Tells the people who keep the organization's webhooks. Must not reject. */
  tell(notice: Notice): Promise<void>;
}

export async function judgeHealth({ store, tell }: HealthTools, now: number): Promise<void> {
  const failing = await store.events
    .selectFrom("webhooks")
    .selectAll()
    .where("disabled_at", "is", null)
    .where("failing_since", "<=", now - WARNED_AFTER_MS)
    .where((eb) => eb.or([eb("warned_at", "is", null), eb("failing_since", "<=", now - DISABLED_AFTER_MS)]))
    .limit(JUDGED_AT_ONCE)
    .execute();
  for (const row of failing) {
    const since = row.failing_since ?? now;
    if (since > now - DISABLED_AFTER_MS) {
      if (await noteWarning(store, row, now)) await tell(noticeOf(row, "failing", since));
      continue;
    }
    const place = { orgId: row.org_id, webhookId: row.id };
    const reason = `No attempt has succeeded for ${DAYS} days.`;
    if (await disableWebhook(store, place, reason, SERVER_ORIGIN, now)) await tell(noticeOf(row, "disabled", since));
  }
}

function noteWarning(store: Store, row: WebhookRow, now: number): Promise<boolean> {
  return store.writeOrg(row.org_id, SERVER_ORIGIN, async (org) => {
    const warned = await org
      .updateTable("webhooks")
      .set({ warned_at: now })
      .where("id", "=", row.id)
      .where("warned_at", "is", null)
      .where("failing_since", "is not", null)
      .returning("id")
      .execute();
    if (warned.length === 0) return false;
    const target = { kind: "webhook", id: row.id, name: row.description === "" ? hostOf(row) : row.description };
    await org.record([
      { at: now, action: "webhook.failing", target, changes: { failingSince: [null, row.failing_since] } },
    ]);
    return true;
  });
}

function noticeOf(row: WebhookRow, what: Notice["what"], failingSince: number): Notice {
  const { org_id: orgId, id: webhookId, description } = row;
  return {
    orgId,
    webhookId,
    host: hostOf(row),
    description,
    what,
    failingSince,
    disablesAt: failingSince + DISABLED_AFTER_MS,
  };
}

function hostOf({ url }: WebhookRow): string {
  return new URL(url).host;
}
