/** The audit log in PostgreSQL: the head's row is locked while a transaction appends, and what is appended goes in one statement. */
import { sql } from "kysely";
import { claimQuery } from "./audit-claim.ts";
import type { ChainEngine } from "./audit-writing.ts";

const LOCK_HEAD = sql`FOR UPDATE OF h`;

export const postgresChains: ChainEngine = {
  async claimChain(db, chainId, mark) {
    return (await claimQuery(chainId, mark, LOCK_HEAD).execute(db)).rows[0];
  },

  async appendToChain(db, rows, seal) {
    const { org_id, count, hash } = seal;
    await db
      .with("added", (one) => one.insertInto("audit").values(rows))
      .with("moved", (one) =>
        one
          .insertInto("audit_heads")
          .values({ org_id, count, hash })
          .onConflict((conflict) => conflict.column("org_id").doUpdateSet({ count, hash })),
      )
      .insertInto("audit_seals")
      .values(seal)
      .onConflict((conflict) => conflict.columns(["org_id", "mark"]).doUpdateSet({ count, hash, seal: seal.seal }))
      .execute();
  },
};
