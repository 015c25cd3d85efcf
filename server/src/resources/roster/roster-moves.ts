/**
 * What staff do to the roster: a move, now or at a moment in the past since the last one, and one step back. Both set the player's team and
 * role, which the open assignment always shows.
 */
import type { ActionResult, ParsedBody } from "@lineup/api/dashboard/actions";
import { bodyError } from "@lineup/api/errors";
import { type Player, playerResource } from "@lineup/api/players";
import { rosterResource } from "@lineup/api/roster";
import type { AuditEntry } from "../../store/audit-entry.ts";
import type { OrgStore } from "../../store/org-store.ts";
import type { VerbContext } from "../context.ts";
import { findPlayerFaults, refuseFaults } from "../players/player-rules.ts";
import { playerStore } from "../players/player-store.ts";
import { changeAlong, conflict, notFound, type RecordRules, type Written } from "../record-writes.ts";
import { type AssignmentRow, moveOn } from "./roster-rules.ts";
import { findEntry, rosterStore, selectAssignments, writeAssignments } from "./roster-store.ts";

/** Of an assignment as it is: whether its player starts, or is captain. Everything else is a move, or is the player's. */
export const rosterRules: RecordRules<typeof rosterResource> = {
  store: rosterStore,
  show: findEntry,
  settle: async (_, { after }) => after,
};

interface Standing {
  readonly player: Player;
  readonly assignments: readonly AssignmentRow[];
  readonly open: AssignmentRow | undefined;
}

type Moved = ActionResult<"movePlayer">;

export async function movePlayer(
  context: VerbContext,
  playerId: string,
  input: ParsedBody<"movePlayer">,
): Promise<Written<Moved>> {
  const { org, now } = context;
  const standing = await requireStanding(context, playerId, input.updatedAt);
  const { player, open } = standing;
  const { teamId = player.teamId, role = player.role, at, isStarter, isCaptain } = input;
  const after = { ...player, teamId, role };
  refuseFaults(await findPlayerFaults(org, after));
  requireMoment(standing, at, now);
  const isSameTeamAndRole = open !== undefined && open.team_id === teamId && open.role === role;
  const starts = isStarter ?? (isSameTeamAndRole ? open.is_starter === 1 : undefined);
  const isSame =
    isSameTeamAndRole &&
    Number(starts) === open.is_starter &&
    (isCaptain === undefined || Number(isCaptain) === open.is_captain);
  if (isSame || (open === undefined && teamId === null && role === player.role)) return settleMove(org, open, []);
  const stored = standing.assignments.map((row) => ({ before: row, after: row }));
  const isMoved = open !== undefined || teamId !== null;
  const changes = isMoved ? moveOn(stored, after, { at, isStarter: starts, isCaptain }, now) : [];
  const followed = await changeAlong(context, playerStore, player, { teamId, role });
  const entries = [...followed, ...(await writeAssignments(org, changes, now))];
  return settleMove(org, changes.find((change) => change.after.left_at === null)?.after, entries);
}

/** Takes the last move back: what it opened goes, and what it closed is open again. */
export async function undoMove(context: VerbContext, playerId: string, updatedAt: number): Promise<Written<Moved>> {
  const { org, now } = context;
  const { player, assignments, open } = await requireStanding(context, playerId, updatedAt);
  const last = findLastClosed(assignments);
  const previous = open === undefined || isFollowedBy(last, open) ? last : undefined;
  // A first team that came with the player is no move: both were made in one transaction.
  if (previous === undefined && (open === undefined || open.created_at === player.createdAt)) {
    const message = "was never moved, so there is no move to take back";
    throw bodyError([{ field: "playerId", message }]);
  }
  const patch = { teamId: previous?.team_id ?? null, role: previous?.role ?? player.role };
  refuseFaults(await findPlayerFaults(org, { ...player, ...patch }));
  const reopened = previous && { before: previous, after: { ...previous, left_at: null } };
  const removed = open === undefined ? [] : [open];
  const entries = [
    ...(await changeAlong(context, playerStore, player, patch)),
    ...(await writeAssignments(org, reopened === undefined ? [] : [reopened], now, { removed })),
  ];
  return settleMove(org, previous, entries);
}

async function settleMove(
  org: OrgStore,
  open: AssignmentRow | undefined,
  entries: readonly AuditEntry[],
): Promise<Written<Moved>> {
  return { record: { entry: (open && (await findEntry(org, open.id))) ?? null }, entries };
}

async function requireStanding({ org }: VerbContext, playerId: string, updatedAt: number): Promise<Standing> {
  const player = await playerStore.find(org, playerId);
  if (player === undefined) throw notFound(playerResource);
  const assignments = await selectAssignments(org, playerId);
  const open = assignments.find(({ left_at }) => left_at === null);
  if ((open?.updated_at ?? player.updatedAt) !== updatedAt) {
    const entry = open && (await findEntry(org, open.id));
    throw entry === undefined ? conflict(playerResource, player) : conflict(rosterResource, entry);
  }
  return { player, assignments, open };
}

/** Nothing is planned ahead, and what happened stays in its order. */
function requireMoment({ player, assignments, open }: Standing, at: number | undefined, now: number): void {
  if (at === undefined) return;
  const last = findLastClosed(assignments);
  // What begins only later stands in nobody's way until then.
  const earliest = Math.min(open?.joined_at ?? (last && closedAt(last)) ?? player.joinDate, now);
  if (at > now) throw bodyError([{ field: "at", message: "lies in the future; make the move when it happens" }]);
  if (at >= earliest) return;
  const message = `lies before the last move, or the day the player joined; use ${new Date(earliest).toISOString()} or later`;
  throw bodyError([{ field: "at", message }]);
}

function findLastClosed(assignments: readonly AssignmentRow[]): AssignmentRow | undefined {
  const closed = assignments.filter(({ left_at }) => left_at !== null);
  return closed.toSorted((a, b) => closedAt(a) - closedAt(b) || (a.id < b.id ? -1 : 1)).at(-1);
}

/** One that never was has no end by which to tell; the move that closed it has written it. */
function isFollowedBy(last: AssignmentRow | undefined, open: AssignmentRow): boolean {
  if (last === undefined) return false;
  return last.left_at === open.joined_at || (closedAt(last) !== last.left_at && last.updated_at >= open.created_at);
}

/** One that was to begin later ends as it begins and never was: all that is known is that it was closed after it was made. */
function closedAt({ joined_at, left_at, created_at }: AssignmentRow): number {
  const end = left_at ?? Number.POSITIVE_INFINITY;
  return end === joined_at ? Math.min(end, created_at) : end;
}
