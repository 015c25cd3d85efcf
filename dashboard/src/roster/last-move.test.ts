import { expect, test } from "vitest";
import { canTakeBack, type Stay } from "./last-move.ts";

const stay = (teamId: string, role: string, joinedAt: number, leftAt: number | null): Stay => ({
  teamId,
  role,
  joinedAt,
  leftAt,
  createdAt: joinedAt,
  updatedAt: leftAt ?? joinedAt,
});
const CARD = { teamId: "team_a", role: "Mid" };
const LOOSE = { teamId: null, role: "Player" };

test("takes back what followed on another stay, and who has left", () => {
  expect(canTakeBack(CARD, [stay("team_b", "Mid", 1, 5), stay("team_a", "Mid", 5, null)])).toBe(true);
  expect(canTakeBack(LOOSE, [stay("team_a", "Mid", 1, 5)])).toBe(true);
});

test("takes somebody back who was moved before the day of joining", () => {
  const open = { ...stay("team_a", "Mid", 5, null), createdAt: 5, updatedAt: 5 };
  const never = { ...stay("team_b", "Mid", 9, 9), createdAt: 2, updatedAt: 5 };
  expect(canTakeBack(CARD, [open, never])).toBe(true);
  // They had left it before they came to this team.
  expect(canTakeBack(CARD, [open, { ...never, updatedAt: 4 }])).toBe(false);
});

test("takes nothing back where nothing was before", () => {
  expect(canTakeBack(LOOSE, [])).toBe(false);
  expect(canTakeBack(CARD, [stay("team_a", "Mid", 5, null)])).toBe(false);
  expect(canTakeBack(CARD, [stay("team_b", "Mid", 1, 4), stay("team_a", "Mid", 5, null)])).toBe(false);
});

test("takes somebody back to no team in a role that says something there", () => {
  expect(canTakeBack({ teamId: "team_a", role: "Coach" }, [stay("team_a", "Coach", 5, null)])).toBe(true);
});

test("offers it while nothing is known, or a move is on its way", () => {
  expect(canTakeBack(CARD, undefined)).toBe(true);
  expect(canTakeBack(CARD, [stay("team_b", "Mid", 5, null)])).toBe(true);
  expect(canTakeBack(CARD, [stay("team_a", "Top", 5, null)])).toBe(true);
  expect(canTakeBack(LOOSE, [stay("team_a", "Mid", 5, null)])).toBe(true);
});
