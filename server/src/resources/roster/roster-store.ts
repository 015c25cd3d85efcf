/** The roster in SQL: assignments, with today's names of their players and teams. */
import type { ParametersOf } from "@lineup/api/parameters";
import type { listRoster as listRosterEndpoint, RosterEntry } from "@lineup/api/roster";
import { flag, integer, type JsonFields, text } from "../../store/json-writer.ts";
import { makeList } from "../../store/list.ts";
import type { List } from "../../store/list-page.ts";
import type { OrgStore } from "../../store/org-store.ts";
import { orderList } from "../list-order.ts";

const SORT_COLUMNS = {
  id: "assignments.id",
  playerId: "assignments.player_id",
  ign: "players.ign",
  realName: "players.real_name",
  role: "assignments.role",
  kind: "assignments.kind",
  teamId: "assignments.team_id",
  teamName: "teams.name",
  game: "teams.game",
  isStarter: "assignments.is_starter",
  isCaptain: "assignments.is_captain",
  status: "players.status",
  joinedAt: "assignments.joined_at",
  leftAt: "assignments.left_at",
  createdAt: "assignments.created_at",
  updatedAt: "assignments.updated_at",
};

const JSON_FIELDS: JsonFields<RosterEntry> = {
  id: text("assignments.id"),
  playerId: text("assignments.player_id"),
  ign: text("players.ign"),
  realName: text("players.real_name"),
  role: text("assignments.role"),
  kind: text("assignments.kind"),
  teamId: text("assignments.team_id"),
  teamName: text("teams.name"),
  game: text("teams.game"),
  isStarter: flag("assignments.is_starter"),
  isCaptain: flag("assignments.is_captain"),
  status: text("players.status"),
  joinedAt: integer("assignments.joined_at"),
  leftAt: integer("assignments.left_at"),
  createdAt: integer("assignments.created_at"),
  updatedAt: integer("assignments.updated_at"),
};

export function selectRoster(
  org: OrgStore,
  filter: ParametersOf<(typeof listRosterEndpoint)["query"]>,
): List<RosterEntry> {
  let query = selectEntries(org);
  const { asOf } = filter;
  if (asOf === undefined) query = query.where("assignments.left_at", "is", null);
  else {
    query = query
      .where("assignments.joined_at", "<=", asOf)
      .where((eb) => eb.or([eb("assignments.left_at", "is", null), eb("assignments.left_at", ">", asOf)]));
  }
  if (filter.teamId !== undefined) query = query.where("assignments.team_id", "in", filter.teamId);
  if (filter.game !== undefined) query = query.where("teams.game", "in", filter.game);
  if (filter.role !== undefined) query = query.where("assignments.role", "in", filter.role);
  if (filter.kind !== undefined) query = query.where("assignments.kind", "in", filter.kind);
  if (filter.status !== undefined) query = query.where("players.status", "in", filter.status);
  if (filter.updatedSince !== undefined) query = query.where("assignments.updated_at", ">=", filter.updatedSince);
  const order = orderList(SORT_COLUMNS, filter.sort);
  return makeList({ org, query, order, fields: JSON_FIELDS, fromRow: entryFromRow });
}

function selectEntries(org: OrgStore) {
  return org
    .selectFrom("assignments")
    .innerJoin("players", (join) =>
      join.onRef("players.org_id", "=", "assignments.org_id").onRef("players.id", "=", "assignments.player_id"),
    )
    .innerJoin("teams", (join) =>
      join.onRef("teams.org_id", "=", "assignments.org_id").onRef("teams.id", "=", "assignments.team_id"),
    )
    .selectAll("assignments")
    .select(["players.ign", "players.real_name", "players.status", "teams.name as team_name", "teams.game"]);
}

type EntryRow = Awaited<ReturnType<ReturnType<typeof selectEntries>["execute"]>>[number];

function entryFromRow(row: EntryRow): RosterEntry {
  return {
    id: row.id,
    playerId: row.player_id,
    ign: row.ign,
    realName: row.real_name,
    role: row.role,
    kind: row.kind,
    teamId: row.team_id,
    teamName: row.team_name,
    game: row.game,
    isStarter: row.is_starter === 1,
    isCaptain: row.is_captain === 1,
    status: row.status,
    joinedAt: row.joined_at,
    leftAt: row.left_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
