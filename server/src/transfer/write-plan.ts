/**
 * Writes a plan in the caller's transaction, many rows with each statement, and lets others of this process run between
 * statements. The order matters in two places: what an assignment or a pair of system and id gives up is given up before
 * another takes it, and records are touched for what changed around them before they get their own new values.
 */
import type { Player } from "@lineup/api/players";
import type { Team } from "@lineup/api/teams";
import { sql } from "kysely";
import { setNotices } from "../resources/contracts/contract-rules.ts";
import { contractAsOf, type StoredContract } from "../resources/contracts/contract-store.ts";
import { noteUnusualStep } from "../resources/players/player-rules.ts";
import { nameRecord, type RecordChange } from "../resources/record-writes.ts";
import { entryOfAssignment } from "../resources/roster/roster-store.ts";
import {
  CONTRACTS_OF_PLAYERS,
  entryOfShown,
  ROSTER_OF_PLAYERS,
  ROSTER_OF_TEAMS,
  type ShownChange,
  touchShowing,
} from "../resources/shown-others.ts";
import { addToPlayerCount } from "../resources/teams/team-store.ts";
import {
  type AuditEntry,
  entryOfCreation,
  entryOfUpdate,
  findFieldChanges,
  makeEntriesLater,
  nextUpdatedAt,
} from "../store/audit-entry.ts";
import type { OrgStore, WritableTable } from "../store/org-store.ts";
import { rowOf } from "../store/record-rows.ts";
import type { ExternalIdsTable } from "../store/schema.ts";
import type { ImportPlan } from "./plan.ts";
import type { AssignmentDraft } from "./plan-roster.ts";
import { batchesOf, loadRecords } from "./stored-records.ts";
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

interface Writing extends WriteContext {
  readonly plan: ImportPlan;
  readonly shown: ShownChanges;
}

export async function writePlan(context: WriteContext, plan: ImportPlan): Promise<void> {
  const { org, now } = context;
  const shown = await touchWhatShowsOthers(org, plan, now);
  const writing = { ...context, plan, shown };
  for (const table of TABLE_NAMES) {
    if (table !== "roster") await writeRecords(writing, table);
    else {
      await writeAssignments(writing);
      for (const [teamId, difference] of plan.playerCounts) {
        await org.record(await addToPlayerCount(org, teamId, difference, now));
      }
    }
  }
  await org.record(makeEntriesLater(() => describeShownChanges(plan, shown)));
}

/** What changes of that which records show of others, by the id of the one that shows it. */
type ShownChanges = ReadonlyMap<string, ShownChange>;

/** Before anything is written: the records get their new `updatedAt` here, and their own new values later. */
async function touchWhatShowsOthers(org: OrgStore, plan: ImportPlan, now: number): Promise<ShownChanges> {
  const shown = new Map<string, ShownChange>();
  const add = (one: ShownChange) =>
    shown.set(one.id, { ...one, fields: { ...shown.get(one.id)?.fields, ...one.fields } });
  for (const showing of [ROSTER_OF_PLAYERS, ROSTER_OF_TEAMS, CONTRACTS_OF_PLAYERS]) {
    for await (const batch of batchesOf<RecordChange<AnyRecord>>(plan.records[showing.shown])) {
      const changes = new Map(batch.map(({ after, fields = {} }) => [after.id, fields]));
      for (const one of await touchShowing(org, showing, changes, now)) add(one);
    }
  }
  for (const { id, fields } of await findTeamsShown(org, plan)) add({ kind: "assignment", id, fields, at: now });
  return shown;
}

/** A file may correct the team of an assignment, which then shows another team's name and game. */
async function findTeamsShown(org: OrgStore, { assignments, records }: ImportPlan) {
  const moved = assignments.flatMap(({ before, after }) =>
    before === undefined || before.team_id === after.team_id ? [] : [[before, after] as const],
  );
  const teamIds = new Set(moved.flat().map((assignment) => assignment.team_id));
  const before = await loadRecords(org, "teams", teamIds);
  const after = new Map([...before, ...records.teams.map((change) => [change.after.id, change.after] as const)]);
  const shownOf = (team: Team | undefined) => ({ teamName: team?.name, game: team?.game });
  return moved.map(([was, { id, team_id }]) => {
    return { id, fields: findFieldChanges(shownOf(before.get(was.team_id)), shownOf(after.get(team_id))) ?? {} };
  });
}

