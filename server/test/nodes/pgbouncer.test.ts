/** Queries through a pooler that gives out connections for one transaction at a time; notifications past it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { revokeKey } from "../../src/access/key-admin.ts";
import { createOrganization, setTier } from "../../src/access/organizations.ts";
import { type PgBouncer, startPgBouncer } from "../services/pgbouncer.ts";
import { canStart, hasPostgres, makeTestDatabase } from "../services/provided-services.ts";
import type { TestDatabase } from "../services/test-database.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, startTestServer, type TestServer } from "../test-server.ts";

describe.skipIf(!hasPostgres() || !canStart("pgbouncer"))("behind PgBouncer in transaction mode", () => {
  let database: TestDatabase;
  let pool: PgBouncer;
  let server: TestServer;
  beforeAll(async () => {
    database = await makeTestDatabase({ empty: true });
    const direct = new URL(database.url);
    // One connection for all: whatever one transaction left behind, the next would find.
    const settings = { default_pool_size: "1" };
    const users: [string] = [decodeURIComponent(direct.username) || "postgres"];
    pool = await startPgBouncer({
      postgresPort: Number(direct.port || 5432),
      poolMode: "transaction",
      users,
      settings,
    });
    server = await startTestServer({
      config: { databaseUrl: pool.url(database.name), databaseDirectUrl: database.url, databasePoolSize: 8 },
    });
  });
  afterAll(async () => {
    await server?.stop();
    await pool?.stop();
    await database?.drop();
  });

  it("answers reads and writes of several organizations at once, each with its own data alone", async () => {
    const orgs = await Promise.all(
      ["A", "B", "C", "D"].map(async (name) => {
        const { id } = await createOrganization(server.store, { name, tier: "Enterprise" }, TEST_ORIGIN);
        return { name, key: (await makeKey(server, id)).key };
      }),
    );
    await Promise.all(
      orgs.flatMap(({ name, key }) =>
        Array.from({ length: 10 }, async (_, index) => {
          const body = { ign: `${name}${index}`, role: "Player" };
          expect((await call(server, "POST", "/players", { key, body })).status).toBe(201);
          const { data } = (await call(server, "GET", "/players", { key })).body;
          for (const player of data) expect(player.ign[0]).toBe(name);
        }),
      ),
    );
    for (const { key } of orgs) expect((await call(server, "GET", "/players", { key })).body.meta.count).toBe(10);
  });

  it("hears of changes past it, at once", async () => {
    const { id: orgId } = await createOrganization(server.store, { name: "Changed", tier: "Free" }, TEST_ORIGIN);
    const { id, key } = await makeKey(server, orgId);
    const limit = async () => (await call(server, "GET", "/teams", { key })).headers.get("x-ratelimit-limit");
    expect(await limit()).toBe("10");
    await setTier(server.store, orgId, "Pro", TEST_ORIGIN);
    expect(await limit()).toBe("300");
    await revokeKey(server.store, id, TEST_ORIGIN);
    expect((await call(server, "GET", "/teams", { key })).body.error.code).toBe("KEY_REVOKED");
    expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
  });

  it("is refused without a way past it, and with one that leads to another database", async () => {
    const other = await makeTestDatabase();
    try {
      for (const config of [
        { databaseUrl: pool.url(other.name) },
        { databaseUrl: other.url, databaseDirectUrl: database.url, redisUrl: undefined },
      ]) {
        await expect(startTestServer({ config })).rejects.toThrow(/LINEUP_DATABASE_DIRECT_URL|Another Lineup server/);
      }
      const third = await makeTestDatabase();
      const config = { databaseUrl: other.url, databaseDirectUrl: third.url };
      await expect(startTestServer({ config })).rejects.toThrow(/must lead to the same database/);
      await third.drop();
    } finally {
      await other.drop();
    }
  });
});
