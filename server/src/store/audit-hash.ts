/**
 * What is hashed of an entry of the audit log. The chain's hash does not cover the values of an entry (the target's name, the changes, the
 * note), but a commitment to them: a hash over the values and a random salt that stands beside them. So the values of an entry can be
 * erased, with their salt, and the chain still proves that nothing else was touched; and without the salt nobody can find out by trying
 * what the values were.
 *
 * Entries of the version before have a hash over the values themselves. They are given commitments later (audit-conversion.ts), and until
 * the values of one of them are erased they keep their hashes, because seals, receipts and what machines have seen name those. From the
 * first erased one on they are then hidden under the secret: else they would tell whether a guess at the values is right.
 */
import { hash, randomFillSync } from "node:crypto";
import type { AuditTable } from "./people-schema.ts";

const PLAIN_COLUMNS = [
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
] as const satisfies readonly (keyof AuditTable)[];

/** In the order in which a commitment covers them. */
const VALUE_COLUMNS = ["target_name", "changes", "note"] as const satisfies readonly (keyof AuditTable)[];

export const AUDIT_COLUMNS = [...PLAIN_COLUMNS, ...VALUE_COLUMNS, "facts", "salt", "commitment", "hash"] as const;

type Unhashed = Omit<AuditTable, "hash">;

export function hashRow(previousHash: string, row: Unhashed): string {
  return hashOf(previousHash, row, PLAIN_COLUMNS, "facts", "commitment");
}

/** As the version before did. */
export function hashOldRow(previousHash: string, row: Unhashed): string {
  return hashOf(previousHash, row, PLAIN_COLUMNS, ...VALUE_COLUMNS);
}

function hashOf(
  previousHash: string,
  row: Unhashed,
  columns: readonly (keyof Unhashed)[],
  ...more: readonly (keyof Unhashed)[]
): string {
  const hashed: unknown[] = [previousHash];
  for (const column of columns) hashed.push(row[column]);
  for (const column of more) hashed.push(row[column]);
  return hash("sha256", JSON.stringify(hashed), "hex");
}

type Values = Pick<AuditTable, (typeof VALUE_COLUMNS)[number]>;

export function commitTo(salt: string, { target_name, changes, note }: Values): string {
  return hash("sha256", salt + JSON.stringify([target_name, changes, note]), "hex");
}

export function holdsValues({ target_name, changes, note }: Values): boolean {
  return target_name !== null || changes !== null || note !== null;
}

const SALT_BYTES = 16;
const pool = Buffer.alloc(SALT_BYTES * 256);
let used = pool.length;

/** Random bytes are asked for many at a time, for each time takes as long as hashing an entry. */
export function makeSalt(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += SALT_BYTES;
  return pool.toString("hex", used - SALT_BYTES, used);
}

/** Stands before a hash that was hidden. */
export const HIDDEN = "~";
