/**
 * Lets the installation's chain name every organization by the hash of its first entry, so that no chain can be wiped and begun anew. One
 * that is made now is named as it is made; this is for those that are older than the audit log.
 */
import { type Kysely, sql } from "kysely";
import { INSTALLATION_CHAIN } from "./audit-entry.ts";
import type { AuditWriting } from "./audit-writing.ts";
import type { Database } from "./schema.ts";

/** The installation's chain is held for so many at a time. */
const AT_ONCE = 200;

export async function listUnnamed(db: Kysely<Database>) {
  const { rows } = await sql<{ readonly id: string; readonly name: string }>`SELECT id, name FROM organizations
WHERE NOT EXISTS (
  SELECT 1 FROM audit WHERE audit.org_id = ${INSTALLATION_CHAIN} AND audit.target_id = organizations.id
    AND audit.action IN ('organization.created', 'audit.began')
) ORDER BY id LIMIT ${AT_ONCE}`.execute(db);
  return rows;
}

export async function nameUnnamed(db: Kysely<Database>, audit: AuditWriting, at: number): Promise<void> {
  await audit.claim(INSTALLATION_CHAIN);
  for (const { id, name } of await listUnnamed(db)) {
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
