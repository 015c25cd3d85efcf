/**
 * Assignments of players to teams, with their history. A player has at most one open assignment, and it always shows the
 * player's team and role: a change of either closes it and opens another. The first one begins when the player joined, a
 * later one when the change is made. An entry shows the player's names and status, so it has changed when they have.
 */
import type { Player } from "@lineup/api/players";
import { kindOfRole, startsByDefault } from "@lineup/api/roles";
import type { rosterResource } from "@lineup/api/roster";
import { makeId } from "../../store/ids.ts";
import { laterThan, type OrgStore, prepareQuery } from "../../store/org-store.ts";
import type { NewRow } from "../../store/schema.ts";
import { nextUpdatedAt } from "../changes.ts";
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
    const isFirst = before === undefined || (closed === undefined && !(await hasAssignments(org, after.id)));
    await org.run(insertAssignment, openAssignment(after, after.teamId, closed, isFirst, now));
  }
  if (!teamChanged) return;
  if (closed !== undefined) await addToPlayerCount(org, closed.team_id, -1, now);
  if (after.teamId !== null) await addToPlayerCount(org, after.teamId, 1, now);
}

/** An assignment as it is stored, in whichever organization. */
export type AssignmentRow = Readonly<NewRow<typeof rosterResource>>;

const insertAssignment = prepareQuery((org, row: AssignmentRow) => org.insertInto("assignments", [row]));

/** The assignment that follows from a player's team and role. `closed` is the one it takes the place of. */
export function openAssignment(
  player: Player,
  teamId: string,
  closed: Pick<AssignmentRow, "team_id" | "is_captain"> | undefined,
  isFirst: boolean,
  now: number,
): AssignmentRow {
  const staysCaptain = closed !== undefined && closed.team_id === teamId && closed.is_captain === 1;
  return {
    id: makeId("assignment"),
    player_id: player.id,
    team_id: teamId,
    role: player.role,
    kind: kindOfRole(player.role),
    is_starter: Number(startsByDefault(player.role)),
    is_captain: Number(staysCaptain || player.role === "Captain"),
    joined_at: isFirst ? player.joinDate : now,
    left_at: null,
    import_id: null,
    created_at: now,
    updated_at: now,
  };
}

/** When an assignment closed now has ended. One that would begin only later ends as it begins: it never was. */
export function endOfAssignment(open: Pick<AssignmentRow, "joined_at">, now: number): number {
  return Math.max(now, open.joined_at);
}

/** Whether a player's first assignment goes along when `joinDate` is corrected: it began then, and does not end before. */
export function movesWithJoinDate(
  first: Pick<AssignmentRow, "joined_at" | "left_at">,
  before: Player,
  after: Player,
): boolean {
  return first.joined_at === before.joinDate && (first.left_at === null || first.left_at >= after.joinDate);
}

const selectOpen = prepareQuery((org, { playerId }: { playerId: string }) =>
  org
    .selectFrom("assignments")
    .selectAll("assignments")
    .where("assignments.player_id", "=", playerId)
    .where("assignments.left_at", "is", null),
);

const setEnd = prepareQuery((org, { id, leftAt, updatedAt }: { id: string; leftAt: number; updatedAt: number }) =>
  org.updateTable("assignments").set({ left_at: leftAt, updated_at: updatedAt }).where("id", "=", id),
);

async function closeAssignment(org: OrgStore, playerId: string, now: number) {
  const [open] = await org.run(selectOpen, { playerId });
  if (open === undefined) return undefined;
  const updatedAt = nextUpdatedAt(now, open.updated_at);
  await org.run(setEnd, { id: open.id, leftAt: endOfAssignment(open, now), updatedAt });
  return open;
}

const selectOne = prepareQuery((org, { playerId }: { playerId: string }) =>
  org.selectFrom("assignments").select("assignments.id").where("assignments.player_id", "=", playerId).limit(1),
);

async function hasAssignments(org: OrgStore, playerId: string): Promise<boolean> {
  return (await org.run(selectOne, { playerId })).length > 0;
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
  if (first === undefined || !movesWithJoinDate(first, before, after)) return;
  await org
    .updateTable("assignments")
    .set({ joined_at: after.joinDate, updated_at: nextUpdatedAt(now, first.updated_at) })
    .where("id", "=", first.id)
    .execute();
}

const touch = prepareQuery((org, { playerId, now }: { playerId: string; now: number }) =>
  org
    .updateTable("assignments")
    .set({ updated_at: laterThan(now) })
    .where("player_id", "=", playerId),
);

async function touchAssignmentsOfPlayer(org: OrgStore, playerId: string, now: number): Promise<void> {
  await org.run(touch, { playerId, now });
}
