/**
 * The assignments that an import makes, ends and corrects. What holds afterwards is what holds always: a player has at
 * most one open assignment, and it shows the player's team and role.
 *
 * A player without rows in roster.csv is followed as by the verbs: a change of team or role closes an assignment and opens
 * another. A player with rows has the assignments they say. An open row decides the player's team and role, and must agree
 * with players.csv where that says anything of them. A stored open assignment that the file does not mention ends where
 * the file's open one begins; if it is the same one, made for the player before files named it, the row takes it over.
 */
import type { Player } from "@lineup/api/players";
import { ALL_ROLES, kindOfRole, startsByDefault } from "@lineup/api/roles";
import type { RosterEntry } from "@lineup/api/roster";
import { findRoleFault } from "../resources/players/player-rules.ts";
import { type AssignmentChange, type AssignmentRow, followPlayerChange } from "../resources/roster/roster-rules.ts";
import { type CheckedRow, refuseCell } from "./checked-rows.ts";
import type { Draft, PlanContext } from "./draft-records.ts";
import type { TeamGames } from "./plan-rules.ts";

export interface AssignmentDraft extends AssignmentChange {
  /** Undefined for one that no row of the file is about. */
  readonly row: CheckedRow | undefined;
}

/** A row of roster.csv whose references are known. */
export interface RosterRow {
  readonly row: CheckedRow;
  /** The stored assignment that has the row's name. */
  readonly assignmentId: string | undefined;
  /** The id of a new assignment, in the order of the file, so that an export of what was imported has that order too. */
  readonly newId: string;
  readonly teamId: string | undefined;
}

export interface PlayerAssignments {
  readonly drafts: readonly AssignmentDraft[];
  /** Whether the rows settled the player's team and role, and judged them too. */
  readonly decidesRole: boolean;
}

/** A player that has no rows in the file is followed by the rules of the verbs. */
export function followPlayerDraft(
  { before, after }: Draft<Player>,
  stored: readonly AssignmentRow[],
  now: number,
): AssignmentDraft[] {
  return followPlayerChange(before, after, stored, now).map((change) => ({ row: undefined, ...change }));
}

/** Works out the assignments of a player that has rows in the file, and the team and role that follow from them. */
export function planPlayerRows(
  context: PlanContext,
  player: Draft<Player>,
  rows: readonly RosterRow[],
  stored: readonly AssignmentRow[],
  games: TeamGames,
): PlayerAssignments {
  const { faults } = context;
  const adopted = findAdopted(rows, stored);
  const drafts = rows.map((rosterRow): AssignmentDraft => {
    const { row, assignmentId } = rosterRow;
    const matched = stored.find((assignment) => assignment.id === assignmentId);
    const before = matched ?? (adopted?.row === row ? adopted.assignment : undefined);
    const isOnlyOne = rows.length === 1 && stored.length === 0;
    return { row, before, after: mergeRow(rosterRow, before, player.after, isOnlyOne, context.now) };
  });
  for (const draft of drafts) judgeAssignment(context, draft, games);
  const known = new Set(drafts.map((draft) => draft.before?.id));
  const others = stored.filter((assignment) => !known.has(assignment.id));
  const [open, second] = drafts.filter((draft) => draft.after.left_at === null);
  if (open !== undefined && second?.row !== undefined) {
    const message = `the player has an open assignment on line ${open.row?.line} already; give one of the two rows leftAt`;
    refuseCell(faults, second.row, "leftAt", message);
  }
  if (open?.row !== undefined) {
    agreeWithPlayer(context, player, open.row, open.after);
    const closed = closeOthers(others, open.after);
    if (second === undefined) refuseOverlaps(context, drafts, closed);
    return { drafts: [...drafts, ...closed], decidesRole: true };
  }
  if (others.some((assignment) => assignment.left_at === null)) {
    // The file tells of the past only; what is open goes on following the player, whose first day is the file's matter.
    const sameJoinDate = { ...player, after: { ...player.after, joinDate: player.before?.joinDate ?? context.now } };
    const followed = followPlayerDraft(sameJoinDate, others, context.now);
    const changed = new Set(followed.map((draft) => draft.before?.id));
    refuseOverlaps(context, drafts, [...followed, ...asTheyAre(others.filter(({ id }) => !changed.has(id)))]);
    return { drafts: [...drafts, ...followed], decidesRole: false };
  }
  refuseOverlaps(context, drafts, asTheyAre(others));
  return { drafts, decidesRole: leaveTeam(context, player, drafts) };
}

function asTheyAre(stored: readonly AssignmentRow[]): AssignmentDraft[] {
  return stored.map((before) => ({ row: undefined, before, after: before }));
}

/** Nobody is in two teams at once, or in one team twice. What a row says of times that it does not change was so before. */
function refuseOverlaps(
  { faults }: PlanContext,
  drafts: readonly AssignmentDraft[],
  others: readonly AssignmentDraft[],
): void {
  const endOf = ({ after }: AssignmentDraft) => after.left_at ?? Number.POSITIVE_INFINITY;
  const isNews = ({ row, before, after }: AssignmentDraft) =>
    row !== undefined && (before?.joined_at !== after.joined_at || before.left_at !== after.left_at);
  let latest: AssignmentDraft | undefined;
  for (const draft of [...drafts, ...others].toSorted((a, b) => a.after.joined_at - b.after.joined_at)) {
    if (endOf(draft) <= draft.after.joined_at) continue;
    if (latest !== undefined && draft.after.joined_at < endOf(latest)) {
      const [told, other] = isNews(draft) ? [draft, latest] : [latest, draft];
      if (told.row !== undefined && isNews(told)) {
        const where = other.row === undefined ? "that is stored" : `on line ${other.row.line}`;
        const what = `overlaps with the player's assignment ${where}; let one end, by leftAt, before the other begins`;
        refuseCell(faults, told.row, "joinedAt", what, told.row.written?.joinedAt ?? told.after.joined_at);
      }
    }
    if (latest === undefined || endOf(draft) > endOf(latest)) latest = draft;
  }
}

