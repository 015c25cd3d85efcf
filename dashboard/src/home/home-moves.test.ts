import type { RosterEntry } from "@lineup/api/roster";
import { expect, test } from "vitest";
import { listMoves } from "./home-moves.ts";

function entry(playerId: string, teamName: string, joinedAt: number, leftAt: number | null): RosterEntry {
  return { playerId, ign: playerId, teamName, role: "Mid", joinedAt, leftAt } as RosterEntry;
}

test("says where each came from and went, the latest first, and nothing of before", () => {
  const moves = listMoves(
    [
      entry("vex", "Beta", 20, null),
      entry("vex", "Alpha", 5, 20),
      entry("nyx", "Alpha", 3, 30),
      entry("lark", "Beta", 10, null),
    ],
    5,
  );
  expect(moves.map(({ ign, at, to, from }) => [ign, at, to, from])).toEqual([
    ["nyx", 30, undefined, "Alpha, Mid"],
    ["vex", 20, "Beta, Mid", "Alpha, Mid"],
    ["lark", 10, "Beta, Mid", undefined],
    ["vex", 5, "Alpha, Mid", undefined],
  ]);
});
