/** Whether a player's last move can be taken back, as the server has it: that takes the player to where they were before it. */
import { isRoleOf } from "@lineup/api/roles";
import type { RosterEntry } from "@lineup/api/roster";
import type { RosterCard } from "./line-up.ts";

export type Stay = Pick<RosterEntry, "teamId" | "role" | "joinedAt" | "leftAt" | "createdAt" | "updatedAt">;

/** `stays` is where the player was, and is; undefined while that is not known. */
export function canTakeBack({ teamId, role }: Pick<RosterCard, "teamId" | "role">, stays?: readonly Stay[]): boolean {
  if (stays === undefined) return true;
  const open = stays.find(({ leftAt }) => leftAt === null);
  // The card has moved on since they were read: then there is a move.
  if ((open?.teamId ?? null) !== teamId || (open !== undefined && open.role !== role)) return true;
  if (open === undefined) return stays.length > 0;
  // Back to no team, where a role of a game means nothing.
  return stays.some((one) => isFollowedBy(one, open)) || isRoleOf("Other", open.role);
}

/** One that was to begin later ends as it begins and never was: of when it was closed its last version alone tells. */
function isFollowedBy({ joinedAt, leftAt, createdAt, updatedAt }: Stay, open: Stay): boolean {
  if (leftAt === open.joinedAt) return true;
  return leftAt === joinedAt && createdAt < joinedAt && updatedAt >= open.createdAt;
}
