/**
 * How records of every kind are made, changed and deleted, for requests and staff alike. What is special about a kind is in its rules; the entries for the
 * audit log come back with the record, that of the record itself first and then those of all others that are shown differently for it, so
 * that a verb which writes several records tells of all of them at once.
 */
import { ActionError } from "@lineup/api/dashboard/action";
import type { ActionResult } from "@lineup/api/dashboard/actions";
import type { SomeResource } from "@lineup/api/endpoints";
import { ApiError, bodyError, type ErrorDetail } from "@lineup/api/errors";
import { fillIn, type RecordOf, type StoredOf } from "@lineup/api/resource";
import {
  type AuditEntry,
  type EntryFacts,
  entryOfCreation,
  entryOfDeletion,
  entryOfUpdate,
  type FieldChanges,
  findFieldChanges,
  nextUpdatedAt,
} from "../store/audit-entry.ts";
import { type ExternalIds, type ExternalIdsPatch, mergeExternalIds } from "../store/external-ids.ts";
import { makeId } from "../store/ids.ts";
import type { OrgStore } from "../store/org-store.ts";
import type { VerbContext } from "./context.ts";
import type { RecordStore } from "./record-store.ts";

type Given = Readonly<Record<string, unknown>>;

export interface WritePlan<S> {
  /** Undefined for a new one. */
  readonly before: S | undefined;
  /** What was asked for. */
  readonly given: Given;
  readonly after: S;
  /** The moment of the write, as the record's `updatedAt` will say. */
  readonly at: number;
}

export interface RecordChange<S> {
  readonly before: S | undefined;
  readonly after: S;
  /** Undefined for a new one. */
  readonly fields: FieldChanges | undefined;
}

/** What goes along with a record that is deleted, whatever its kind. */
export type Dependents = ActionResult<"previewPlayerDeletion">;

/** What holds for a kind of record, beside what its definition says. */
export interface RecordRules<R extends SomeResource> {
  readonly store: RecordStore<R>;
  /** As answers show it; where that is other than it is stored. */
  show?(org: OrgStore, id: string, now: number): Promise<RecordOf<R> | undefined>;
  /** What the moment makes of what is stored. */
  asOf?(stored: StoredOf<R>, now: number): StoredOf<R>;
  /** Completes what is to be written; throws what is wrong with it. */
  settle(context: VerbContext, plan: WritePlan<StoredOf<R>>): Promise<StoredOf<R>>;
  /** Writes what changes with it, and says what that is. */
  follow?(context: VerbContext, change: RecordChange<StoredOf<R>>): Promise<readonly AuditEntry[]>;
  noteOf?(before: StoredOf<R>, after: StoredOf<R>): string | undefined;
  /** What goes along with it. */
  findDependents?(context: VerbContext, record: StoredOf<R>): Promise<Dependents>;
  /** Writes what changes because it goes, and says what that is. Runs while it is still there. */
  leave?(context: VerbContext, record: StoredOf<R>, facts: EntryFacts): Promise<readonly AuditEntry[]>;
}

export interface Written<T> {
  readonly record: T;
  /** For the audit log. */
  readonly entries: readonly AuditEntry[];
}

/** What every stored record has. */
interface RecordBasics {
  readonly id: string;
  readonly updatedAt: number;
  readonly externalIds?: ExternalIds;
}

/** Tells the audit log, in the transaction of the write. */
export async function tell<T>({ org }: VerbContext, written: Written<T>): Promise<T> {
  if (written.entries.length > 0) await org.record(written.entries);
  return written.record;
}

export async function createRecord<R extends SomeResource>(
  context: VerbContext,
  rules: RecordRules<R>,
  given: Given,
): Promise<Written<RecordOf<R>>> {
  const { org, now } = context;
  const { resource } = rules.store;
  const filled = fillIn<R>(resource, { ...given, id: makeId(resource.kind) }, now);
  const after = await rules.settle(context, { before: undefined, given, after: filled, at: now });
  await rules.store.insert(org, after);
  const effects = (await rules.follow?.(context, { before: undefined, after, fields: undefined })) ?? [];
  const entry = entryOfCreation(nameRecord(resource, after), recordAsOf(rules, after, now), now);
  return { record: await shown(context, rules, after), entries: [entry, ...effects] };
}

/** `patchOf` says what changes of the record as it is stored; `seenAt` is the version that the caller has seen, where it says so. */
export async function changeRecord<R extends SomeResource>(
  context: VerbContext,
  rules: RecordRules<R>,
  id: string,
  patchOf: (before: StoredOf<R>) => Given,
  seenAt?: number,
): Promise<Written<RecordOf<R>>> {
  const { org, now } = context;
  const { resource } = rules.store;
  const before = await requireRecord(context, rules, id, seenAt);
  const beforeAsOf = recordAsOf(rules, before, now);
  const given = patchOf(before);
  const at = nextUpdatedAt(now, basicsOf(beforeAsOf).updatedAt);
  const planned = { ...before, ...given, ...mergedIds(before, given) } as StoredOf<R>;
  const settled = await rules.settle(context, { before, given, after: planned, at });
  if (findFieldChanges(before, settled) === undefined) {
    return { record: await shown(context, rules, before), entries: [] };
  }
  const after = { ...settled, updatedAt: at } as StoredOf<R>;
  await rules.store.update(org, before, after);
  const { updatedAt: _, ...fields } =
    findFieldChanges(beforeAsOf as object, recordAsOf(rules, after, now) as object) ?? {};
  const effects = (await rules.follow?.(context, { before, after, fields })) ?? [];
  const entry = entryOfUpdate(nameRecord(resource, after), fields, at, rules.noteOf?.(before, after));
  return { record: await shown(context, rules, after), entries: [entry, ...effects] };
}

