/**
 * Making and keeping webhooks. Every change is one transaction that also tells the organization's audit log; no secret is told to it. The
 * secret leaves this file once, in the answer to its making; what is stored is closed under the server's own.
 */
import type { ChangeType } from "@lineup/api/change-types";
import {
  DELIVERIES_KEPT_DAYS,
  PING_TYPE,
  SECRET_OVERLAP_HOURS,
  WEBHOOK_DESCRIPTION_MAX,
  WEBHOOK_URL_MAX,
  WEBHOOKS_MAX,
} from "@lineup/api/dashboard/webhooks";
import { DAY_MS } from "@lineup/api/tiers";
import { changesFromNothing, type FieldChanges, findFieldChanges, type Origin } from "../store/audit-entry.ts";
import { makeId } from "../store/ids.ts";
import type { OrgStore } from "../store/org-store.ts";
import type { Store } from "../store/store.ts";
import type { AddressGuard } from "./address-guard.ts";
import { findSeqBefore } from "./change-rows.ts";
import type { WebhookRow } from "./endpoint-queue.ts";
import {
  describedBy,
  entryOf,
  parseTypes,
  requireWebhook,
  setColumns,
  WebhookError,
  type WebhookPlace,
} from "./webhook-rows.ts";
import { makeWebhookSecret, type SecretBox } from "./webhook-secret.ts";

const OVERLAP_MS = SECRET_OVERLAP_HOURS * 3_600_000;

export interface WebhookTools {
  readonly store: Store;
  readonly guard: AddressGuard;
  readonly box: SecretBox;
}

export interface WantedWebhook {
  readonly url: string;
  /** Null for all. */
  readonly types: readonly ChangeType[] | null;
  readonly description: string;
}

export interface MadeSecret {
  readonly id: string;
  readonly secret: string;
}

/** It is told of what is committed from here on; a ping is its first message. */
export async function createWebhook(
  { store, guard, box }: WebhookTools,
  orgId: string,
  wanted: WantedWebhook,
  origin: Origin,
  now: number,
): Promise<MadeSecret> {
  const made = requireWanted(guard, wanted);
  const id = makeId("webhook");
  const secret = makeWebhookSecret();
  await store.writeOrg(orgId, origin, async (org) => {
    const { count } = await org
      .selectFrom("webhooks")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    if (Number(count) >= WEBHOOKS_MAX) {
      const message = `An organization has at most ${WEBHOOKS_MAX} webhooks. Delete one that is no longer needed.`;
      throw new WebhookError("conflict", message);
    }
    const { count: position } = await org.readAuditEnd();
    const row = {
      ...columnsOf(made),
      id,
      secret: box.close(id, secret),
      position,
      next_due_at: now,
      created_by: origin.kind === "user" && origin.id !== null ? origin.id : origin.name,
      created_at: now,
      updated_at: now,
    };
    await org.insertInto("webhooks", [row]).execute();
    await insertPing(org, id, makeId("ping"), now);
    await org.record([entryOf("webhook.created", { id, ...made }, now, changesFromNothing(made))]);
  });
  return { id, secret };
}

export async function updateWebhook(
  { store, guard }: WebhookTools,
  { orgId, webhookId }: WebhookPlace,
  update: { readonly [K in keyof WantedWebhook]?: WantedWebhook[K] | undefined },
  origin: Origin,
  now: number,
): Promise<void> {
  await store.writeOrg(orgId, origin, async (org) => {
    const row = await requireWebhook(org, webhookId);
    const before = wantedOf(row);
    const given = Object.entries(update).filter(([, value]) => value !== undefined);
    const after = requireWanted(guard, { ...before, ...Object.fromEntries(given) });
    const changes = findFieldChanges<WantedWebhook>(before, after);
    if (changes === undefined) return;
    await setColumns(org, webhookId, { ...columnsOf(after), updated_at: now });
    await org.record([entryOf("webhook.updated", { id: webhookId, ...after }, now, changes)]);
  });
}

