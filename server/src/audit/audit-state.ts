/** The audit log at one moment: which chains there are, where each ends, and who has sealed it. */
import type { Kysely } from "kysely";
import { INSTALLATION_CHAIN } from "../store/audit-entry.ts";
import type { AuditTables } from "../store/store.ts";
import type { ChainState } from "./chain-walk.ts";

interface Organization {
  readonly id: string;
  readonly name: string;
}

export interface AuditState {
  readonly organizations: ReadonlyMap<string, Organization>;
  readonly chains: ReadonlyMap<string, ChainState>;
}

export async function readState(db: Kysely<AuditTables>): Promise<AuditState> {
  const organizations = await db.selectFrom("organizations").select(["id", "name"]).execute();
  const heads = await db
    .selectFrom("audit_heads")
    .select((eb) => [
      "org_id",
      "count",
      "hash",
      eb
        .selectFrom("audit")
        .select(({ fn }) => fn.max("audit.seq").as("last"))
        .whereRef("audit.org_id", "=", "audit_heads.org_id")
        .as("last_seq"),
    ])
    .execute();
  const seals = Map.groupBy(await db.selectFrom("audit_seals").selectAll().execute(), (seal) => seal.org_id);
  const chains = new Map<string, ChainState>();
  for (const { org_id, count, hash, last_seq } of heads) {
    const state = { chainId: org_id, head: { count, hash }, lastSeq: last_seq ?? 0, seals: seals.get(org_id) ?? [] };
    chains.set(org_id, state);
  }
  for (const id of new Set([INSTALLATION_CHAIN, ...organizations.map(({ id }) => id), ...seals.keys()])) {
    if (chains.has(id)) continue;
    const last = await db
      .selectFrom("audit")
      .select(({ fn }) => fn.max("seq").as("seq"))
      .where("org_id", "=", id)
      .executeTakeFirst();
    chains.set(id, { chainId: id, head: undefined, lastSeq: last?.seq ?? 0, seals: seals.get(id) ?? [] });
  }
  return { organizations: new Map(organizations.map((one) => [one.id, one])), chains };
}
