/**
 * Contracts in SQL. Time alone ends a contract: an active one whose end has passed reads as expired from that moment, and
 * as changed at that moment, without anything being written. Both are therefore computed from the moment of the request,
 * by the database, so that filters and sorts see what the client sees.
 */
import type {
  Contract,
  listContracts as listContractsEndpoint,
  listExpiringContracts as listExpiringEndpoint,
} from "@lineup/api/contracts";
import { isIdOf } from "@lineup/api/ids";
import type { ParametersOf } from "@lineup/api/parameters";
import { DAY_MS } from "@lineup/api/tiers";
import { type RawBuilder, type Selectable, sql } from "kysely";
import { hasExternalId } from "../../store/external-ids.ts";
import { computed, flag, integer, type JsonFields, storedJson, text, word } from "../../store/json-writer.ts";
import { laterThan } from "../../store/later-than.ts";
import { makeList } from "../../store/list.ts";
import type { List } from "../../store/list-page.ts";
import type { OrgStore } from "../../store/org-store.ts";
import type { ContractsTable } from "../../store/schema.ts";
import { orderList, type SortColumns } from "../list-order.ts";

const SOONEST_END_FIRST = { field: "endDate", descending: false };

type ContractFilter = ParametersOf<(typeof listContractsEndpoint)["query"]>;
type ExpiringFilter = ParametersOf<(typeof listExpiringEndpoint)["query"]>;

export function selectContracts(org: OrgStore, filter: ContractFilter, now: number): List<Contract> {
  let query = filterContracts(org, filter, now);
  if (filter.status !== undefined) query = query.where(statusAt(now), "in", filter.status);
  if (filter.playerId !== undefined) query = query.where("contracts.player_id", "in", filter.playerId);
  if (filter.endsBefore !== undefined) query = query.where("contracts.end_date", "<", filter.endsBefore);
  if (filter.endsAfter !== undefined) query = query.where("contracts.end_date", ">", filter.endsAfter);
  const order = orderList(sortColumns(now), filter.sort);
  return makeList({ org, query, order, fields: jsonFields(now), fromRow: (row) => contractFromRow(row, now) });
}

export function selectExpiringContracts(
  org: OrgStore,
  filter: ExpiringFilter,
  days: number,
  now: number,
): List<Contract> {
  const query = filterContracts(org, filter, now)
    .where("contracts.status", "=", "active")
    .where("contracts.end_date", ">", now)
    .where("contracts.end_date", "<=", now + days * DAY_MS);
  const order = orderList(sortColumns(now), filter.sort, SOONEST_END_FIRST);
  return makeList({ org, query, order, fields: jsonFields(now), fromRow: (row) => contractFromRow(row, now) });
}

export async function findContract(org: OrgStore, id: string, now: number): Promise<Contract | undefined> {
  if (!isIdOf("contract", id)) return undefined;
  const row = await joinPlayers(org).where("contracts.id", "=", id).executeTakeFirst();
  return row === undefined ? undefined : contractFromRow(row, now);
}

/** A contract shows its player's name, so it has changed when the name has: later than it was last seen to change. */
export async function touchContractsOfPlayers(org: OrgStore, playerIds: readonly string[], now: number): Promise<void> {
  await org
    .updateTable("contracts")
    .set({ updated_at: laterThan(now, updatedAtAt(now)) })
    .where("player_id", "in", playerIds)
    .execute();
}

function joinPlayers(org: OrgStore) {
  return org
    .selectFrom("contracts")
    .innerJoin("players", (join) =>
      join.onRef("players.org_id", "=", "contracts.org_id").onRef("players.id", "=", "contracts.player_id"),
    )
    .selectAll("contracts")
    .select("players.ign as player_ign");
}

/** What both lists filter by. */
function filterContracts(
  org: OrgStore,
  filter: Pick<ContractFilter & ExpiringFilter, "teamId" | "updatedSince" | "externalId">,
  now: number,
) {
  let query = joinPlayers(org);
  if (filter.teamId !== undefined) query = query.where("contracts.team_id", "in", filter.teamId);
  if (filter.updatedSince !== undefined) query = query.where(updatedAtAt(now), ">=", filter.updatedSince);
  if (filter.externalId !== undefined) {
    query = query.where(hasExternalId(org, "contract", "contracts.id", filter.externalId));
  }
  return query;
}

