/** The audit log in the embedded store, where there is one writer at a time, and a statement costs no way. */
import { type Kysely, sql } from "kysely";
import { claimQuery } from "./audit-claim.ts";
import type { ChainEngine } from "./audit-writing.ts";
import type { Database } from "./schema.ts";

const NO_LOCK = sql``;

export const sqliteChains: ChainEngine = {
  async claimChain(db, chainId, mark) {
    return (await claimQuery(chainId, mark, NO_LOCK).execute(db)).rows[0];
  },

  async appendToChain(db, rows, seal) {
    const { org_id, count, hash } = seal;
    await db.insertInto("audit").values(rows).execute();
    await moveHead(db, org_id, count, hash);
    await db
      .insertInto("audit_seals")
      .values(seal)
      .onConflict((conflict) => conflict.columns(["org_id", "mark"]).doUpdateSet({ count, hash, seal: seal.seal }))
      .execute();
  },
};

async function moveHead(db: Kysely<Database>, chainId: string, count: number, hash: string): Promise<void> {
  await db
    .insertInto("audit_heads")
    .values({ org_id: chainId, count, hash })
    .onConflict((conflict) => conflict.column("org_id").doUpdateSet({ count, hash }))
    .execute();
}
