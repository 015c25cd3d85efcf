/**
 * The links of the audit log. Every chain (an organization's, or the installation's) is numbered 1, 2, 3 … without a gap, and each row's
 * hash covers all of the row, its values by a commitment to them (audit-entry.ts), and the hash of the row before it. So anyone who knows
 * the last hash knows every row before it: none can be altered, left out, put in or moved without another last hash.
 */
import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from "node:crypto";
import {
  AUDIT_COLUMNS,
  type AuditEntry,
  commitTo,
  type EntryFacts,
  HIDDEN,
  hashRow,
  makeSalt,
  type Origin,
} from "./audit-entry.ts";
import type { AuditSealsTable, AuditTable } from "./audit-tables.ts";

/** Where a chain stands: how many entries it has, and the hash of the last one. */
export interface ChainEnd {
  readonly count: number;
  readonly hash: string;
}

/** Before the first entry. */
export const EMPTY_CHAIN: ChainEnd = { count: 0, hash: "" };

/** No log has more. Numbers beyond are somebody's prank, and are not followed: they would leave none for what comes next. */
export const SEQ_MAX = 1_000_000_000_000;

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
    row.salt = makeSalt();
    row.commitment = commitTo(row.salt, row);
    previousHash = hashRow(previousHash, row);
    row.hash = previousHash;
    return row;
  });
}

/** All but the commitment to its values, and the hash, which covers the rest. */
function rowOf(chainId: string, seq: number, origin: Origin, entry: AuditEntry): AuditTable {
  const { at, action, target, changes, note, facts } = entry;
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
    facts: writeFacts(changes === undefined ? undefined : Object.keys(changes), facts),
    salt: null,
    commitment: null,
    hash: "",
  };
}

/** The names of the fields that an entry changes, and what else it says that is no value. */
export function writeFacts(fields: readonly string[] | undefined, facts?: EntryFacts): string | null {
  if (fields === undefined && facts === undefined) return null;
  return JSON.stringify({ ...(fields === undefined ? {} : { fields }), ...facts });
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

export function valuesOfEntry(row: AuditTable): unknown[] {
  return AUDIT_COLUMNS.map((column) => row[column]);
}

export function valuesOfHead({ org_id, count, hash }: AuditSealsTable): unknown[] {
  return [org_id, count, hash];
}

export function valuesOfSeal({ org_id, mark, count, hash, seal }: AuditSealsTable): unknown[] {
  return [org_id, mark, count, hash, seal];
}

/*
 * Seals: who knows the last hash of a chain knows all of it, and a seal says under a secret which hash that is. The secret is not in the
 * database, so who has the database alone can write a chain that is whole, but none that is sealed. All who write to a store seal with
 * the same secret. Where it was changed, `mark` tells the two apart and gives nothing of either away. A seal of another mark proves
 * nothing here: who has the database can make one up.
 */

const MARK_LENGTH = 16;
/** 60 bits: enough to tell the texts of one organization apart. */
const TEXT_HASH_LENGTH = 10;

export class AuditSealer {
  readonly mark: string;
  readonly #key: KeyObject;

  constructor(secret: string) {
    const derive = (purpose: string) => Buffer.from(hkdfSync("sha256", secret, "", purpose, 32));
    this.mark = createHmac("sha256", derive("lineup audit mark")).update("mark").digest("hex").slice(0, MARK_LENGTH);
    this.#key = createSecretKey(derive("lineup audit seal"));
  }

  /** The row that says where the chain ends. */
  seal(chainId: string, end: ChainEnd): AuditSealsTable {
    return { org_id: chainId, mark: this.mark, ...end, seal: this.#compute(chainId, end) };
  }

  isOwnSeal(chainId: string, end: ChainEnd, seal: string): boolean {
    const expected = Buffer.from(this.#compute(chainId, end));
    const found = Buffer.from(seal);
    return expected.length === found.length && timingSafeEqual(expected, found);
  }

  /** Tells nothing of the text but to those who have both the secret and the text. */
  hashText(orgId: string, text: string): string {
    return createHmac("sha256", this.#key)
      .update(JSON.stringify([orgId, "text", text]))
      .digest("base64url")
      .slice(0, TEXT_HASH_LENGTH);
  }

  /** What takes the place of a hash of the version before: it tells nothing of what was hashed, but to those who have the secret and the hash. */
  hide(chainId: string, end: ChainEnd): string {
    return HIDDEN + this.#compute(chainId, end, "hidden").slice(HIDDEN.length);
  }

  /** Whether an entry that has the hash `found` is the one that once was seen as the end. */
  isEnd(chainId: string, end: ChainEnd, found: string): boolean {
    return found === end.hash || (found.startsWith(HIDDEN) && found === this.hide(chainId, end));
  }

  #compute(chainId: string, { count, hash }: ChainEnd, ...purpose: readonly string[]): string {
    return createHmac("sha256", this.#key)
      .update(JSON.stringify([chainId, count, hash, ...purpose]))
      .digest("hex");
  }
}

/** What the first entry under a secret says, in the chain itself: so a seal that is gone was there. */
export function noteOfBeginning(mark: string): string {
  return `Sealed from here on with the secret marked ${mark}.`;
}

/** The mark that the note of a beginning names. */
export function findBegunMark(note: string | null): string | undefined {
  return /^Sealed from here on with the secret marked ([0-9a-f]{16})\.$/.exec(note ?? "")?.[1];
}

/** The action of an entry that ends a conversion (audit-conversion.ts). */
export const CONVERTED = "audit.converted";

/** The action of an entry that names what was erased of a person. */
export const ERASED = "person.erased";

/** The records whose values are gone from the entries before this one. */
export function findErasedIds({ action, facts }: Pick<AuditTable, "action" | "facts">): readonly string[] {
  if (action !== ERASED) return [];
  const { erased } = JSON.parse(facts ?? "{}") as EntryFacts;
  // Somebody may have altered it; that is found by its hash.
  return Array.isArray(erased) ? erased : [];
}

/** Entries that other secrets than ours have sealed. */
export interface OthersStretch {
  readonly from: number;
  readonly to: number;
  /** The marks of the secrets that are said to have sealed them. */
  readonly by: readonly string[];
}

export function describeStretch({ from, to }: Pick<OthersStretch, "from" | "to">): string {
  return from === to ? `Entry ${from} was` : `Entries ${from} to ${to} were`;
}

/**
 * What an earlier version, in which machines could seal with secrets of their own, said in the chain of entries that it went on from and
 * had not sealed. Undefined where the note is no such one, or under another mark.
 */
export function findOthersStretch(note: string | null, mark: string): OthersStretch | undefined {
  const pattern =
    /^Entr(?:y|ies) (\d{1,13})(?: to (\d{1,13}))? w(?:as|ere) not sealed with the secret marked (\w{16}), but with others, marked ([\w, ]+)\.$/;
  const [, from, to, of, by = ""] = pattern.exec(note ?? "") ?? [];
  if (from === undefined || of !== mark) return undefined;
  return { from: Number(from), to: Number(to ?? from), by: by === "unknown" ? [] : by.split(", ") };
}

export function describeUnsealed(stretch: Pick<OthersStretch, "from" | "to">, mark: string): string {
  return (
    `${describeStretch(stretch)} not sealed with the secret marked ${mark}, which all who write here share: somebody without it added ` +
    "them, or a server or a command ran with another LINEUP_SECRET."
  );
}
