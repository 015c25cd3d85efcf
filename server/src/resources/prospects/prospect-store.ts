/** Prospects in SQL. */

import { isIdOf } from "@lineup/api/ids";
import type { ParametersOf } from "@lineup/api/parameters";
import type { listProspects as listProspectsEndpoint, Prospect } from "@lineup/api/prospects";
import type { Selectable } from "kysely";
import { hasExternalId, saveExternalIds } from "../../store/external-ids.ts";
import { fraction, integer, type JsonFields, storedJson, text } from "../../store/json-writer.ts";
import { keepQuery } from "../../store/kept-query.ts";
import { makeList } from "../../store/list.ts";
import type { List } from "../../store/list-page.ts";
import type { OrgStore } from "../../store/org-store.ts";
import type { ProspectsTable } from "../../store/schema.ts";
import { searchMatches, searchTextOf } from "../../store/search-text.ts";
import { byBeginning, orderList } from "../list-order.ts";

const SORT_COLUMNS = {
  id: "prospects.id",
  ign: "prospects.ign",
  realName: "prospects.real_name",
  game: "prospects.game",
  role: "prospects.role",
  stage: "prospects.stage",
  stageChangedAt: "prospects.stage_changed_at",
  priority: "prospects.priority",
  rating: "prospects.rating",
  currentTeam: "prospects.current_team",
  nationality: "prospects.nationality",
  region: "prospects.region",
  source: "prospects.source",
  assignedTo: "prospects.assigned_to",
  notes: byBeginning("prospects.notes"),
  targetTeamId: "prospects.target_team_id",
  playerId: "prospects.player_id",
  contractEndDate: "prospects.contract_end_date",
  lastContactAt: "prospects.last_contact_at",
  createdAt: "prospects.created_at",
  updatedAt: "prospects.updated_at",
};

const JSON_FIELDS: JsonFields<Prospect> = {
  id: text("prospects.id"),
  ign: text("prospects.ign"),
  realName: text("prospects.real_name"),
  game: text("prospects.game"),
  role: text("prospects.role"),
  stage: text("prospects.stage"),
  stageChangedAt: integer("prospects.stage_changed_at"),
  priority: text("prospects.priority"),
  rating: fraction("prospects.rating"),
  currentTeam: text("prospects.current_team"),
  nationality: text("prospects.nationality"),
  region: text("prospects.region"),
  source: text("prospects.source"),
  assignedTo: text("prospects.assigned_to"),
  notes: text("prospects.notes"),
  targetTeamId: text("prospects.target_team_id"),
  playerId: text("prospects.player_id"),
  contractEndDate: integer("prospects.contract_end_date"),
  lastContactAt: integer("prospects.last_contact_at"),
  tags: storedJson("prospects.tags"),
  externalIds: storedJson("prospects.external_ids"),
  createdAt: integer("prospects.created_at"),
  updatedAt: integer("prospects.updated_at"),
};

export function selectProspects(
  org: OrgStore,
  filter: ParametersOf<(typeof listProspectsEndpoint)["query"]>,
): List<Prospect> {
  let query = org.selectFrom("prospects").selectAll("prospects");
  if (filter.stage !== undefined) query = query.where("prospects.stage", "in", filter.stage);
  if (filter.game !== undefined) query = query.where("prospects.game", "in", filter.game);
  if (filter.role !== undefined) query = query.where("prospects.role", "in", filter.role);
  if (filter.priority !== undefined) query = query.where("prospects.priority", "in", filter.priority);
  if (filter.assignedTo !== undefined) query = query.where("prospects.assigned_to", "in", filter.assignedTo);
  if (filter.search !== undefined) query = query.where(searchMatches("prospects.search_text", filter.search));
  if (filter.updatedSince !== undefined) query = query.where("prospects.updated_at", ">=", filter.updatedSince);
  if (filter.externalId !== undefined) {
    query = query.where(hasExternalId(org, "prospect", "prospects.id", filter.externalId));
  }
  const order = orderList(SORT_COLUMNS, filter.sort);
  return makeList({ org, query, order, fields: JSON_FIELDS, fromRow: prospectFromRow });
}

const select = keepQuery((org, { id }: { id: string }) =>
  org.selectFrom("prospects").selectAll("prospects").where("prospects.id", "=", id),
);

export async function findProspect(org: OrgStore, id: string): Promise<Prospect | undefined> {
  if (!isIdOf("prospect", id)) return undefined;
  const [row] = await org.run(select, { id });
  return row === undefined ? undefined : prospectFromRow(row);
}

const insert = keepQuery((org, row: ProspectColumns) => org.insertInto("prospects", [row]));

export async function insertProspect(org: OrgStore, prospect: Prospect): Promise<void> {
  await org.run(insert, prospectColumns(prospect));
  await saveExternalIds(org, "prospect", prospect.id, {}, prospect.externalIds);
}

const update = keepQuery((org, { id, ...columns }: Omit<ProspectColumns, "created_at">) =>
  org.updateTable("prospects").set(columns).where("id", "=", id),
);

export async function updateProspectRow(org: OrgStore, before: Prospect, after: Prospect): Promise<void> {
  const { created_at: _, ...columns } = prospectColumns(after);
  await org.run(update, columns);
  await saveExternalIds(org, "prospect", after.id, before.externalIds, after.externalIds);
}

type ProspectColumns = Readonly<ReturnType<typeof prospectColumns>>;

export function prospectColumns(prospect: Prospect) {
  return {
    id: prospect.id,
    ign: prospect.ign,
    real_name: prospect.realName,
    game: prospect.game,
    role: prospect.role,
    stage: prospect.stage,
    stage_changed_at: prospect.stageChangedAt,
    priority: prospect.priority,
    rating: prospect.rating,
    current_team: prospect.currentTeam,
    nationality: prospect.nationality,
    region: prospect.region,
    source: prospect.source,
    assigned_to: prospect.assignedTo,
    notes: prospect.notes,
    target_team_id: prospect.targetTeamId,
    player_id: prospect.playerId,
    contract_end_date: prospect.contractEndDate,
    last_contact_at: prospect.lastContactAt,
    tags: JSON.stringify(prospect.tags),
    external_ids: JSON.stringify(prospect.externalIds),
    search_text: searchTextOf(prospect.ign, prospect.realName),
    created_at: prospect.createdAt,
    updated_at: prospect.updatedAt,
  };
}

export function prospectFromRow(row: Selectable<ProspectsTable>): Prospect {
  return {
    id: row.id,
    ign: row.ign,
    realName: row.real_name,
    game: row.game,
    role: row.role,
    stage: row.stage as Prospect["stage"],
    stageChangedAt: row.stage_changed_at,
    priority: row.priority as Prospect["priority"],
    rating: row.rating,
    currentTeam: row.current_team,
    nationality: row.nationality,
    region: row.region,
    source: row.source,
    assignedTo: row.assigned_to,
    notes: row.notes,
    targetTeamId: row.target_team_id,
    playerId: row.player_id,
    contractEndDate: row.contract_end_date,
    lastContactAt: row.last_contact_at,
    tags: JSON.parse(row.tags),
    externalIds: JSON.parse(row.external_ids),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
