/**
 * When time itself next has something to tell of a contract. An active contract that has an end has one row of `contract_clock`, with the first
 * of its moments that lay ahead when it got this end; any other has none. Every write of a contract sets it, in the same transaction; a row
 * whose end is still the same stays, for what is due and not told yet would be lost.
 */
import { findNextNotice } from "@lineup/api/change-types";
import type { OrgStore } from "../../store/org-store.ts";
import type { StoredContract } from "./contract-store.ts";

type Timed = Pick<StoredContract, "id" | "status" | "endDate">;

/** At once for as many as one statement takes. */
export async function setNotices(org: OrgStore, contracts: readonly Timed[], now: number): Promise<void> {
  if (contracts.length === 0) return;
  const ids = contracts.map(({ id }) => id);
  const rows = await org
    .selectFrom("contract_clock")
    .select(["contract_clock.contract_id", "contract_clock.end_date"])
    .where("contract_clock.contract_id", "in", ids)
    .execute();
  const ends = new Map(rows.map((row) => [row.contract_id, row.end_date]));
  const running = contracts.filter(({ status }) => status === "active");
  const unchanged = new Set(running.filter(({ id, endDate }) => ends.get(id) === endDate).map(({ id }) => id));
  const changed = [...ends.keys()].filter((id) => !unchanged.has(id));
  if (changed.length > 0) await org.deleteFrom("contract_clock").where("contract_id", "in", changed).execute();
  const added = running.flatMap(({ id, endDate }) => {
    const notice = endDate === null || unchanged.has(id) ? undefined : findNextNotice(endDate, now);
    return notice === undefined || endDate === null
      ? []
      : [{ contract_id: id, end_date: endDate, days: notice.days, due_at: notice.dueAt }];
  });
  if (added.length > 0) await org.insertInto("contract_clock", added).execute();
}
