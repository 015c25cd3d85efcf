/**
 * What an import changes beside the records that it writes: entries of the roster show names and status of players and teams, contracts the
 * names of players, so they change with them. Each has an entry of its own in the audit log, or its share in the one it has anyway.
 */
import type { AnyResource } from "@lineup/api/resource";
import type { Team } from "@lineup/api/teams";
import { touchContractsOfPlayers } from "../resources/contracts/contract-store.ts";
import { touchAssignments } from "../resources/roster/roster-store.ts";
import { type AuditEntry, entryOfUpdate, type FieldChanges, findFieldChanges } from "../store/audit-entry.ts";
import type { OrgStore } from "../store/org-store.ts";
import { findShownChanges } from "../store/record-rows.ts";
import type { ImportPlan, RecordChange } from "./plan.ts";
import { batchesOf, loadRecords } from "./stored-records.ts";
import { type AnyRecord, resourceOf } from "./tables.ts";

interface ShownChange {
  readonly kind: string;
  readonly fields: FieldChanges;
  readonly at: number;
}

/** What changes of that which records show of others, by the id of the one that shows it. */
export type ShownChanges = ReadonlyMap<string, ShownChange>;

/** Before anything is written: the records get their new `updatedAt` here, and their own new values later. */
export async function touchWhatShowsOthers(org: OrgStore, plan: ImportPlan, now: number): Promise<ShownChanges> {
  const shown = new Map<string, ShownChange>();
  const add = ({ kind }: AnyResource, id: string, fields: FieldChanges, at: number) =>
    shown.set(id, { kind, at, fields: { ...shown.get(id)?.fields, ...fields } });
  const roster = resourceOf("roster");
  const contracts = resourceOf("contracts");
  const { players, teams } = plan.records;
  for await (const [ids, fieldsOf] of showing(roster, "players", players)) {
    for (const row of await touchAssignments(org, "player_id", ids, now)) {
      add(roster, row.id, fieldsOf(row.player_id), row.updated_at);
    }
  }
  for await (const [ids, fieldsOf] of showing(roster, "teams", teams)) {
    for (const row of await touchAssignments(org, "team_id", ids, now)) {
      add(roster, row.id, fieldsOf(row.team_id), row.updated_at);
    }
  }
  for await (const [ids, fieldsOf] of showing(contracts, "players", players)) {
    for (const row of await touchContractsOfPlayers(org, ids, now)) {
      add(contracts, row.id, fieldsOf(row.player_id), row.updated_at);
    }
  }
  for (const { id, fields } of await findTeamsShown(org, plan)) add(roster, id, fields, now);
  return shown;
}

/** Batches of the records of which others show something that changes, and what that is. */
async function* showing(resource: AnyResource, table: string, changes: readonly RecordChange<AnyRecord>[]) {
  for await (const batch of batchesOf(changes)) {
    const shown = new Map<string, FieldChanges>();
    for (const { after, fields = {} } of batch) {
      const found = findShownChanges(resource, table, fields);
      if (found !== undefined) shown.set(after.id, found);
    }
    if (shown.size > 0) yield [[...shown.keys()], (id: string) => shown.get(id) ?? {}] as const;
  }
}

/** A file may correct the team of an assignment, which then shows another team's name and game. */
async function findTeamsShown(org: OrgStore, { assignments, records }: ImportPlan) {
  const moved = assignments.flatMap(({ before, after }) =>
    before === undefined || before.team_id === after.team_id
      ? []
      : [{ id: after.id, from: before.team_id, to: after.team_id }],
  );
  if (moved.length === 0) return [];
  const before = await loadRecords(org, "teams", new Set(moved.flatMap(({ from, to }) => [from, to])));
  const after = new Map([...before, ...records.teams.map((change) => [change.after.id, change.after] as const)]);
  const shownOf = (team: Team | undefined) => ({ teamName: team?.name, game: team?.game });
  return moved.map(({ id, from, to }) => {
    return { id, fields: findFieldChanges(shownOf(before.get(from)), shownOf(after.get(to))) ?? {} };
  });
}

/** Of the records that change in nothing but what they show of others. */
export function describeShownChanges(plan: ImportPlan, shown: ShownChanges): AuditEntry[] {
  const own = new Set([...plan.assignments, ...plan.records.contracts].map(({ after }) => after.id));
  return [...shown].flatMap(([id, { kind, fields, at }]) =>
    own.has(id) ? [] : [entryOfUpdate({ kind, id, name: null }, fields, at)],
  );
}