/** The secret before signs beside the new one for a day. One that was before that ends now. */
export async function rotateWebhook(
  { store, box }: WebhookTools,
  { orgId, webhookId }: WebhookPlace,
  origin: Origin,
  now: number,
): Promise<MadeSecret & { readonly previousSecretUntil: number }> {
  const secret = makeWebhookSecret();
  const previousSecretUntil = now + OVERLAP_MS;
  await store.writeOrg(orgId, origin, async (org) => {
    const row = await requireWebhook(org, webhookId);
    await setColumns(org, webhookId, {
      secret: box.close(webhookId, secret),
      previous_secret: row.secret,
      previous_until: previousSecretUntil,
      updated_at: now,
    });
    const changes: FieldChanges = { previousSecretUntil: [row.previous_until, previousSecretUntil] };
    await org.record([entryOf("webhook.rotated", describedBy(row), now, changes)]);
  });
  return { id: webhookId, secret, previousSecretUntil };
}

/** Returns whether it was enabled until now. What comes meanwhile is sent when it is enabled again. */
export async function disableWebhook(
  store: Store,
  { orgId, webhookId }: WebhookPlace,
  reason: string,
  origin: Origin,
  now: number,
): Promise<boolean> {
  return store.writeOrg(orgId, origin, async (org) => {
    const row = await requireWebhook(org, webhookId);
    if (row.disabled_at !== null) return false;
    await setColumns(org, webhookId, { disabled_at: now, disabled_reason: reason, updated_at: now });
    const entry = entryOf("webhook.disabled", describedBy(row), now, { disabledAt: [null, now] });
    await org.record([{ ...entry, note: reason }]);
    return true;
  });
}

/** Goes on where it was, as far back as changes are kept. */
export async function enableWebhook(
  store: Store,
  { orgId, webhookId }: WebhookPlace,
  origin: Origin,
  now: number,
): Promise<boolean> {
  return store.writeOrg(orgId, origin, async (org) => {
    const row = await requireWebhook(org, webhookId);
    if (row.disabled_at === null) return false;
    const position = Math.max(row.position, await findSeqBefore(org, now - DELIVERIES_KEPT_DAYS * DAY_MS));
    const health = { disabled_at: null, disabled_reason: null, failing_since: null, warned_at: null };
    await setColumns(org, webhookId, { ...health, position, updated_at: now });
    await org.record([entryOf("webhook.enabled", describedBy(row), now, { disabledAt: [row.disabled_at, null] })]);
    return true;
  });
}

export async function deleteWebhook(
  store: Store,
  { orgId, webhookId }: WebhookPlace,
  origin: Origin,
  now: number,
): Promise<void> {
  await store.writeOrg(orgId, origin, async (org) => {
    const row = await requireWebhook(org, webhookId);
    await org.deleteFrom("webhook_deliveries").where("webhook_id", "=", webhookId).execute();
    await org.deleteFrom("webhooks").where("id", "=", webhookId).execute();
    await org.record([entryOf("webhook.deleted", describedBy(row), now)]);
  });
}

export function insertPing(org: OrgStore, webhookId: string, pingId: string, now: number): Promise<unknown> {
  const row = {
    webhook_id: webhookId,
    id: pingId,
    seq: null,
    type: PING_TYPE,
    state: "waiting",
    attempts: "[]",
  } as const;
  return org.insertInto("webhook_deliveries", [{ ...row, due_at: now, created_at: now, updated_at: now }]).execute();
}

function requireWanted(guard: AddressGuard, wanted: WantedWebhook): WantedWebhook {
  const url = wanted.url.trim();
  const description = wanted.description.trim();
  const fault = url.length > WEBHOOK_URL_MAX ? `must have at most ${WEBHOOK_URL_MAX} characters` : guard.findFault(url);
  if (fault !== undefined) throw new WebhookError("invalid", fault, "url");
  if (description.length > WEBHOOK_DESCRIPTION_MAX || /[\p{Cc}\p{Cs}]/u.test(description)) {
    const message = `must have at most ${WEBHOOK_DESCRIPTION_MAX} characters and no control characters`;
    throw new WebhookError("invalid", message, "description");
  }
  // As it is connected to, whatever way it was written.
  return { url: new URL(url).href, types: wanted.types === null ? null : [...new Set(wanted.types)], description };
}

function wantedOf({ url, types, description }: WebhookRow): WantedWebhook {
  return { url, types: parseTypes(types), description };
}

function columnsOf({ url, types, description }: WantedWebhook) {
  return { url, types: types === null ? null : JSON.stringify(types), description };
}