/** For a record that changes along with another: its own rules are not asked. Says what that changes. */
export async function changeAlong<R extends SomeResource>(
  { org, now }: VerbContext,
  store: RecordStore<R>,
  before: StoredOf<R>,
  patch: Given,
  note?: string,
): Promise<AuditEntry[]> {
  const after = { ...before, ...patch };
  const fields = findFieldChanges(before, after);
  if (fields === undefined) return [];
  const updatedAt = nextUpdatedAt(now, basicsOf(before).updatedAt);
  await store.update(org, before, { ...after, updatedAt });
  return [entryOfUpdate(nameRecord(store.resource, after), fields, updatedAt, note)];
}

/** All that goes along goes in the same transaction. The rows are gone; what is left is an entry for each. */
export async function deleteRecord<R extends SomeResource>(
  context: VerbContext,
  rules: RecordRules<R>,
  id: string,
  seenAt?: number,
  facts: EntryFacts = { reason: "deleted" },
): Promise<Written<Record<never, never>>> {
  const { org, now } = context;
  const record = await requireRecord(context, rules, id, seenAt);
  const refusal = (await rules.findDependents?.(context, record))?.refusal ?? null;
  if (refusal !== null) throw new ActionError("CONFLICT", refusal);
  const effects = (await rules.leave?.(context, record, facts)) ?? [];
  await rules.store.delete(org, [id]);
  return { record: {}, entries: [describeDeletion(rules, record, now, facts), ...effects] };
}

export function describeDeletion<R extends SomeResource>(
  rules: Pick<RecordRules<R>, "store" | "asOf">,
  record: StoredOf<R>,
  now: number,
  facts: EntryFacts,
): AuditEntry {
  const gone = recordAsOf(rules, record, now);
  const at = nextUpdatedAt(now, basicsOf(gone).updatedAt);
  return { ...entryOfDeletion(nameRecord(rules.store.resource, record), gone, at), facts };
}

/** As it is stored. One of another organization is not there. */
export async function requireRecord<R extends SomeResource>(
  context: VerbContext,
  rules: RecordRules<R>,
  id: string,
  seenAt?: number,
): Promise<StoredOf<R>> {
  const { org, now } = context;
  const stored = await rules.store.find(org, id);
  if (stored === undefined) throw notFound(rules.store.resource);
  if (seenAt !== undefined && basicsOf(recordAsOf(rules, stored, now)).updatedAt !== seenAt) {
    throw conflict(rules.store.resource, await shown(context, rules, stored));
  }
  return stored;
}

/** As answers show it. */
export async function showRecord<R extends SomeResource>(
  context: VerbContext,
  rules: RecordRules<R>,
  id: string,
): Promise<RecordOf<R>> {
  return shown(context, rules, await requireRecord(context, rules, id));
}

export function notFound({ kind, name }: SomeResource): ApiError {
  return new ApiError("NOT_FOUND", `No ${kind} has this id. GET /${name} lists the ${name} of the organization.`);
}

export function conflict({ kind }: SomeResource, current: object): ActionError {
  const message = `Somebody else has changed this ${kind} since you opened it, so nothing was written. Compare the two, then save again.`;
  return new ActionError("CONFLICT", message, undefined, current as Given);
}

export function refuse(faults: readonly ErrorDetail[]): void {
  if (faults.length > 0) throw bodyError(faults);
}

/** As people call it. */
export function nameRecord({ kind, called }: SomeResource, record: object) {
  const name = called === null ? null : String((record as Given)[called]);
  return { kind, id: basicsOf(record).id, name };
}

async function shown<R extends SomeResource>(
  { org, now }: VerbContext,
  { show }: RecordRules<R>,
  stored: StoredOf<R>,
): Promise<RecordOf<R>> {
  if (show === undefined) return stored as unknown as RecordOf<R>;
  const found = await show(org, basicsOf(stored).id, now);
  if (found === undefined) throw new Error("What was read or written just now is not there.");
  return found;
}

function recordAsOf<R extends SomeResource>({ asOf }: Pick<RecordRules<R>, "asOf">, stored: StoredOf<R>, now: number) {
  return asOf === undefined ? stored : asOf(stored, now);
}

function basicsOf(record: object): RecordBasics {
  return record as RecordBasics;
}

function mergedIds(before: object, given: Given): Given {
  const { externalIds } = basicsOf(before);
  if (externalIds === undefined || given.externalIds === undefined) return {};
  return { externalIds: mergeExternalIds(externalIds, given.externalIds as ExternalIdsPatch) };
}
