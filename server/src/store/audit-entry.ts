/** What the audit log is told of a change. Who is behind it is the transaction's to say, once for all of its entries. */

import { hash, randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { AuditTable } from "./audit-tables.ts";

export type FieldChanges = Readonly<Record<string, readonly [before: unknown, after: unknown]>>;

export interface AuditEntry {
  readonly at: number;
  /** Such as `key.revoked`. */
  readonly action: string;
  readonly target: { readonly kind: string; readonly id: string; readonly name: string | null };
  /** Field → [before, after]. */
  readonly changes?: FieldChanges;
  /** What a person should know about it, such as an unusual step. */
  readonly note?: string;
  /** Which no erasure takes away. */
  readonly facts?: EntryFacts;
}

/** What an entry says beside values. The names of the fields that changed are added as it is written. */
export interface EntryFacts {
  readonly fields?: readonly string[];
  /** Of a contract that ends: in how many days it does. */
  readonly days?: number;
  /** Of a deletion. */
  readonly reason?: "deleted" | "erased";
  /** Of an erasure: the ids of all records of the person, deleted with it or before. */
  readonly erased?: readonly string[];
  /** Of a conversion: the number of the first entry that it proves. */
  readonly from?: number;
}

/** The chain of what belongs to no organization. */
export const INSTALLATION_CHAIN = "installation";

/** For many entries about what is in memory anyway: they are made when their turn comes, and not kept until then. */
export function makeEntriesLater(make: () => readonly AuditEntry[]): Iterable<AuditEntry> {
  return { [Symbol.iterator]: () => make().values() };
}

/** What something new is made of, as changes from nothing. What it leaves open is left out. */
export function changesFromNothing(made: object): FieldChanges {
  const changes: Record<string, readonly [null, unknown]> = {};
  for (const [field, value] of Object.entries(made)) if (!isOpen(value)) changes[field] = [null, value];
  return changes;
}

function isOpen(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** The fields of a record that differ from what it becomes; undefined when none does, so that a write of what is there changes nothing. */
export function findFieldChanges<T extends object>(before: T, after: T): FieldChanges | undefined {
  const changes: Record<string, [unknown, unknown]> = {};
  for (const name of Object.keys(after) as (keyof T & string)[]) {
    if (!isDeepStrictEqual(before[name], after[name])) changes[name] = [before[name], after[name]];
  }
  return Object.keys(changes).length === 0 ? undefined : changes;
}

/** The moment of a change: now, but always later than the change before it, whatever the clock says. */
export function nextUpdatedAt(now: number, previous: number): number {
  return Math.max(now, previous + 1);
}

interface NamedRecord {
  readonly kind: string;
  readonly id: string;
  /** As people call it; null where it has no name of its own. */
  readonly name: string | null;
}

/** For the audit log: all that the record was made of, but for what the entry says anyway. */
export function entryOfCreation(target: NamedRecord, made: object, at: number): AuditEntry {
  const { id: _, createdAt: __, updatedAt: ___, ...fields } = made as Readonly<Record<string, unknown>>;
  return { at, action: `${target.kind}.created`, target, changes: changesFromNothing(fields) };
}

export function entryOfUpdate(target: NamedRecord, changes: FieldChanges, at: number, note?: string): AuditEntry {
  const entry: AuditEntry = { at, action: `${target.kind}.updated`, target, changes };
  return note === undefined ? entry : { ...entry, note };
}

/** All that the record was when it went. */
export function entryOfDeletion(target: NamedRecord, before: object, at: number): AuditEntry {
  const { id: _, createdAt: __, updatedAt: ___, ...fields } = before as Readonly<Record<string, unknown>>;
  const changes = Object.entries(changesFromNothing(fields)).map(([name, [, value]]) => [name, [value, null]]);
  const action = `${target.kind}.deleted`;
  return { at, action, target, changes: Object.fromEntries(changes) as FieldChanges, facts: { reason: "deleted" } };
}

/** Also where it goes with its team. Never with the token, nor with what is left of it. */
export function entryOfTakenBackLink(
  { id, name }: { readonly id: string; readonly name: string },
  userId: string,
  at: number,
): AuditEntry {
  const target = { kind: "calendar", id, name };
  return { at, action: "calendar.taken-back", target, changes: { userId: [userId, null] } };
}

/** Who is behind a change and where it came from, as the audit log names them. */
export interface Origin {
  readonly kind: AuditTable["actor_kind"];
  /** Of a user or a key. */
  readonly id: string | null;
  /** As a person would call them: a user's name, a key's name, a command. */
  readonly name: string;
  readonly address: string | null;
  readonly requestId: string | null;
}

/** A command at the operator's shell. */
export function commandOrigin(name: string): Origin {
  return { kind: "command", id: null, name, address: null, requestId: null };
}

/** What the server does by itself. */
export const SERVER_ORIGIN: Origin = { kind: "server", id: null, name: "server", address: null, requestId: null };

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

export function makeSalt(): string {
  return randomBytes(SALT_BYTES).toString("hex");
}

/** Stands before a hash that was hidden. */
export const HIDDEN = "~";
