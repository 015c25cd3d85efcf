/**
 * Takes the values of records out of an organization's audit log. What proves that nothing else was touched is the chain itself: it commits
 * to the values, and an entry that is recorded in the same transaction names the records (chain-links.ts).
 *
 * Entries of the version before have hashes over their values, which would tell whether a guess at them is right. From the first erased
 * one on they are hidden under the secret, so that only those who have it, and such a hash from elsewhere, can still compare the two.
 */
import type { Kysely } from "kysely";
import type { AuditSealer } from "./audit-chain.ts";
import { IS_CONVERSION } from "./audit-conversion.ts";
import { type EntryFacts, HIDDEN } from "./audit-entry.ts";
import type { Database } from "./schema.ts";

const IDS_A_STATEMENT = 500;
const ENTRIES_A_PIECE = 1_000;

/** Inside a transaction that holds the chain. */
export async function blankEntries(db: Kysely<Database>, chainId: string, recordIds: readonly string[]): Promise<void> {
  for (let from = 0; from < recordIds.length; from += IDS_A_STATEMENT) {
    await db
      .updateTable("audit")
      .set({ target_name: null, changes: null, note: null, salt: null })
      .where("org_id", "=", chainId)
      .where("target_id", "in", recordIds.slice(from, from + IDS_A_STATEMENT))
      .execute();
  }
}

/** One piece of hiding, in a transaction of its own; returns whether there may be more. */
export async function hideSomeHashes(db: Kysely<Database>, sealer: AuditSealer, chainId: string): Promise<boolean> {
  const ends = await db
    .selectFrom("audit")
    .select(["seq", "facts"])
    .where("org_id", "=", chainId)
    .where(IS_CONVERSION)
    .orderBy("seq")
    .execute();
  for (const { seq: end, facts } of ends) {
    const { from = end } = JSON.parse(facts ?? "{}") as EntryFacts;
    const first = await findFirstErased(db, chainId, from, end);
    if (first === undefined) continue;
    const below = await findFirstHidden(db, chainId, first, end);
    if (below === first) continue;
    await hideBetween(db, sealer, chainId, Math.max(first, below - ENTRIES_A_PIECE), below);
    return true;
  }
  return false;
}

async function findFirstErased(db: Kysely<Database>, chainId: string, from: number, below: number) {
  const found = await db
    .selectFrom("erasures")
    .innerJoin("audit", (join) =>
      join.onRef("audit.org_id", "=", "erasures.org_id").onRef("audit.target_id", "=", "erasures.record_id"),
    )
    .select(({ fn }) => fn.min("audit.seq").as("seq"))
    .where("erasures.org_id", "=", chainId)
    .where("audit.seq", ">=", from)
    .where("audit.seq", "<", below)
    .executeTakeFirst();
  return found?.seq ?? undefined;
}

/** They are hidden from the last one back: so those that are make up the end, and where that begins is found in a few looks. */
async function findFirstHidden(db: Kysely<Database>, chainId: string, from: number, end: number): Promise<number> {
  let [low, high] = [from, end];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await db
      .selectFrom("audit")
      .select("hash")
      .where("org_id", "=", chainId)
      .where("seq", "=", middle)
      .executeTakeFirst();
    if (row?.hash.startsWith(HIDDEN)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The seals of earlier secrets name such hashes too. */
async function hideBetween(
  db: Kysely<Database>,
  sealer: AuditSealer,
  chainId: string,
  from: number,
  below: number,
): Promise<void> {
  const seals = await db
    .selectFrom("audit_seals")
    .select(["mark", "count", "hash"])
    .where("org_id", "=", chainId)
    .where("mark", "<>", sealer.mark)
    .where("count", ">=", from)
    .where("count", "<", below)
    .execute();
  for (const { mark, ...end } of seals) {
    const hash = sealer.hide(chainId, end);
    await db.updateTable("audit_seals").set({ hash }).where("org_id", "=", chainId).where("mark", "=", mark).execute();
  }
  const rows = await db
    .selectFrom("audit")
    .select(["seq", "hash"])
    .where("org_id", "=", chainId)
    .where("seq", ">=", from)
    .where("seq", "<", below)
    .execute();
  for (const { seq, hash: seen } of rows) {
    const hash = sealer.hide(chainId, { count: seq, hash: seen });
    await db.updateTable("audit").set({ hash }).where("org_id", "=", chainId).where("seq", "=", seq).execute();
  }
}
