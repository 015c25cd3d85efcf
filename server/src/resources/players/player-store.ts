/** Players in SQL. */
import type { ParametersOf } from "@lineup/api/parameters";
import { type listPlayers, type Player, playerResource } from "@lineup/api/players";
import type { List } from "../../store/list.ts";
import type { OrgStore } from "../../store/org-store.ts";
import { RecordStore } from "../record-store.ts";

export const playerStore = new RecordStore(playerResource);

export function selectPlayers(
  org: OrgStore,
  { teamId, game, ...filter }: ParametersOf<(typeof listPlayers)["query"]>,
): List<Player> {
  let query = playerStore.select(org);
  if (teamId !== undefined) {
    const ids = teamId.filter((id) => id !== "none");
    query = query.where((eb) =>
      eb.or([
        ...(ids.length > 0 ? [eb("players.team_id", "in", ids)] : []),
        ...(teamId.includes("none") ? [eb("players.team_id", "is", null)] : []),
      ]),
    );
  }
  if (game !== undefined) {
    const teams = org.selectFrom("teams").select("teams.id").where("teams.game", "in", game);
    query = query.where("players.team_id", "in", teams);
  }
  return playerStore.list(org, filter, { query });
}
