/**
 * The links of the audit log. Every chain (an organization's, or the installation's) is numbered 1, 2, 3 … without a gap, and each row's
 * hash covers all of the row and the hash of the row before it. So whoever knows the last hash knows every row before it: none can be
 * altered, left out, put in or moved without another last hash.
 */
import { hash } from "node:crypto";
import type { AuditEntry } from "./audit-entry.ts";
import type { Origin } from "./origin.ts";
import type { AuditSealsTable, AuditTable } from "./people-schema.ts";

/** Where a chain stands: how many entries it has, and the hash of the last one. */
export interface ChainEnd {
  readonly count: number;
  readonly hash: string;
}

/** Before the first entry. */
export const EMPTY_CHAIN: ChainEnd = { count: 0, hash: "" };

/** No log has more. Numbers beyond are somebody's prank, and are not followed: they would leave none for what comes next. */
export const SEQ_MAX = 1_000_000_000_000;

/** In the order in which they are hashed. */
const HASHED_COLUMNS = [
  "org_id",
  "seq",
  "at",
  "actor_kind",
  "actor_id",
  "actor_name",
  "address",
  "request_id",
  "action",
  "target_kind",
  "target_id",
  "target_name",
  "changes",
  "note",
] as const satisfies readonly (keyof AuditTable)[];

export const AUDIT_COLUMNS = [...HASHED_COLUMNS, "hash"] as const;

export function hashRow(previousHash: string, row: Omit<AuditTable, "hash">): string {
  const hashed: unknown[] = [previousHash];
  for (const column of HASHED_COLUMNS) hashed.push(row[column]);
  return hash("sha256", JSON.stringify(hashed), "hex");
}

/** The rows of the entries, which go on where the chain ends. */
export function linkEntries(
  chainId: string,
  end: ChainEnd,
  origin: Origin,
  entries: readonly AuditEntry[],
): readonly AuditTable[] {
  let { count, hash: previousHash } = end;
  return entries.map((entry) => {
    count += 1;
    const row = rowOf(chainId, count, origin, entry);
    previousHash = hashRow(previousHash, row);
    row.hash = previousHash;
    return row;
  });
}

/** All but the hash, which covers the rest. */
function rowOf(chainId: string, seq: number, origin: Origin, entry: AuditEntry): AuditTable {
  const { at, action, target, changes, note } = entry;
  return {
    org_id: chainId,
    seq,
    at,
    actor_kind: origin.kind,
    actor_id: storable(origin.id),
    actor_name: storable(origin.name),
    address: storable(origin.address),
    request_id: storable(origin.requestId),
    action,
    target_kind: target.kind,
    target_id: storable(target.id),
    target_name: storable(target.name),
    changes: changes === undefined ? null : JSON.stringify(changes),
    note: storable(note ?? null),
    hash: "",
  };
}

/** As either database gives it back: what they cannot hold would not be what was hashed. */
function storable<T extends string | null>(text: T): T {
  if (text === null || (text.isWellFormed() && !text.includes("\0"))) return text;
  return text.toWellFormed().replaceAll("\0", "\uFFFD") as T;
}

/** The statements that add to a chain, as texts that are made once. The parameters of each are question marks. */
export const ADD_ENTRY = `INSERT INTO audit (${AUDIT_COLUMNS.join(", ")}) VALUES (${AUDIT_COLUMNS.map(() => "?").join(", ")})`;
export const MOVE_HEAD =
  "INSERT INTO audit_heads (org_id, count, hash) VALUES (?, ?, ?) " +
  "ON CONFLICT (org_id) DO UPDATE SET count = excluded.count, hash = excluded.hash";
export const SET_SEAL =
  "INSERT INTO audit_seals (org_id, mark, count, hash, seal) VALUES (?, ?, ?, ?, ?) " +
  "ON CONFLICT (org_id, mark) DO UPDATE SET count = excluded.count, hash = excluded.hash, seal = excluded.seal";

export const RAISE_REVISION = "UPDATE organizations SET revision = revision + ? WHERE id = ?";

export function valuesOfEntry(row: AuditTable): unknown[] {
  return AUDIT_COLUMNS.map((column) => row[column]);
}

export function valuesOfHead({ org_id, count, hash }: AuditSealsTable): unknown[] {
  return [org_id, count, hash];
}

export function valuesOfSeal({ org_id, mark, count, hash, seal }: AuditSealsTable): unknown[] {
  return [org_id, mark, count, hash, seal];
}
