/**
 * Assignments of players to teams, with their history. A player has at most one open assignment, and it always shows the
 * player's team and role: a change of either closes it and opens another. The first one begins when the player joined, a
 * later one when the change is made. An entry shows the player's names and status, so it has changed when they have.
 */
import type { Player } from "@lineup/api/players";
import { kindOfRole, startsByDefault } from "@lineup/api/roles";
import { sql } from "kysely";
import { makeId } from "../../store/ids.ts";
import type { OrgStore } from "../../store/org-store.ts";
import { addToPlayerCount } from "../teams/team-store.ts";

/** Brings a player's assignments in line with the player. `before` is undefined for a new one. */
export async function followPlayer(
  org: OrgStore,
  before: Player | undefined,
  after: Player,
  now: number,
): Promise<void> {
  if (before !== undefined) {
    if (before.joinDate !== after.joinDate) await moveFirstAssignment(org, before, after, now);
    const shown = before.ign !== after.ign || before.realName !== after.realName || before.status !== after.status;
    if (shown) await touchAssignmentsOfPlayer(org, after.id, now);
  }
  const teamChanged = (before?.teamId ?? null) !== after.teamId;
  const roleChanged = before !== undefined && before.role !== after.role && after.teamId !== null;
  if (!teamChanged && !roleChanged) return;
  const closed = before === undefined ? undefined : await closeAssignment(org, after.id, now);
  if (after.teamId !== null) {
    const isFirst = closed === undefined && !(await hasAssignments(org, after.id));
    const staysCaptain = closed !== undefined && closed.team_id === after.teamId && closed.is_captain === 1;
    await org
      .insertInto("assignments", [
        {
          id: makeId("assignment"),
          player_id: after.id,
          team_id: after.teamId,
          role: after.role,
          kind: kindOfRole(after.role),
          is_starter: Number(startsByDefault(after.role)),
          is_captain: Number(staysCaptain || after.role === "Captain"),
          joined_at: isFirst ? after.joinDate : now,
          left_at: null,
          import_id: null,
          created_at: now,
          updated_at: now,
        },
      ])
      .execute();
  }
  if (!teamChanged) return;
  if (closed !== undefined) await addToPlayerCount(org, closed.team_id, -1, now);
  if (after.teamId !== null) await addToPlayerCount(org, after.teamId, 1, now);
}

async function closeAssignment(org: OrgStore, playerId: string, now: number) {
  const open = await org
    .selectFrom("assignments")
    .selectAll("assignments")
    .where("assignments.player_id", "=", playerId)
    .where("assignments.left_at", "is", null)
    .executeTakeFirst();
  if (open === undefined) return undefined;
  await org
    .updateTable("assignments")
    // One that would begin only later ends as it begins: it never was.
    .set({ left_at: Math.max(now, open.joined_at), updated_at: Math.max(now, open.updated_at + 1) })
    .where("id", "=", open.id)
    .execute();
  return open;
}

async function hasAssignments(org: OrgStore, playerId: string): Promise<boolean> {
  const row = await org
    .selectFrom("assignments")
    .select("assignments.id")
    .where("assignments.player_id", "=", playerId)
    .executeTakeFirst();
  return row !== undefined;
}

/** The first assignment begins at `joinDate`; where it did, it goes along when that date is corrected. */
async function moveFirstAssignment(org: OrgStore, before: Player, after: Player, now: number): Promise<void> {
  const first = await org
    .selectFrom("assignments")
    .selectAll("assignments")
    .where("assignments.player_id", "=", after.id)
    .orderBy("assignments.joined_at")
    .orderBy("assignments.id")
    .executeTakeFirst();
  if (first === undefined || first.joined_at !== before.joinDate) return;
  if (first.left_at !== null && first.left_at < after.joinDate) return;
  await org
    .updateTable("assignments")
    .set({ joined_at: after.joinDate, updated_at: Math.max(now, first.updated_at + 1) })
    .where("id", "=", first.id)
    .execute();
}

async function touchAssignmentsOfPlayer(org: OrgStore, playerId: string, now: number): Promise<void> {
  await org
    .updateTable("assignments")
    .set({ updated_at: sql<number>`case when updated_at < ${now} then ${now} else updated_at + 1 end` })
    .where("player_id", "=", playerId)
    .execute();
}
