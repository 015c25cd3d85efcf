/**
 * What one transaction adds to the audit log. Entries are gathered while the transaction does its work and appended at its end, chain
 * after chain in the order of their ids. A chain's head is held from the moment it is read until the transaction ends: who else would
 * append to the chain waits so long, and where the transaction fails, so do its entries. As all take their chains in one order, nobody
 * waits for somebody who waits for them.
 *
 * Before a chain goes on it is looked at (audit-look.ts); after each piece, its new end is sealed.
 */
import { setImmediate as breathe } from "node:timers/promises";
import type { Kysely } from "kysely";
import { type AuditSealer, type ChainEnd, EMPTY_CHAIN, linkEntries, noteOfBeginning } from "./audit-chain.ts";
import { type AuditEntry, INSTALLATION_CHAIN, type Origin } from "./audit-entry.ts";
import { type ChainEngine, type ClaimedChain, type LookingTools, lookAtChain, type OpenChain } from "./audit-look.ts";
import type { AuditMarks } from "./audit-marks.ts";
import type { AuditTable } from "./audit-tables.ts";
import type { Database } from "./schema.ts";

const ROWS_PER_STATEMENT = 500;

export interface AuditTools extends Omit<LookingTools, "known"> {
  readonly marks: AuditMarks;
  readonly origin: Origin;
  /** Where others write in the same transaction. */
  readonly shared?: GroupChains | undefined;
}

export class AuditWriting {
  readonly #tools: AuditTools;
  readonly #gathered = new Map<string, Iterable<AuditEntry>[]>();
  readonly #open = new Map<string, OpenChain>();
  /** Where the chains that were added to end; undefined for those that were removed. */
  readonly #written = new Map<string, ChainEnd | undefined>();

  constructor(tools: AuditTools) {
    this.#tools = tools;
  }

  /** For when the transaction was committed: from here on this machine has seen its entries. */
  noteCommitted(): void {
    for (const [chainId, end] of this.#written) {
      if (end === undefined) this.#tools.marks.forget(chainId);
      else this.#tools.marks.note(chainId, end);
    }
  }

  /** The entries are asked for when the transaction ends; so they need not all be in memory. */
  record(chainId: string, entries: Iterable<AuditEntry>): void {
    const known = this.#gathered.get(chainId);
    if (known === undefined) this.#gathered.set(chainId, [entries]);
    else known.push(entries);
  }

  /** Appends all that was gathered. */
  async finish(): Promise<void> {
    for (const chainId of [...this.#gathered.keys()].sort()) await this.#append(chainId);
  }

  /** A new organization's chain. Its first entry is written at once; returns that entry's hash. */
  async begin(chainId: string, first: AuditEntry): Promise<string> {
    await this.#tools.db
      .insertInto("audit_heads")
      .values({ org_id: chainId, ...EMPTY_CHAIN })
      .execute();
    const chain: OpenChain = { end: EMPTY_CHAIN, forewords: [] };
    this.#open.set(chainId, chain);
    await this.#write(chainId, chain, [{ ...first, note: noteOfBeginning(this.#tools.sealer.mark) }]);
    return chain.end.hash;
  }

  /** Tells at once what has to be told before anything else is; returns whether there was anything. */
  async tellForewords(chainId: string, at: number): Promise<boolean> {
    const chain = await this.claim(chainId);
    const forewords = takeForewords(chainId, chain, at);
    await this.#write(chainId, chain, forewords);
    return forewords.length > 0;
  }

  /** Removes a chain with all that was recorded in it; returns where it ended. */
  async remove(chainId: string): Promise<ChainEnd> {
    // In the order of their ids, as everywhere.
    await this.claim(INSTALLATION_CHAIN);
    const { end } = await this.claim(chainId);
    for (const table of ["audit", "audit_heads", "audit_seals"] as const) {
      await this.#tools.db.deleteFrom(table).where("org_id", "=", chainId).execute();
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
    const left = this.#tools.shared?.findEnd(chainId);
    const chain = left === undefined ? await this.#lookAt(chainId) : { end: left, forewords: [] };
    this.#open.set(chainId, chain);
    return chain;
  }

  #lookAt(chainId: string): Promise<OpenChain> {
    const claimed = this.#tools.shared?.findClaimed(chainId);
    const known = claimed === undefined ? this.#tools.marks.find(chainId) : claimed.look.known;
    return lookAtChain({ ...this.#tools, known }, chainId, claimed?.claim);
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
    const rows = linkEntries(chainId, chain.end, this.#tools.origin, entries);
    const last = rows.at(-1);
    if (last === undefined) return;
    const end = { count: last.seq, hash: last.hash };
    const { db, engine, sealer, shared } = this.#tools;
    if (shared === undefined) await engine.appendToChain(db, rows, sealer.seal(chainId, end));
    else shared.append(chainId, rows, end, sealer);
    chain.end = end;
    this.#written.set(chainId, end);
  }
}

interface AddedTo {
  readonly rows: readonly AuditTable[];
  readonly end: ChainEnd;
  readonly sealer: AuditSealer;
}

/**
 * The chains that the members of a group add to, one member after the other. Who has added to a chain leaves its end to the next, who need
 * not look again: nobody else can have been at it. All of it is written once, before the commit.
 */
export class GroupChains {
  readonly #claimed: ClaimedChain | undefined;
  readonly #chains = new Map<string, AddedTo>();
  /** What the present member has added, which is not yet known to stay. */
  readonly #present = new Map<string, AddedTo>();

  constructor(claimed?: ClaimedChain) {
    this.#claimed = claimed;
  }

  /** Where the chain ends that somebody before has added to. */
  findEnd(chainId: string): ChainEnd | undefined {
    return this.#chains.get(chainId)?.end;
  }

  /** How the chain stood when it was claimed as the transaction began; it is ours since. */
  findClaimed(chainId: string): ClaimedChain | undefined {
    return this.#claimed?.look.chainId === chainId ? this.#claimed : undefined;
  }

  append(chainId: string, rows: readonly AuditTable[], end: ChainEnd, sealer: AuditSealer): void {
    const before = this.#present.get(chainId)?.rows ?? [];
    this.#present.set(chainId, { rows: [...before, ...rows], end, sealer });
  }

  /** The present member has ended well. */
  keep(): void {
    for (const [chainId, { rows, end, sealer }] of this.#present) {
      const before = this.#chains.get(chainId)?.rows ?? [];
      this.#chains.set(chainId, { rows: [...before, ...rows], end, sealer });
    }
    this.drop();
  }

  /** The present member was rolled back. */
  drop(): void {
    this.#present.clear();
  }

  get isEmpty(): boolean {
    return this.#chains.size === 0;
  }

  /** Before the commit. */
  async write(db: Kysely<Database>, engine: ChainEngine): Promise<void> {
    for (const [chainId, { rows, end, sealer }] of this.#chains) {
      const seal = sealer.seal(chainId, end);
      for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
        await engine.appendToChain(db, rows.slice(from, from + ROWS_PER_STATEMENT), seal);
      }
    }
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
