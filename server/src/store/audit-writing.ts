/**
 * What one transaction adds to the audit log. Entries are gathered while the transaction does its work and appended at its end, chain
 * after chain in the order of their ids, so that two transactions never wait for each other. A chain's head is held from the moment it is
 * read until the transaction ends: nobody else appends to the chain meanwhile, and where the transaction fails, so do its entries.
 *
 * Before a chain goes on it is looked at (audit-claim.ts); after each piece, its new end is sealed.
 */
import { setImmediate as breathe } from "node:timers/promises";
import type { Kysely } from "kysely";
import { type ChainEnd, EMPTY_CHAIN, linkEntries } from "./audit-chain.ts";
import { type ChainClaim, findEndOfBroken, hasBegun, listBreaks } from "./audit-claim.ts";
import { type AuditEntry, INSTALLATION_CHAIN } from "./audit-entry.ts";
import { type AuditSealer, noteOfBeginning } from "./audit-seal.ts";
import { OrganizationGone } from "./organization-gone.ts";
import type { Origin } from "./origin.ts";
import type { AuditSealsTable, AuditTable } from "./people-schema.ts";
import type { Database } from "./schema.ts";

const ROWS_PER_STATEMENT = 500;

/** All in which the databases differ here. */
export interface ChainEngine {
  /** Inside a transaction: how the chain stands, which nobody else changes until the transaction ends. */
  claimChain(db: Kysely<Database>, chainId: string, mark: string): Promise<ChainClaim | undefined>;
  /** Adds the rows, and lets head and seal name the last of them; an organization whose data changed gets a new revision with it. */
  appendToChain(
    db: Kysely<Database>,
    rows: readonly AuditTable[],
    seal: AuditSealsTable,
    changedOrgId: string | undefined,
  ): Promise<void>;
}

/** What has to be told before anything else is, such as that the chain was broken. */
type Foreword = Pick<AuditEntry, "action" | "note">;

interface OpenChain {
  end: ChainEnd;
  forewords: readonly Foreword[];
}

export class AuditWriting {
  readonly #db: Kysely<Database>;
  readonly #engine: ChainEngine;
  readonly #sealer: AuditSealer;
  readonly #origin: Origin;
  readonly #gathered = new Map<string, Iterable<AuditEntry>[]>();
  readonly #open = new Map<string, OpenChain>();
  #changedOrgId: string | undefined;

  constructor(db: Kysely<Database>, engine: ChainEngine, sealer: AuditSealer, origin: Origin) {
    this.#db = db;
    this.#engine = engine;
    this.#sealer = sealer;
    this.#origin = origin;
  }

  /** The entries are asked for when the transaction ends; so they need not all be in memory. */
  record(chainId: string, entries: Iterable<AuditEntry>): void {
    const known = this.#gathered.get(chainId);
    if (known === undefined) this.#gathered.set(chainId, [entries]);
    else known.push(entries);
  }

