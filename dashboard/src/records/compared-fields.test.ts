import { expect, test } from "vitest";
import { compareFields } from "./compared-fields.ts";

test("shows what either has changed, what the person wrote first", () => {
  const seen = { id: "player_1", ign: "Vex", role: "Mid", status: "active", updatedAt: 1 };
  const current = { ...seen, role: "Top", status: "benched", updatedAt: 2 };
  expect(compareFields(seen, current, { ign: "Vexx", status: "inactive", updatedAt: 1 })).toEqual([
    { field: "ign", seen: "Vex", theirs: "Vex", yours: "Vexx" },
    { field: "status", seen: "active", theirs: "benched", yours: "inactive" },
    { field: "role", seen: "Mid", theirs: "Top", yours: undefined },
  ]);
});

test("of a move, shows what is the assignment's own, whatever else changed of the player", () => {
  const seen = {
    id: "assignment_1",
    playerId: "player_1",
    ign: "Vex",
    teamId: "team_1",
    teamName: "Rift",
    role: "Mid",
  };
  const current = { ...seen, id: "assignment_2", ign: "Vexx", teamId: "team_2", teamName: "Spike", role: "Duelist" };
  const fields = compareFields(seen, current, { teamId: null, role: "Mid", updatedAt: 1 }).map(({ field }) => field);
  expect(fields).toEqual(["teamId", "role"]);
});

test("compares a player who had no team with the assignment that there is now by what both have", () => {
  const seen = { id: "player_1", ign: "Vex", teamId: null, role: "Mid", status: "active" };
  const current = {
    id: "assignment_1",
    playerId: "player_1",
    kind: "player",
    teamId: "team_2",
    role: "Top",
    joinedAt: 1,
  };
  expect(compareFields(seen, current, { role: "Jungle" })).toEqual([
    { field: "role", seen: "Mid", theirs: "Top", yours: "Jungle" },
    { field: "teamId", seen: null, theirs: "team_2", yours: undefined },
  ]);
});

test("leaves out what was written and nobody changed, unless then nothing is left", () => {
  const seen = { id: "assignment_1", role: "Mid", isCaptain: false };
  const names = (current: object, written: Record<string, unknown>) =>
    compareFields(seen, { ...seen, ...current }, written).map(({ field }) => field);
  expect(names({ role: "Top" }, { role: "Jungle", isCaptain: false })).toEqual(["role"]);
  expect(names({}, { isCaptain: false })).toEqual(["isCaptain"]);
});

test("shows what was written where nothing was seen", () => {
  const compared = compareFields(undefined, { role: "Top", updatedAt: 2 }, { role: "Mid" });
  expect(compared).toEqual([{ field: "role", seen: null, theirs: "Top", yours: "Mid" }]);
});
