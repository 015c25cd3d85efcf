/** Writers that meet on one server. Over several nodes: `nodes/two-writers.drill.ts`. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { drillCount } from "../drill-count.ts";
import { call, makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";
import { createAtOnce, raceUpdates } from "../write-races.ts";

const RACES = drillCount("write-races", 25, 1_000);

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

it("50 requests at once under one Idempotency-Key make one record, and are all told of it", async () => {
  const made = await makeKey(server, await makeOrg(server));
  const once = await createAtOnce([server], made, 50);
  expect(once).toEqual({ statuses: [201], answers: 1, made: 1, players: 1 });
  const again = await createAtOnce([server], made, 50);
  expect(again).toEqual({ statuses: [201], answers: 1, made: 0, players: 1 });
});

it("of different requests at once under one Idempotency-Key one is made, and the others are refused", async () => {
  const { key } = await makeKey(server, await makeOrg(server));
  const headers = { "idempotency-key": "one" };
  const send = (_: unknown, index: number) =>
    call(server, "POST", "/players", { key, body: { ign: `Vex ${index}`, role: "Player" }, headers });
  const replies = await Promise.all(Array.from({ length: 20 }, send));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 19 }, () => 400)]);
  expect((await call(server, "GET", "/players", { key })).body.meta.count).toBe(1);
});

it("of two updates at once of what both have seen, one is made", async () => {
  expect(await raceUpdates([server], await makeOrg(server), RACES)).toEqual({ races: RACES, fair: RACES });
});
