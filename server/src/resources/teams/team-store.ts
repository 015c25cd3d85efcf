/** Teams in SQL. */
import type { Game } from "@lineup/api/roles";
import { teamResource } from "@lineup/api/teams";
import { type AuditEntry, entryOfUpdate } from "../../store/audit-entry.ts";
import { laterThan, type OrgStore, prepareQuery } from "../../store/org-store.ts";
import { RecordStore } from "../record-store.ts";

export const teamStore = new RecordStore(teamResource);

const selectGame = prepareQuery((org, { id }: { id: string }) =>
  org.selectFrom("teams").select("teams.game").where("teams.id", "=", id),
);

/** The game that decides which roles a team's players may have; undefined when the organization has no such team. */
export async function findTeamGame(org: OrgStore, id: string): Promise<Game | undefined> {
  const [row] = await org.run(selectGame, { id });
  return row?.game;
}

const addToCount = prepareQuery((org, { id, difference, now }: { id: string; difference: number; now: number }) =>
  org
    .updateTable("teams")
    .set((eb) => ({ player_count: eb("player_count", "+", difference), updated_at: laterThan(now) }))
    .where("id", "=", id)
    .returning(["name", "player_count", "updated_at"]),
);

/** Counts assignments opened and closed; the team shows their number, so it has changed, which is what is returned. */
export async function addToPlayerCount(
  org: OrgStore,
  id: string,
  difference: number,
  now: number,
): Promise<AuditEntry[]> {
  const rows = await org.run(addToCount, { id, difference, now });
  return rows.map(({ name, player_count: count, updated_at: at }) =>
    entryOfUpdate({ kind: "team", id, name }, { playerCount: [count - difference, count] }, at),
  );
}
