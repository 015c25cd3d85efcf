import { expect, test } from "vitest";
import { ENGINE } from "../test-store.ts";
import { runKillRounds } from "./kill-rounds.ts";

test("25 kills in the middle of writes lose no acknowledged write and leave none half there", {
  timeout: 300_000,
}, async () => {
  const report = await runKillRounds(25);
  expect(report.rounds).toBe(25);
  // Many writes were acknowledged, and the kills did fall into the middle of some. Over a network a write takes twice as long.
  expect(report.acknowledged).toBeGreaterThan(ENGINE === "sqlite" ? 100 : 50);
  expect(report.keptUnderWay + report.lostUnderWay).toBeGreaterThan(25);
});
