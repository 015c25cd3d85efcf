/** The audit log in PostgreSQL: the head's row is locked while a transaction appends, and what is appended goes in one statement. */
import { CompiledQuery } from "kysely";
import { AUDIT_COLUMNS } from "./audit-chain.ts";
import { CLAIM } from "./audit-claim.ts";
import {
  ADD_ENTRY,
  asClaim,
  MOVE_HEAD,
  SET_SEAL,
  valuesOfEntry,
  valuesOfHead,
  valuesOfSeal,
} from "./audit-statements.ts";
import type { ChainEngine } from "./audit-writing.ts";

const CLAIM_AND_LOCK = numbered(`${CLAIM} FOR UPDATE OF h`);
const APPEND_ONE = numbered(appendStatement(1));

export const postgresChains: ChainEngine = {
  async claimChain(db, chainId, mark) {
    return (await db.executeQuery(asClaim(CLAIM_AND_LOCK, [mark, chainId]))).rows[0];
  },

  async appendToChain(db, rows, seal) {
    const statement = rows.length === 1 ? APPEND_ONE : numbered(appendStatement(rows.length));
    const values = [...rows.flatMap(valuesOfEntry), ...valuesOfHead(seal), ...valuesOfSeal(seal)];
    await db.executeQuery(CompiledQuery.raw(statement, values));
  },
};

function appendStatement(rows: number): string {
  const more = `, (${AUDIT_COLUMNS.map(() => "?").join(", ")})`.repeat(rows - 1);
  return `WITH added AS (${ADD_ENTRY}${more}), moved AS (${MOVE_HEAD}) ${SET_SEAL}`;
}

function numbered(statement: string): string {
  let number = 0;
  return statement.replaceAll("?", () => `$${++number}`);
}
