/**
 * Lets the installation's chain name every organization by the hash of its first entry, so that no chain can be wiped and begun anew. One
 * that is made now is named as it is made; those that are older than the audit log are named by the first entries of all. One that is put beside
 * them later, past Lineup, stays unnamed, and that is found.
 */
import type { Kysely } from "kysely";
import { INSTALLATION_CHAIN } from "./audit-entry.ts";
import type { AuditWriting } from "./audit-writing.ts";
import type { Database } from "./schema.ts";

/** Whether the installation's chain has yet to begin while there are organizations. */
export async function isOlderThanLog(db: Kysely<Database>): Promise<boolean> {
  const first = db.selectFrom("audit").select("seq").where("org_id", "=", INSTALLATION_CHAIN).limit(1);
  if ((await first.execute()).length > 0) return false;
  return (await db.selectFrom("organizations").select("id").limit(1).execute()).length > 0;
}

export async function nameOrganizations(db: Kysely<Database>, audit: AuditWriting, at: number): Promise<void> {
  const { end } = await audit.claim(INSTALLATION_CHAIN);
  // Another node was quicker, or what was there was removed.
  if (end.count > 0) return;
  for (const { id, name } of await db.selectFrom("organizations").select(["id", "name"]).orderBy("id").execute()) {
    // Its own log begins by saying so, unless it has begun since.
    await audit.tellForewords(id, at);
    const chain = db.selectFrom("audit").select("hash").where("org_id", "=", id);
    const first = await chain.orderBy("seq").limit(1).executeTakeFirstOrThrow();
    const target = { kind: "organization", id, name };
    audit.record(INSTALLATION_CHAIN, [
      { at, action: "audit.began", target, changes: { firstHash: [null, first.hash] } },
    ]);
  }
  await audit.finish();
}
