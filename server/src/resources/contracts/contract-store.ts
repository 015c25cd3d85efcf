/**
 * Contracts in SQL. Time alone ends a contract: an active one whose end has passed reads as expired from that moment, and
 * as changed at that moment, without anything being written. Both are therefore computed from the moment of the request,
 * by the database, so that filters and sorts see what the client sees.
 */
import {
  type Contract,
  contractResource,
  EXPIRING_DAYS_DEFAULT,
  type listContracts,
  type listExpiringContracts,
} from "@lineup/api/contracts";
import { isIdOf } from "@lineup/api/ids";
import type { ParametersOf } from "@lineup/api/parameters";
import type { StoredOf } from "@lineup/api/resource";
import { DAY_MS } from "@lineup/api/tiers";
import { type RawBuilder, sql } from "kysely";
import { computed, word } from "../../store/json-writer.ts";
import type { List } from "../../store/list.ts";
import { type OrgStore, prepareQuery } from "../../store/org-store.ts";
import { jsonFieldsOf } from "../../store/record-rows.ts";
import { RecordStore } from "../record-store.ts";

const SOONEST_END_FIRST = { field: "endDate", descending: false };

/** A contract as it is stored: what time makes of it is not part of it. */
export type StoredContract = StoredOf<typeof contractResource>;

export const contractStore = new RecordStore(contractResource);

export function selectContracts(
  org: OrgStore,
  { endsBefore, endsAfter, ...filter }: ParametersOf<(typeof listContracts)["query"]>,
  now: number,
): List<Contract> {
  let query = joinPlayers(org);
  if (endsBefore !== undefined) query = query.where("contracts.end_date", "<", endsBefore);
  if (endsAfter !== undefined) query = query.where("contracts.end_date", ">", endsAfter);
  return contractStore.list(org, filter, { query, ...seenAt(now) });
}

export function selectExpiringContracts(
  org: OrgStore,
  { days = EXPIRING_DAYS_DEFAULT, ...filter }: ParametersOf<(typeof listExpiringContracts)["query"]>,
  now: number,
): List<Contract> {
  const query = joinPlayers(org)
    .where("contracts.status", "=", "active")
    .where("contracts.end_date", ">", now)
    .where("contracts.end_date", "<=", now + days * DAY_MS);
  return contractStore.list(org, filter, { query, usual: SOONEST_END_FIRST, ...seenAt(now) });
}

export async function findContract(org: OrgStore, id: string, now: number): Promise<Contract | undefined> {
  if (!isIdOf("contract", id)) return undefined;
  const row = await joinPlayers(org).where("contracts.id", "=", id).executeTakeFirst();
  return row === undefined ? undefined : contractFromRow(row, now);
}

function joinPlayers(org: OrgStore) {
  return contractStore.selectJoined(
    org
      .selectFrom("contracts")
      .innerJoin("players", (join) =>
        join.onRef("players.org_id", "=", "contracts.org_id").onRef("players.id", "=", "contracts.player_id"),
      )
      .selectAll("contracts"),
  );
}

/** What a moment makes of contracts. */
function seenAt(now: number) {
  const expressions = { status: statusAt(now), updatedAt: updatedAtAsOf(now) };
  const json = jsonFieldsOf(contractResource, {
    status: word(expressions.status),
    daysRemaining: computed(daysRemainingAt(now)),
    updatedAt: computed(expressions.updatedAt),
  });
  return { expressions, json, fromRow: (row: object) => contractFromRow(row, now) };
}

function statusAt(now: number): RawBuilder<string> {
  return sql<string>`case when contracts.status = 'active' and contracts.end_date <= ${now} then 'expired' else contracts.status end`;
}

export function updatedAtAsOf(now: number): RawBuilder<number> {
  return sql<number>`case when contracts.status = 'active' and contracts.end_date <= ${now} and contracts.end_date > contracts.updated_at then contracts.end_date else contracts.updated_at end`;
}

/** Whole days are counted up: a part of one is a day. SQLite takes a number that it is given for a fraction unless told otherwise. */
function daysRemainingAt(now: number): RawBuilder<number | null> {
  return sql`case when contracts.status = 'active' and contracts.end_date > ${now} then (contracts.end_date - cast(${now} as bigint) + ${sql.lit(DAY_MS - 1)}) / ${sql.lit(DAY_MS)} end`;
}

function contractFromRow(row: object, now: number): Contract {
  return contractAsOf(contractStore.fromRow(row), now);
}

/** What the moment makes of a contract. */
export function contractAsOf<C extends StoredContract>(stored: C, now: number): C & Pick<Contract, "daysRemaining"> {
  const { status, endDate, updatedAt } = stored;
  const hasEnded = status === "active" && endDate !== null && endDate <= now;
  const runsToEnd = status === "active" && endDate !== null && !hasEnded;
  return {
    ...stored,
    status: hasEnded ? "expired" : status,
    daysRemaining: runsToEnd ? Math.ceil((endDate - now) / DAY_MS) : null,
    updatedAt: hasEnded ? Math.max(updatedAt, endDate) : updatedAt,
  };
}

/** The same, without what is worked out. */
export function storedAsOf(stored: StoredContract, now: number): StoredContract {
  const { daysRemaining: _, ...seen } = contractAsOf(stored, now);
  return seen;
}

/** With more contracts than these still to end, it takes longer to find the next moment than to read an answer again. */
const LOOKED_AT_MAX = 5_000;

/**
 * The next moment at which time alone changes what any contract shows, or which list it is in. Each of these lies a number of whole days
 * before a contract's end: its days are counted down there, it comes into the list of those that expire in so many days, and
 * at the end itself it expires. Infinite when there is none; undefined when there are too many contracts to look at.
 *
 * Contracts that are not active change nothing by themselves and are looked at all the same: the index knows ends and nothing else, and to
 * open every contract would take ten times as long.
 */
export async function findNextContractChange(org: OrgStore, now: number): Promise<number | undefined> {
  const [oneTooMany] = await org.run(selectOneTooMany, { now });
  if (oneTooMany !== undefined) return undefined;
  const [found] = await org.run(selectLeastLeft, { now });
  return fromNow(now, found);
}

/** The same of one contract. */
export async function findNextChangeOfContract(org: OrgStore, now: number, id: string): Promise<number> {
  const [found] = await org.run(selectLeftOfContract, { now, id });
  return fromNow(now, found);
}

const selectOneTooMany = prepareQuery((org, { now }: { now: number }) =>
  org
    .selectFrom("contracts")
    .select("contracts.end_date")
    .where("contracts.end_date", ">", now)
    .limit(1)
    .offset(LOOKED_AT_MAX),
);

const selectLeastLeft = prepareQuery((org, { now }: { now: number }) => selectDayParts(org, now));

const selectLeftOfContract = prepareQuery((org, { now, id }: { now: number; id: string }) =>
  selectDayParts(org, now).where("contracts.id", "=", id).where("contracts.status", "=", "active"),
);

/** What is left of the day that is being counted, one millisecond of it aside, where that is least. */
function selectDayParts(org: OrgStore, now: number) {
  const left = sql<number>`(contracts.end_date - cast(${now} as bigint) - 1) % ${sql.lit(DAY_MS)}`;
  return org
    .selectFrom("contracts")
    .select((eb) => eb.fn.min<number | null>(left).as("left"))
    .where("contracts.end_date", ">", now);
}

function fromNow(now: number, found: { readonly left: number | null } | undefined): number {
  const left = found?.left ?? null;
  return left === null ? Number.POSITIVE_INFINITY : now + left + 1;
}
