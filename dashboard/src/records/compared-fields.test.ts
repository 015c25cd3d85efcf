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

test("shows what was written where nothing was seen", () => {
  const compared = compareFields(undefined, { role: "Top", updatedAt: 2 }, { role: "Mid" });
  expect(compared).toEqual([{ field: "role", seen: null, theirs: "Top", yours: "Mid" }]);
});