/** Of the records that change in nothing but what they show of others. */
function describeShownChanges(plan: ImportPlan, shown: ShownChanges): AuditEntry[] {
  const own = new Set([...plan.assignments, ...plan.records.contracts].map(({ after }) => after.id));
  return [...shown.values()].filter(({ id }) => !own.has(id)).map(entryOfShown);
}

/** How many steps the progress of writing has. */
export function countPlannedRows(plan: ImportPlan): number {
  return RECORD_TABLES.reduce((sum, table) => sum + plan.records[table].length, plan.assignments.length);
}

async function writeRecords(writing: Writing, table: RecordTable): Promise<void> {
  const { org, now, onRows, plan } = writing;
  const resource = resourceOf(table);
  const changes = plan.records[table] as readonly RecordChange<AnyRecord>[];
  await deleteLostIds(org, table, changes);
  for await (const batch of batchesOf(changes, ROWS_PER_STATEMENT)) {
    const toRow = (change: RecordChange<AnyRecord>) =>
      rowOf(resource, dateRecord(change, plan.now, now).after as never) as Row;
    await upsert(org, resource.table, batch.filter((change) => change.before !== undefined).map(toRow));
    await insert(org, resource.table, batch.filter((change) => change.before === undefined).map(toRow));
    const timed = table === "contracts" ? batch.filter(isTimed).map(({ after }) => after as StoredContract) : [];
    await setNotices(org, timed, now);
    const newIds = batch.flatMap((change) => listNewIds(table, change));
    await insert(org, "external_ids", newIds);
    const describe = (change: RecordChange<AnyRecord>) => describeChange(writing, table, change);
    await org.record(makeEntriesLater(() => batch.map(describe)));
    onRows(batch.length);
  }
}

async function writeAssignments({ org, now, onRows, plan, shown }: Writing): Promise<void> {
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

/** What the plan lets happen at its now happens at the moment of writing, and later than the record was changed before. */
function dateRecord(change: RecordChange<AnyRecord>, planNow: number, now: number): RecordChange<AnyRecord> {
  const { before, after, fields } = change;
  const updatedAt = before === undefined ? now : nextUpdatedAt(now, before.updatedAt);
  const date = (value: unknown) => (value === planNow ? updatedAt : value);
  return {
    before,
    after: { ...mapValues(after, date), updatedAt },
    fields: fields && mapValues(fields, ([was, is]) => [was, date(is)] as const),
  };
}

function mapValues<R extends object>(record: R, change: (value: R[keyof R]) => unknown): R {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value as R[keyof R])])) as R;
}

function dateAssignment(draft: AssignmentDraft, planNow: number, now: number): AssignmentDraft {
  const { before } = draft;
  const after = mapValues(draft.after, (value) => (value === planNow ? now : value));
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
  const lost = changes.flatMap(({ before, after }) => {
    const pairs = Object.entries(before?.externalIds ?? {}).filter(([system, id]) => after.externalIds[system] !== id);
    return pairs.map(([system]) => ({ system, loser: after.id }));
  });
  for (const [system, losers] of Map.groupBy(lost, (pair) => pair.system)) {
    for await (const ids of batchesOf(losers.map(({ loser }) => loser))) {
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
  { now, plan, shown }: Writing,
  table: RecordTable,
  change: RecordChange<AnyRecord>,
): AuditEntry {
  const dated = dateRecord(change, plan.now, now);
  const { before, after, fields } = table === "contracts" ? contractChangeAsOf(dated, now) : dated;
  const at = after.updatedAt;
  const target = nameRecord(resourceOf(table), after);
  if (fields === undefined) return entryOfCreation(target, after, at);
  const note = table === "players" ? noteUnusualStep(statusOf(before), statusOf(after)) : undefined;
  return entryOfUpdate(target, { ...fields, ...shown.get(after.id)?.fields }, at, note);
}

/** As it is seen: time may have ended the contract before, or after, or both. */
function contractChangeAsOf(change: RecordChange<AnyRecord>, now: number): RecordChange<AnyRecord> {
  const [before, after] = [change.before, change.after] as [StoredContract | undefined, StoredContract];
  const statusOf = (contract: StoredContract) => ({ status: contractAsOf(contract, now).status });
  const seen = { ...after, ...statusOf(after) };
  if (before === undefined) return { ...change, after: seen };
  const { status: _, ...fields } = change.fields ?? {};
  return { ...change, after: seen, fields: { ...fields, ...findFieldChanges(statusOf(before), statusOf(after)) } };
}

function statusOf(player: AnyRecord | undefined): Player["contractStatus"] {
  return (player as Player).contractStatus;
}
