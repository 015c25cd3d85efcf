/**
 * How a chain is taken up by a transaction: held, looked at, and with what has to be told before it goes on.
 *
 * It is looked at so that nobody who has the database alone can cut it, or add to it, and let the server seal what is then there. The head
 * must name the last entry there is, our own seal must be ours and name that entry too, and what this machine has seen of the chain
 * (audit-marks.ts) must still be there. All of it takes one query. What is not so is told in the chain itself, which then goes on: a
 * change is never refused for what somebody did to the log, and nothing that was not sealed with our secret is sealed over without an
 * entry that says so.
 */
import type { Kysely } from "kysely";
import {
  type AuditSealer,
  type ChainEnd,
  describeUnsealed,
  EMPTY_CHAIN,
  noteOfBeginning,
  SEQ_MAX,
} from "./audit-chain.ts";
import { type AuditEntry, INSTALLATION_CHAIN } from "./audit-entry.ts";
import type { AuditSealsTable, AuditTable } from "./audit-tables.ts";
import type { Database } from "./schema.ts";
import { OrganizationGone } from "./store-error.ts";

/** A chain as the store tells it, all at one moment. */
export interface ChainClaim {
  readonly count: number;
  readonly hash: string;
  /** Of the entry that the head names. */
  readonly head_hash: string | null;
  readonly last_seq: number | null;
  /** Our own seal. */
  readonly seal_count: number | null;
  readonly seal_hash: string | null;
  readonly seal: string | null;
  /** Of the entry that our seal names. */
  readonly sealed_hash: string | null;
  /** How many seals, ours or others', name what the head does. */
  readonly seals: number;
  /** Of the entry that this machine has seen last; null where it has seen none. */
  readonly known_hash: string | null;
}

/** How a chain is asked for; its parameters are the number of the entry seen last, the mark of our secret and the chain's id. */
export const CLAIM = `SELECT h.count, h.hash,
  (SELECT hash FROM audit WHERE org_id = h.org_id AND seq = h.count) AS head_hash,
  (SELECT max(seq) FROM audit WHERE org_id = h.org_id AND seq <= ${SEQ_MAX}) AS last_seq,
  s.count AS seal_count, s.hash AS seal_hash, s.seal,
  (SELECT hash FROM audit WHERE org_id = h.org_id AND seq = s.count) AS sealed_hash,
  (SELECT count(*) FROM audit_seals WHERE org_id = h.org_id AND count = h.count AND hash = h.hash) AS seals,
  (SELECT hash FROM audit WHERE org_id = h.org_id AND seq = ?) AS known_hash
FROM audit_heads AS h LEFT JOIN audit_seals AS s ON s.org_id = h.org_id AND s.mark = ?
WHERE h.org_id = ?`;

/** All in which the databases differ here. */
export interface ChainEngine {
  /**
   * Inside a transaction: how the chain stands, which nobody else changes until the transaction ends. `knownCount` is the number of the
   * entry whose hash is asked for as well.
   */
  claimChain(db: Kysely<Database>, chainId: string, mark: string, knownCount: number): Promise<ChainClaim | undefined>;
  /** Adds the rows, and lets head and seal name the last of them. */
  appendToChain(db: Kysely<Database>, rows: readonly AuditTable[], seal: AuditSealsTable): Promise<void>;
  /** Gives entries that are there facts, salts and commitments. */
  fillCommitments(db: Kysely<Database>, rows: readonly AuditTable[]): Promise<void>;
}

/** What a chain is looked at with. */
export interface ChainLook {
  readonly chainId: string;
  readonly mark: string;
  /** How far this machine has seen the chain. */
  readonly known: ChainEnd | undefined;
}

/** A chain that is held since the transaction began, as it stood then; without a claim where that has to be asked for. */
export interface ClaimedChain {
  readonly look: ChainLook;
  readonly claim: ChainClaim | undefined;
}

