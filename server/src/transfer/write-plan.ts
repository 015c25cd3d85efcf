/**
 * Writes a plan in the caller's transaction, many rows with each statement, and lets others of this process run between
 * statements. The order matters in two places: what an assignment or a pair of system and id gives up is given up before
 * another takes it, and records are touched for what changed around them before they get their own new values.
 */
import type { Player } from "@lineup/api/players";
import { sql } from "kysely";
import { setNotices } from "../resources/contracts/contract-notices.ts";
import { type StoredContract, seeContract } from "../resources/contracts/contract-store.ts";
import { noteUnusualStep } from "../resources/players/player-rules.ts";
import { entryOfAssignment } from "../resources/roster/roster-store.ts";
import { addToPlayerCount } from "../resources/teams/team-store.ts";
import {
  type AuditEntry,
  entryOfCreation,
  entryOfUpdate,
  type FieldChanges,
  findFieldChanges,
  makeEntriesLater,
  nextUpdatedAt,
} from "../store/audit-entry.ts";
import type { OrgStore, WritableTable } from "../store/org-store.ts";
import { rowOf } from "../store/record-rows.ts";
import type { ExternalIdsTable } from "../store/schema.ts";
import type { ImportPlan, RecordChange } from "./plan.ts";
import type { AssignmentDraft } from "./plan-roster.ts";
import { describeShownChanges, type ShownChanges, touchWhatShowsOthers } from "./shown-changes.ts";
import { batchesOf } from "./stored-records.ts";
import { type AnyRecord, RECORD_TABLES, type RecordTable, resourceOf, TABLE_NAMES } from "./tables.ts";

const ROWS_PER_STATEMENT = 200;

type Row = Readonly<Record<string, unknown>>;

export interface WriteContext {
  readonly org: OrgStore;
  /**
   * The moment of writing, which is what the plan's now becomes. A plan is made some time before its turn comes; dated by
   * then, its rows would lie before what others wrote meanwhile, and a client that asks for changes since would miss them.
   */
  readonly now: number;
  readonly onRows: (rows: number) => void;
}

export async function writePlan(context: WriteContext, plan: ImportPlan): Promise<void> {
  const { org, now } = context;
  const shown = await touchWhatShowsOthers(org, plan, now);
  for (const table of TABLE_NAMES) {
    if (table !== "roster") await writeRecords(context, plan, table, shown);
    else {
      await writeAssignments(context, plan, shown);
      for (const [teamId, difference] of plan.playerCounts) {
        await org.record(await addToPlayerCount(org, teamId, difference, now));
      }
    }
  }
  await org.record(makeEntriesLater(() => describeShownChanges(plan, shown)));
}

/** How many steps the progress of writing has. */
export function countPlannedRows(plan: ImportPlan): number {
  return RECORD_TABLES.reduce((sum, table) => sum + plan.records[table].length, plan.assignments.length);
}

async function writeRecords(
  context: WriteContext,
  plan: ImportPlan,
  table: RecordTable,
  shown: ShownChanges,
): Promise<void> {
  const { org, now, onRows } = context;
  const resource = resourceOf(table);
  const changes = plan.records[table] as readonly RecordChange<AnyRecord>[];
  await deleteLostIds(org, table, changes);
  for await (const batch of batchesOf(changes, ROWS_PER_STATEMENT)) {
    const toRow = (change: RecordChange<AnyRecord>) => {
      const updatedAt = updatedAtOf(change, now);
      return { ...dateRow(rowOf(resource, change.after as never), plan.now, updatedAt), updated_at: updatedAt };
    };
    await upsert(org, resource.table, batch.filter((change) => change.before !== undefined).map(toRow));
    await insert(org, resource.table, batch.filter((change) => change.before === undefined).map(toRow));
    if (table === "contracts")
      await setNotices(
        org,
        batch.filter(isTimed).map(({ after }) => after as StoredContract),
        now,
      );
    await insert(
      org,
      "external_ids",
      batch.flatMap((change) => listNewIds(table, change)),
    );
    await org.record(
      makeEntriesLater(() => batch.map((change) => describeChange(context, plan, table, change, shown))),
    );
    onRows(batch.length);
  }
}

async function writeAssignments(
  { org, now, onRows }: WriteContext,
  plan: ImportPlan,
  shown: ShownChanges,
): Promise<void> {
  const updated = plan.assignments.filter((draft) => draft.before !== undefined);
  const order = [
    updated.filter((draft) => draft.after.left_at !== null),
    updated.filter((draft) => draft.after.left_at === null),
    plan.assignments.filter((draft) => draft.before === undefined),
  ];
  for (const drafts of order) {
    for await (const batch of batchesOf(drafts, ROWS_PER_STATEMENT)) {
      const date = () => batch.map((draft) => dateAssignment(draft, plan.now, now));
      const rows = date().map(({ after }) => ({ ...after }));
      await (batch[0]?.before === undefined ? insert(org, "assignments", rows) : upsert(org, "assignments", rows));
      const describe = (change: AssignmentDraft) => entryOfAssignment(change, shown.get(change.after.id)?.fields);
      await org.record(makeEntriesLater(() => date().map(describe)));
      onRows(batch.length);
    }
  }
}

