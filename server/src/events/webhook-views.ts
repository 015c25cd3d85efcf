/** Webhooks and their deliveries as people see them. */
import {
  type DeliveryState,
  type DeliveryView,
  PING_TYPE,
  type WebhookState,
  type WebhookView,
} from "@lineup/api/dashboard/webhooks";
import type { Selectable } from "kysely";
import type { WebhookDeliveriesTable } from "../store/event-tables.ts";
import type { OrgStore } from "../store/org-store.ts";
import { parseAttempts } from "./delivery-store.ts";
import { DISABLED_AFTER_MS } from "./retry-delays.ts";
import { parseTypes, WebhookError, type WebhookRow } from "./webhook-rows.ts";

const RECENT_SHOWN = 30;
const WAITING_COUNTED_MAX = 1_000;
const PAGE_DEFAULT = 50;

/** Newest first. */
export async function listWebhooks(org: OrgStore, now: number): Promise<WebhookView[]> {
  const rows = await org.selectFrom("webhooks").selectAll().orderBy("id", "desc").execute();
  const { count: end } = await org.readAuditEnd();
  const views: WebhookView[] = [];
  for (const row of rows) views.push(await describeWebhook(org, row, end, now));
  return views;
}

export async function describeWebhook(org: OrgStore, row: WebhookRow, end: number, now: number): Promise<WebhookView> {
  const latest = await org
    .selectFrom("webhook_deliveries")
    .select(["state", "attempts", "updated_at"])
    .where("webhook_id", "=", row.id)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(RECENT_SHOWN)
    .execute();
  const attempts = latest.flatMap(({ attempts: text }) => parseAttempts(text).slice(-1));
  const lastAttempt = attempts.toSorted((a, b) => b.at - a.at)[0] ?? null;
  const previousSecretUntil = row.previous_until !== null && row.previous_until > now ? row.previous_until : null;
  return {
    id: row.id,
    url: row.url,
    types: parseTypes(row.types),
    description: row.description,
    state: stateOf(row, previousSecretUntil, lastAttempt === null),
    failingSince: row.failing_since,
    disablesAt: row.disabled_at === null && row.failing_since !== null ? row.failing_since + DISABLED_AFTER_MS : null,
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason,
    previousSecretUntil,
    behind: Math.max(0, end - row.position),
    waiting: await countWaiting(org, row.id),
    recent: latest.map(({ state }) => state).reverse(),
    lastAttempt,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function stateOf(row: WebhookRow, previousSecretUntil: number | null, isNew: boolean): WebhookState {
  if (row.disabled_at !== null) return "disabled";
  if (row.failing_since !== null) return "failing";
  if (previousSecretUntil !== null) return "rotating";
  return isNew ? "new" : "active";
}

async function countWaiting(org: OrgStore, webhookId: string): Promise<number> {
  return org.countRows(
    org
      .selectFrom("webhook_deliveries")
      .select("id")
      .where("webhook_id", "=", webhookId)
      .where("state", "=", "waiting")
      .limit(WAITING_COUNTED_MAX),
  );
}

export interface DeliveryFilters {
  readonly state?: DeliveryState | undefined;
  readonly type?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Newest first. */
export async function listDeliveries(
  org: OrgStore,
  webhookId: string,
  { state, type, from, to }: DeliveryFilters,
  { cursor, limit = PAGE_DEFAULT }: { readonly cursor?: string | undefined; readonly limit?: number | undefined },
): Promise<{ readonly deliveries: DeliveryView[]; readonly nextCursor: string | null }> {
  let query = org.selectFrom("webhook_deliveries").selectAll().where("webhook_id", "=", webhookId);
  if (state !== undefined) query = query.where("state", "=", state);
  if (type !== undefined) query = query.where("type", "=", type);
  if (from !== undefined) query = query.where("created_at", ">=", from);
  if (to !== undefined) query = query.where("created_at", "<=", to);
  if (cursor !== undefined) {
    const below = requireCursor(cursor);
    query = query.where(({ eb, and, or }) =>
      or([
        eb("created_at", "<", below.createdAt),
        and([eb("created_at", "=", below.createdAt), eb("id", "<", below.id)]),
      ]),
    );
  }
  const rows = await query
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? `${last.created_at}.${last.id}` : null;
  return { deliveries: shown.map(describeDelivery), nextCursor };
}

function describeDelivery(row: Selectable<WebhookDeliveriesTable>): DeliveryView {
  return {
    id: row.id,
    type: row.type,
    sequence: row.type === PING_TYPE ? null : row.seq,
    state: row.state,
    attempts: parseAttempts(row.attempts),
    nextAttemptAt: row.state === "waiting" ? row.due_at : null,
    createdAt: row.created_at,
  };
}

function requireCursor(text: string): { readonly createdAt: number; readonly id: string } {
  const [, createdAt, id] = /^(\d{1,15})\.(\w{1,60})$/.exec(text) ?? [];
  if (createdAt !== undefined && id !== undefined) return { createdAt: Number(createdAt), id };
  throw new WebhookError("invalid", "is not one that was given out; begin again without it", "cursor");
}
