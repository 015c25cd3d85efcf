/**
 * Imports into one organization, all or nothing. Every row is checked before any is written: rows by themselves while
 * they are read, then all of them against each other and against what is stored, which ends in a plan. Only the writing
 * of the plan takes the write lock, so others read and write while a long import is read and checked. Whether the plan
 * still holds is seen from the organization's revision, under the lock; where somebody wrote meanwhile it is made again,
 * the last time under the lock itself, so that an import cannot be kept from its end by others. If the store fails half
 * way, its transaction takes everything back.
 */

import type { ActionProgress } from "@lineup/api/dashboard/action";
import type { Origin } from "../store/audit-entry.ts";
import type { OrgStore } from "../store/org-store.ts";
import type { Store } from "../store/store.ts";
import { StoreError } from "../store/store-error.ts";
import type { CheckedTables } from "./checked-rows.ts";
import { FaultList } from "./import-faults.ts";
import { type ImportSource, readSource } from "./import-source.ts";
import { type ImportPlan, planImport } from "./plan.ts";
import type { ImportSummary } from "./tables.ts";
import { countPlannedRows, writePlan } from "./write-plan.ts";

const PLANS_WITHOUT_LOCK = 3;

/** In rows. */
export interface ImportProgress extends ActionProgress {
  readonly phase: "reading" | "checking" | "writing";
}

type Report = (progress: ImportProgress) => void;

export interface ImportOptions {
  /** Who imports, as the audit log names them. */
  readonly origin: Origin;
  /** Checks everything and writes nothing. */
  readonly dryRun?: boolean;
  /** The clock. It is asked when a plan is made, and again when its turn to be written has come. */
  readonly now?: () => number;
  readonly onProgress?: Report;
  /** Sees each plan without faults before it is written, and refuses it by throwing. */
  readonly review?: (org: OrgStore, plan: ImportPlan) => Promise<void>;
}

/** What became of the rows of each table. Throws `ImportFaults`, with nothing written, when any row is refused. */
export async function importInto(
  store: Store,
  orgId: string,
  source: ImportSource,
  options: ImportOptions,
): Promise<ImportSummary> {
  const clock = options.now ?? Date.now;
  const report = options.onProgress ?? (() => {});
  const faults = new FaultList();
  const tables = await readSource(source, faults, (done, total) => report({ phase: "reading", done, total }));
  if (tables === undefined) throw faults.toError();
  const { total: readFaults } = faults;
  const makePlan = async (org: OrgStore) => {
    const found = faults.copy();
    const onRows = countChecked(tables, report);
    const plan = await planImport({ org, now: planningMoment(clock), faults: found, onRows }, tables);
    if (found.total === 0) await options.review?.(org, plan);
    return { plan, found };
  };
  for (let attempt = 1; ; attempt++) {
    const reads = store.org(orgId);
    const revision = await requireRevision(reads);
    const { plan, found } = await makePlan(reads);
    const isCurrent = async (org: OrgStore) => (await requireRevision(org)) === revision;
    if (found.total > 0 || options.dryRun || countPlannedRows(plan) === 0) {
      // What was found while somebody else wrote may never have been so; what was read is as it is.
      const needsStore = found.total === 0 || found.total > readFaults;
      if (needsStore && attempt <= PLANS_WITHOUT_LOCK && !(await isCurrent(reads))) continue;
      if (found.total > 0) throw found.toError();
      return plan.summary;
    }
    const written = await store.writeOrgAtLength(orgId, options.origin, async (org) => {
      if (await isCurrent(org)) return write(org, plan, clock(), report);
      if (attempt < PLANS_WITHOUT_LOCK) return undefined;
      const again = await makePlan(org);
      if (again.found.total > 0) throw again.found.toError();
      return write(org, again.plan, clock(), report);
    });
    if (written !== undefined) return written;
  }
}

/** Between two milliseconds, as a plan wants it. */
export function planningMoment(clock: () => number): number {
  return clock() - 0.5;
}

async function requireRevision(org: OrgStore): Promise<number> {
  const revision = await org.readRevision();
  if (revision === undefined) throw new StoreError(`No organization has the id ${org.orgId}.`);
  return revision;
}

async function write(org: OrgStore, plan: ImportPlan, now: number, report: Report): Promise<ImportSummary> {
  await writePlan({ org, now, onRows: countRows("writing", countPlannedRows(plan), report) }, plan);
  return plan.summary;
}

export function countChecked(tables: CheckedTables, report: Report): (rows: number) => void {
  const total = Object.values(tables).reduce((sum, table) => sum + table.rows.length, 0);
  return countRows("checking", total, report);
}

function countRows(phase: ImportProgress["phase"], total: number, report: Report): (rows: number) => void {
  let done = 0;
  return (rows) => {
    done += rows;
    report({ phase, done, total });
  };
}
