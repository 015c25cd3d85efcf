/**
 * Records show what is of others: entries of the roster names and status of players and teams, contracts the names of players. So they change
 * with them, and each is told of in an entry of its own.
 */
import { contractResource } from "@lineup/api/contracts";
import { rosterResource } from "@lineup/api/roster";
import { type AuditEntry, entryOfUpdate, type FieldChanges } from "../store/audit-entry.ts";
import { byId } from "../store/ids.ts";
import { laterThan, type OrgStore } from "../store/org-store.ts";
import { findShownChanges } from "../store/record-rows.ts";
import { updatedAtAsOf } from "./contracts/contract-store.ts";

export const ROSTER_OF_PLAYERS = { resource: rosterResource, shown: "players", column: "player_id" } as const;
export const ROSTER_OF_TEAMS = { resource: rosterResource, shown: "teams", column: "team_id" } as const;
export const CONTRACTS_OF_PLAYERS = { resource: contractResource, shown: "players", column: "player_id" } as const;

type Showing = typeof ROSTER_OF_PLAYERS | typeof ROSTER_OF_TEAMS | typeof CONTRACTS_OF_PLAYERS;

export interface ShownChange {
  readonly kind: string;
  readonly id: string;
  readonly fields: FieldChanges;
  readonly at: number;
}

/** Of records in which these fields change, by their ids: touches all that show one of the fields. What is told comes in one order in both databases. */
export async function touchShowing(
  org: OrgStore,
  { resource, shown, column }: Showing,
  changes: ReadonlyMap<string, FieldChanges>,
  now: number,
): Promise<ShownChange[]> {
  const shownChanges = new Map<string, FieldChanges>();
  for (const [id, fields] of changes) {
    const found = findShownChanges(resource, shown, fields);
    if (found !== undefined) shownChanges.set(id, found);
  }
  if (shownChanges.size === 0) return [];
  // Later than a record was last seen to change: time itself may have ended a contract since it was written.
  const seen = resource.kind === "contract" ? updatedAtAsOf(now) : undefined;
  const touched = await org
    // Both tables have the columns that are used here, which a union of tables hides from Kysely.
    .updateTable(resource.table as "assignments")
    .set({ updated_at: laterThan(now, seen) })
    .where(column, "in", [...shownChanges.keys()])
    .returning(["id", `${column} as of`, "updated_at"])
    .execute();
  return touched.toSorted(byId).map(({ id, of, updated_at: at }) => {
    return { kind: resource.kind, id, fields: shownChanges.get(of) ?? {}, at };
  });
}

/** The same of one record, for the audit log. */
export async function followShown(
  org: OrgStore,
  showing: Showing,
  id: string,
  fields: FieldChanges,
  now: number,
): Promise<AuditEntry[]> {
  const touched = await touchShowing(org, showing, new Map([[id, fields]]), now);
  return touched.map(entryOfShown);
}

export function entryOfShown({ kind, id, fields, at }: ShownChange): AuditEntry {
  return entryOfUpdate({ kind, id, name: null }, fields, at);
}
