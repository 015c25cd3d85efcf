/** Deliveries in the database: what is to be sent, how it went, and what is old. Written for many endpoints at once. */
import { DELIVERY_RETENTION_DAYS } from "@lineup/api/dashboard/webhooks";
import { DAY_MS } from "@lineup/api/tiers";
import { type Kysely, sql } from "kysely";
import type { WebhookDeliveriesTable } from "../store/event-tables.ts";
import type { EventTables, Store } from "../store/store.ts";
import { countOfRound, findRetryDelay, latestRounds } from "./retry-delays.ts";
import type { Attempt, AttemptResult } from "./webhook-request.ts";
import type { WebhookRow } from "./webhook-rows.ts";

const ROWS_A_STATEMENT = 100;
const PRUNED_A_STEP = 500;

export interface ReadyWebhook extends WebhookRow {
  /** The number of the last row of the organization's audit log. */
  readonly end: number;
}

/** Webhooks for which there is something to do: rows of the audit log that were not looked at, or deliveries that are due. */
export async function listReadyWebhooks({ events }: Store, now: number): Promise<ReadyWebhook[]> {
  return events
    .selectFrom("webhooks")
    .innerJoin("audit_heads", "audit_heads.org_id", "webhooks.org_id")
    .selectAll("webhooks")
    .select("audit_heads.count as end")
    .where("disabled_at", "is", null)
    .where((eb) => eb.or([eb("position", "<", eb.ref("audit_heads.count")), eb("next_due_at", "<=", now)]))
    .execute();
}

export interface DueDelivery {
  readonly id: string;
  readonly seq: number | null;
  readonly type: string;
}

export interface DeliveryResult extends DueDelivery {
  readonly attempt: AttemptResult;
}

export async function readDueDeliveries(
  { events }: Store,
  { org_id, id }: Pick<WebhookRow, "org_id" | "id">,
  now: number,
  limit: number,
): Promise<DueDelivery[]> {
  return events
    .selectFrom("webhook_deliveries")
    .select(["id", "seq", "type"])
    .where("org_id", "=", org_id)
    .where("webhook_id", "=", id)
    .where("state", "=", "waiting")
    .where("due_at", "<=", now)
    .orderBy("due_at")
    .limit(limit)
    .execute();
}

/** What came of some attempts at one endpoint. */
export interface EndpointResults {
  readonly webhook: WebhookRow;
  /** From where it was when it was read, which must still be so. */
  readonly position: number;
  readonly results: readonly DeliveryResult[];
}

interface WebhookResult {
  readonly webhook: WebhookRow;
  readonly result: DeliveryResult;
}

/** All in one transaction. Returns, for each, the position that now stands; undefined where another does, or the webhook is gone. */
export async function writeResults(
  store: Store,
  all: readonly EndpointResults[],
  now: number,
): Promise<(number | undefined)[]> {
  return store.writeEvents(async (db) => {
    const positions: (number | undefined)[] = [];
    const rows: WebhookResult[] = [];
    // In one order, so that two nodes at the end of a lease do not wait for each other.
    for (const { webhook, position, results } of all) {
      const standing = await moveWebhook(db, { webhook, position, results });
      positions.push(standing === "moved" ? position : undefined);
      if (standing !== "gone") rows.push(...results.map((result) => ({ webhook, result })));
    }
    for (let from = 0; from < rows.length; from += ROWS_A_STATEMENT) {
      await putDeliveries(db, rows.slice(from, from + ROWS_A_STATEMENT), now);
    }
    const touched = [...new Set(rows.map(({ webhook }) => webhook.id))];
    if (touched.length > 0) await setNextDue(db, touched);
    return positions;
  });
}

/** Its row is held until the transaction ends: it cannot go while its deliveries are written. */
async function moveWebhook(
  db: Kysely<EventTables>,
  { webhook, position, results }: EndpointResults,
): Promise<"moved" | "stays" | "gone"> {
  const its = db.updateTable("webhooks").where("org_id", "=", webhook.org_id).where("id", "=", webhook.id);
  const health = results.length === 0 ? {} : healthAfter(results.map(({ attempt }) => attempt));
  const moved = await its
    .set({ position, ...health })
    .where("position", "=", webhook.position)
    .where("replays", "=", webhook.replays)
    .returning("id")
    .execute();
  if (moved.length > 0) return "moved";
  const there = await its
    .set((eb) => ({ position: eb.ref("position"), ...health }))
    .returning("id")
    .execute();
  return there.length > 0 ? "stays" : "gone";
}

/** When each is next due, by what waits for it now. */
async function setNextDue(db: Kysely<EventTables>, webhookIds: readonly string[]): Promise<void> {
  await db
    .updateTable("webhooks")
    .set((eb) => ({
      next_due_at: eb
        .selectFrom("webhook_deliveries")
        .select(({ fn }) => fn.min<number | null>("due_at").as("due_at"))
        .whereRef("webhook_deliveries.org_id", "=", "webhooks.org_id")
        .whereRef("webhook_deliveries.webhook_id", "=", "webhooks.id")
        .where("state", "=", "waiting"),
    }))
    .where("id", "in", webhookIds)
    .execute();
}

