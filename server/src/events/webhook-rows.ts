/** Webhooks as rows: finding them, changing them, and how the audit log names them. */
import type { ChangeType } from "@lineup/api/change-types";
import { isIdOf } from "@lineup/api/ids";
import type { AuditEntry, FieldChanges } from "../store/audit-entry.ts";
import type { OrgStore } from "../store/org-store.ts";
import type { Store } from "../store/store.ts";
import type { WebhookRow } from "./endpoint-queue.ts";
import type { SecretBox } from "./webhook-secret.ts";

/** Why a webhook was left as it is, in words for the one who asked. */
export class WebhookError extends Error {
  readonly kind: "not-found" | "conflict" | "invalid";
  /** Where something that was given is at fault: its name, and what is wrong with it. */
  readonly field: string | undefined;
  readonly fault: string;

  constructor(kind: WebhookError["kind"], fault: string, field?: string) {
    super(field === undefined ? fault : `The webhook's ${field} ${fault}.`);
    this.name = "WebhookError";
    this.kind = kind;
    this.field = field;
    this.fault = fault;
  }
}

export interface WebhookPlace {
  readonly orgId: string;
  readonly webhookId: string;
}

/** For those who know an id alone, as operators do. */
export async function requireWebhookPlace({ events }: Store, webhookId: string): Promise<WebhookPlace> {
  const found = isIdOf("webhook", webhookId)
    ? await events.selectFrom("webhooks").select("org_id").where("id", "=", webhookId).executeTakeFirst()
    : undefined;
  if (found !== undefined) return { orgId: found.org_id, webhookId };
  throw new WebhookError(
    "not-found",
    'There is no such webhook. "lineup webhook list --org ORG" shows the ids (webhook_…).',
  );
}

export async function requireWebhook(org: OrgStore, webhookId: string): Promise<WebhookRow> {
  const row = await org.selectFrom("webhooks").selectAll().where("id", "=", webhookId).executeTakeFirst();
  if (row !== undefined) return row;
  throw new WebhookError("not-found", "There is no such webhook in this organization. Choose one from the list.");
}

/** The secrets that sign now, the newest first; none where they cannot be read. */
export function secretsOf(box: SecretBox, row: WebhookRow, now: number): string[] {
  const closed = [row.secret];
  if (row.previous_secret !== null && (row.previous_until ?? 0) > now) closed.push(row.previous_secret);
  return closed.map((one) => box.open(row.id, one)).filter((secret) => secret !== undefined);
}

export function parseTypes(text: string | null): ChangeType[] | null {
  return text === null ? null : (JSON.parse(text) as ChangeType[]);
}

export function requireEnabled(row: WebhookRow): WebhookRow {
  if (row.disabled_at === null) return row;
  throw new WebhookError("conflict", "This webhook is disabled, so nothing is sent to it. Enable it first.");
}

export function describedBy(row: WebhookRow) {
  return { id: row.id, url: row.url, description: row.description };
}

export async function setColumns(
  org: OrgStore,
  webhookId: string,
  columns: Partial<Omit<WebhookRow, "org_id" | "id">>,
) {
  await org.updateTable("webhooks").set(columns).where("id", "=", webhookId).execute();
}

/** By its description, or else by where it leads; what stands behind the path may be a secret of the receiver's. */
export function entryOf(
  action: string,
  { id, url, description }: { readonly id: string; readonly url: string; readonly description: string },
  at: number,
  changes?: FieldChanges,
): AuditEntry {
  const target = { kind: "webhook", id, name: description === "" ? new URL(url).host : description };
  return changes === undefined ? { at, action, target } : { at, action, target, changes: withoutPaths(changes) };
}

function withoutPaths(changes: FieldChanges): FieldChanges {
  if (changes.url === undefined) return changes;
  const [before, after] = changes.url.map((url) => (typeof url === "string" ? withoutPath(url) : url));
  return { ...changes, url: [before, after] };
}

function withoutPath(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return pathname === "/" && search === "" ? origin : `${origin}/…`;
}
