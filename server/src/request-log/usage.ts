/** How much keys were used, as it was counted by hour. Long spans are read month by month, so that nobody else waits for them. */
import { setImmediate as otherWork } from "node:timers/promises";
import type { Store } from "../store/store.ts";

const HOURS_A_READ = 30 * 24;

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
