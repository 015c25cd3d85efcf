/** The audit log in the embedded store, where there is one writer at a time, and a statement costs no way. */
import { CompiledQuery } from "kysely";
import { CLAIM } from "./audit-claim.ts";
import type { ChainEngine } from "./audit-look.ts";
import {
  ADD_ENTRY,
  asClaim,
  MOVE_HEAD,
  RAISE_REVISION,
  SET_SEAL,
  valuesOfEntry,
  valuesOfHead,
  valuesOfSeal,
} from "./audit-statements.ts";

export const sqliteChains: ChainEngine = {
  async claimChain(db, chainId, mark, knownCount) {
    return (await db.executeQuery(asClaim(CLAIM, [knownCount, mark, chainId]))).rows[0];
  },

  async appendToChain(db, rows, seal, changedOrgId) {
    for (const row of rows) await db.executeQuery(CompiledQuery.raw(ADD_ENTRY, valuesOfEntry(row)));
    await db.executeQuery(CompiledQuery.raw(MOVE_HEAD, valuesOfHead(seal)));
    await db.executeQuery(CompiledQuery.raw(SET_SEAL, valuesOfSeal(seal)));
    if (changedOrgId !== undefined) await db.executeQuery(CompiledQuery.raw(RAISE_REVISION, [changedOrgId]));
  },
};
