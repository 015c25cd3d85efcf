/**
 * Making and keeping webhooks. Every change is one transaction that also tells the organization's audit log; no secret is told to it. The
 * secret leaves this file once, in the answer to its making; what is stored is closed under the server's own.
 */
import type { ChangeType } from "@lineup/api/change-types";
import {
  DELIVERY_RETENTION_DAYS,
  PING_TYPE,
  SECRET_OVERLAP_HOURS,
  WEBHOOK_DESCRIPTION_MAX,
  WEBHOOK_URL_MAX,
  WEBHOOKS_MAX,
} from "@lineup/api/dashboard/webhooks";
import { findTextFault } from "@lineup/api/fields";
import { DAY_MS } from "@lineup/api/tiers";
import {
  changesFromNothing,
  type FieldChanges,
  findFieldChanges,
  type Origin,
  SERVER_ORIGIN,
} from "../store/audit-entry.ts";
import { makeId } from "../store/ids.ts";
import type { OrgStore } from "../store/org-store.ts";
import type { Store } from "../store/store.ts";
import type { AddressGuard } from "./address-guard.ts";
import { findSeqBefore } from "./change-rows.ts";
import {
  entryOf,
  parseTypes,
  secretsOf,
  setColumns,
  WebhookError,
  type WebhookRef,
  writeWebhook,
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
): Promise<MadeSecret & WantedWebhook> {
  const made = requireWanted(guard, wanted);
  const id = makeId("webhook");
  const secret = makeWebhookSecret();
  await store.writeOrg(orgId, origin, async (org) => {
    if ((await org.countRows(org.selectFrom("webhooks").select("webhooks.id"))) >= WEBHOOKS_MAX) {
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
    await insertPing(org, id, now);
    await org.record([entryOf("webhook.created", { id, ...made }, now, changesFromNothing(made))]);
  });
  return { id, secret, ...made };
}

export async function updateWebhook(
  { store, guard }: WebhookTools,
  ref: WebhookRef,
  update: { readonly [K in keyof WantedWebhook]?: WantedWebhook[K] | undefined },
  origin: Origin,
  now: number,
): Promise<void> {
  await writeWebhook(store, ref, origin, async (org, row) => {
    const before = { url: row.url, types: parseTypes(row.types), description: row.description };
    const given = Object.entries(update).filter(([, value]) => value !== undefined);
    const after = requireWanted(guard, { ...before, ...Object.fromEntries(given) });
    const changes = findFieldChanges<WantedWebhook>(before, after);
    if (changes === undefined) return;
    await setColumns(org, row.id, { ...columnsOf(after), updated_at: now });
    await org.record([entryOf("webhook.updated", { id: row.id, ...after }, now, changes)]);
  });
}

/** The secret before signs beside the new one for a day, as was promised; so there is no other rotation until then. */
export async function rotateWebhook(
  { store, box }: WebhookTools,
  ref: WebhookRef,
  origin: Origin,
  now: number,
): Promise<MadeSecret & { readonly previousSecretUntil: number }> {
  const secret = makeWebhookSecret();
  const previousSecretUntil = now + OVERLAP_MS;
  await writeWebhook(store, ref, origin, async (org, row) => {
    // Where the server's own secret was changed, neither can be read, and nothing ends that could sign.
    if (row.previous_until !== null && secretsOf(box, row, now).length > 1) {
      const until = new Date(row.previous_until).toISOString();
      const message = `The secret before this one still signs until ${until}. Rotate again after that, or create another webhook.`;
      throw new WebhookError("conflict", message);
    }
    await setColumns(org, row.id, {
      secret: box.close(row.id, secret),
      previous_secret: row.secret,
      previous_until: previousSecretUntil,
      updated_at: now,
    });
    const changes: FieldChanges = { previousSecretUntil: [row.previous_until, previousSecretUntil] };
    await org.record([entryOf("webhook.rotated", row, now, changes)]);
  });
  return { id: ref.webhookId, secret, previousSecretUntil };
}

/** Returns whether it was enabled until now. What comes meanwhile is sent when it is enabled again. */
export async function disableWebhook(
  store: Store,
  ref: WebhookRef,
  reason: string,
  origin: Origin,
  now: number,
): Promise<boolean> {
  return writeWebhook(store, ref, origin, async (org, row) => {
    if (row.disabled_at !== null) return false;
    await setColumns(org, row.id, { disabled_at: now, disabled_reason: reason, updated_at: now });
    const entry = entryOf("webhook.disabled", row, now, { disabledAt: [null, now] });
    await org.record([{ ...entry, note: reason }]);
    return true;
  });
}

export const GONE = 410;

/** For an endpoint that has answered so, whatever it was sent. */
export function disableGone(store: Store, ref: WebhookRef, now: number): Promise<boolean> {
  return disableWebhook(store, ref, "The endpoint answered 410 Gone.", SERVER_ORIGIN, now);
}

/** Goes on where it was, as far back as changes are kept. */
export function enableWebhook(store: Store, ref: WebhookRef, origin: Origin, now: number): Promise<boolean> {
  return writeWebhook(store, ref, origin, async (org, row) => {
    if (row.disabled_at === null) return false;
    const position = Math.max(row.position, await findSeqBefore(org, now - DELIVERY_RETENTION_DAYS * DAY_MS));
    const health = { disabled_at: null, disabled_reason: null, failing_since: null, warned_at: null };
    await setColumns(org, row.id, { ...health, position, updated_at: now });
    await org.record([entryOf("webhook.enabled", row, now, { disabledAt: [row.disabled_at, null] })]);
    return true;
  });
}

export function deleteWebhook(store: Store, ref: WebhookRef, origin: Origin, now: number): Promise<void> {
  return writeWebhook(store, ref, origin, async (org, row) => {
    // Its deliveries go with it.
    await org.deleteFrom("webhooks").where("id", "=", row.id).execute();
    await org.record([entryOf("webhook.deleted", row, now)]);
  });
}

/** Waits to be sent at once. */
export function insertPing(org: OrgStore, webhookId: string, now: number): Promise<unknown> {
  const ping = { webhook_id: webhookId, id: makeId("ping"), seq: null, type: PING_TYPE, attempts: "[]" } as const;
  const times = { due_at: now, created_at: now, updated_at: now };
  return org.insertInto("webhook_deliveries", [{ ...ping, state: "waiting", ...times }]).execute();
}

function requireWanted(guard: AddressGuard, wanted: WantedWebhook): WantedWebhook {
  const url = wanted.url.trim();
  const description = wanted.description.trim();
  // A URL's reader would leave some of what is no text out, and another address would be called than the one that was shown.
  const fault = findTextFault(url, 0, WEBHOOK_URL_MAX) ?? guard.findFault(url);
  if (fault !== undefined) throw new WebhookError("invalid", fault, "url");
  if (description.length > WEBHOOK_DESCRIPTION_MAX || /[\p{Cc}\p{Cs}]/u.test(description)) {
    const message = `must have at most ${WEBHOOK_DESCRIPTION_MAX} characters and no control characters`;
    throw new WebhookError("invalid", message, "description");
  }
  if (wanted.types?.length === 0) {
    throw new WebhookError("invalid", "must name at least one type, or be left out for all of them", "types");
  }
  // As it is connected to, whatever way it was written.
  return { url: new URL(url).href, types: wanted.types === null ? null : [...new Set(wanted.types)], description };
}

function columnsOf({ url, types, description }: WantedWebhook) {
  return { url, types: types === null ? null : JSON.stringify(types), description };
}
