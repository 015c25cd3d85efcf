/**
 * How much each key is used, by hour, endpoint and status. Requests are counted in the process and added to the store's counts
 * about once a second, or up to every 15 seconds where hundreds of keys are in use. Long spans are read month by month, so that nobody
 * else waits for them.
 *
 * What always holds: no count is dropped. What could not be written is counted on with what comes, and written later; only where the
 * database was lost before it said whether it has written, may some requests count twice. `kill -9` loses the last seconds. Counts of an
 * organization that is gone meanwhile go with it.
 */

import { setImmediate as otherWork } from "node:timers/promises";
import { HOUR_MS } from "@lineup/api/tiers";
import type { KeyUsageTable } from "../store/audit-tables.ts";
import type { Store } from "../store/store.ts";
import type { RequestRecord } from "./request-record.ts";

/** A transaction of so many rows takes a few milliseconds of the embedded store's one writer. */
const ROWS_A_TRANSACTION = 100;
/** So many rows at once cannot run out of memory, and no node has as many; beyond them nothing is counted. */
const ROWS_MAX = 500_000;
const HOURS_A_READ = 30 * 24;

export class KeyUsage {
  readonly #store: Store;
  /** By all that names a row. */
  #rows = new Map<string, KeyUsageTable>();
  /** How many there were when they were last written. */
  rowsWritten = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  get isEmpty(): boolean {
    return this.#rows.size === 0;
  }

  count({ orgId, keyId, endpoint, status, durationUs }: RequestRecord, nowMs: number): void {
    const hour = Math.floor(nowMs / HOUR_MS);
    this.#add({ org_id: orgId, key_id: keyId, hour, endpoint, status, requests: 1, duration_us: durationUs });
  }

  /** Adds what was counted to the store. What fails is counted on. */
  async write(): Promise<void> {
    // Those who add to the same rows do so in the same order, and never wait for each other in a circle.
    const rows = [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    this.#rows = new Map();
    this.rowsWritten = rows.length;
    for (let from = 0; from < rows.length; from += ROWS_A_TRANSACTION) {
      try {
        await this.#writeRows(rows.slice(from, from + ROWS_A_TRANSACTION));
      } catch (error) {
        for (const row of rows.slice(from)) this.#add(row);
        throw error;
      }
    }
  }

  #writeRows(rows: readonly KeyUsageTable[]): Promise<void> {
    return this.#store.writeUse(async (db) => {
      const orgIds = [...new Set(rows.map((row) => row.org_id))];
      const there = await db.selectFrom("organizations").select("id").where("id", "in", orgIds).execute();
      const known = new Set(there.map(({ id }) => id));
      const wanted = rows.filter((row) => known.has(row.org_id));
      if (wanted.length === 0) return;
      await db
        .insertInto("key_usage")
        .values(wanted)
        .onConflict((conflict) =>
          conflict.columns(["org_id", "key_id", "hour", "endpoint", "status"]).doUpdateSet((eb) => ({
            requests: eb("key_usage.requests", "+", eb.ref("excluded.requests")),
            duration_us: eb("key_usage.duration_us", "+", eb.ref("excluded.duration_us")),
          })),
        )
        .execute();
    });
  }

  #add(row: KeyUsageTable): void {
    const name = `${row.org_id} ${row.key_id} ${row.hour} ${row.endpoint} ${row.status}`;
    const same = this.#rows.get(name);
    if (same !== undefined) {
      same.requests += row.requests;
      same.duration_us += row.duration_us;
    } else if (this.#rows.size < ROWS_MAX) this.#rows.set(name, row);
  }
}

export interface UsageHour {
  readonly keyId: string;
  /** Hours since the Unix epoch. */
  readonly hour: number;
  readonly answered: number;
  /** With 4xx. */
  readonly refused: number;
  /** With 5xx. */
  readonly failed: number;
}

export interface EndpointUsage {
  /** The endpoint's name, or "unknown". */
  readonly endpoint: string;
  readonly requests: number;
  /** Those answered with 4xx or 5xx. */
  readonly errors: number;
  /** Of all of them together. */
  readonly durationUs: number;
}

/** Of one key, or of all keys of the organization; hours without a request are left out. In order of time. */
export async function readHours(
  store: Store,
  orgId: string,
  { fromHour, keyId }: { readonly fromHour: number; readonly keyId?: string | undefined },
): Promise<UsageHour[]> {
  const parts = await readInParts(store, orgId, fromHour, keyId, (query) =>
    query
      .select(({ fn }) => [
        "key_id",
        "hour",
        fn.sum<number | string | null>("requests").filterWhere("status", "<", 400).as("answered"),
        fn
          .sum<number | string | null>("requests")
          .filterWhere("status", ">=", 400)
          .filterWhere("status", "<", 500)
          .as("refused"),
        fn.sum<number | string | null>("requests").filterWhere("status", ">=", 500).as("failed"),
      ])
      .groupBy(["hour", "key_id"])
      .orderBy("hour")
      .orderBy("key_id")
      .execute(),
  );
  return parts.map(({ key_id, hour, answered, refused, failed }) => ({
    keyId: key_id,
    hour,
    answered: Number(answered),
    refused: Number(refused),
    failed: Number(failed),
  }));
}

/** What a key asked for since that hour, most requests first. */
export async function readEndpoints(
  store: Store,
  orgId: string,
  keyId: string,
  fromHour: number,
): Promise<EndpointUsage[]> {
  const parts = await readInParts(store, orgId, fromHour, keyId, (query) =>
    query
      .select(({ fn }) => [
        "endpoint",
        fn.sum<number | string>("requests").as("requests"),
        fn.sum<number | string | null>("requests").filterWhere("status", ">=", 400).as("errors"),
        fn.sum<number | string>("duration_us").as("duration_us"),
      ])
      .groupBy("endpoint")
      .execute(),
  );
  const sums = new Map<string, EndpointUsage>();
  for (const { endpoint, requests, errors, duration_us } of parts) {
    const sum = sums.get(endpoint) ?? { endpoint, requests: 0, errors: 0, durationUs: 0 };
    sums.set(endpoint, {
      endpoint,
      requests: sum.requests + Number(requests),
      errors: sum.errors + Number(errors),
      durationUs: sum.durationUs + Number(duration_us),
    });
  }
  return [...sums.values()].toSorted((a, b) => b.requests - a.requests || (a.endpoint < b.endpoint ? -1 : 1));
}

function selectUse(store: Store, orgId: string, keyId: string | undefined) {
  const query = store.org(orgId).selectFrom("key_usage");
  return keyId === undefined ? query : query.where("key_id", "=", keyId);
}

async function readInParts<Row>(
  store: Store,
  orgId: string,
  fromHour: number,
  keyId: string | undefined,
  read: (query: ReturnType<typeof selectUse>) => Promise<Row[]>,
): Promise<Row[]> {
  const edge = async (direction: "asc" | "desc") => {
    const query = selectUse(store, orgId, keyId).select("hour").where("hour", ">=", fromHour);
    return (await query.orderBy("hour", direction).limit(1).executeTakeFirst())?.hour;
  };
  const first = (await edge("asc")) ?? 0;
  const last = (await edge("desc")) ?? -1;
  const rows: Row[] = [];
  for (let from = first; from <= last; from += HOURS_A_READ) {
    const part = selectUse(store, orgId, keyId)
      .where("hour", ">=", from)
      .where("hour", "<", from + HOURS_A_READ);
    rows.push(...(await read(part)));
    await otherWork();
  }
  return rows;
}
