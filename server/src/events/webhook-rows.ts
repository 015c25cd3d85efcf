/** Webhooks as rows: finding them, changing them, and how the audit log names them. */
import type { ChangeType } from "@lineup/api/change-types";
import { ActionError } from "@lineup/api/dashboard/action";
import { isIdOf } from "@lineup/api/ids";
import type { Selectable } from "kysely";
import type { AuditEntry, FieldChanges, Origin } from "../store/audit-entry.ts";
import type { WebhooksTable } from "../store/event-tables.ts";
import type { OrgStore } from "../store/org-store.ts";
import type { Store } from "../store/store.ts";
import type { SecretBox } from "./webhook-secret.ts";

export type WebhookRow = Selectable<WebhooksTable>;

const CODES = { "not-found": "NOT_FOUND", conflict: "CONFLICT", invalid: "VALIDATION_ERROR" } as const;

/** Why a webhook was left as it is, in words for the one who asked. `field` is what was given and is at fault. */
export class WebhookError extends ActionError {
  constructor(kind: keyof typeof CODES, fault: string, field?: string) {
    const message = field === undefined ? fault : `The webhook's ${field} ${fault}.`;
    super(CODES[kind], message, field === undefined ? undefined : [{ field, message: fault }]);
  }
}

export interface WebhookRef {
  readonly orgId: string;
  readonly webhookId: string;
}

/** For those who know an id alone, as operators do. */
export async function requireWebhookRef({ events }: Store, webhookId: string): Promise<WebhookRef> {
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

/** In a transaction of its organization. */
export function writeWebhook<T>(
  store: Store,
  { orgId, webhookId }: WebhookRef,
  origin: Origin,
  write: (org: OrgStore, row: WebhookRow) => Promise<T>,
): Promise<T> {
  return store.writeOrg(orgId, origin, async (org) => write(org, await requireWebhook(org, webhookId)));
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

export function requireEnabled(row: WebhookRow): void {
  if (row.disabled_at === null) return;
  throw new WebhookError("conflict", "This webhook is disabled, so nothing is sent to it. Enable it first.");
}

export async function setColumns(org: OrgStore, id: string, columns: Partial<Omit<WebhookRow, "org_id" | "id">>) {
  await org.updateTable("webhooks").set(columns).where("id", "=", id).execute();
}

/** By its description, or else by where it leads; what stands behind the path may be a secret of the receiver's. */
export function entryOf(
  action: string,
  { id, url, description }: Pick<WebhookRow, "id" | "url" | "description">,
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
