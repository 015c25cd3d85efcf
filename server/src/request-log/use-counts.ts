/**
 * How much each key is used, by hour, endpoint and status. Requests are counted in the process and added to the store's counts
 * about once a second, or up to every 15 seconds where hundreds of keys are in use.
 *
 * What always holds: no count is dropped. What could not be written is counted on with what comes, and written later; only where the
 * database was lost before it said whether it has written, may some requests count twice. `kill -9` loses the last seconds. Counts of an
 * organization that is gone meanwhile go with it.
 */
import { KeptRows } from "../store/kept-rows.ts";
import type { KeyUsageTable } from "../store/people-schema.ts";
import type { Store, UseTables } from "../store/store.ts";
import type { OpenBlock } from "./open-block.ts";
import type { RequestRecord } from "./request-record.ts";

export const HOUR_MS = 3_600_000;

/** A transaction of so many rows takes a few milliseconds of the embedded store's one writer. */
const ROWS_A_TRANSACTION = 100;
/** So many keys at once cannot run out of memory, and no node has as many; beyond them nothing is counted. */
const KEYS_MAX = 200_000;

interface Count {
  readonly hour: number;
  readonly endpoint: string;
  readonly status: number;
  requests: number;
  durationUs: number;
}

/** One key in use: its counts, and its place in the block that its requests go into. */
export interface KeyInUse {
  readonly orgId: string;
  readonly keyId: string;
  readonly counts: Count[];
  block: OpenBlock | undefined;
  place: number;
}

export class UseCounts {
  readonly #store: Store;
  readonly #insert = new KeptRows<UseTables, KeyUsageTable>((db, rows) =>
    db
      .insertInto("key_usage")
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(["org_id", "key_id", "hour", "endpoint", "status"]).doUpdateSet((eb) => ({
          requests: eb("key_usage.requests", "+", eb.ref("excluded.requests")),
          duration_us: eb("key_usage.duration_us", "+", eb.ref("excluded.duration_us")),
        })),
      ),
  );
  #keys = new Map<string, KeyInUse>();
  #keysWritten = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  get isEmpty(): boolean {
    return this.#keys.size === 0;
  }

  /** How many there were in use when their counts were last written. */
  get keysWritten(): number {
    return this.#keysWritten;
  }

  count({ orgId, keyId, endpoint, status, durationUs }: RequestRecord, nowMs: number): KeyInUse {
    let key = this.#keys.get(keyId);
    if (key === undefined) {
      key = { orgId, keyId, counts: [], block: undefined, place: 0 };
      if (this.#keys.size < KEYS_MAX) this.#keys.set(keyId, key);
    }
    addTo(key.counts, Math.floor(nowMs / HOUR_MS), endpoint, status, 1, durationUs);
    return key;
  }

  /** Adds what was counted to the store. What fails is counted on. */
  async write(): Promise<void> {
    const taken = this.#keys;
    this.#keys = new Map();
    this.#keysWritten = taken.size;
    // Those who add to the same rows do so in the same order, and never wait for each other in a circle.
    const places = new Map([...taken.values()].flatMap(rowsOf).map((row) => [placeOf(row), row]));
    const rows = [...places.keys()].toSorted().flatMap((place) => places.get(place) ?? []);
    for (let from = 0; from < rows.length; from += ROWS_A_TRANSACTION) {
      try {
        await this.#add(rows.slice(from, from + ROWS_A_TRANSACTION));
      } catch (error) {
        for (const row of rows.slice(from)) this.#countAgain(row);
        throw error;
      }
    }
  }

  #add(rows: readonly KeyUsageTable[]): Promise<void> {
    return this.#store.writeUse(async (db) => {
      const orgIds = [...new Set(rows.map((row) => row.org_id))];
      const there = await db.selectFrom("organizations").select("id").where("id", "in", orgIds).execute();
      const known = new Set(there.map(({ id }) => id));
      const kept = rows.filter((row) => known.has(row.org_id));
      if (kept.length === 0) return;
      await this.#insert.run(db, kept);
    });
  }

  #countAgain(row: KeyUsageTable): void {
    let key = this.#keys.get(row.key_id);
    if (key === undefined) {
      key = { orgId: row.org_id, keyId: row.key_id, counts: [], block: undefined, place: 0 };
      this.#keys.set(row.key_id, key);
    }
    addTo(key.counts, row.hour, row.endpoint, row.status, row.requests, row.duration_us);
  }
}

function addTo(
  counts: Count[],
  hour: number,
  endpoint: string,
  status: number,
  requests: number,
  durationUs: number,
): void {
  for (const count of counts) {
    if (count.hour !== hour || count.endpoint !== endpoint || count.status !== status) continue;
    count.requests += requests;
    count.durationUs += durationUs;
    return;
  }
  counts.push({ hour, endpoint, status, requests, durationUs });
}

function rowsOf({ orgId, keyId, counts }: KeyInUse): KeyUsageTable[] {
  return counts.map(({ hour, endpoint, status, requests, durationUs }) => ({
    org_id: orgId,
    key_id: keyId,
    hour,
    endpoint,
    status,
    requests,
    duration_us: durationUs,
  }));
}

function placeOf(row: KeyUsageTable): string {
  return [row.org_id, row.key_id, row.hour, row.endpoint, row.status].join(" ");
}
