/**
 * How a chain is taken up by a transaction: held, looked at (audit-claim.ts), and with what has to be told before it goes on. Whatever is
 * found, the chain goes on; nothing that was not sealed with our secret is sealed over without an entry that says so.
 */
import type { Kysely } from "kysely";
import { type ChainEnd, EMPTY_CHAIN } from "./audit-chain.ts";
import { type ChainClaim, findEndOfBroken, hasBegun, listBreaks } from "./audit-claim.ts";
import { type AuditEntry, INSTALLATION_CHAIN } from "./audit-entry.ts";
import { type AuditSealer, noteOfBeginning } from "./audit-seal.ts";
import { OrganizationGone } from "./organization-gone.ts";
import type { AuditSealsTable, AuditTable } from "./people-schema.ts";
import type { Database } from "./schema.ts";

/** All in which the databases differ here. */
export interface ChainEngine {
  /**
   * Inside a transaction: how the chain stands, which nobody else changes until the transaction ends. `knownCount` is the number of the
   * entry whose hash is asked for as well.
   */
  claimChain(db: Kysely<Database>, chainId: string, mark: string, knownCount: number): Promise<ChainClaim | undefined>;
  /** Adds the rows, and lets head and seal name the last of them; an organization whose data changed gets a new revision with it. */
  appendToChain(
    db: Kysely<Database>,
    rows: readonly AuditTable[],
    seal: AuditSealsTable,
    raise: Raise | undefined,
  ): Promise<void>;
}

/** By how much an organization's revision rises. */
export interface Raise {
  readonly orgId: string;
  readonly by: number;
}

/** What a chain is looked at with. */
export interface ChainLook {
  readonly chainId: string;
  readonly mark: string;
  /** How far this machine has seen the chain. */
  readonly known: ChainEnd | undefined;
}

/** A chain that is held since the transaction began, as it stood then; without a claim where it has no head. */
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
  if (first !== undefined && isAllOurs(chainId, first, tools)) return { end: first, forewords: [] };
  const { claim, missing } = await claimOrMake(tools, chainId);
  const breaks = missing.length > 0 ? [...missing] : listBreaks(chainId, claim, sealer, known);
  const isNew = claim.seal === null && !(await hasBegun(db, chainId, sealer.mark));
  if (claim.seal === null && !isNew) breaks.push("The seal was removed.");
  const more: Foreword[] = isNew ? [{ action: "audit.began", note: noteOfBeginning(sealer.mark) }] : [];
  if (breaks.length === 0) return { end: claim, forewords: more };
  const end = await findEndOfBroken(db, chainId, claim, sealer, known);
  return { end, forewords: [{ action: "audit.break-found", note: breaks.join(" ") }, ...more] };
}

function claimOnce({ db, engine, sealer, known }: LookingTools, chainId: string): Promise<ChainClaim | undefined> {
  return engine.claimChain(db, chainId, sealer.mark, known?.count ?? 0);
}

/** Who waited for the head has read the rest before it came; now that it is held, all of it stands still. */
async function claimTwice(tools: LookingTools, chainId: string): Promise<ChainClaim | undefined> {
  return (await claimOnce(tools, chainId)) === undefined ? undefined : claimOnce(tools, chainId);
}

function isAllOurs(chainId: string, claim: ChainClaim, { sealer, known }: LookingTools): boolean {
  return claim.seal !== null && listBreaks(chainId, claim, sealer, known).length === 0;
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
