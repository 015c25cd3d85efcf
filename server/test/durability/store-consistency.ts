/**
 * Looks into a store past its server for anything that is half there: a page that is damaged, a reference that leads nowhere, a
 * count, an assignment, an external id or a record of change that does not agree with what it stands for.
 */
import { verifyAudit } from "../../src/audit/verify-audit.ts";
import { AuditSealer } from "../../src/store/audit-chain.ts";
import { requireSecret } from "../../src/store/secret-file.ts";
import { CONTRADICTIONS, CONTRADICTIONS_OF_CHANGES } from "../store-contradictions.ts";
import { ENGINE, openTestStore, runSql, type SqlRow, storeSettingsOf } from "../test-store.ts";

/** What the embedded store says of its own file. PostgreSQL lets no reference dangle, and looks at its pages as it reads them. */
const CHECKS_OF_THE_FILE: Readonly<Record<string, string>> = {
  integrity_check: "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
  foreign_key_check: 'SELECT "table" FROM pragma_foreign_key_check',
};

/** Everything that contradicts itself, in words; an empty list is a sound store. */
export async function findContradictions(dataDir: string): Promise<string[]> {
  const statements = {
    ...(ENGINE === "sqlite" ? CHECKS_OF_THE_FILE : {}),
    ...CONTRADICTIONS,
    ...CONTRADICTIONS_OF_CHANGES,
  };
  const found: string[] = [];
  for (const [what, statement] of Object.entries(statements)) {
    const rows = await runSql(dataDir, statement);
    if (rows.length > 0) found.push(`${what}: ${rows.slice(0, 3).map(firstColumn).join(", ")} (${rows.length})`);
  }
  return found;
}

/** What is wrong with the audit log, as the command that checks it says. */
export async function findAuditFaults(dataDir: string): Promise<string[]> {
  const store = await openTestStore(dataDir);
  try {
    const sealer = new AuditSealer(requireSecret(await storeSettingsOf(dataDir)));
    const { findings } = await verifyAudit(store, { sealer });
    return findings.map(({ chainId, message }) => `${chainId}: ${message}`);
  } finally {
    await store.close();
  }
}

/** How many changes an organization's data has seen, by its revision and by the audit log. */
export async function countChanges(
  dataDir: string,
  orgId: string,
): Promise<{ readonly byRevision: number; readonly byRecord: number }> {
  const [organization] = await runSql(dataDir, "SELECT revision FROM organizations WHERE id = ?", orgId);
  const [changes] = await runSql(
    dataDir,
    "SELECT count(DISTINCT request_id) AS count FROM audit WHERE org_id = ? AND actor_kind = 'key'",
    orgId,
  );
  return { byRevision: Number(organization?.revision), byRecord: Number(changes?.count) };
}

function firstColumn(row: SqlRow): unknown {
  return Object.values(row)[0];
}