function statusAt(now: number): RawBuilder<string> {
  return sql<string>`case when contracts.status = 'active' and contracts.end_date <= ${now} then 'expired' else contracts.status end`;
}

function updatedAtAt(now: number): RawBuilder<number> {
  return sql<number>`case when contracts.status = 'active' and contracts.end_date <= ${now} and contracts.end_date > contracts.updated_at then contracts.end_date else contracts.updated_at end`;
}

function sortColumns(now: number): SortColumns {
  return {
    id: "contracts.id",
    playerId: "contracts.player_id",
    playerIgn: "players.ign",
    teamId: "contracts.team_id",
    kind: "contracts.kind",
    status: statusAt(now),
    startDate: "contracts.start_date",
    endDate: "contracts.end_date",
    signedAt: "contracts.signed_at",
    terminatedAt: "contracts.terminated_at",
    autoRenew: "contracts.auto_renew",
    noticePeriodDays: "contracts.notice_period_days",
    createdAt: "contracts.created_at",
    updatedAt: updatedAtAt(now),
  };
}

/** Whole days are counted up: a part of one is a day. SQLite takes a number that it is given for a fraction unless told otherwise. */
function daysRemainingAt(now: number): RawBuilder<number | null> {
  return sql`case when contracts.status = 'active' and contracts.end_date > ${now} then (contracts.end_date - cast(${now} as bigint) + ${sql.lit(DAY_MS - 1)}) / ${sql.lit(DAY_MS)} end`;
}

function jsonFields(now: number): JsonFields<Contract> {
  return {
    id: text("contracts.id"),
    playerId: text("contracts.player_id"),
    playerIgn: text("players.ign"),
    teamId: text("contracts.team_id"),
    kind: text("contracts.kind"),
    status: word(statusAt(now)),
    startDate: integer("contracts.start_date"),
    endDate: integer("contracts.end_date"),
    signedAt: integer("contracts.signed_at"),
    terminatedAt: integer("contracts.terminated_at"),
    autoRenew: flag("contracts.auto_renew"),
    noticePeriodDays: integer("contracts.notice_period_days"),
    daysRemaining: computed(daysRemainingAt(now)),
    externalIds: storedJson("contracts.external_ids"),
    createdAt: integer("contracts.created_at"),
    updatedAt: computed(updatedAtAt(now)),
  };
}

/** A contract as it is stored: what time makes of it is not part of it. */
export type StoredContract = Omit<Contract, "playerIgn" | "daysRemaining">;

export function contractColumns(contract: StoredContract) {
  return {
    id: contract.id,
    player_id: contract.playerId,
    team_id: contract.teamId,
    kind: contract.kind,
    status: contract.status,
    start_date: contract.startDate,
    end_date: contract.endDate,
    signed_at: contract.signedAt,
    terminated_at: contract.terminatedAt,
    auto_renew: Number(contract.autoRenew),
    notice_period_days: contract.noticePeriodDays,
    external_ids: JSON.stringify(contract.externalIds),
    created_at: contract.createdAt,
    updated_at: contract.updatedAt,
  };
}

export function storedContractFromRow(row: Selectable<ContractsTable>): StoredContract {
  return {
    id: row.id,
    playerId: row.player_id,
    teamId: row.team_id,
    kind: row.kind as Contract["kind"],
    status: row.status as Contract["status"],
    startDate: row.start_date,
    endDate: row.end_date,
    signedAt: row.signed_at,
    terminatedAt: row.terminated_at,
    autoRenew: row.auto_renew === 1,
    noticePeriodDays: row.notice_period_days,
    externalIds: JSON.parse(row.external_ids),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

type ContractRow = Awaited<ReturnType<ReturnType<typeof joinPlayers>["execute"]>>[number];

function contractFromRow(row: ContractRow, now: number): Contract {
  const hasEnded = row.status === "active" && row.end_date !== null && row.end_date <= now;
  const runsToEnd = row.status === "active" && row.end_date !== null && !hasEnded;
  const { id, playerId, externalIds, createdAt, updatedAt, ...terms } = storedContractFromRow(row);
  return {
    id,
    playerId,
    playerIgn: row.player_ign,
    ...terms,
    status: hasEnded ? "expired" : terms.status,
    daysRemaining: runsToEnd ? Math.ceil(((row.end_date ?? now) - now) / DAY_MS) : null,
    externalIds,
    createdAt,
    updatedAt: hasEnded ? Math.max(updatedAt, row.end_date ?? 0) : updatedAt,
  };
}