/** Whether time has other things to tell of a contract than before. */
function isTimed({ fields }: RecordChange<AnyRecord>): boolean {
  return fields === undefined || fields.status !== undefined || fields.endDate !== undefined;
}

function updatedAtOf({ before }: RecordChange<AnyRecord>, now: number): number {
  return before === undefined ? now : nextUpdatedAt(now, before.updatedAt);
}

/** A row of the plan in which everything that happens at the plan's now happens at the moment given. */
function dateRow<R extends object>(row: R, planNow: number, moment: number): R {
  const values = Object.entries(row).map(([column, value]) => [column, value === planNow ? moment : value]);
  return Object.fromEntries(values) as R;
}

function dateAssignment(draft: AssignmentDraft, planNow: number, now: number): AssignmentDraft {
  const { before } = draft;
  const after = dateRow(draft.after, planNow, now);
  // An end that a file sets may have come while the plan waited; what begins now does not end before it begins.
  const joined_at = Math.min(after.joined_at, after.left_at ?? after.joined_at);
  const updated_at = before === undefined ? now : nextUpdatedAt(now, before.updated_at);
  return { ...draft, after: { ...after, joined_at, updated_at } };
}

async function insert(org: OrgStore, table: WritableTable, rows: readonly Row[]): Promise<void> {
  if (rows.length > 0) await org.insertInto(table, rows as never).execute();
}

/** Updates many rows with one statement: each conflicts with itself, and takes the new values. */
async function upsert(org: OrgStore, table: WritableTable, rows: readonly Row[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first).filter((column) => column !== "id" && column !== "created_at");
  const values = Object.fromEntries(columns.map((column) => [column, sql`${sql.ref(`excluded.${column}`)}`]));
  await org
    .insertInto(table, rows as never)
    .onConflict((conflict) => conflict.columns(["org_id", "id"] as never).doUpdateSet(values as never))
    .execute();
}

async function deleteLostIds(
  org: OrgStore,
  table: RecordTable,
  changes: readonly RecordChange<AnyRecord>[],
): Promise<void> {
  const lostBySystem = new Map<string, string[]>();
  for (const { before, after } of changes) {
    for (const [system, id] of Object.entries(before?.externalIds ?? {})) {
      if (after.externalIds[system] === id) continue;
      const losers = lostBySystem.get(system) ?? [];
      losers.push(after.id);
      lostBySystem.set(system, losers);
    }
  }
  for (const [system, losers] of lostBySystem) {
    for await (const ids of batchesOf(losers)) {
      await org
        .deleteFrom("external_ids")
        .where("kind", "=", resourceOf(table).kind)
        .where("system", "=", system)
        .where("record_id", "in", ids)
        .execute();
    }
  }
}

function listNewIds(
  table: RecordTable,
  { before, after }: RecordChange<AnyRecord>,
): Omit<ExternalIdsTable, "org_id">[] {
  const added = Object.entries(after.externalIds).filter(([system, id]) => before?.externalIds[system] !== id);
  const { kind } = resourceOf(table);
  return added.map(([system, id]) => ({ kind, system, external_id: id, record_id: after.id }));
}

function describeChange(
  { now }: WriteContext,
  plan: ImportPlan,
  table: RecordTable,
  change: RecordChange<AnyRecord>,
  shown: ShownChanges,
): AuditEntry {
  const { before, after, fields } = table === "contracts" ? seeContractChange(change, now) : change;
  const at = updatedAtOf(change, now);
  const target = { kind: resourceOf(table).kind, id: after.id, name: nameOf(table, after) };
  if (fields === undefined) return entryOfCreation(target, dateRow(after, plan.now, at), at);
  const note = table === "players" ? noteUnusualStep(statusOf(before), statusOf(after)) : undefined;
  return entryOfUpdate(target, { ...dateChanges(fields, plan.now, at), ...shown.get(after.id)?.fields }, at, note);
}

/** As it is seen: time may have ended the contract before, or after, or both. */
function seeContractChange(change: RecordChange<AnyRecord>, now: number): RecordChange<AnyRecord> {
  const [before, after] = [change.before, change.after] as [StoredContract | undefined, StoredContract];
  const statusOf = (contract: StoredContract) => ({ status: seeContract(contract, now).status });
  const seen = { ...after, ...statusOf(after) };
  if (before === undefined) return { ...change, after: seen };
  const { status: _, ...fields } = change.fields ?? {};
  return { ...change, after: seen, fields: { ...fields, ...findFieldChanges(statusOf(before), statusOf(after)) } };
}

function dateChanges(fields: FieldChanges, planNow: number, moment: number): FieldChanges {
  const dated = Object.entries(fields).map(([name, [before, after]]) => [
    name,
    [before, after === planNow ? moment : after],
  ]);
  return Object.fromEntries(dated) as FieldChanges;
}

/** As people call it. */
function nameOf(table: RecordTable, record: AnyRecord): string | null {
  const { called } = resourceOf(table);
  return called === null ? null : String((record as Row)[called]);
}

function statusOf(player: AnyRecord | undefined): Player["contractStatus"] {
  return (player as Player).contractStatus;
}
