/**
 * What one transaction adds to the audit log. Entries are gathered while the transaction does its work and appended at its end, chain
 * after chain in the order of their ids. A chain's head is held from the moment it is read until the transaction ends: whoever else would
 * append to the chain waits so long, and where the transaction fails, so do its entries. As all take their chains in one order, nobody
 * waits for somebody who waits for them.
 *
 * Before a chain goes on it is looked at (audit-look.ts); after each piece, its new end is sealed.
 */
import { setImmediate as breathe } from "node:timers/promises";
import type { Kysely } from "kysely";
import { type ChainEnd, EMPTY_CHAIN, linkEntries } from "./audit-chain.ts";
import { type AuditEntry, INSTALLATION_CHAIN } from "./audit-entry.ts";
import { type ChainEngine, lookAtChain, type OpenChain, type SharedChains } from "./audit-look.ts";
import type { AuditMarks } from "./audit-marks.ts";
import { type AuditSealer, noteOfBeginning } from "./audit-seal.ts";
import { sealEnd } from "./audit-statements.ts";
import type { Origin } from "./origin.ts";
import type { Database } from "./schema.ts";

const ROWS_PER_STATEMENT = 500;

export interface AuditTools {
  readonly db: Kysely<Database>;
  readonly engine: ChainEngine;
  readonly sealer: AuditSealer;
  readonly marks: AuditMarks;
  readonly origin: Origin;
  /** Where others write in the same transaction. */
  readonly shared?: SharedChains | undefined;
}

export class AuditWriting {
  readonly #db: Kysely<Database>;
  readonly #engine: ChainEngine;
  readonly #sealer: AuditSealer;
  readonly #marks: AuditMarks;
  readonly #origin: Origin;
  readonly #shared: SharedChains | undefined;
  readonly #gathered = new Map<string, Iterable<AuditEntry>[]>();
  readonly #open = new Map<string, OpenChain>();
  /** Where the chains that were added to end; undefined for those that were removed. */
  readonly #written = new Map<string, ChainEnd | undefined>();
  #changedOrgId: string | undefined;

  constructor({ db, engine, sealer, marks, origin, shared }: AuditTools) {
    this.#db = db;
    this.#engine = engine;
    this.#sealer = sealer;
    this.#marks = marks;
    this.#origin = origin;
    this.#shared = shared;
  }

  /** For when the transaction was committed: from here on this machine has seen its entries. */
  noteCommitted(): void {
    for (const [chainId, end] of this.#written) {
      if (end === undefined) this.#marks.forget(chainId);
      else this.#marks.note(chainId, end);
    }
  }

  /** Whether somebody before, in the same transaction, has added to the chain: then whose chain it is cannot have gone since. */
  isContinued(chainId: string): boolean {
    return this.#shared?.find(chainId) !== undefined;
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
    this.#written.set(chainId, undefined);
    return end;
  }

  /** Holds the chain until the transaction ends. */
  async claim(chainId: string): Promise<OpenChain> {
    const known = this.#open.get(chainId);
    if (known !== undefined) return known;
    const left = this.#shared?.find(chainId);
    const tools = { db: this.#db, engine: this.#engine, sealer: this.#sealer, known: this.#marks.find(chainId) };
    const chain = left === undefined ? await lookAtChain(tools, chainId) : { end: left, forewords: [] };
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
    if (this.#shared === undefined) {
      const seal = sealEnd(this.#sealer, chainId, end);
      await this.#engine.appendToChain(this.#db, rows, seal, this.#changedOrgId);
    } else await this.#shared.append(this.#db, rows, end, this.#sealer, this.#changedOrgId);
    this.#changedOrgId = undefined;
    chain.end = end;
    this.#written.set(chainId, end);
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
