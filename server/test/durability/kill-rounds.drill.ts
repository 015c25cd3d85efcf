import { expect, test } from "vitest";
import { drillCount } from "../drill-count.ts";
import { ACKNOWLEDGED_MIN, runKillRounds } from "./kill-rounds.ts";

const ROUNDS = drillCount("kill-rounds", 4, 50);

test(`${ROUNDS} kills in the middle of writes lose no acknowledged write and leave none half there`, async () => {
  const report = await runKillRounds(ROUNDS);
  expect(report.rounds).toBe(ROUNDS);
  // Writes were acknowledged before every kill, and the kills did fall into the middle of some.
  expect(report.acknowledged).toBeGreaterThanOrEqual(ROUNDS * ACKNOWLEDGED_MIN);
  expect(report.keptUnderWay + report.lostUnderWay).toBeGreaterThan(ROUNDS);
});
