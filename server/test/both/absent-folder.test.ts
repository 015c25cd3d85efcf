/** Commands on PostgreSQL need no data folder; where there is none they say what is not kept there, and where the store is. */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runLineup } from "../run-lineup.ts";
import { makeTestDatabase } from "../services/provided-services.ts";
import { TEST_SECRET } from "../test-origin.ts";

it("makes a store where no data folder is, and says of neither more than is so", async () => {
  const { url, drop } = await makeTestDatabase({ empty: true });
  onTestFinished(drop);
  const dataDir = join(tmpdir(), `lineup-absent-${process.pid}`);
  const settings = { LINEUP_DATA_DIR: dataDir, LINEUP_DATABASE_URL: url, LINEUP_SECRET: TEST_SECRET };
  const { code, err } = await runLineup(["org", "create", "--name", "A"], settings);
  expect([code, err]).toEqual([
    0,
    expect.stringMatching(/new store, in PostgreSQL at .*LINEUP_DATA_DIR is not there/s),
  ]);
  expect(existsSync(dataDir)).toBe(false);
});
