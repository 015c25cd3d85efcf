/**
 * Lets the installation's chain name every organization by the hash of its first entry, so that no chain can be wiped and begun anew. One
 * that is made from now on is named as it is made; this is for those that are older than the audit log.
 */
import { type Kysely, sql } from "kysely";
import { INSTALLATION_CHAIN } from "./audit-entry.ts";
import type { AuditWriting } from "./audit-writing.ts";
import type { Database } from "./schema.ts";
import { OrganizationGone } from "./store-error.ts";

/** The installation's chain is held for so many at a time. */
const AT_ONCE = 200;

interface Unnamed {
  readonly id: string;
  readonly name: string;
}

export async function listUnnamed(db: Kysely<Database>): Promise<readonly Unnamed[]> {
  const { rows } = await sql<Unnamed>`SELECT id, name FROM organizations WHERE NOT EXISTS (
  SELECT 1 FROM audit WHERE audit.org_id = ${INSTALLATION_CHAIN} AND audit.target_id = organizations.id
    AND audit.action IN ('organization.created', 'audit.began')
) ORDER BY id LIMIT ${AT_ONCE}`.execute(db);
  return rows;
}

/** Returns how many there were. */
export async function nameUnnamed(db: Kysely<Database>, audit: AuditWriting, now: number): Promise<number> {
  await audit.claim(INSTALLATION_CHAIN);
  const unnamed = await listUnnamed(db);
  for (const { id, name } of unnamed) {
    const firstHash = await audit.ensureBegun(id, now).catch(passOverGone);
    if (firstHash === undefined) continue;
    audit.record(INSTALLATION_CHAIN, [
      {
        at: now,
        action: "audit.began",
        target: { kind: "organization", id, name },
        changes: { firstHash: [null, firstHash] },
      },
    ]);
  }
  await audit.finish();
  return unnamed.length;
}

function passOverGone(error: unknown): undefined {
  if (!(error instanceof OrganizationGone)) throw error;
}
