import { expect, test } from "vitest";
import { drillCount, SEED } from "../drill-count.ts";
import { makeTestDatabase } from "../services/provided-services.ts";
import { makeOddlySorted, playInStep } from "./in-step.ts";

const MANY = 10_000;
const REQUESTS = drillCount("in-step", 250, MANY);

test(`${REQUESTS} random requests are answered alike on SQLite and on PostgreSQL`, async () => {
  const { url, drop } = await makeOddlySorted(makeTestDatabase);
  try {
    const { played, statuses, pagesFollowed } = await playInStep({ databaseUrl: url, requests: REQUESTS, seed: SEED });
    expect(played).toBe(REQUESTS);
    expect(statuses[500]).toBeUndefined();
    // Requests that are all refused, or all taken, would prove little.
    for (const status of [200, 201, 400, 401, 403, 404, 429])
      expect(statuses[status], String(status)).toBeGreaterThan(REQUESTS < MANY ? 0 : REQUESTS / 500);
    expect(statuses[201]).toBeGreaterThan(REQUESTS / 20);
    expect(pagesFollowed).toBeGreaterThan(REQUESTS / 20);
  } finally {
    await drop();
  }
});
