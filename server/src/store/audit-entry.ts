/** What the audit log is told of a change. Who is behind it is the transaction's to say, once for all of its entries. */

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