/** What has to be told before anything else is, such as that the chain was broken. */
export type Foreword = Pick<AuditEntry, "action" | "note">;

export interface OpenChain {
  end: ChainEnd;
  forewords: readonly Foreword[];
}

export interface LookingTools {
  readonly db: Kysely<Database>;
  readonly engine: ChainEngine;
  readonly sealer: AuditSealer;
  /** How far this machine has seen the chain. */
  readonly known: ChainEnd | undefined;
}

/** `claimed` is the chain as it was claimed before, in the same transaction. */
export async function lookAtChain(tools: LookingTools, chainId: string, claimed?: ChainClaim): Promise<OpenChain> {
  const { db, sealer, known } = tools;
  const first = claimed ?? (await claimOnce(tools, chainId));
  if (first !== undefined && first.seal !== null && listBreaks({ chainId, claim: first, sealer, known }).length === 0) {
    return { end: first, forewords: [] };
  }
  const { claim, missing } = await claimOrMake(tools, chainId);
  const found = { chainId, claim, sealer, known };
  const breaks = missing.length > 0 ? [...missing] : listBreaks(found);
  const isNew = claim.seal === null && !(await hasBegun(db, chainId, sealer.mark));
  if (claim.seal === null && !isNew) breaks.push("The seal was removed.");
  const more: Foreword[] = isNew ? [{ action: "audit.began", note: noteOfBeginning(sealer.mark) }] : [];
  if (breaks.length === 0) return { end: claim, forewords: more };
  const end = await findEndOfBroken(db, found);
  return { end, forewords: [{ action: "audit.break-found", note: breaks.join(" ") }, ...more] };
}

function claimOnce({ db, engine, sealer, known }: LookingTools, chainId: string): Promise<ChainClaim | undefined> {
  return engine.claimChain(db, chainId, sealer.mark, known?.count ?? 0);
}

/** Who waited for the head has read the rest before it came; now that it is held, all of it stands still. */
async function claimTwice(tools: LookingTools, chainId: string): Promise<ChainClaim | undefined> {
  return (await claimOnce(tools, chainId)) === undefined ? undefined : claimOnce(tools, chainId);
}

/** A head that is missing is made, so that of several who find none only one goes on as if it were the first. */
async function claimOrMake(
  tools: LookingTools,
  chainId: string,
): Promise<{ readonly claim: ChainClaim; readonly missing: readonly string[] }> {
  const found = await claimTwice(tools, chainId);
  if (found !== undefined) return { claim: found, missing: [] };
  const missing = await explainMissing(tools.db, chainId);
  const made = await tools.db
    .insertInto("audit_heads")
    .values({ org_id: chainId, ...EMPTY_CHAIN })
    .onConflict((conflict) => conflict.column("org_id").doNothing())
    .executeTakeFirst();
  const claim = await claimTwice(tools, chainId);
  if (claim === undefined) throw new OrganizationGone(chainId);
  return { claim, missing: made.numInsertedOrUpdatedRows === 1n ? missing : [] };
}

/** An organization made by an older version has no head yet, and nothing else either. */
async function explainMissing(db: Kysely<Database>, chainId: string): Promise<string[]> {
  if (chainId !== INSTALLATION_CHAIN) {
    const found = await db.selectFrom("organizations").select("id").where("id", "=", chainId).executeTakeFirst();
    if (found === undefined) throw new OrganizationGone(chainId);
  }
  for (const table of ["audit", "audit_seals"] as const) {
    const left = await db.selectFrom(table).select("org_id").where("org_id", "=", chainId).limit(1).execute();
    if (left.length > 0) return ["The record of where this log ends was removed."];
  }
  return chainId === INSTALLATION_CHAIN ? ["The record of where this log ends was removed, with all of the log."] : [];
}

/** A chain as it was found, and what it is held against. */
export interface FoundChain {
  readonly chainId: string;
  readonly claim: ChainClaim;
  readonly sealer: AuditSealer;
  /** How far this machine has seen the chain. */
  readonly known: ChainEnd | undefined;
}

