import type { Player } from "@lineup/api/players";
import { expect, test } from "vitest";
import { EXTERNAL_IDS, findPairFault, readStat, STATS } from "./pairs.ts";

const player = { stats: { kda: 4.2, shirt: "07" }, externalIds: { faceit: "1", steam: "2" } } as unknown as Player;

test("sends only the external ids that differ, and what takes that back", () => {
  const pairs = [
    { name: "steam", value: "3" },
    { name: "riot", value: "4" },
    { name: "", value: "" },
  ];
  expect(EXTERNAL_IDS.toPatch(player, pairs)).toEqual({ externalIds: { faceit: null, steam: "3", riot: "4" } });
  expect(EXTERNAL_IDS.toUndo(player, pairs)).toEqual({ externalIds: { riot: null, faceit: "1", steam: "2" } });
});

test("reads numbers as numbers, and leaves texts that nobody touched as texts", () => {
  expect(STATS.toPatch(player, STATS.read(player))).toEqual({ stats: player.stats });
  expect(readStat("12.5", undefined)).toBe(12.5);
  expect(readStat("61%", 61)).toBe("61%");
  expect(readStat("900719925474099300", undefined)).toBe("900719925474099300");
  expect(STATS.toPatch(player, [])).toEqual({ stats: null });
});

test("finds half a line and a name that stands twice", () => {
  expect(findPairFault([{ name: "kda", value: "" }])).not.toBeNull();
  expect(findPairFault([...STATS.read(player), { name: "kda", value: "1" }])).toContain("kda");
  expect(findPairFault([{ name: "", value: "" }])).toBeNull();
});
