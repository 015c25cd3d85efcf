/**
 * Three organizations side by side. Whatever one of them asks with an id of another, wherever an id can stand, is answered
 * byte for byte as with an id that nobody has; and no list of one ever shows a row of another.
 */
import { ENDPOINTS } from "@lineup/api/endpoints";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeId } from "../../src/store/ids.ts";
import { makeOrg, type Reply } from "../test-server.ts";
import { expectError, freshKeyCaller, openStage, type Stage } from "./checked-call.ts";
import { pathWith, RECORD_LISTS, takesId } from "./endpoint-requests.ts";
import { type Seed, seedOrganization } from "./seed.ts";

let stage: Stage;
let own: Seed;
let strangers: [Seed, Seed];
let ask: Stage["api"];
let askAsStranger: Stage["api"];

beforeAll(async () => {
  stage = await openStage();
  own = stage.seed;
  ask = stage.api;
  const { server } = stage;
  strangers = [
    await seedOrganization(server.store, await makeOrg(server), "second"),
    await seedOrganization(server.store, await makeOrg(server), "third"),
  ];
  askAsStranger = freshKeyCaller(server, strangers[0].orgId);
});
afterAll(() => stage.stop());

/** Every id that an organization's records have. */
function idsOf(seed: Seed): string[] {
  const records = [Object.values(seed.teams), seed.players, seed.contracts, seed.entries, seed.prospects];
  return records.flatMap((list) => list.map(({ id }) => id));
}

/** What of an answer could tell two cases apart: everything but the request's own name and time. */
function telling(reply: Reply): string {
  const bare = reply.text
    .replace(reply.body.meta.requestId, "REQUEST")
    .replace(/"timestamp":"[^"]+"/, '"timestamp":"NOW"');
  const headers = ["content-type", "content-length", "location", "link", "cache-control"];
  return [reply.status, ...headers.map((name) => reply.headers.get(name)), bare].join("\n");
}

async function expectLikeUnknown(method: string, pathFor: (id: string) => string, id: string, body?: unknown) {
  const foreign = await ask(method, pathFor(id), body);
  const prefix = id.slice(0, id.indexOf("_")) as "player";
  const question = JSON.stringify([method, pathFor(prefix), body]);
  const unknown = answersToUnknown.get(question) ?? telling(await ask(method, pathFor(makeId(prefix)), body));
  answersToUnknown.set(question, unknown);
  expect(telling(foreign), `${method} ${pathFor(id)}`).toBe(unknown);
  return foreign;
}

/** By question, because the answer to an id that nobody has is the same for all of them. */
const answersToUnknown = new Map<string, string>();

