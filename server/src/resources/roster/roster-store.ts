/** The roster in SQL: assignments, with today's names of their players and teams. */
import type { ParametersOf } from "@lineup/api/parameters";
import { type listRoster, type RosterEntry, rosterResource } from "@lineup/api/roster";
import type { List } from "../../store/list-page.ts";
import type { OrgStore } from "../../store/org-store.ts";
import { RecordStore } from "../record-store.ts";

export const rosterStore = new RecordStore(rosterResource);

export function selectRoster(
  org: OrgStore,
  { asOf, ...filter }: ParametersOf<(typeof listRoster)["query"]>,
): List<RosterEntry> {
  let query = selectEntries(org);
  if (asOf === undefined) query = query.where("assignments.left_at", "is", null);
  else {
    query = query
      .where("assignments.joined_at", "<=", asOf)
      .where((eb) => eb.or([eb("assignments.left_at", "is", null), eb("assignments.left_at", ">", asOf)]));
  }
  return rosterStore.list(org, filter, { query });
}

function selectEntries(org: OrgStore) {
  return rosterStore.selectJoined(
    org
      .selectFrom("assignments")
      .innerJoin("players", (join) =>
        join.onRef("players.org_id", "=", "assignments.org_id").onRef("players.id", "=", "assignments.player_id"),
      )
      .innerJoin("teams", (join) =>
        join.onRef("teams.org_id", "=", "assignments.org_id").onRef("teams.id", "=", "assignments.team_id"),
      )
      .selectAll("assignments"),
  );
}
