/**
 * What one transaction adds to the audit log. Entries are gathered while the transaction does its work and appended at its end, chain
 * after chain in the order of their ids, so that two transactions never wait for each other. A chain's head is held from the moment it is
 * read until the transaction ends: nobody else appends to the chain meanwhile, and where the transaction fails, so do its entries.
 */
import { setImmediate as breathe } from "node:timers/promises";
import type { Kysely } from "kysely";
import { type ChainEnd, EMPTY_CHAIN, linkEntries } from "./audit-chain.ts";
import type { AuditEntry } from "./audit-entry.ts";
import type { Origin } from "./origin.ts";
import type { AuditTable } from "./people-schema.ts";
import type { Database } from "./schema.ts";

const ROWS_PER_STATEMENT = 200;

interface OpenChain {
  readonly gathered: AuditEntry[];
  /** Known once its head is held. */
  end: ChainEnd | undefined;
}

export class AuditWriting {
  readonly #db: Kysely<Database>;
  readonly #origin: Origin;
  readonly #claimHead: (db: Kysely<Database>, chainId: string) => Promise<ChainEnd | undefined>;
  readonly #chains = new Map<string, OpenChain>();

  constructor(
    db: Kysely<Database>,
    origin: Origin,
    claimHead: (db: Kysely<Database>, chainId: string) => Promise<ChainEnd | undefined>,
  ) {
    this.#db = db;
    this.#origin = origin;
    this.#claimHead = claimHead;
  }

  record(chainId: string, entries: readonly AuditEntry[]): void {
    this.#chainOf(chainId).gathered.push(...entries);
  }

  /** Appends all that was gathered. */
  async finish(): Promise<void> {
    const chains = [...this.#chains].filter(([, { gathered }]) => gathered.length > 0);
    for (const [chainId, chain] of chains.sort(([one], [other]) => (one < other ? -1 : 1))) {
      chain.end = await this.#append(chainId, chain);
      await this.#moveHead(chainId, chain.end);
    }
  }

  /** A new chain. Its first entry is written at once; returns that entry's hash. */
  async begin(chainId: string, first: AuditEntry): Promise<string> {
    await this.#db
      .insertInto("audit_heads")
      .values({ org_id: chainId, ...EMPTY_CHAIN })
      .execute();
    const chain = this.#chainOf(chainId);
    chain.end = EMPTY_CHAIN;
    chain.gathered.unshift(first);
    chain.end = await this.#append(chainId, chain);
    await this.#moveHead(chainId, chain.end);
    return chain.end.hash;
  }

  /** Removes a chain with all that was recorded in it; returns where it ended. */
  async remove(chainId: string): Promise<ChainEnd> {
    this.#chains.delete(chainId);
    const end = (await this.#claimHead(this.#db, chainId)) ?? EMPTY_CHAIN;
    for (const table of ["audit", "audit_heads", "audit_seals"] as const) {
      await this.#db.deleteFrom(table).where("org_id", "=", chainId).execute();
    }
    return end;
  }

  #chainOf(chainId: string): OpenChain {
    const known = this.#chains.get(chainId);
    if (known !== undefined) return known;
    const chain: OpenChain = { gathered: [], end: undefined };
    this.#chains.set(chainId, chain);
    return chain;
  }

  async #append(chainId: string, chain: OpenChain): Promise<ChainEnd> {
    let end = chain.end ?? (await this.#claimHead(this.#db, chainId)) ?? EMPTY_CHAIN;
    const entries = chain.gathered.splice(0);
    for (let from = 0; from < entries.length; from += ROWS_PER_STATEMENT) {
      if (from > 0) await breathe();
      const rows = linkEntries(chainId, end, this.#origin, entries.slice(from, from + ROWS_PER_STATEMENT));
      await this.#db.insertInto("audit").values(rows).execute();
      end = endOf(rows) ?? end;
    }
    return end;
  }

  async #moveHead(chainId: string, { count, hash }: ChainEnd): Promise<void> {
    await this.#db
      .insertInto("audit_heads")
      .values({ org_id: chainId, count, hash })
      .onConflict((conflict) => conflict.column("org_id").doUpdateSet({ count, hash }))
      .execute();
  }
}

function endOf(rows: readonly AuditTable[]): ChainEnd | undefined {
  const last = rows.at(-1);
  return last === undefined ? undefined : { count: last.seq, hash: last.hash };
}