/** In the order in which they ended. A success ends a failing; the first fault after it begins another. */
function healthAfter(attempts: readonly Attempt[]) {
  const lastSuccess = attempts.findLastIndex(({ fault }) => fault === null);
  const failedAt = attempts[lastSuccess + 1]?.at ?? null;
  if (lastSuccess >= 0) return { failing_since: failedAt, warned_at: null };
  return { failing_since: sql<number | null>`coalesce(failing_since, ${failedAt})` };
}

async function putDeliveries(db: Kysely<EventTables>, some: readonly WebhookResult[], now: number): Promise<void> {
  const known = await readAttempts(db, some);
  const rows = new Map<string, WebhookDeliveriesTable>();
  for (const { webhook, result } of some) {
    const { id, seq, type, attempt } = result;
    const key = `${webhook.id} ${id}`;
    const { attempts: before, createdAt } = known.get(key) ?? { attempts: [], createdAt: now };
    const attempts = [...before, shownAttempt(attempt)];
    known.set(key, { attempts, createdAt });
    const own = { org_id: webhook.org_id, webhook_id: webhook.id, id, seq, type };
    const times = { created_at: createdAt, updated_at: now };
    rows.set(key, { ...own, ...times, ...standingAfter(attempts, attempt.retryAfterMs, now) });
  }
  await db
    .insertInto("webhook_deliveries")
    .values([...rows.values()])
    .onConflict((conflict) =>
      conflict.columns(["org_id", "webhook_id", "id"]).doUpdateSet((eb) => ({
        state: eb.ref("excluded.state"),
        attempts: eb.ref("excluded.attempts"),
        due_at: eb.ref("excluded.due_at"),
        updated_at: eb.ref("excluded.updated_at"),
      })),
    )
    .execute();
}

/** Where a delivery stands after its last attempt. */
function standingAfter(attempts: readonly StoredAttempt[], retryAfterMs: number | undefined, now: number) {
  const kept = JSON.stringify(latestRounds(attempts));
  if (attempts.at(-1)?.fault === null) return { state: "delivered", attempts: kept, due_at: now } as const;
  const delayMs = findRetryDelay(countOfRound(attempts), retryAfterMs);
  if (delayMs === undefined) return { state: "failed", attempts: kept, due_at: now } as const;
  return { state: "waiting", attempts: kept, due_at: (attempts.at(-1)?.at ?? now) + delayMs } as const;
}

function shownAttempt({ at, status, durationMs, fault }: Attempt): Attempt {
  return { at, status, durationMs, fault };
}

/** As they are shown. */
export function parseAttempts(text: string): Attempt[] {
  return parseStored(text).map(shownAttempt);
}

type StoredAttempt = Attempt & { readonly endsRound?: true };

function parseStored(text: string): StoredAttempt[] {
  return JSON.parse(text) as StoredAttempt[];
}

/** The attempts of a message that somebody sends again: the next one is the first of another round. */
export function endRound(text: string): string {
  const attempts = parseStored(text);
  const last = attempts.pop();
  return JSON.stringify(last === undefined ? [] : [...attempts, { ...last, endsRound: true } satisfies StoredAttempt]);
}

/** What was attempted before, by webhook and message. */
async function readAttempts(db: Kysely<EventTables>, some: readonly WebhookResult[]) {
  const rows = await db
    .selectFrom("webhook_deliveries")
    .select(["webhook_id", "id", "attempts", "created_at"])
    .where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple("org_id", "webhook_id", "id"),
        "in",
        some.map(({ webhook, result }) => tuple(webhook.org_id, webhook.id, result.id)),
      ),
    )
    .execute();
  return new Map<string, { readonly attempts: StoredAttempt[]; readonly createdAt: number }>(
    rows.map(({ webhook_id, id, attempts, created_at }) => {
      return [`${webhook_id} ${id}`, { attempts: parseStored(attempts), createdAt: created_at }] as const;
    }),
  );
}

/** A few of those that are older than they are kept. Returns whether there may be more. */
export async function pruneDeliveries(store: Store, now: number): Promise<boolean> {
  const before = now - DELIVERY_RETENTION_DAYS * DAY_MS;
  const old = store.events.selectFrom("webhook_deliveries").select("id").where("created_at", "<", before).limit(1);
  if ((await old.executeTakeFirst()) === undefined) return false;
  return store.writeEvents(async (db) => {
    const key = ["org_id", "webhook_id", "id"] as const;
    const some = db
      .selectFrom("webhook_deliveries")
      .select(key)
      .where("created_at", "<", before)
      .orderBy("created_at")
      .limit(PRUNED_A_STEP);
    const { numDeletedRows } = await db
      .deleteFrom("webhook_deliveries")
      .where(({ eb, refTuple }) => eb(refTuple(...key), "in", some.$asTuple(...key)))
      .executeTakeFirst();
    return Number(numDeletedRows) === PRUNED_A_STEP;
  });
}
