/** What was erased, by id: so that an older state of the store does not bring it back. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isIdOf } from "@lineup/api/ids";
import { withArchive } from "../store/archive-file.ts";
import type { Origin } from "../store/audit-entry.ts";
import type { RowSource } from "../store/copy-rows.ts";
import { STORE_FILE } from "../store/data-folder.ts";
import { type PostgresAddress, readPostgresAtOnce } from "../store/postgres-snapshot.ts";
import type { Store } from "../store/store.ts";
import { eraseAgain, findName } from "./erase-person.ts";

export interface ErasedRecord {
  readonly orgId: string;
  readonly recordId: string;
}

const SELECT = "SELECT org_id, record_id FROM erasures ORDER BY org_id, record_id";
const NO_TABLE = /no such table|does not exist/;

/**
 * Of a store that is about to be replaced: it may be older than the list, or damaged. Undefined where there is none; throws where it cannot
 * be read.
 */
export async function readErasedIn(
  dataDir: string,
  address: PostgresAddress | undefined,
): Promise<ErasedRecord[] | undefined> {
  const file = join(dataDir, STORE_FILE);
  if (address === undefined && !existsSync(file)) return undefined;
  try {
    const select = (source: RowSource) => source.ask(SELECT, []);
    const rows = await (address === undefined ? withArchive(file, select) : readPostgresAtOnce(address, select));
    return rows.map((row) => ({ orgId: String(row.org_id), recordId: String(row.record_id) }));
  } catch (error) {
    if (error instanceof Error && NO_TABLE.test(error.message)) return undefined;
    throw error;
  }
}

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

/** The organization whose player or prospect this is, or was until it was deleted or erased; undefined where nobody has it. */
export async function findOwner(
  store: Store,
  recordId: string,
): Promise<{ readonly orgId: string; readonly isErased: boolean } | undefined> {
  const kind = (["player", "prospect"] as const).find((one) => isIdOf(one, recordId));
  if (kind === undefined) return undefined;
  for (const { id: orgId } of await store.operator.selectFrom("organizations").select("id").orderBy("id").execute()) {
    if ((await findName(store.org(orgId), kind, recordId)) !== undefined) return { orgId, isErased: false };
  }
  const erased = await store.operator
    .selectFrom("erasures")
    .select("org_id")
    .where("record_id", "=", recordId)
    .executeTakeFirst();
  return erased === undefined ? undefined : { orgId: erased.org_id, isErased: true };
}
