/**
 * The rules of assignments, for requests, staff and imports alike. A player has at most one open assignment, and it always shows the player's
 * team and role: a change of either closes it and opens another. The first one begins when the player joined, a later one when the
 * change is made.
 */
import type { ParsedBody } from "@lineup/api/dashboard/actions";
import type { Player } from "@lineup/api/players";
import { kindOfRole, startsByDefault } from "@lineup/api/roles";
import type { rosterResource } from "@lineup/api/roster";
import { makeId } from "../../store/ids.ts";
import type { NewRow } from "../../store/schema.ts";

/** An assignment as it is stored, in whichever organization. */
export type AssignmentRow = Readonly<NewRow<typeof rosterResource>>;

export interface AssignmentChange {
  /** Undefined for a new one. */
  readonly before: AssignmentRow | undefined;
  after: AssignmentRow;
}

/** What becomes of a player's stored assignments when the player changes; `before` is undefined for a new one. */
export function followPlayerChange(
  before: Player | undefined,
  after: Player,
  stored: readonly AssignmentRow[],
  now: number,
): AssignmentChange[] {
  const changes = stored.map((row): AssignmentChange => ({ before: row, after: row }));
  if (before !== undefined && before.joinDate !== after.joinDate) moveFirst(changes, before, after);
  const teamChanged = (before?.teamId ?? null) !== after.teamId;
  const roleChanged = before !== undefined && before.role !== after.role && after.teamId !== null;
  if (!teamChanged && !roleChanged) return changes;
  return moveOn(changes, after, {}, now);
}

/**
 * Closes the open assignment, if there is one, and opens that which follows from the player's team and role, if there is a team. What the move
 * does not say follows from the role, or stays; when it is, is now then, or for a first assignment `joinDate`.
 */
export function moveOn(
  changes: readonly AssignmentChange[],
  player: Player,
  move: Pick<ParsedBody<"movePlayer">, "at" | "isStarter" | "isCaptain">,
  now: number,
): AssignmentChange[] {
  const open = changes.find(({ after }) => after.left_at === null);
  const closed = changes.map((change): AssignmentChange => {
    const { before, after } = change;
    // One that would begin only later ends as it begins: it never was.
    const left_at = Math.max(move.at ?? now, after.joined_at);
    return change === open ? { before, after: { ...after, left_at } } : change;
  });
  if (player.teamId === null) return closed;
  const made = openAssignment(player, player.teamId, open?.before, changes.length === 0, now);
  // A clock that went back puts nobody into two teams at once.
  const ends = closed.map(({ after }) => (after.left_at === after.joined_at ? 0 : (after.left_at ?? 0)));
  const { at: joined_at = Math.max(made.joined_at, ...ends), isStarter, isCaptain } = move;
  const flags = {
    ...(isStarter === undefined ? {} : { is_starter: Number(isStarter) }),
    ...(isCaptain === undefined ? {} : { is_captain: Number(isCaptain) }),
  };
  return [...closed, { before: undefined, after: { ...made, joined_at, ...flags } }];
}

/** The first assignment begins at `joinDate`; where it did, it goes along when that date is corrected, unless it ends before. */
function moveFirst(changes: readonly AssignmentChange[], before: Player, after: Player): void {
  const [first] = changes.toSorted(
    (a, b) => a.after.joined_at - b.after.joined_at || (a.after.id < b.after.id ? -1 : 1),
  );
  if (first === undefined || first.after.joined_at !== before.joinDate) return;
  if (first.after.left_at !== null && first.after.left_at < after.joinDate) return;
  // One that never was stays so.
  const left_at = first.after.left_at === first.after.joined_at ? after.joinDate : first.after.left_at;
  first.after = { ...first.after, joined_at: after.joinDate, left_at };
}

/** The assignment that follows from a player's team and role. `closed` is the one it takes the place of. */
export function openAssignment(
  player: Player,
  teamId: string,
  closed: AssignmentRow | undefined,
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

/** Whether an assignment will be other than it is; names of no consequence for clients included. */
export function changesAssignment({ before, after }: AssignmentChange): boolean {
  if (before === undefined) return true;
  return (Object.keys(after) as (keyof AssignmentRow)[]).some((column) => before[column] !== after[column]);
}

/** By how much the number of open assignments of each team changes, where it does. `removed` are deleted. */
export function countOpenings(
  changes: readonly AssignmentChange[],
  removed: readonly AssignmentRow[] = [],
): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (teamId: string, difference: number) => counts.set(teamId, (counts.get(teamId) ?? 0) + difference);
  for (const row of removed) if (row.left_at === null) add(row.team_id, -1);
  for (const { before, after } of changes) {
    if (before?.left_at === null) add(before.team_id, -1);
    if (after.left_at === null) add(after.team_id, 1);
  }
  for (const [teamId, difference] of counts) if (difference === 0) counts.delete(teamId);
  return counts;
}
