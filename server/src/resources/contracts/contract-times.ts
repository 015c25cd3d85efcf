/** When contracts change by themselves. */
import { DAY_MS } from "@lineup/api/tiers";
import { sql } from "kysely";
import { keepQuery } from "../../store/kept-query.ts";
import type { OrgStore } from "../../store/org-store.ts";

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

const selectOneTooMany = keepQuery((org, { now }: { now: number }) =>
  org
    .selectFrom("contracts")
    .select("contracts.end_date")
    .where("contracts.end_date", ">", now)
    .limit(1)
    .offset(LOOKED_AT_MAX),
);

const selectLeastLeft = keepQuery((org, { now }: { now: number }) => selectDayParts(org, now));

const selectLeftOfContract = keepQuery((org, { now, id }: { now: number; id: string }) =>
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
