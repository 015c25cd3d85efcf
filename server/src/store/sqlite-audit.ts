/** The audit log in the embedded store, where there is one writer at a time, and a statement costs no way. */
import { CompiledQuery, type Kysely } from "kysely";
import { ask } from "./at-once.ts";
import type { ChainEnd } from "./audit-chain.ts";
import { type ChainClaim, CLAIM } from "./audit-claim.ts";
import type { ChainEngine, SharedChains } from "./audit-look.ts";
import type { AuditSealer } from "./audit-seal.ts";
import {
  ADD_ENTRY,
  MOVE_HEAD,
  SET_SEAL,
  sealEnd,
  valuesOfEntry,
  valuesOfHead,
  valuesOfSeal,
} from "./audit-statements.ts";
import type { AuditSealsTable, AuditTable } from "./people-schema.ts";
import type { Database } from "./schema.ts";

const claim = CompiledQuery.raw(CLAIM) as CompiledQuery<ChainClaim>;
const addEntry = CompiledQuery.raw(ADD_ENTRY);
const moveHead = CompiledQuery.raw(MOVE_HEAD);
const setSeal = CompiledQuery.raw(SET_SEAL);
const raise = CompiledQuery.raw("UPDATE organizations SET revision = revision + ? WHERE id = ?");

export const sqliteChains: ChainEngine = {
  async claimChain(db, chainId, mark, knownCount) {
    const [found] = await ask(db, claim, [knownCount, mark, chainId]);
    return found;
  },

  async appendToChain(db, rows, seal, changedOrgId) {
    await addEntries(db, rows);
    await moveEnd(db, seal);
    if (changedOrgId !== undefined) await raiseRevision(db, changedOrgId, 1);
  },
};

async function addEntries(db: Kysely<Database>, rows: readonly AuditTable[]): Promise<void> {
  for (const row of rows) await ask(db, addEntry, valuesOfEntry(row));
}

async function moveEnd(db: Kysely<Database>, seal: AuditSealsTable): Promise<void> {
  await ask(db, moveHead, valuesOfHead(seal));
  await ask(db, setSeal, valuesOfSeal(seal));
}

async function raiseRevision(db: Kysely<Database>, orgId: string, by: number): Promise<void> {
  await ask(db, raise, [by, orgId]);
}

interface AddedTo {
  readonly end: ChainEnd;
  readonly sealer: AuditSealer;
}

/** The chains that the members of a group add to, one member after the other. */
export class ChainsOfGroup implements SharedChains {
  readonly #chains = new Map<string, AddedTo>();
  /** How many members have changed the data of each. */
  readonly #changes = new Map<string, number>();
  /** What the present member has added to, which is not yet known to stay. */
  readonly #present = new Map<string, AddedTo>();
  #presentOrgId: string | undefined;

  find(chainId: string): ChainEnd | undefined {
    return this.#chains.get(chainId)?.end;
  }

  async append(
    db: Kysely<Database>,
    rows: readonly AuditTable[],
    end: ChainEnd,
    sealer: AuditSealer,
    changedOrgId: string | undefined,
  ): Promise<void> {
    await addEntries(db, rows);
    const [chainId] = rows.map((row) => row.org_id);
    if (chainId !== undefined) this.#present.set(chainId, { end, sealer });
    this.#presentOrgId = changedOrgId ?? this.#presentOrgId;
  }

  /** The present member has ended well. */
  keep(): void {
    for (const [chainId, added] of this.#present) this.#chains.set(chainId, added);
    const orgId = this.#presentOrgId;
    if (orgId !== undefined) this.#changes.set(orgId, (this.#changes.get(orgId) ?? 0) + 1);
    this.drop();
  }

  /** The present member was rolled back. */
  drop(): void {
    this.#present.clear();
    this.#presentOrgId = undefined;
  }

  get isEmpty(): boolean {
    return this.#chains.size === 0 && this.#changes.size === 0;
  }

  /** Before the commit. */
  async write(db: Kysely<Database>): Promise<void> {
    for (const [chainId, { end, sealer }] of this.#chains) await moveEnd(db, sealEnd(sealer, chainId, end));
    for (const [orgId, by] of this.#changes) await raiseRevision(db, orgId, by);
  }
}
