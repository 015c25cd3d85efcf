/**
 * From rows of the audit log to changes, as the feed lists them and webhooks carry them. A row is at most one change. Nothing of a change is
 * stored twice: its number is the row's, and its id is made of that and the row's moment, so it is the same whenever anybody asks.
 *
 * A row is seen once it is committed, and numbers are given in the order of commits. So who has looked up to a number has missed nothing.
 */
import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { CHANGE_TYPES, CHANGED_KINDS, type ChangedKind, type ChangeType } from "@lineup/api/change-types";
import type { Change } from "@lineup/api/changes";
import { sql } from "kysely";
import type { EntryFacts } from "../store/audit-entry.ts";
import type { AuditTable } from "../store/audit-tables.ts";
import { BoundedMap } from "../store/bounded-map.ts";
import { idOfHash } from "../store/ids.ts";
import type { OrgStore } from "../store/org-store.ts";

export interface ReadChanges {
  /** In the order in which they were committed. */
  readonly changes: readonly Change[];
  /** Up to this number there are no others of the types. */
  readonly lookedTo: number;
  /** The number of the last row there was. */
  readonly end: number;
}

/** So many rows are looked at for one answer, however few of them are changes of the types. */
const STRETCH = 5_000;

/** The actions of the audit log that are changes, by their types. */
const ACTION_OF: ReadonlyMap<ChangeType, string> = new Map(CHANGE_TYPES.map((type) => [type, actionOf(type)]));
const TYPE_OF: ReadonlyMap<string, ChangeType> = new Map([...ACTION_OF].map(([type, action]) => [action, type]));

function actionOf(type: ChangeType): string {
  const [first, verb] = type.split(".");
  const kind = Object.entries(CHANGED_KINDS).find(([, one]) => one.type === first)?.[0];
  return `${kind}.${verb}`;
}

/** The next changes behind a number; of all types where none are named. */
export async function readChanges(
  org: OrgStore,
  afterSeq: number,
  types: readonly ChangeType[] | undefined,
  limit: number,
  upTo = Number.POSITIVE_INFINITY,
): Promise<ReadChanges> {
  // Asked for first: whatever it counts is seen by what is asked for next.
  const { count: end } = await org.readAuditEnd();
  const until = Math.min(end, afterSeq + STRETCH, upTo);
  if (until <= afterSeq) return { changes: [], lookedTo: Math.min(afterSeq, end), end };
  const rows = await org
    .selectFrom("audit")
    .select(["org_id", "seq", "at", "action", "target_kind", "target_id", "facts"])
    // Rows of earlier versions have no facts; the names of their fields stand among the values.
    .select(sql<string | null>`case when facts is null then changes end`.as("values"))
    .where("seq", ">", afterSeq)
    .where("seq", "<=", until)
    .where("action", "in", actionsOf(types))
    .orderBy("seq")
    .limit(limit)
    .execute();
  const changes = rows.map(findChange).filter((change) => change !== undefined);
  return { changes, lookedTo: rows.length < limit ? until : (rows.at(-1)?.seq ?? until), end };
}

/** Clocks of several nodes differ a little: of so many changes with the earliest times, the one that was written first counts. */
const CHANGES_NEAR = 1_000;

/** Every change behind this number happened at that moment or later. */
export async function findSeqBefore(org: OrgStore, moment: number): Promise<number> {
  // Asked first: what is written between the two is behind it.
  const { count } = await org.readAuditEnd();
  const near = await org
    .selectFrom("audit")
    .select("seq")
    .where("at", ">=", moment)
    .where("action", "in", actionsOf(undefined))
    .orderBy("at")
    .orderBy("seq")
    .limit(CHANGES_NEAR)
    .execute();
  if (near.length === 0) return count;
  return near.reduce((least, { seq }) => Math.min(least, seq), Number.POSITIVE_INFINITY) - 1;
}

/** When the next change behind a number happened; undefined where there is none. */
export async function findNextMoment(org: OrgStore, afterSeq: number): Promise<number | undefined> {
  const next = await org
    .selectFrom("audit")
    .select("at")
    .where("seq", ">", afterSeq)
    .where("action", "in", actionsOf(undefined))
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();
  return next?.at;
}

const ROW_HASH_LENGTH = 12;

/**
 * What tells a row of the log from another that was given its number after a backup was restored: a part of its hash. The beginning has none,
 * and a row that is not there is undefined.
 */
export async function readRowHash(org: OrgStore, seq: number): Promise<string | undefined> {
  if (seq === 0) return "";
  const row = await org.selectFrom("audit").select("hash").where("seq", "=", seq).executeTakeFirst();
  return row?.hash.slice(0, ROW_HASH_LENGTH);
}

function actionsOf(types: readonly ChangeType[] | undefined): string[] {
  // PostgreSQL takes no empty list, and no action has an empty name.
  return ["", ...(types ?? CHANGE_TYPES).map((type) => ACTION_OF.get(type) ?? "")];
}

type ChangeRow = Pick<AuditTable, "org_id" | "seq" | "at" | "action" | "target_kind" | "target_id" | "facts"> & {
  readonly values: string | null;
};

function findChange(row: ChangeRow): Change | undefined {
  const type = TYPE_OF.get(row.action);
  if (type === undefined || CHANGED_KINDS[row.target_kind as ChangedKind] === undefined) return undefined;
  const { fields, days, reason } = (row.facts === null ? {} : JSON.parse(row.facts)) as EntryFacts;
  return {
    id: idOfHash("change", row.at, hash("sha256", `${row.org_id} ${row.seq} ${row.at}`)),
    type,
    resourceId: row.target_id,
    fields: [...(fields ?? (row.values === null ? [] : Object.keys(JSON.parse(row.values) as object)))],
    sequence: row.seq,
    occurredAt: row.at,
    days: days ?? null,
    reason: reason ?? null,
  };
}

/**
 * Over several nodes, a change that one of them lists may not be shown by another yet, for up to a second. Who follows the changes and then
 * reads the record elsewhere would take what was before for current, and never ask again. So a change is listed once this node has known
 * of it for that long; by then all of them show it.
 */

/** Within this time a change holds on every node. */
const SETTLE_MS = 1_000;
const ORGANIZATIONS_MAX = 10_000;

interface KnownEnd {
  /** Up to here all nodes show everything. */
  readonly settled: number;
  readonly seen: number;
  readonly seenAt: number;
}

export class SettledEnds {
  readonly #ends = new BoundedMap<string, KnownEnd>(ORGANIZATIONS_MAX);

  /** Waits until all nodes show everything up to this number. `end` is where the organization's log ends now. */
  async wait(orgId: string, upTo: number, end: number): Promise<void> {
    const now = performance.now();
    const before = this.#ends.get(orgId) ?? { settled: 0, seen: 0, seenAt: Number.NEGATIVE_INFINITY };
    const isSettled = now - before.seenAt >= SETTLE_MS;
    const known = isSettled ? { settled: before.seen, seen: end, seenAt: now } : before;
    this.#ends.set(orgId, known);
    if (upTo <= known.settled) return;
    const knownSince = upTo <= known.seen ? known.seenAt : now;
    await sleep(knownSince + SETTLE_MS - now);
  }
}
