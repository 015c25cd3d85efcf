/**
 * The tables of what others are told of changes, and of what makes writing safe. The audit log itself is the list of changes; these hold
 * who is told, how far they are, and what was answered before. What is due to be told of a contract is asked of them here, by its writes and by the clock.
 */
import { EXPIRY_NOTICES_DAYS, type ExpiryNotice, findNextNotice } from "@lineup/api/change-types";
import { DAY_MS } from "@lineup/api/tiers";
import type { Generated } from "kysely";
import type { AuditEntry } from "./audit-entry.ts";
import { extendAudit } from "./audit-tables.ts";
import { addColumns, createTables, type Dialect, defineTable, type RowOf, type RowsOf } from "./record-ddl.ts";

/** What a write under an `Idempotency-Key` was answered with. Its endpoint, which is part of the hash, says under which status. */
const idempotentWrites = defineTable({
  name: "idempotent_writes",
  keptBy: "key",
  rules: ["PRIMARY KEY (org_id, key_id, idempotency_key)"],
  indexes: { idempotent_writes_by_record: "(org_id, record_id)", idempotent_writes_by_age: "(created_at)" },
  columns: {
    org_id: "text NOT NULL REFERENCES organizations (id) ON DELETE CASCADE",
    /** The API key it belongs to. */
    key_id: "text NOT NULL",
    idempotency_key: "text NOT NULL CHECK (idempotency_key <> '')",
    /** Of endpoint, id and body: another request under the same key is refused. Zeros once the record was erased. */
    request_hash: "text NOT NULL CHECK (length(request_hash) = 64)",
    record_id: "text NOT NULL",
    /** The record as it was answered, as JSON; empty once it was erased. */
    body: "text NOT NULL",
    created_at: "integer NOT NULL",
  },
});

/** The request that wrote, for the same answer to all; null where it was written before this column was. */
const idempotentWritesLater = { request_id: "text" } as const;

const webhooks = defineTable({
  name: "webhooks",
  keptBy: "key",
  rules: ["PRIMARY KEY (org_id, id)"],
  columns: {
    org_id: "text NOT NULL REFERENCES organizations (id) ON DELETE CASCADE",
    id: "text NOT NULL CHECK (is id of webhook)",
    url: "text NOT NULL CHECK (url <> '')",
    /** JSON array of event types; null for all. */
    types: "text CHECK (types IS NULL OR is JSON array)",
    description: "text NOT NULL",
    /** Encrypted under the server's secret, as the previous one is. */
    secret: "text NOT NULL",
    /** Signs beside the new one until then. */
    previous_secret: "text",
    previous_until: "integer",
    /** Every change up to this number of the audit log has been sent, or has a delivery that waits. */
    position: "integer NOT NULL CHECK (position >= 0)",
    /** How often the position was set back, to send again: who reads behind it begins anew. */
    replays: "integer NOT NULL DEFAULT 0",
    /** When the first of its deliveries that wait is due. */
    next_due_at: "integer",
    /** Since when no attempt has succeeded; null while they do. */
    failing_since: "integer",
    warned_at: "integer",
    disabled_at: "integer",
    disabled_reason: "text",
    created_by: "text NOT NULL",
    created_at: "integer NOT NULL",
    updated_at: "integer NOT NULL",
  },
});

const webhookDeliveries = defineTable({
  name: "webhook_deliveries",
  keptBy: "key",
  rules: [
    "PRIMARY KEY (org_id, webhook_id, id)",
    "FOREIGN KEY (org_id, webhook_id) REFERENCES webhooks (org_id, id) ON DELETE CASCADE",
  ],
  indexes: {
    webhook_deliveries_due: "(org_id, webhook_id, due_at) WHERE state = 'waiting'",
    webhook_deliveries_by_time: "(org_id, webhook_id, created_at, id)",
    webhook_deliveries_by_age: "(created_at)",
  },
  columns: {
    org_id: "text NOT NULL REFERENCES organizations (id) ON DELETE CASCADE",
    webhook_id: "text NOT NULL",
    /** The change's id, which is the message's too. */
    id: "text NOT NULL",
    /** The change's number in the audit log; null for a ping. */
    seq: "integer",
    type: "text NOT NULL",
    state: "text NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed'))",
    /** JSON array, oldest first. */
    attempts: "text NOT NULL CHECK (is JSON array)",
    /** When the next attempt is due. */
    due_at: "integer NOT NULL",
    created_at: "integer NOT NULL",
    updated_at: "integer NOT NULL",
  },
});

