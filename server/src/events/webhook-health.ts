/** Endpoints that take nothing: their people are warned after three days, and one that fails after five as well is disabled. */
import { PING_TYPE } from "@lineup/api/dashboard/webhooks";
import { DAY_MS } from "@lineup/api/tiers";
import { SERVER_ORIGIN } from "../store/audit-entry.ts";
import type { Store } from "../store/store.ts";
import { parseAttempts } from "./delivery-store.ts";
import { DISABLED_AFTER_MS, WARNED_AFTER_MS } from "./retry-delays.ts";
import { entryOf, setColumns, type WebhookRow } from "./webhook-rows.ts";
import { disableWebhook, insertPing } from "./webhook-store.ts";

const JUDGED_AT_ONCE = 100;
const DAYS = DISABLED_AFTER_MS / DAY_MS;

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
    .where("failing_since", "is not", null)
    .where((eb) =>
      eb.or([
        eb("next_due_at", "is", null),
        eb("failing_since", "<=", now - DISABLED_AFTER_MS),
        eb.and([eb("warned_at", "is", null), eb("failing_since", "<=", now - WARNED_AFTER_MS)]),
      ]),
    )
    .limit(JUDGED_AT_ONCE)
    .execute();
  for (const row of failing) {
    const since = row.failing_since ?? now;
    const asked = since > now - DISABLED_AFTER_MS ? undefined : await readAsked(store, row, since + DISABLED_AFTER_MS);
    if (asked?.hasFailed) {
      const ref = { orgId: row.org_id, webhookId: row.id };
      const reason = `No attempt has succeeded for ${DAYS} days.`;
      if (await disableWebhook(store, ref, reason, SERVER_ORIGIN, now)) await tell(noticeOf(row, "disabled", since));
      continue;
    }
    if (row.next_due_at === null || asked?.isPinged === false) await askByPing(store, row, now);
    const isLate = asked === undefined && row.warned_at === null && since <= now - WARNED_AFTER_MS;
    if (isLate && (await noteWarning(store, row, now))) await tell(noticeOf(row, "failing", since));
  }
}

/** Whether an attempt has failed since a moment, and whether a ping was made since then. */
async function readAsked({ events }: Store, { org_id, id }: WebhookRow, since: number) {
  const rows = await events
    .selectFrom("webhook_deliveries")
    .select(["type", "attempts", "created_at"])
    .where("org_id", "=", org_id)
    .where("webhook_id", "=", id)
    .where("updated_at", ">=", since)
    .execute();
  return {
    hasFailed: rows.some(({ attempts }) =>
      parseAttempts(attempts).some(({ at, fault }) => at >= since && fault !== null),
    ),
    isPinged: rows.some(({ type, created_at }) => type === PING_TYPE && created_at >= since),
  };
}

/** An endpoint for which nothing waits would never be asked again, and one that may work by now is asked before it is disabled. */
async function askByPing(store: Store, { org_id, id }: WebhookRow, now: number): Promise<void> {
  await store.writeOrg(org_id, SERVER_ORIGIN, async (org) => {
    const row = await org.selectFrom("webhooks").select("disabled_at").where("id", "=", id).executeTakeFirst();
    if (row === undefined || row.disabled_at !== null) return;
    await insertPing(org, id, now);
    await setColumns(org, id, { next_due_at: now });
  });
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
    await org.record([entryOf("webhook.failing", row, now, { failingSince: [null, row.failing_since] })]);
    return true;
  });
}

function noticeOf(row: WebhookRow, what: Notice["what"], failingSince: number): Notice {
  const { org_id: orgId, id: webhookId, url, description } = row;
  return {
    orgId,
    webhookId,
    host: new URL(url).host,
    description,
    what,
    failingSince,
    disablesAt: failingSince + DISABLED_AFTER_MS,
  };
}
