/** The audit log in the embedded store, where there is one writer at a time, and a statement costs no way. */
import { CompiledQuery } from "kysely";
import {
  ADD_ENTRY,
  MOVE_HEAD,
  RAISE_REVISION,
  SET_SEAL,
  valuesOfEntry,
  valuesOfHead,
  valuesOfSeal,
} from "./audit-chain.ts";
import { type ChainClaim, type ChainEngine, CLAIM } from "./audit-look.ts";
import { ask } from "./direct-handle.ts";

const claim = CompiledQuery.raw(CLAIM) as CompiledQuery<ChainClaim>;
const addEntry = CompiledQuery.raw(ADD_ENTRY);
const moveHead = CompiledQuery.raw(MOVE_HEAD);
const setSeal = CompiledQuery.raw(SET_SEAL);
const raiseRevision = CompiledQuery.raw(RAISE_REVISION);

export const sqliteChains: ChainEngine = {
  async claimChain(db, chainId, mark, knownCount) {
    const [found] = await ask(db, claim, [knownCount, mark, chainId]);
    return found;
  },

  async appendToChain(db, rows, seal, raise) {
    for (const row of rows) await ask(db, addEntry, valuesOfEntry(row));
    await ask(db, moveHead, valuesOfHead(seal));
    await ask(db, setSeal, valuesOfSeal(seal));
    if (raise !== undefined) await ask(db, raiseRevision, [raise.by, raise.orgId]);
  },
};
