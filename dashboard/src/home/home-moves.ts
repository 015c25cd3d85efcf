/** Assignments as moves: one that ends when another of the same player begins is where that player came from. */
import type { RosterEntry } from "@lineup/api/roster";
import { HOME_TEXTS } from "../texts/home-texts.ts";

export interface RosterMove {
  readonly playerId: string;
  readonly ign: string;
  readonly at: number;
  /** Team and role; undefined for somebody who left. */
  readonly to: string | undefined;
  /** The role alone where the team is the same; undefined for somebody who came from no team. */
  readonly from: string | undefined;
}

/**
 * Those since then, the latest first, and none that is to come. An assignment that ends as it begins never was, and is no move; one that differs
 * from the one before only in who starts or is captain took nobody anywhere.
 */
export function listMoves(assignments: readonly RosterEntry[], since: number, now: number): RosterMove[] {
  const never = assignments.filter(neverWas);
  const stays = assignments.filter((one) => !neverWas(one));
  const ended = new Map(stays.flatMap((one) => (one.leftAt === null ? [] : [[keyOf(one, one.leftAt), one]])));
  const moves = stays.flatMap((one): RosterMove[] => {
    const before = ended.get(keyOf(one, one.joinedAt)) ?? never.find((other) => isFollowedBy(other, one));
    ended.delete(keyOf(one, one.joinedAt));
    const isRoleAlone = before?.teamId === one.teamId;
    if (isRoleAlone && before?.role === one.role) return [];
    const move = {
      ...ofPlayer(one, one.joinedAt),
      to: isRoleAlone ? HOME_TEXTS.roleIn(one.role, one.teamName) : name(one),
      from: isRoleAlone ? before?.role : before && name(before),
    };
    return [move];
  });
  const left = [...ended.values()].map((one) => ({
    ...ofPlayer(one, one.leftAt ?? 0),
    to: undefined,
    from: name(one),
  }));
  return [...moves, ...left].filter(({ at }) => at >= since && at <= now).sort((a, b) => b.at - a.at);
}

function neverWas({ joinedAt, leftAt }: RosterEntry): boolean {
  return leftAt === joinedAt;
}

/** Its end tells nothing of when it was closed: the move that did so has written it. */
function isFollowedBy(never: RosterEntry, { playerId, createdAt }: RosterEntry): boolean {
  return never.playerId === playerId && never.createdAt <= createdAt && never.updatedAt >= createdAt;
}

function keyOf({ playerId }: RosterEntry, at: number): string {
  return `${playerId} ${at}`;
}

function ofPlayer({ playerId, ign }: RosterEntry, at: number) {
  return { playerId, ign, at };
}

function name({ teamName, role }: RosterEntry): string {
  return `${teamName}, ${role}`;
}
