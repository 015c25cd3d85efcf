/** The audit log in PostgreSQL: the head's row is locked while a transaction appends, and what is appended goes in one statement. */
import { CompiledQuery } from "kysely";
import { AUDIT_COLUMNS, MOVE_HEAD, RAISE_REVISION, SET_SEAL, valuesOfHead, valuesOfSeal } from "./audit-chain.ts";
import { type ChainClaim, type ChainEngine, CLAIM } from "./audit-look.ts";
import { send } from "./direct-handle.ts";
import { withValues } from "./kept-query.ts";

/** Its parameters are those of `CLAIM`. */
export const CLAIM_AND_LOCK = `${CLAIM} FOR UPDATE OF h`;
const CLAIM_CHAIN = CompiledQuery.raw(numbered(CLAIM_AND_LOCK));

const COLUMNS = AUDIT_COLUMNS.join(", ");
/** However many rows there are, the text is the same: they come as one piece of JSON. */
const APPEND = CompiledQuery.raw(
  numbered(
    `WITH added AS (INSERT INTO audit (${COLUMNS}) SELECT ${COLUMNS} FROM json_populate_recordset(NULL::audit, ?)), ` +
      `moved AS (${MOVE_HEAD}), raised AS (${RAISE_REVISION}) ${SET_SEAL}`,
  ),
);

export const postgresChains: ChainEngine = {
  async claimChain(db, chainId, mark, knownCount) {
    const claim = withValues<ChainClaim>(CLAIM_CHAIN, [knownCount, mark, chainId]);
    return (await db.executeQuery(claim)).rows[0];
  },

  async appendToChain(db, rows, seal, raise) {
    const raised = [raise?.by ?? 0, raise?.orgId ?? null];
    await send(db, APPEND, [JSON.stringify(rows), ...valuesOfHead(seal), ...raised, ...valuesOfSeal(seal)]);
  },
};

function numbered(statement: string): string {
  let number = 0;
  return statement.replaceAll("?", () => `$${++number}`);
}
