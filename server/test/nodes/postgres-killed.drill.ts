import { expect, test } from "vitest";
import { drillCount } from "../drill-count.ts";
import { canStart } from "../services/provided-services.ts";
import { ACKNOWLEDGED_MIN, runPostgresKillRounds } from "./postgres-killed.ts";

const ROUNDS = drillCount("postgres-killed", 3, 25);

test.skipIf(!canStart("postgres"))(
  `${ROUNDS} kills of PostgreSQL in the middle of writes lose no acknowledged write, and the server returns by itself`,
  async () => {
    const report = await runPostgresKillRounds(ROUNDS);
    expect(report.lost).toBe(0);
    expect(report.rounds).toBe(ROUNDS);
    expect(report.acknowledged).toBeGreaterThanOrEqual(ROUNDS * ACKNOWLEDGED_MIN);
    expect(report.failed).toBeGreaterThanOrEqual(ROUNDS);
  },
);
