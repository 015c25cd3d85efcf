/** What was erased, by id: so that an older state of the store does not bring it back. */
import { isIdOf } from "@lineup/api/ids";
import type { Origin } from "../store/audit-entry.ts";
import type { ErasedRecord } from "../store/erased-records.ts";
import type { Store } from "../store/store.ts";
import { eraseAgain } from "./erase-person.ts";

export async function listErased(store: Store): Promise<(ErasedRecord & { readonly at: number })[]> {
  const rows = await store.operator
    .selectFrom("erasures")
    .select(["org_id", "record_id", "at"])
    .orderBy("org_id")
    .orderBy("at")
    .orderBy("record_id")
    .execute();
  return rows.map(({ org_id, record_id, at }) => ({ orgId: org_id, recordId: record_id, at }));
}

/** Returns how many of them were of organizations that are there. */
export async function eraseListedAgain(
  store: Store,
  erased: readonly ErasedRecord[],
  origin: Origin,
  now = Date.now(),
): Promise<number> {
  const organizations = await store.operator.selectFrom("organizations").select("id").execute();
  let records = 0;
  for (const { id } of organizations) {
    const listed = erased.filter(({ orgId }) => orgId === id).map(({ recordId }) => recordId);
    if (listed.length === 0) continue;
    await eraseAgain(store, id, listed, origin, now);
    records += listed.length;
  }
  return records;
}

/** The organization whose player or prospect this is, or was until it was erased; undefined where nobody has it. */
export async function findOwner(
  store: Store,
  recordId: string,
): Promise<{ readonly orgId: string; readonly isErased: boolean } | undefined> {
  const table = isIdOf("player", recordId) ? "players" : isIdOf("prospect", recordId) ? "prospects" : undefined;
  if (table === undefined) return undefined;
  for (const { id: orgId } of await store.operator.selectFrom("organizations").select("id").orderBy("id").execute()) {
    const query = store.org(orgId).selectFrom(table).select(`${table}.id`).where(`${table}.id`, "=", recordId);
    if ((await query.execute()).length > 0) return { orgId, isErased: false };
  }
  const erased = await store.operator
    .selectFrom("erasures")
    .select("org_id")
    .where("record_id", "=", recordId)
    .executeTakeFirst();
  return erased === undefined ? undefined : { orgId: erased.org_id, isErased: true };
}