  /** Appends all that was gathered. An organization whose data changed gets a new revision, in the same statement where there is one. */
  async finish(changedOrgId?: string): Promise<void> {
    this.#changedOrgId = changedOrgId;
    for (const chainId of [...this.#gathered.keys()].sort()) await this.#append(chainId);
    if (this.#changedOrgId === undefined) return;
    await this.#db
      .updateTable("organizations")
      .set((eb) => ({ revision: eb("revision", "+", 1) }))
      .where("id", "=", this.#changedOrgId)
      .execute();
  }

  /** A new organization's chain. Its first entry is written at once; returns that entry's hash. */
  async begin(chainId: string, first: AuditEntry): Promise<string> {
    await this.#db
      .insertInto("audit_heads")
      .values({ org_id: chainId, ...EMPTY_CHAIN })
      .execute();
    const chain: OpenChain = { end: EMPTY_CHAIN, forewords: [] };
    this.#open.set(chainId, chain);
    await this.#write(chainId, chain, [{ ...first, note: noteOfBeginning(this.#sealer.mark) }]);
    return chain.end.hash;
  }

  /** Makes sure that the chain has begun; returns the hash of its first entry. */
  async ensureBegun(chainId: string, at: number): Promise<string> {
    const chain = await this.claim(chainId);
    if (chain.end.count === 0) await this.#write(chainId, chain, takeForewords(chainId, chain, at));
    const first = await this.#db
      .selectFrom("audit")
      .select("hash")
      .where("org_id", "=", chainId)
      .orderBy("seq")
      .limit(1)
      .executeTakeFirst();
    return first?.hash ?? "";
  }

  /** Removes a chain with all that was recorded in it; returns where it ended. */
  async remove(chainId: string): Promise<ChainEnd> {
    // In the order of their ids, as everywhere.
    await this.claim(INSTALLATION_CHAIN);
    const { end } = await this.claim(chainId);
    for (const table of ["audit", "audit_heads", "audit_seals"] as const) {
      await this.#db.deleteFrom(table).where("org_id", "=", chainId).execute();
    }
    this.#gathered.delete(chainId);
    this.#open.delete(chainId);
    return end;
  }

  /** Holds the chain until the transaction ends. */
  async claim(chainId: string): Promise<OpenChain> {
    const known = this.#open.get(chainId);
    if (known !== undefined) return known;
    const chain = await this.#look(chainId);
    this.#open.set(chainId, chain);
    return chain;
  }

  async #append(chainId: string): Promise<void> {
    let chain: OpenChain | undefined;
    for (const batch of batchesOf(this.#gathered.get(chainId) ?? [])) {
      if (chain !== undefined) await breathe();
      chain ??= await this.claim(chainId);
      await this.#write(chainId, chain, [...takeForewords(chainId, chain, batch[0]?.at ?? 0), ...batch]);
    }
    this.#gathered.delete(chainId);
  }

  async #write(chainId: string, chain: OpenChain, entries: readonly AuditEntry[]): Promise<void> {
    const rows = linkEntries(chainId, chain.end, this.#origin, entries);
    const last = rows.at(-1);
    if (last === undefined) return;
    const end = { count: last.seq, hash: last.hash };
    const seal = this.#sealer.seal(chainId, end);
    const sealed = { org_id: chainId, mark: this.#sealer.mark, ...end, seal };
    await this.#engine.appendToChain(this.#db, rows, sealed, this.#changedOrgId);
    this.#changedOrgId = undefined;
    chain.end = end;
  }

  async #look(chainId: string): Promise<OpenChain> {
    const { mark } = this.#sealer;
    const first = await this.#engine.claimChain(this.#db, chainId, mark);
    if (first !== undefined && first.seal !== null && listBreaks(chainId, first, this.#sealer).length === 0) {
      return { end: first, forewords: [] };
    }
    // Who waited for the head has read the rest before it came; now that it is held, all of it stands still.
    const claim = await this.#engine.claimChain(this.#db, chainId, mark);
    const breaks = claim === undefined ? await this.#explainMissing(chainId) : listBreaks(chainId, claim, this.#sealer);
    const isNew = claim?.seal == null && !(await hasBegun(this.#db, chainId, mark));
    if (claim?.seal == null && !isNew) breaks.push("The seal was removed.");
    const began = isNew ? [{ action: "audit.began", note: noteOfBeginning(mark) }] : [];
    if (breaks.length === 0) return { end: claim ?? EMPTY_CHAIN, forewords: began };
    const end = await findEndOfBroken(this.#db, chainId, claim, this.#sealer);
    return { end, forewords: [{ action: "audit.break-found", note: breaks.join(" ") }, ...began] };
  }

  /** An organization made by an older version has no head yet, and nothing else either. */
  async #explainMissing(chainId: string): Promise<string[]> {
    if (chainId !== INSTALLATION_CHAIN) {
      const found = await this.#db
        .selectFrom("organizations")
        .select("id")
        .where("id", "=", chainId)
        .executeTakeFirst();
      if (found === undefined) throw new OrganizationGone(chainId);
    }
    for (const table of ["audit", "audit_seals"] as const) {
      const left = await this.#db.selectFrom(table).select("org_id").where("org_id", "=", chainId).limit(1).execute();
      if (left.length > 0) return ["The record of where this log ends was removed."];
    }
    return chainId === INSTALLATION_CHAIN
      ? ["The record of where this log ends was removed, with all of the log."]
      : [];
  }
}

function takeForewords(chainId: string, chain: OpenChain, at: number): AuditEntry[] {
  const kind = chainId === INSTALLATION_CHAIN ? chainId : "organization";
  const entries = chain.forewords.map((one) => ({ ...one, at, target: { kind, id: chainId, name: null } }));
  chain.forewords = [];
  return entries;
}

function* batchesOf(gathered: readonly Iterable<AuditEntry>[]): Generator<readonly AuditEntry[]> {
  let batch: AuditEntry[] = [];
  for (const entries of gathered) {
    for (const entry of entries) {
      batch.push(entry);
      if (batch.length < ROWS_PER_STATEMENT) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
