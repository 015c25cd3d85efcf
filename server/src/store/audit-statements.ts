/** The statements that add to a chain. They are texts, made once: to build them anew for every write would cost more than they do. */
import { AUDIT_COLUMNS, type ChainEnd } from "./audit-chain.ts";
import type { AuditSealer } from "./audit-seal.ts";
import type { AuditSealsTable, AuditTable } from "./people-schema.ts";

/** The parameters of each are question marks. */
export const ADD_ENTRY = `INSERT INTO audit (${AUDIT_COLUMNS.join(", ")}) VALUES (${AUDIT_COLUMNS.map(() => "?").join(", ")})`;
export const MOVE_HEAD =
  "INSERT INTO audit_heads (org_id, count, hash) VALUES (?, ?, ?) " +
  "ON CONFLICT (org_id) DO UPDATE SET count = excluded.count, hash = excluded.hash";
export const SET_SEAL =
  "INSERT INTO audit_seals (org_id, mark, count, hash, seal) VALUES (?, ?, ?, ?, ?) " +
  "ON CONFLICT (org_id, mark) DO UPDATE SET count = excluded.count, hash = excluded.hash, seal = excluded.seal";

export const RAISE_REVISION = "UPDATE organizations SET revision = revision + ? WHERE id = ?";

export function sealEnd(sealer: AuditSealer, chainId: string, end: ChainEnd): AuditSealsTable {
  return { org_id: chainId, mark: sealer.mark, ...end, seal: sealer.seal(chainId, end) };
}

export function valuesOfEntry(row: AuditTable): unknown[] {
  return AUDIT_COLUMNS.map((column) => row[column]);
}

export function valuesOfHead({ org_id, count, hash }: AuditSealsTable): unknown[] {
  return [org_id, count, hash];
}

export function valuesOfSeal({ org_id, mark, count, hash, seal }: AuditSealsTable): unknown[] {
  return [org_id, mark, count, hash, seal];
}
