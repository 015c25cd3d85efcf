import { expect, test } from "vitest";
import { canStart } from "../services/provided-services.ts";
import { runPostgresKillRounds } from "./postgres-killed.ts";

test.skipIf(!canStart("postgres"))(
  "25 kills of PostgreSQL in the middle of writes lose no acknowledged write, and the server returns by itself",
  { timeout: 180_000 },
  async () => {
    const report = await runPostgresKillRounds(25);
    expect(report.lost).toBe(0);
    expect(report.rounds).toBe(25);
    expect(report.acknowledged).toBeGreaterThan(100);
    expect(report.failed).toBeGreaterThanOrEqual(25);
    expect(report.slowestReturnMs).toBeLessThan(5_000);
  },
);
