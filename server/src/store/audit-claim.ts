/**
 * What is looked at before a chain goes on, so that nobody who has the database alone can cut it, or add to it, and let the server seal
 * what is then there. The head must name the last entry there is, our own seal must be ours and name that entry too, and what this
 * machine has seen of the chain (audit-marks.ts) must still be there. All of it takes one query. What is not so is told in the chain
 * itself, which then goes on: a change is never refused for what somebody did to the log.
 */
import type { Kysely } from "kysely";
import { type ChainEnd, EMPTY_CHAIN } from "./audit-chain.ts";
import { type AuditSealer, describeUnsealed, noteOfBeginning } from "./audit-seal.ts";
import type { Database } from "./schema.ts";

/** No log has more. Numbers beyond are somebody's prank, and are not followed: they would leave none for what comes next. */
export const SEQ_MAX = 1_000_000_000_000;

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

/** What is wrong with a chain, in sentences; none where all is as it should be. */
export function listBreaks(
  chainId: string,
  claim: ChainClaim,
  sealer: AuditSealer,
  known: ChainEnd | undefined,
): string[] {
  const { count, hash, head_hash: headHash, last_seq: lastSeq, seal, seals } = claim;
  const found: string[] = [];
  if (count > 0 && headHash === null) found.push(`The last entry, number ${count}, is missing.`);
  if (headHash !== null && headHash !== hash) found.push(`Entry ${count} is not the one that was recorded last.`);
  if (lastSeq !== null && lastSeq > count)
    found.push(`There are entries up to ${lastSeq}, and ${count} were recorded.`);
  if (count > 0 && seals === 0) found.push("What was recorded last is sealed by nobody.");
  const sealBreaks = seal === null ? [] : listSealBreaks(chainId, claim, sealer);
  return [...found, ...(sealBreaks.length > 0 ? sealBreaks : listKnownBreaks(claim, known))];
}

function listSealBreaks(chainId: string, claim: ChainClaim, sealer: AuditSealer): string[] {
  const sealed = findSealedEnd(chainId, claim, sealer);
  if (sealed === undefined) return ["The seal was altered."];
  const { count, hash } = sealed;
  const { sealed_hash: sealedHash } = claim;
  if (claim.count < count) return [`${count} entries were sealed, and ${claim.count} are left.`];
  if (sealedHash === null) return [`Entry ${count} was sealed and is missing.`];
  if (sealedHash !== hash) return [`Entry ${count} is not the one that was sealed.`];
  if (claim.count <= count || claim.count > SEQ_MAX) return [];
  return [describeUnsealed({ from: count + 1, to: claim.count }, sealer.mark)];
}

/** What a machine has seen and is not there any more was cut off or rewritten, whatever the seals now say. */
function listKnownBreaks(claim: ChainClaim, known: ChainEnd | undefined): string[] {
  if (known === undefined || known.count === 0) return [];
  const { count, hash } = known;
  if (claim.count < count) return [`This machine has seen ${count} entries, and ${claim.count} are left.`];
  if (claim.known_hash === null) return [`Entry ${count}, which this machine has seen, is missing.`];
  return claim.known_hash === hash ? [] : [`Entry ${count} is not the one that this machine has seen.`];
}

/** Whether the chain says that our secret has sealed it before. */
export async function hasBegun(db: Kysely<Database>, chainId: string, mark: string): Promise<boolean> {
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
export async function findEndOfBroken(
  db: Kysely<Database>,
  chainId: string,
  claim: ChainClaim,
  sealer: AuditSealer,
  known: ChainEnd | undefined,
): Promise<ChainEnd> {
  const last = await db
    .selectFrom("audit")
    .select(["seq as count", "hash"])
    .where("org_id", "=", chainId)
    .where("seq", "<=", SEQ_MAX)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  let end: ChainEnd = last ?? EMPTY_CHAIN;
  for (const said of [findSealedEnd(chainId, claim, sealer) ?? claim, known ?? EMPTY_CHAIN]) {
    if (said.count > end.count && said.count <= SEQ_MAX) end = { count: said.count, hash: said.hash };
  }
  return end;
}

function findSealedEnd(chainId: string, claim: ChainClaim, sealer: AuditSealer): ChainEnd | undefined {
  const { seal_count: count, seal_hash: hash, seal } = claim;
  if (count === null || hash === null || seal === null) return undefined;
  return sealer.isOwnSeal(chainId, { count, hash }, seal) ? { count, hash } : undefined;
}
