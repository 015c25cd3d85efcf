import type { RosterEntry } from "@lineup/api/roster";
import { expect, test } from "vitest";
import { listMoves } from "./home-moves.ts";

function entry(playerId: string, teamName: string, joinedAt: number, leftAt: number | null, role = "Mid"): RosterEntry {
  return { playerId, ign: playerId, teamId: teamName, teamName, role, joinedAt, leftAt } as RosterEntry;
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
    30,
  );
  expect(moves.map(({ ign, at, to, from }) => [ign, at, to, from])).toEqual([
    ["nyx", 30, undefined, "Alpha, Mid"],
    ["vex", 20, "Beta, Mid", "Alpha, Mid"],
    ["lark", 10, "Beta, Mid", undefined],
    ["vex", 5, "Alpha, Mid", undefined],
  ]);
});

test("names a team once where the role alone has changed", () => {
  const moves = listMoves([entry("vex", "Alpha", 20, null, "Top"), entry("vex", "Alpha", 5, 20)], 10, 30);
  expect(moves.map(({ to, from }) => [to, from])).toEqual([["Top in Alpha", "Mid"]]);
});

test("passes over who only became captain, or starts now", () => {
  const stays = [entry("vex", "Beta", 30, null), entry("vex", "Alpha", 20, 30), entry("vex", "Alpha", 5, 20)];
  const moves = listMoves(stays, 10, 40);
  expect(moves.map(({ at, to, from }) => [at, to, from])).toEqual([[30, "Beta, Mid", "Alpha, Mid"]]);
});

test("lists nothing that is to come", () => {
  const moves = listMoves([entry("vex", "Beta", 40, null), entry("nyx", "Alpha", 3, 50)], 5, 30);
  expect(moves).toEqual([]);
});

test("lists no stay that never was, and says of the move before it where the player came from", () => {
  const never = { ...entry("vex", "Alpha", 50, 50), createdAt: 10, updatedAt: 20 };
  const open = { ...entry("vex", "Beta", 20, null), createdAt: 20, updatedAt: 20 };
  const say = (assignments: readonly RosterEntry[]) =>
    listMoves(assignments, 5, 60).map(({ at, to, from }) => [at, to, from]);
  expect(say([never, open])).toEqual([[20, "Beta, Mid", "Alpha, Mid"]]);
  expect(say([never])).toEqual([]);
  // Closed by leaving, before the player joined another team.
  expect(say([{ ...never, updatedAt: 15 }, open])).toEqual([[20, "Beta, Mid", undefined]]);
});
