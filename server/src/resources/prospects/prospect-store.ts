/** Prospects in SQL. */
import { type Prospect, prospectResource } from "@lineup/api/prospects";
import type { OrgStore } from "../../store/org-store.ts";
import { storedOf } from "../../store/record-rows.ts";
import { RecordStore } from "../record-store.ts";

export const prospectStore = new RecordStore(prospectResource);

/** Those who became the player. */
export async function selectProspectsOfPlayer(org: OrgStore, playerId: string): Promise<Prospect[]> {
  const rows = await org
    .selectFrom("prospects")
    .selectAll("prospects")
    .where("prospects.player_id", "=", playerId)
    .orderBy("prospects.id")
    .execute();
  return rows.map((row) => storedOf(prospectResource, row));
}
