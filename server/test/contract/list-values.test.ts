/** Whatever a client sends as a value is that value, in a list that is read in many slices as in any other. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { prospectStore } from "../../src/resources/prospects/prospect-store.ts";
import { makeId } from "../../src/store/ids.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";

/** More than are read in one piece. */
const PROSPECTS = 1_501;

/** How the places of values are called where a list's queries are put together, and other texts that mean something to somebody. */
const TEXTS = [
  "the id behind which a slice begins",
  "the ids that a slice holds",
  "how many a slice holds",
  "the organization",
  "[object Object]",
];

let server: TestServer;
let orgId: string;
let key: string;

beforeAll(async () => {
  server = await startTestServer();
  orgId = await makeOrg(server);
  key = (await makeKey(server, orgId)).key;
});
afterAll(() => server.stop());

async function makeProspects(assignedTo: string): Promise<void> {
  const rows = Array.from({ length: PROSPECTS }, () =>
    prospectStore.toRow({
      ...{
        id: makeId("prospect"),
        ign: "Vex",
        realName: "",
        role: null,
        game: "Other",
        stage: "trial",
        priority: "low",
      },
      ...{ stageChangedAt: 1, rating: null, currentTeam: null, region: null, source: null, notes: null, tags: [] },
      ...{ lastContactAt: null, contractEndDate: null, nationality: null, targetTeamId: null, playerId: null },
      ...{ assignedTo, externalIds: {}, createdAt: 1, updatedAt: 1 },
    }),
  );
  await server.store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
    for (let start = 0; start < PROSPECTS; start += 500) {
      await org.insertInto("prospects", rows.slice(start, start + 500)).execute();
    }
  });
}

it.each(TEXTS)("a list of those assigned to %j has all of them, in any order", async (assignedTo) => {
  await makeProspects(assignedTo);
  for (const order of ["", "&sort=-id", "&sort=ign", "&sort=-updatedAt"]) {
    const reply = await call(server, "GET", `/prospects?assignedTo=${encodeURIComponent(assignedTo)}${order}`, { key });
    expect([order, reply.status, reply.body.meta.count]).toEqual([order, 200, PROSPECTS]);
  }
});