/** When time itself next has something to tell of a contract: one row for each active contract that has an end. */
const contractClock = defineTable({
  name: "contract_clock",
  keptBy: "key",
  rules: [
    "PRIMARY KEY (org_id, contract_id)",
    "FOREIGN KEY (org_id, contract_id) REFERENCES contracts (org_id, id) ON DELETE CASCADE",
  ],
  indexes: { contract_clock_by_time: "(due_at)" },
  columns: {
    org_id: "text NOT NULL REFERENCES organizations (id) ON DELETE CASCADE",
    contract_id: "text NOT NULL",
    end_date: "integer NOT NULL",
    /** How many days before the end that is; 0 is the end itself. */
    days: "integer NOT NULL CHECK (days >= 0)",
    due_at: "integer NOT NULL",
  },
});

/** Records that were erased, so that an older backup does not bring them back. */
const erasures = defineTable({
  name: "erasures",
  keptBy: "key",
  rules: ["PRIMARY KEY (org_id, record_id)"],
  indexes: { erasures_unfinished: "(at) WHERE sought IS NOT NULL" },
  columns: {
    org_id: "text NOT NULL REFERENCES organizations (id) ON DELETE CASCADE",
    record_id: "text NOT NULL",
    at: "integer NOT NULL",
    /**
     * JSON array: what the request log is searched for, as hashes under the server's secret; of one of the person's records. Null once
     * nothing of it can come back.
     */
    sought: "text CHECK (sought IS NULL OR is JSON array)",
    /** When the request log and the free pages were first cleaned of it. */
    swept_at: "integer",
  },
});

/** Work that one process does for all of them: who does it, and for how long that holds. */
const leases = defineTable({
  name: "leases",
  keptBy: "key",
  columns: { name: "text PRIMARY KEY", holder: "text NOT NULL", until: "integer NOT NULL" },
});

const tables = [idempotentWrites, webhooks, webhookDeliveries, contractClock, erasures, leases] as const;

export interface EventTables extends Omit<RowsOf<typeof tables>, "idempotent_writes" | "webhooks"> {
  idempotent_writes: RowOf<typeof idempotentWrites.columns & typeof idempotentWritesLater>;
  webhooks: WebhooksTable;
}

export type WebhooksTable = Omit<RowOf<typeof webhooks.columns>, "replays"> & { replays: Generated<number> };
export type WebhookDeliveriesTable = EventTables["webhook_deliveries"];

/** Those that belong to an organization, in the order in which they can be emptied. */
export const EVENT_TABLES = [
  "idempotent_writes",
  "webhook_deliveries",
  "webhooks",
  "contract_clock",
  "erasures",
] as const;

export function extendIdempotentWrites(dialect: Dialect): string {
  return addColumns(dialect, "idempotent_writes", idempotentWritesLater);
}

export function createEventTables(dialect: Dialect): string {
  return `\nDROP TABLE changes;\n\n${extendAudit(dialect)}${createTables(dialect, ...tables)}`;
}

/**
 * Contracts that are there already: what time has told of them by now is not told again. `nowMs` is the moment of the step, as the database
 * writes it.
 */
export function fillContractClock(nowMs: string): string {
  const dueAt = (days: number) => `end_date - ${days * DAY_MS}`;
  const cases = EXPIRY_NOTICES_DAYS.map((days) => `WHEN ${dueAt(days)} > ${nowMs} THEN ${days}`).join(" ");
  return `
INSERT INTO contract_clock (org_id, contract_id, end_date, days, due_at)
SELECT org_id, id, end_date, days, end_date - days * ${DAY_MS} FROM (
  SELECT org_id, id, end_date, CAST(CASE ${cases} ELSE 0 END AS bigint) AS days
  FROM contracts WHERE status = 'active' AND end_date > ${nowMs}
) AS running;
`;
}

/** How long the answer to a write is given again under its `Idempotency-Key`. */
export const ANSWER_RETENTION_MS = DAY_MS;

type ClockRow = Pick<EventTables["contract_clock"], "contract_id" | "end_date" | "days" | "due_at">;

/**
 * What time tells of a contract, as the audit log is told of it: by the clock, or by the write that gives the contract another end before
 * the clock has looked. `next` is the one that lies ahead; undefined once the contract has ended.
 */
export function findDueNotices({ contract_id: id, end_date: endDate, days, due_at: dueAt }: ClockRow, now: number) {
  const entries: AuditEntry[] = [];
  let next: ExpiryNotice | undefined = { days, dueAt };
  while (next !== undefined && next.dueAt <= now) {
    entries.push(entryOfNotice(id, next.days, now));
    next = findNextNotice(endDate, next.dueAt);
  }
  return { entries, next };
}

function entryOfNotice(contractId: string, days: number, at: number): AuditEntry {
  const target = { kind: "contract", id: contractId, name: null };
  if (days === 0) return { at, action: "contract.expired", target, facts: { fields: ["status"] } };
  return { at, action: "contract.expiring", target, facts: { fields: [], days } };
}
