/** Assignments as moves: one that ends when another of the same player begins is where that player came from. */
import type { RosterEntry } from "@lineup/api/roster";

export interface RosterMove {
  readonly playerId: string;
  readonly ign: string;
  readonly at: number;
  /** Team and role; undefined for somebody who left. */
  readonly to: string | undefined;
  /** Undefined for somebody who came from no team. */
  readonly from: string | undefined;
}

/** Those since then, the latest first. */
export function listMoves(assignments: readonly RosterEntry[], since: number): RosterMove[] {
  const ended = new Map(assignments.flatMap((one) => (one.leftAt === null ? [] : [[keyOf(one, one.leftAt), one]])));
  const moves = assignments.map((one): RosterMove => {
    const before = ended.get(keyOf(one, one.joinedAt));
    ended.delete(keyOf(one, one.joinedAt));
    return { ...ofPlayer(one, one.joinedAt), to: name(one), from: before && name(before) };
  });
  const left = [...ended.values()].map((one) => ({
    ...ofPlayer(one, one.leftAt ?? 0),
    to: undefined,
    from: name(one),
  }));
  return [...moves, ...left].filter(({ at }) => at >= since).sort((a, b) => b.at - a.at);
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
