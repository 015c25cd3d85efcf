/**
 * The roster in SQL: assignments of players to teams, with their history. An entry shows today's names and status of player and team, so it
 * has changed when they have.
 */
import type { ParametersOf } from "@lineup/api/parameters";
import type { Player } from "@lineup/api/players";
import { type listRoster, type RosterEntry, rosterResource } from "@lineup/api/roster";
import {
  type AuditEntry,
  type EntryFacts,
  entryOfCreation,
  entryOfUpdate,
  type FieldChanges,
  findFieldChanges,
  nextUpdatedAt,
} from "../../store/audit-entry.ts";
import type { List } from "../../store/list.ts";
import { laterThan, type OrgStore, prepareQuery } from "../../store/org-store.ts";
import { findShownChanges, storedOf } from "../../store/record-rows.ts";
import { RecordStore } from "../record-store.ts";
import { describeDeletion } from "../record-writes.ts";
import { addToPlayerCount } from "../teams/team-store.ts";
import {
  type AssignmentChange,
  type AssignmentRow,
  changesAssignment,
  countOpenings,
  followPlayerChange,
} from "./roster-rules.ts";

export const rosterStore = new RecordStore(rosterResource);

export function selectRoster(
  org: OrgStore,
  { asOf, ...filter }: ParametersOf<(typeof listRoster)["query"]>,
): List<RosterEntry> {
  let query = selectEntries(org);
  if (asOf === undefined) query = query.where("assignments.left_at", "is", null);
  else {
    query = query
      .where("assignments.joined_at", "<=", asOf)
      .where((eb) => eb.or([eb("assignments.left_at", "is", null), eb("assignments.left_at", ">", asOf)]));
  }
  return rosterStore.list(org, filter, { query });
}

export async function findEntry(org: OrgStore, id: string): Promise<RosterEntry | undefined> {
  const row = await selectEntries(org).where("assignments.id", "=", id).executeTakeFirst();
  return row === undefined ? undefined : rosterStore.fromRow(row);
}

/** Open and past. */
export function selectEntries(org: OrgStore) {
  return rosterStore.selectJoined(
    org
      .selectFrom("assignments")
      .innerJoin("players", (join) =>
        join.onRef("players.org_id", "=", "assignments.org_id").onRef("players.id", "=", "assignments.player_id"),
      )
      .innerJoin("teams", (join) =>
        join.onRef("teams.org_id", "=", "assignments.org_id").onRef("teams.id", "=", "assignments.team_id"),
      )
      .selectAll("assignments"),
  );
}

/** All of a player's, the oldest first. */
export async function listEntries(org: OrgStore, playerId: string): Promise<RosterEntry[]> {
  const rows = await selectEntries(org)
    .where("assignments.player_id", "=", playerId)
    .orderBy("assignments.joined_at")
    .orderBy("assignments.id")
    .execute();
  return rows.map((row) => rosterStore.fromRow(row));
}

/** Brings a player's assignments in line with the player, of whom these fields change; they are undefined for a new one. Says what that changes. */
export async function followPlayer(
  org: OrgStore,
  before: Player | undefined,
  after: Player,
  fields: FieldChanges | undefined,
  now: number,
): Promise<AuditEntry[]> {
  if (before === undefined || fields === undefined) {
    return writeAssignments(org, followPlayerChange(undefined, after, [], now), now);
  }
  const shown = findShownChanges(rosterResource, "players", fields);
  if (shown === undefined && !FOLLOWED.some((name) => fields[name] !== undefined)) return [];
  const stored = await selectAssignments(org, after.id);
  if (shown !== undefined) await org.run(touch, { playerId: after.id, now });
  return writeAssignments(org, followPlayerChange(before, after, stored, now), now, { shown });
}

const FOLLOWED = ["teamId", "role", "joinDate"] as const satisfies readonly (keyof Player)[];

const selectOfPlayer = prepareQuery((org, { playerId }: { playerId: string }) =>
  org
    .selectFrom("assignments")
    .selectAll("assignments")
    .where("assignments.player_id", "=", playerId)
    .orderBy("assignments.id"),
);

/** All of a player's, in order of creation. */
export async function selectAssignments(org: OrgStore, playerId: string): Promise<AssignmentRow[]> {
  return (await org.run(selectOfPlayer, { playerId })).map(({ org_id: _, ...row }) => row);
}

const touch = prepareQuery((org, { playerId, now }: { playerId: string; now: number }) =>
  org
    .updateTable("assignments")
    .set({ updated_at: laterThan(now) })
    .where("player_id", "=", playerId),
);

const insertRow = prepareQuery((org, row: AssignmentRow) => org.insertInto("assignments", [row]));

const updateRow = prepareQuery((org, { id, created_at: _, ...columns }: AssignmentRow) =>
  org.updateTable("assignments").set(columns).where("id", "=", id),
);

/** Writes assignments of one player, those that close before one that opens, and says what that changes. */
export async function writeAssignments(
  org: OrgStore,
  changes: readonly AssignmentChange[],
  now: number,
  { shown, removed = [], facts = { reason: "deleted" } }: AssignmentWrite = {},
): Promise<AuditEntry[]> {
  await rosterStore.delete(
    org,
    removed.map(({ id }) => id),
  );
  const rules = { store: rosterStore };
  const entries = removed.map((row) => describeDeletion(rules, storedOf(rosterResource, row), now, facts));
  for (const change of changes) {
    const isChanged = changesAssignment(change);
    if (!isChanged && shown === undefined) continue;
    const { before } = change;
    const updated_at = before === undefined ? now : nextUpdatedAt(now, before.updated_at);
    const after = { ...change.after, updated_at };
    if (isChanged) await org.run(before === undefined ? insertRow : updateRow, after);
    entries.push(entryOfAssignment({ before, after }, shown));
  }
  for (const [teamId, difference] of countOpenings(changes, removed)) {
    entries.push(...(await addToPlayerCount(org, teamId, difference, now)));
  }
  return entries;
}

interface AssignmentWrite {
  /** What all of them show of the player and changes. */
  readonly shown?: FieldChanges | undefined;
  /** Are deleted, before anything opens. */
  readonly removed?: readonly AssignmentRow[];
  readonly facts?: EntryFacts;
}

/** For the audit log. `shown` is what changes of other records that it shows. */
export function entryOfAssignment({ before, after }: AssignmentChange, shown: FieldChanges = {}): AuditEntry {
  const target = { kind: "assignment", id: after.id, name: null };
  const made = storedOf(rosterResource, after);
  if (before === undefined) return entryOfCreation(target, made, after.updated_at);
  const { updatedAt: _, ...fields } = findFieldChanges(storedOf(rosterResource, before), made) ?? {};
  return entryOfUpdate(target, { ...fields, ...shown }, after.updated_at);
}
