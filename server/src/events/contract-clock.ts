/**
 * Tells that contracts are about to end, and that they have: once each, whatever happens. When a contract's next notice is due stands in
 * `contract_clock`, which every write of a contract keeps current; one that gives it another end tells first what was due. A notice is told and
 * the next one set in one transaction of the organization, whose writers wait for each other; so several nodes may look at the same time, and
 * only one of them finds the notice still due. What was due while nobody ran is told when somebody does.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { SERVER_ORIGIN } from "../store/audit-entry.ts";
import { findDueNotices } from "../store/event-tables.ts";
import type { OrgStore } from "../store/org-store.ts";
import type { Store } from "../store/store.ts";
import { OrganizationGone } from "../store/store-error.ts";
import type { SenderOptions } from "./sender.ts";

const LOOK_EVERY_MS = 1_000;
/** Of each of so many organizations, so that no one of them holds the others up. More are told in the next look, which follows at once. */
const NOTICES_A_LOOK = 200;
const ORGANIZATIONS_A_LOOK = 200;

/** `stop` waits for what is under way. */
export function startContractClock({ store, now, onFault }: Pick<SenderOptions, "store" | "now" | "onFault">) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const look = async () => {
    while (!signal.aborted) {
      // Nothing was told that was not also set; the next look finds it again.
      const isMoreDue = await tellDueNotices(store, now()).catch((error: unknown) => void onFault(error));
      if (!isMoreDue) await sleep(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  const looking = look();
  return {
    stop: () => {
      stopping.abort();
      return looking;
    },
  };
}

/** Returns whether more may be due. */
export async function tellDueNotices(store: Store, now: number): Promise<boolean> {
  const due = await store.operator
    .selectFrom("contract_clock")
    .select("org_id")
    .where("due_at", "<=", now)
    .groupBy("org_id")
    .orderBy(({ fn }) => fn.min("due_at"))
    .limit(ORGANIZATIONS_A_LOOK)
    .execute();
  let isMoreDue = due.length === ORGANIZATIONS_A_LOOK;
  const faults: unknown[] = [];
  for (const { org_id: orgId } of due) {
    try {
      const told = await store.writeOrg(orgId, SERVER_ORIGIN, (org) => tellNotices(org, now));
      isMoreDue ||= told === NOTICES_A_LOOK;
    } catch (error) {
      // One that cannot be written to now keeps nobody else's from being told.
      if (!(error instanceof OrganizationGone)) faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
  return isMoreDue;
}

async function tellNotices(org: OrgStore, now: number): Promise<number> {
  const rows = await org
    .selectFrom("contract_clock")
    .selectAll("contract_clock")
    .where("contract_clock.due_at", "<=", now)
    .orderBy("contract_clock.due_at")
    .limit(NOTICES_A_LOOK)
    .execute();
  for (const row of rows) {
    const { entries, next } = findDueNotices(row, now);
    await org.record(entries);
    const id = row.contract_id;
    if (next === undefined) await org.deleteFrom("contract_clock").where("contract_id", "=", id).execute();
    else {
      const set = { days: next.days, due_at: next.dueAt };
      await org.updateTable("contract_clock").set(set).where("contract_id", "=", id).execute();
    }
  }
  return rows.length;
}
