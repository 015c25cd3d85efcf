/** Few connections, and many who want one: organizations must not keep each other waiting. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deleteOrganization } from "../../src/access/organizations.ts";
import { KnownRevisions } from "../../src/store/postgres-revisions.ts";
import { hasPostgres, makeTestDatabase } from "../services/provided-services.ts";
import type { TestDatabase } from "../services/test-database.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";

describe.skipIf(!hasPostgres())("a server with three connections", () => {
  let database: TestDatabase;
  let server: TestServer;
  beforeAll(async () => {
    database = await makeTestDatabase();
    server = await startTestServer({ config: { databaseUrl: database.url, databasePoolSize: 3 } });
  });
  afterAll(async () => {
    await server?.stop();
    await database?.drop();
  });

  it("answers one organization while another's writers wait for a long transaction of its own", async () => {
    const [busy, other] = [await makeOrg(server), await makeOrg(server)];
    const [busyKey, otherKey] = [(await makeKey(server, busy)).key, (await makeKey(server, other)).key];
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
    const long = server.store.writeOrg(busy, TEST_ORIGIN, async () => {
      begin();
      await isOver;
    });
    await hasBegun;
    const body = { ign: "Waiting", role: "Player" };
    const writers = Array.from({ length: 10 }, () => call(server, "POST", "/players", { key: busyKey, body }));
    for (let turn = 0; turn < 5; turn++) {
      expect((await call(server, "GET", `/players?limit=${turn + 1}`, { key: otherKey })).status).toBe(200);
    }
    expect((await call(server, "POST", "/players", { key: otherKey, body })).status).toBe(201);
    end();
    await long;
    for (const written of await Promise.all(writers)) expect(written.status).toBe(201);
  });

  it("deletes an organization under its writers' hands, and answers none of them 500", async () => {
    for (let round = 0; round < 5; round++) {
      const orgId = await makeOrg(server);
      const { key } = await makeKey(server, orgId);
      const created = await call(server, "POST", "/players", { key, body: { ign: "First", role: "Player" } });
      const writers = Array.from({ length: 6 }, (_, index) =>
        call(server, "PATCH", `/players/${created.body.data.id}`, { key, body: { ign: `p${index}` } }),
      );
      await Promise.all([deleteOrganization(server.store, orgId, TEST_ORIGIN), ...writers]);
      for (const writer of writers) expect([200, 401, 404]).toContain((await writer).status);
    }
  });
});

describe("revisions", () => {
  it("of a database that was lost and found again never match those from before, though their numbers do", async () => {
    const source = { readRevision: async () => 6, readRevisions: async () => new Map([["org_1", 6]]) };
    const known = new KnownRevisions(source);
    known.begin();
    const before = await known.find("org_1");
    expect(known.find("org_1")).toBe(before);
    known.end();
    known.begin();
    const after = await known.find("org_1");
    expect(after).not.toBe(before);
    known.end();
  });
});
