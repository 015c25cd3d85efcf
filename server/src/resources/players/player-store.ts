/** Players in SQL. */

import { isIdOf } from "@lineup/api/ids";
import type { ParametersOf } from "@lineup/api/parameters";
import type { listPlayers as listPlayersEndpoint, Player } from "@lineup/api/players";
import type { Selectable } from "kysely";
import { hasExternalId, saveExternalIds } from "../../store/external-ids.ts";
import { integer, type JsonFields, storedJson, text } from "../../store/json-writer.ts";
import { keepQuery } from "../../store/kept-query.ts";
import { makeList } from "../../store/list.ts";
import type { List } from "../../store/list-page.ts";
import type { OrgStore } from "../../store/org-store.ts";
import type { PlayersTable } from "../../store/schema.ts";
import { searchMatches, searchTextOf } from "../../store/search-text.ts";
import { byBeginning, orderList } from "../list-order.ts";

const SORT_COLUMNS = {
  id: "players.id",
  ign: "players.ign",
  realName: "players.real_name",
  role: "players.role",
  teamId: "players.team_id",
  contractStatus: "players.contract_status",
  joinDate: "players.join_date",
  status: "players.status",
  nationality: "players.nationality",
  imageUrl: byBeginning("players.image_url"),
  createdAt: "players.created_at",
  updatedAt: "players.updated_at",
};

const JSON_FIELDS: JsonFields<Player> = {
  id: text("players.id"),
  ign: text("players.ign"),
  realName: text("players.real_name"),
  role: text("players.role"),
  teamId: text("players.team_id"),
  contractStatus: text("players.contract_status"),
  joinDate: integer("players.join_date"),
  status: text("players.status"),
  nationality: text("players.nationality"),
  imageUrl: text("players.image_url"),
  stats: storedJson("players.stats"),
  externalIds: storedJson("players.external_ids"),
  createdAt: integer("players.created_at"),
  updatedAt: integer("players.updated_at"),
};

export function selectPlayers(
  org: OrgStore,
  filter: ParametersOf<(typeof listPlayersEndpoint)["query"]>,
): List<Player> {
  let query = org.selectFrom("players").selectAll("players");
  if (filter.teamId !== undefined) {
    const ids = filter.teamId.filter((id) => id !== "none");
    const withNone = filter.teamId.includes("none");
    query = query.where((eb) =>
      eb.or([
        ...(ids.length > 0 ? [eb("players.team_id", "in", ids)] : []),
        ...(withNone ? [eb("players.team_id", "is", null)] : []),
      ]),
    );
  }
  if (filter.game !== undefined) {
    const teams = org.selectFrom("teams").select("teams.id").where("teams.game", "in", filter.game);
    query = query.where("players.team_id", "in", teams);
  }
  if (filter.role !== undefined) query = query.where("players.role", "in", filter.role);
  if (filter.status !== undefined) query = query.where("players.status", "in", filter.status);
  if (filter.contractStatus !== undefined) {
    query = query.where("players.contract_status", "in", filter.contractStatus);
  }
  if (filter.search !== undefined) query = query.where(searchMatches("players.search_text", filter.search));
  if (filter.updatedSince !== undefined) query = query.where("players.updated_at", ">=", filter.updatedSince);
  if (filter.externalId !== undefined) {
    query = query.where(hasExternalId(org, "player", "players.id", filter.externalId));
  }
  const order = orderList(SORT_COLUMNS, filter.sort);
  return makeList({ org, query, order, fields: JSON_FIELDS, fromRow: playerFromRow });
}

const select = keepQuery((org, { id }: { id: string }) =>
  org.selectFrom("players").selectAll("players").where("players.id", "=", id),
);

export async function findPlayer(org: OrgStore, id: string): Promise<Player | undefined> {
  if (!isIdOf("player", id)) return undefined;
  const [row] = await org.run(select, { id });
  return row === undefined ? undefined : playerFromRow(row);
}

const insert = keepQuery((org, row: PlayerColumns) => org.insertInto("players", [row]));

export async function insertPlayer(org: OrgStore, player: Player): Promise<void> {
  await org.run(insert, playerColumns(player));
  await saveExternalIds(org, "player", player.id, {}, player.externalIds);
}

const update = keepQuery((org, { id, ...columns }: Omit<PlayerColumns, "created_at">) =>
  org.updateTable("players").set(columns).where("id", "=", id),
);

export async function updatePlayerRow(org: OrgStore, before: Player, after: Player): Promise<void> {
  const { created_at: _, ...columns } = playerColumns(after);
  await org.run(update, columns);
  await saveExternalIds(org, "player", after.id, before.externalIds, after.externalIds);
}

type PlayerColumns = Readonly<ReturnType<typeof playerColumns>>;

/** The columns of a player, its organization aside, which the handle adds. */
export function playerColumns(player: Player) {
  return {
    id: player.id,
    ign: player.ign,
    real_name: player.realName,
    role: player.role,
    team_id: player.teamId,
    contract_status: player.contractStatus,
    join_date: player.joinDate,
    status: player.status,
    nationality: player.nationality,
    image_url: player.imageUrl,
    stats: player.stats === null ? null : JSON.stringify(player.stats),
    external_ids: JSON.stringify(player.externalIds),
    search_text: searchTextOf(player.ign, player.realName),
    created_at: player.createdAt,
    updated_at: player.updatedAt,
  };
}

export function playerFromRow(row: Selectable<PlayersTable>): Player {
  return {
    id: row.id,
    ign: row.ign,
    realName: row.real_name,
    role: row.role,
    teamId: row.team_id,
    contractStatus: row.contract_status,
    joinDate: row.join_date,
    status: row.status,
    nationality: row.nationality,
    imageUrl: row.image_url,
    stats: row.stats === null ? null : JSON.parse(row.stats),
    externalIds: JSON.parse(row.external_ids),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
