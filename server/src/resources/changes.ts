/** Comparing a record with what it becomes, for every verb that updates one. */
import { isDeepStrictEqual } from "node:util";
import type { ChangesTable } from "../store/schema.ts";

export type FieldChanges = Readonly<Record<string, readonly [before: unknown, after: unknown]>>;

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

export function changeRecord(
  change: Omit<ChangesTable, "org_id" | "fields" | "note" | "action"> & { fields?: FieldChanges; note?: string },
): Omit<ChangesTable, "org_id"> {
  const { fields, note, ...rest } = change;
  return {
    ...rest,
    action: fields === undefined ? "create" : "update",
    fields: fields === undefined ? null : JSON.stringify(fields),
    note: note ?? null,
  };
}
