/** Teams in SQL. */
import type { ParametersOf } from "@lineup/api/parameters";
import type { Game } from "@lineup/api/roles";
import type { listTeams as listTeamsEndpoint, Team } from "@lineup/api/teams";
import type { Selectable } from "kysely";
import { hasExternalId } from "../../store/external-ids.ts";
import { integer, type JsonFields, storedJson, text } from "../../store/json-writer.ts";
import { keepQuery } from "../../store/kept-query.ts";
import { laterThan } from "../../store/later-than.ts";
import { makeList } from "../../store/list.ts";
import type { List } from "../../store/list-page.ts";
import type { OrgStore } from "../../store/org-store.ts";
import type { TeamsTable } from "../../store/schema.ts";
import { searchMatches, searchTextOf } from "../../store/search-text.ts";
import { byBeginning, orderList } from "../list-order.ts";

const SORT_COLUMNS = {
  id: "teams.id",
  name: "teams.name",
  tag: "teams.tag",
  game: "teams.game",
  division: "teams.division",
  region: "teams.region",
  logoUrl: byBeginning("teams.logo_url"),
  status: "teams.status",
  playerCount: "teams.player_count",
  createdAt: "teams.created_at",
  updatedAt: "teams.updated_at",
};

const JSON_FIELDS: JsonFields<Team> = {
  id: text("teams.id"),
  name: text("teams.name"),
  tag: text("teams.tag"),
  game: text("teams.game"),
  division: text("teams.division"),
  region: text("teams.region"),
  logoUrl: text("teams.logo_url"),
  status: text("teams.status"),
  playerCount: integer("teams.player_count"),
  externalIds: storedJson("teams.external_ids"),
  createdAt: integer("teams.created_at"),
  updatedAt: integer("teams.updated_at"),
};

export function selectTeams(org: OrgStore, filter: ParametersOf<(typeof listTeamsEndpoint)["query"]>): List<Team> {
  let query = org.selectFrom("teams").selectAll("teams");
  if (filter.game !== undefined) query = query.where("teams.game", "in", filter.game);
  if (filter.status !== undefined) query = query.where("teams.status", "in", filter.status);
  if (filter.search !== undefined) query = query.where(searchMatches("teams.search_text", filter.search));
  if (filter.updatedSince !== undefined) query = query.where("teams.updated_at", ">=", filter.updatedSince);
  if (filter.externalId !== undefined) query = query.where(hasExternalId(org, "team", "teams.id", filter.externalId));
  const order = orderList(SORT_COLUMNS, filter.sort);
  return makeList({ org, query, order, fields: JSON_FIELDS, fromRow: teamFromRow });
}

const selectGame = keepQuery((org, { id }: { id: string }) =>
  org.selectFrom("teams").select("teams.game").where("teams.id", "=", id),
);

/** The game that decides which roles a team's players may have; undefined when the organization has no such team. */
export async function findTeamGame(org: OrgStore, id: string): Promise<Game | undefined> {
  const [row] = await org.run(selectGame, { id });
  return row?.game;
}

const addToCount = keepQuery((org, { id, difference, now }: { id: string; difference: number; now: number }) =>
  org
    .updateTable("teams")
    .set((eb) => ({
      player_count: eb("player_count", "+", difference),
      updated_at: laterThan(now),
    }))
    .where("id", "=", id),
);

/** Counts assignments opened and closed; the team shows their number, so it has changed. */
export async function addToPlayerCount(org: OrgStore, id: string, difference: number, now: number): Promise<void> {
  await org.run(addToCount, { id, difference, now });
}

export function teamColumns(team: Team) {
  return {
    id: team.id,
    name: team.name,
    tag: team.tag,
    game: team.game,
    division: team.division,
    region: team.region,
    logo_url: team.logoUrl,
    status: team.status,
    player_count: team.playerCount,
    external_ids: JSON.stringify(team.externalIds),
    search_text: searchTextOf(team.name, team.tag),
    created_at: team.createdAt,
    updated_at: team.updatedAt,
  };
}

export function teamFromRow(row: Selectable<TeamsTable>): Team {
  return {
    id: row.id,
    name: row.name,
    tag: row.tag,
    game: row.game,
    division: row.division as Team["division"],
    region: row.region,
    logoUrl: row.logo_url,
    status: row.status as Team["status"],
    playerCount: row.player_count,
    externalIds: JSON.parse(row.external_ids),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
