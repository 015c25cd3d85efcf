/** Comparing a record with what it becomes, for every verb that updates one. */
import { isDeepStrictEqual } from "node:util";
import { type AuditEntry, changesFromNothing, type FieldChanges } from "../store/audit-entry.ts";

/** The fields that differ; undefined when none does, so that a write of what is there changes nothing. */
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
