/**
 * Tells that contracts are about to end, and that they have: once each, whatever happens. When a contract's next notice is due stands in
 * `contract_clock`, which every write of a contract keeps current. A notice is told and the next one set in one transaction of the organization,
 * whose writers wait for each other; so several nodes may look at the same time, and only one of them finds the notice still due. What
 * was due while nobody ran is told when somebody does.
 */
import { findNextNotice } from "@lineup/api/change-types";
import { type AuditEntry, SERVER_ORIGIN } from "../store/audit-entry.ts";
import type { OrgStore } from "../store/org-store.ts";
import type { Store } from "../store/store.ts";
import { OrganizationGone } from "../store/store-error.ts";

const LOOK_EVERY_MS = 1_000;
/** More are told in the next look, which follows at once. */
const NOTICES_A_LOOK = 200;

export interface ClockOptions {
  readonly store: Store;
  readonly now: () => number;
  onFault(error: unknown): void;
}

export class ContractClock {
  readonly #options: ClockOptions;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: ClockOptions) {
    this.#options = options;
  }

  start(): void {
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined;
      if (!this.#isStopped) this.#timer = setTimeout(() => this.start(), LOOK_EVERY_MS).unref();
    });
  }

  /** What is under way ends first. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    try {
      while (!this.#isStopped && (await tellDueNotices(this.#options.store, this.#options.now())) >= NOTICES_A_LOOK);
    } catch (error) {
      // Nothing was told that was not also set; the next look finds it again.
      this.#options.onFault(error);
    }
  }
}

/** Returns how many contracts were due. */
export async function tellDueNotices(store: Store, now: number): Promise<number> {
  const due = await store.operator
    .selectFrom("contract_clock")
    .select(["org_id", "contract_id"])
    .where("due_at", "<=", now)
    .orderBy("due_at")
    .limit(NOTICES_A_LOOK)
    .execute();
  const faults: unknown[] = [];
  for (const [orgId, rows] of Map.groupBy(due, ({ org_id }) => org_id)) {
    const contractIds = rows.map(({ contract_id }) => contract_id);
    try {
      await store.writeOrg(orgId, SERVER_ORIGIN, (org) => tellNotices(org, contractIds, now));
    } catch (error) {
      // One that cannot be written to now keeps nobody else's from being told.
      if (!(error instanceof OrganizationGone)) faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
  return due.length;
}

async function tellNotices(org: OrgStore, contractIds: readonly string[], now: number): Promise<void> {
  const rows = await org
    .selectFrom("contract_clock")
    .selectAll("contract_clock")
    .where("contract_clock.contract_id", "in", contractIds)
    .where("contract_clock.due_at", "<=", now)
    .orderBy("contract_clock.due_at")
    .execute();
  for (const { contract_id: id, end_date: endDate, days, due_at: dueAt } of rows) {
    let notice: { readonly days: number; readonly dueAt: number } | undefined = { days, dueAt };
    while (notice !== undefined && notice.dueAt <= now) {
      await org.record([entryOf(id, notice.days, now)]);
      notice = findNextNotice(endDate, notice.dueAt);
    }
    if (notice === undefined) await org.deleteFrom("contract_clock").where("contract_id", "=", id).execute();
    else {
      const next = { days: notice.days, due_at: notice.dueAt };
      await org.updateTable("contract_clock").set(next).where("contract_id", "=", id).execute();
    }
  }
}

function entryOf(contractId: string, days: number, at: number): AuditEntry {
  const target = { kind: "contract", id: contractId, name: null };
  if (days === 0) return { at, action: "contract.expired", target, facts: { fields: ["status"] } };
  return { at, action: "contract.expiring", target, facts: { fields: [], days } };
}
