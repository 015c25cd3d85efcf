/** Requests generated from the records: whatever they hold, every answer is one that the reference describes. */
import { ENDPOINTS } from "@lineup/api/endpoints";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeId } from "../../src/store/ids.ts";
import { insertContracts, insertTeams, makeContract, makeTeam } from "../contract/seed-records.ts";
import { drillCount } from "../drill-count.ts";
import { ManualClock } from "../manual-clock.ts";
import { openApiChecker } from "../openapi-checker.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, makeOrg, type Reply, startTestServer, type TestServer } from "../test-server.ts";
import { type KnownIds, requestsOf } from "./arbitraries.ts";

const RUNS_PER_ENDPOINT = drillCount("generated-requests", 60, 500);

let server: TestServer;
let key: string;
let known: KnownIds;
const clock = new ManualClock(Date.UTC(2026, 5, 1));
const checker = openApiChecker();

beforeAll(async () => {
  server = await startTestServer({ clock });
  const orgId = await makeOrg(server);
  key = (await makeKey(server, orgId)).key;
  known = await seed(orgId);
});

afterAll(() => server.stop());

async function seed(orgId: string): Promise<KnownIds> {
  const player = await call(server, "POST", "/players", { key, body: { ign: "Vex", role: "Player" } });
  const prospect = await call(server, "POST", "/prospects", { key, body: { ign: "Nyx" } });
  const ids = {
    player: player.body.data.id,
    prospect: prospect.body.data.id,
    team: makeId("team"),
    contract: makeId("contract"),
  };
  const now = clock.wallMs();
  await server.store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
    await insertTeams(org, [makeTeam({ id: ids.team, name: "One", createdAt: now, updatedAt: now })]);
    const times = { startDate: 0, endDate: now + 1e9, createdAt: now, updatedAt: now };
    await insertContracts(org, [makeContract(ids.player, { id: ids.contract, teamId: ids.team, ...times })]);
  });
  return ids;
}

/** The answer to a write names the version that a read would now. */
async function expectTagOfRead({ body, headers }: Reply): Promise<void> {
  const { id } = body.data;
  const read = await call(server, "GET", `/${id.split("_")[0]}s/${id}`, { key });
  expect(headers.get("etag")).toBe(read.headers.get("etag"));
}

describe("requests generated from the records", () => {
  for (const endpoint of ENDPOINTS) {
    it(
      `get a documented answer from ${endpoint.method} ${endpoint.path}`,
      async () => {
        const seen = new Set<number>();
        await fc.assert(
          fc.asyncProperty(requestsOf(endpoint, known), async ({ path, query, body }) => {
            // Nobody waits a minute for a window here: time passes instead.
            clock.advance(122);
            const reply = await call(server, endpoint.method, path + query, { key, body });
            seen.add(reply.status);
            expect(reply.status, reply.text).toBeLessThan(500);
            expect(
              checker.checkAnswer(endpoint.method, endpoint.path, reply.status, reply.headers, reply.body),
            ).toEqual([]);
            if (endpoint.method !== "GET" && reply.status < 300) await expectTagOfRead(reply);
          }),
          { numRuns: RUNS_PER_ENDPOINT },
        );
        // A generator that only ever breaks requests, or never does, would prove little.
        expect([...seen].some((status) => status < 300)).toBe(true);
        expect([...seen].some((status) => status >= 400)).toBe(true);
      },
      30_000 + RUNS_PER_ENDPOINT * 100,
    );
  }
});