/** The open assignment that followed from the player before a file named it, and the row that names it now. */
function findAdopted(rows: readonly RosterRow[], stored: readonly AssignmentRow[]) {
  const assignment = stored.find((candidate) => candidate.left_at === null && candidate.import_id === null);
  if (assignment === undefined || rows.some((row) => row.assignmentId === assignment.id)) return undefined;
  const match = rows.find(
    ({ row, assignmentId, teamId }) =>
      assignmentId === undefined &&
      (row.given.leftAt ?? null) === null &&
      teamId === assignment.team_id &&
      row.given.role === assignment.role,
  );
  return match === undefined ? undefined : { row: match.row, assignment };
}

function mergeRow(
  { row, newId, teamId }: RosterRow,
  before: AssignmentRow | undefined,
  player: Player,
  isOnlyOne: boolean,
  now: number,
): AssignmentRow {
  const given = row.given as { readonly [K in keyof RosterEntry]?: RosterEntry[K] | null };
  const role = given.role ?? before?.role ?? player.role;
  const isStarter = given.isStarter ?? (before === undefined ? startsByDefault(role) : before.is_starter === 1);
  const isCaptain = given.isCaptain ?? (before === undefined ? role === "Captain" : before.is_captain === 1);
  return {
    id: before?.id ?? newId,
    player_id: player.id,
    team_id: teamId ?? before?.team_id ?? "",
    role,
    kind: kindOfRole(role),
    is_starter: Number(isStarter),
    is_captain: Number(isCaptain),
    joined_at: given.joinedAt ?? before?.joined_at ?? (isOnlyOne ? player.joinDate : now),
    left_at: given.leftAt === undefined ? (before?.left_at ?? null) : given.leftAt,
    // One that is known by its own id needs no other name.
    import_id: before === undefined || before.id !== row.externalId ? row.externalId : before.import_id,
    created_at: before?.created_at ?? now,
    updated_at: before?.updated_at ?? now,
  };
}

function judgeAssignment({ faults }: PlanContext, { row, after }: AssignmentDraft, games: TeamGames): void {
  if (row === undefined) return;
  if (after.left_at !== null && after.left_at < after.joined_at) {
    refuseCell(
      faults,
      row,
      "leftAt",
      "lies before joinedAt; correct one of them",
      row.written?.leftAt ?? after.left_at,
    );
  }
  const game = games.get(after.team_id);
  if (game === undefined) return;
  // The team may have played another game when a closed assignment was open, so its role may be one of any game.
  const isPast = after.left_at !== null && ALL_ROLES.includes(after.role);
  const fault = isPast ? undefined : findRoleFault(game, after.role, true);
  if (fault !== undefined) refuseCell(faults, row, "role", fault, after.role);
}

/** The open row is the player's team and role; players.csv must not say otherwise. */
function agreeWithPlayer(
  { faults }: PlanContext,
  player: Draft<Player>,
  row: CheckedRow,
  open: Pick<AssignmentRow, "team_id" | "role">,
): void {
  const said = player.row?.given;
  const refuse = (column: string, cell: unknown) => {
    const there = `${player.row?.source.file}, line ${player.row?.line}`;
    const says = cell === null ? "no team" : `the ${column} "${cell}"`;
    const message = `is the open assignment of a player who has ${says} in ${there}; make them agree, or give this row leftAt`;
    refuseCell(faults, row, column, message, column === "role" ? open.role : undefined);
  };
  if (said?.team !== undefined && player.after.teamId !== open.team_id) refuse("team", said.team);
  if (typeof said?.role === "string" && player.after.role !== open.role) refuse("role", said.role);
  player.after = { ...player.after, teamId: open.team_id, role: open.role };
}

function closeOthers(others: readonly AssignmentRow[], open: AssignmentRow): AssignmentDraft[] {
  return others.map((before): AssignmentDraft => {
    const leftAt = before.left_at ?? Math.max(before.joined_at, open.joined_at);
    return { row: undefined, before, after: { ...before, left_at: leftAt } };
  });
}

/** All of the player's assignments are over, so the player has no team. Says whether that is news. */
function leaveTeam({ faults }: PlanContext, player: Draft<Player>, drafts: readonly AssignmentDraft[]): boolean {
  if (player.after.teamId === null) return false;
  if (player.row !== undefined && (player.row.given.team ?? null) !== null) {
    const file = drafts[0]?.row?.source.file;
    const message = `the player has no open assignment in ${file}; add a row without leftAt there, or leave the cell empty`;
    refuseCell(faults, player.row, "team", message);
    return true;
  }
  player.after = { ...player.after, teamId: null };
  const fault = findRoleFault("Other", player.after.role, false);
  const row = drafts.find((draft) => draft.before?.left_at === null)?.row ?? drafts[0]?.row;
  if (fault !== undefined && row !== undefined) {
    const message = `leaves the player without a team, where the role ${player.after.role} ${fault}; give the player another role in players.csv, or leave the cell empty`;
    refuseCell(faults, row, "leftAt", message);
  }
  return true;
}
