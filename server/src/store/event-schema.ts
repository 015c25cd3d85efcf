/** The tables of `event-tables.ts` as the queries see them. */
import { DAY_MS } from "@lineup/api/tiers";
import type { Generated } from "kysely";

/** How long the answer to a write is given again under its `Idempotency-Key`. */
export const ANSWER_KEPT_MS = DAY_MS;

/** What a write under an `Idempotency-Key` was answered with. Its endpoint, which is part of the hash, says under which status. */
export interface IdempotentWritesTable {
  org_id: string;
  /** The API key it belongs to. */
  key_id: string;
  idempotency_key: string;
  /** Of endpoint, id and body: another request under the same key is refused. */
  request_hash: string;
  record_id: string;
  /** The record as it was answered, as JSON. */
  body: string;
  created_at: number;
}

export interface WebhooksTable {
  org_id: string;
  id: string;
  url: string;
  /** JSON array of event types; null for all. */
  types: string | null;
  description: string;
  /** Encrypted under the server's secret, as the previous one is. */
  secret: string;
  /** Signs beside the new one until then. */
  previous_secret: string | null;
  previous_until: number | null;
  /** Every change up to this number of the audit log has been sent, or has a delivery that waits. */
  position: number;
  /** How often the position was set back, to send again: who reads behind it begins anew. */
  replays: Generated<number>;
  /** When the first of its deliveries that wait is due. */
  next_due_at: number | null;
  /** Since when no attempt has succeeded; null while they do. */
  failing_since: number | null;
  warned_at: number | null;
  disabled_at: number | null;
  disabled_reason: string | null;
  created_by: string;
  created_at: number;
  updated_at: number;
}

export interface WebhookDeliveriesTable {
  org_id: string;
  webhook_id: string;
  /** The change's id, which is the message's too. */
  id: string;
  /** The change's number in the audit log; null for a ping. */
  seq: number | null;
  type: string;
  state: "waiting" | "delivered" | "failed";
  /** JSON array, oldest first. */
  attempts: string;
  /** When the next attempt is due. */
  due_at: number;
  created_at: number;
  updated_at: number;
}

/** When time itself next has something to tell of a contract: one row for each active contract that has an end. */
export interface ContractClockTable {
  org_id: string;
  contract_id: string;
  end_date: number;
  /** How many days before the end that is; 0 is the end itself. */
  days: number;
  due_at: number;
}

/** Records that were erased, so that an older backup does not bring them back. */
export interface ErasuresTable {
  org_id: string;
  record_id: string;
  at: number;
  /**
   * JSON array: what the request log is searched for, as hashes under the server's secret; of one of the person's records. Null once
   * nothing of it can come back.
   */
  sought: string | null;
  /** When the request log and the free pages were first cleaned of it. */
  swept_at: number | null;
}

/** Work that one process does for all of them: who does it, and for how long that holds. */
export interface LeasesTable {
  name: string;
  holder: string;
  until: number;
}