/** What is wrong with a chain, in sentences; none where all is as it should be. */
export function listBreaks(chain: FoundChain): string[] {
  const { claim } = chain;
  const { count, hash, head_hash: headHash, last_seq: lastSeq, seal, seals } = claim;
  const found: string[] = [];
  if (count > 0 && headHash === null) found.push(`The last entry, number ${count}, is missing.`);
  if (headHash !== null && headHash !== hash) found.push(`Entry ${count} is not the one that was recorded last.`);
  if (lastSeq !== null && lastSeq > count)
    found.push(`There are entries up to ${lastSeq}, and ${count} were recorded.`);
  if (count > 0 && seals === 0) found.push("What was recorded last is sealed by nobody.");
  const sealBreak = seal === null ? undefined : findSealBreak(chain);
  const more = sealBreak ?? findKnownBreak(chain);
  return more === undefined ? found : [...found, more];
}

function findSealBreak(chain: FoundChain): string | undefined {
  const { claim, sealer } = chain;
  const sealed = findSealedEnd(chain);
  if (sealed === undefined) return "The seal was altered.";
  const { count, hash } = sealed;
  if (claim.count < count) return `${count} entries were sealed, and ${claim.count} are left.`;
  if (claim.sealed_hash === null) return `Entry ${count} was sealed and is missing.`;
  if (claim.sealed_hash !== hash) return `Entry ${count} is not the one that was sealed.`;
  if (claim.count <= count || claim.count > SEQ_MAX) return undefined;
  return describeUnsealed({ from: count + 1, to: claim.count }, sealer.mark);
}

/** What a machine has seen and is not there any more was cut off or rewritten, whatever the seals now say. */
function findKnownBreak({ chainId, claim, sealer, known }: FoundChain): string | undefined {
  if (known === undefined || known.count === 0) return undefined;
  const { count } = known;
  if (claim.count < count) return `This machine has seen ${count} entries, and ${claim.count} are left.`;
  if (claim.known_hash === null) return `Entry ${count}, which this machine has seen, is missing.`;
  if (sealer.isEnd(chainId, known, claim.known_hash)) return undefined;
  return `Entry ${count} is not the one that this machine has seen.`;
}

/** Whether the chain says that our secret has sealed it before. */
async function hasBegun(db: Kysely<Database>, chainId: string, mark: string): Promise<boolean> {
  const found = await db
    .selectFrom("audit")
    .select("seq")
    .where("org_id", "=", chainId)
    .where("action", "in", ["audit.began", "organization.created"])
    .where("note", "=", noteOfBeginning(mark))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Where a broken chain goes on: after the last entry that is there, or that a seal of ours or this machine's own mark says was there, or the
 * head where no seal says anything. What is missing leaves a gap that can be seen, and that a backup can fill.
 */
async function findEndOfBroken(db: Kysely<Database>, chain: FoundChain): Promise<ChainEnd> {
  const { chainId, claim, known } = chain;
  const last = await db
    .selectFrom("audit")
    .select(["seq as count", "hash"])
    .where("org_id", "=", chainId)
    .where("seq", "<=", SEQ_MAX)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  let end: ChainEnd = last ?? EMPTY_CHAIN;
  for (const said of [findSealedEnd(chain) ?? claim, known ?? EMPTY_CHAIN]) {
    if (said.count > end.count && said.count <= SEQ_MAX) end = { count: said.count, hash: said.hash };
  }
  return end;
}

function findSealedEnd({ chainId, claim, sealer }: FoundChain): ChainEnd | undefined {
  const { seal_count: count, seal_hash: hash, seal } = claim;
  if (count === null || hash === null || seal === null) return undefined;
  return sealer.isOwnSeal(chainId, { count, hash }, seal) ? { count, hash } : undefined;
}
