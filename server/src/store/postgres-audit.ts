/** The audit log in PostgreSQL: the head's row is locked while a transaction appends, and what is appended goes in one statement. */
import { CompiledQuery } from "kysely";
import { AUDIT_COLUMNS } from "./audit-chain.ts";
import { type ChainClaim, CLAIM } from "./audit-claim.ts";
import type { ChainEngine } from "./audit-look.ts";
import {
  ADD_ENTRY,
  MOVE_HEAD,
  RAISE_REVISION,
  SET_SEAL,
  valuesOfEntry,
  valuesOfHead,
  valuesOfSeal,
} from "./audit-statements.ts";
import { withValues } from "./kept-query.ts";

const CLAIM_AND_LOCK = CompiledQuery.raw(numbered(`${CLAIM} FOR UPDATE OF h`));
const APPEND_ONE = numbered(appendStatement(1, false));
const APPEND_ONE_AND_RAISE = numbered(appendStatement(1, true));

export const postgresChains: ChainEngine = {
  async claimChain(db, chainId, mark, knownCount) {
    const claim = withValues<ChainClaim>(CLAIM_AND_LOCK, [knownCount, mark, chainId]);
    return (await db.executeQuery(claim)).rows[0];
  },

  async appendToChain(db, rows, seal, changedOrgId) {
    const raised = changedOrgId === undefined ? [] : [changedOrgId];
    const values = [...rows.flatMap(valuesOfEntry), ...valuesOfHead(seal), ...raised, ...valuesOfSeal(seal)];
    await db.executeQuery(CompiledQuery.raw(statementFor(rows.length, raised.length > 0), values));
  },
};

function statementFor(rows: number, raises: boolean): string {
  if (rows > 1) return numbered(appendStatement(rows, raises));
  return raises ? APPEND_ONE_AND_RAISE : APPEND_ONE;
}

function appendStatement(rows: number, raises: boolean): string {
  const more = `, (${AUDIT_COLUMNS.map(() => "?").join(", ")})`.repeat(rows - 1);
  const raised = raises ? `, raised AS (${RAISE_REVISION})` : "";
  return `WITH added AS (${ADD_ENTRY}${more}), moved AS (${MOVE_HEAD})${raised} ${SET_SEAL}`;
}

function numbered(statement: string): string {
  let number = 0;
  return statement.replaceAll("?", () => `$${++number}`);
}