describe("an id of another organization", () => {
  for (const endpoint of ENDPOINTS.filter(takesId)) {
    it(`is unknown in the path of ${endpoint.method} ${endpoint.path}, of whatever kind it is`, async () => {
      const bodies =
        "body" in endpoint ? [endpoint.body.example, { nosuchfield: 1 }, { ign: "", role: "Nobody" }, {}] : [undefined];
      for (const id of strangers.flatMap(idsOf)) {
        for (const body of bodies) {
          const reply = await expectLikeUnknown(endpoint.method, (any) => pathWith(endpoint, any), id, body);
          expectError(reply, body === bodies[0] ? "NOT_FOUND" : "VALIDATION_ERROR");
        }
      }
    });
  }

  it.each([
    ["POST", "/players", "teamId", { ign: "Thief", role: "Mid" }],
    ["POST", "/players", "teamId", { ign: "Thief", role: "Nobody" }],
    ["POST", "/players", "teamId", { ign: "" }],
    ["PATCH", "/players/{own}", "teamId", {}],
    ["PATCH", "/players/{own}", "teamId", { role: "Top", ign: "Vex" }],
    ["POST", "/prospects", "targetTeamId", { ign: "Thief" }],
    ["POST", "/prospects", "targetTeamId", { ign: "Thief", role: "Mid" }],
    ["PATCH", "/prospects/{own}", "targetTeamId", {}],
  ])("is no team in the body of %s %s (%s beside %j)", async (method, template, field, rest) => {
    const path = template.replace("{own}", template.startsWith("/players") ? own.players[0].id : own.prospects[0].id);
    const unknown = await ask(method, path, { ...rest, [field]: makeId("team") });
    for (const team of strangers.flatMap((seed) => Object.values(seed.teams))) {
      const foreign = await ask(method, path, { ...rest, [field]: team.id });
      expect(telling(foreign)).toBe(telling(unknown));
      expectError(foreign, "VALIDATION_ERROR");
      expect(foreign.body.error.details).toContainEqual(expect.objectContaining({ field }));
    }
  });

  it("matches nothing as a filter, alone or beside our own", async () => {
    for (const { path, query } of RECORD_LISTS) {
      for (const name of ["teamId", "playerId"].filter((name) => name in query)) {
        const foreignIds = strangers.flatMap((seed) =>
          name === "teamId" ? Object.values(seed.teams).map(({ id }) => id) : seed.players.map(({ id }) => id),
        );
        for (const id of foreignIds) {
          const reply = await expectLikeUnknown("GET", (any) => `${path}?${name}=${any}`, id);
          expect(reply.body.data).toEqual([]);
        }
        const ownId = name === "teamId" ? own.teams.LoL.id : own.players[0].id;
        const beside = await ask("GET", `${path}?${name}=${ownId},${foreignIds.join()}`);
        expect(beside.body.data).toEqual((await ask("GET", `${path}?${name}=${ownId}`)).body.data);
      }
    }
  });

  it("matches nothing as an external id, and does not stand in the way of our own", async () => {
    const pairs = ["second-lol", "second-vex", "second-c1", "second-e1", "second-p1"];
    for (const { path, query } of RECORD_LISTS.filter((endpoint) => "externalId" in endpoint.query)) {
      expect(query).toHaveProperty("externalId");
      for (const pair of pairs) {
        expect((await ask("GET", `${path}?externalId=board:${pair}`)).body.data).toEqual([]);
      }
    }
    const taken = await askAsStranger("GET", "/players?externalId=board:second-vex");
    expect(taken.body.data).toHaveLength(1);
    const reply = await ask("POST", "/players", { ign: "Same", role: "Player", externalIds: { board: "second-vex" } });
    expect(reply.status).toBe(201);
    expect((await ask("GET", "/players?externalId=board:second-vex")).body.data).toEqual([reply.body.data]);
  });
});

describe("a list", () => {
  it("never shows a row, a name or an id of another organization, however it is filtered", async () => {
    const foreign = strangers.flatMap((seed) => [seed.orgId, ...idsOf(seed)]);
    for (const { path, query } of RECORD_LISTS) {
      const filters = ["", "?updatedSince=0", "?limit=500", "?sort=-id"];
      if ("search" in query) filters.push("?search=e", "?search=%25");
      if ("status" in query)
        filters.push(`?status=${path === "/schedule" ? "scheduled,completed,cancelled" : "active"}`);
      if ("game" in query) filters.push("?game=LoL,Valorant,CS2,Other");
      if ("asOf" in query) filters.push("?asOf=2025-12-31");
      if ("days" in query) filters.push("?days=365");
      for (const filter of filters) {
        const { text, body } = await ask("GET", path + filter);
        expect(body.data.length, path + filter).toBeGreaterThan(0);
        for (const id of foreign) expect(text.includes(id), `${path}${filter} shows ${id}`).toBe(false);
      }
    }
  });

  it("is told from another organization's by its cursor, which opens nothing there", async () => {
    for (const { path } of RECORD_LISTS) {
      const { nextCursor } = (await askAsStranger("GET", `${path}?limit=1`)).body.meta;
      expect(nextCursor, path).toBeTypeOf("string");
      const refused = await ask("GET", `${path}?cursor=${nextCursor}`);
      expectError(refused, "INVALID_PARAMETER");
      expect((await askAsStranger("GET", `${path}?cursor=${nextCursor}`)).status).toBe(200);
    }
  });

  it("stays as it was for others, and is served anew, when one organization writes", async () => {
    const before = telling(await ask("GET", "/players"));
    const theirs = (await askAsStranger("GET", "/players")).body.data.length;
    expect((await askAsStranger("POST", "/players", { ign: "New", role: "Player" })).status).toBe(201);
    expect(telling(await ask("GET", "/players"))).toBe(before);
    expect((await askAsStranger("GET", "/players")).body.data).toHaveLength(theirs + 1);
  });
});

describe("GET /me", () => {
  it("names the organization of the key that asks", async () => {
    expect((await ask("GET", "/me")).body.data.organization.id).toBe(own.orgId);
    expect((await askAsStranger("GET", "/me")).body.data.organization.id).toBe(strangers[0].orgId);
  });
});
