/**
 * Servers whose address names a user without special rights: neither superuser nor above row level security. Roles belong to a
 * whole cluster, so these tests have one of their own, in which nobody has made Lineup's roles before.
 */
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createOrganization } from "../../src/access/organizations.ts";
import { openPostgresStore } from "../../src/store/postgres.ts";
import { OPERATOR_ROLE, TENANT_ROLE } from "../../src/store/postgres-migrations.ts";
import { seedOrganization } from "../contract/seed.ts";
import { type OwnPostgres, startOwnPostgres } from "../services/postgres.ts";
import { canStart } from "../services/provided-services.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, startTestServer } from "../test-server.ts";

describe.skipIf(!canStart("postgres"))("a server whose user owns the database and nothing else", () => {
  let postgres: OwnPostgres;
  beforeAll(async () => {
    postgres = await startOwnPostgres({ fsync: false });
  });
  afterAll(() => postgres?.remove());

  async function administer(...statements: readonly string[]): Promise<void> {
    await query(postgres.url("postgres"), ...statements);
  }

  async function query(url: string, ...statements: readonly string[]): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      let rows: Record<string, unknown>[] = [];
      for (const statement of statements) ({ rows } = await client.query(statement));
      return rows;
    } finally {
      await client.end();
    }
  }

  /** A user with these rights, and a database that it owns. */
  async function makeOwner(name: string, rights: string): Promise<string> {
    await administer(`CREATE ROLE ${name} LOGIN ${rights}`, `CREATE DATABASE ${name} OWNER ${name}`);
    return postgres.url(name).replace("postgres@", `${name}@`);
  }

  async function expectToServe(databaseUrl: string): Promise<void> {
    const server = await startTestServer({ config: { databaseUrl, databasePoolSize: 2 } });
    try {
      const made = ["Ours", "Theirs"].map(async (name) => {
        const { id } = await createOrganization(server.store, { name, tier: "Enterprise" }, TEST_ORIGIN);
        await seedOrganization(server.store, id);
        return (await makeKey(server, id)).key;
      });
      const [ours = "", theirs = ""] = await Promise.all(made);
      const body = { ign: "Vex", role: "Player" };
      const created = await call(server, "POST", "/players", { key: ours, body });
      expect(created.status).toBe(201);
      const path = `/players/${created.body.data.id}`;
      expect((await call(server, "PATCH", path, { key: ours, body: { ign: "Vexx" } })).body.data.ign).toBe("Vexx");
      expect((await call(server, "GET", path, { key: theirs })).body.error.code).toBe("NOT_FOUND");
      const [own, other] = [
        await call(server, "GET", "/players", { key: ours }),
        await call(server, "GET", "/players", { key: theirs }),
      ];
      expect(own.body.meta.count).toBe(other.body.meta.count + 1);
      expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
    } finally {
      await server.stop();
    }
    // Without one of the roles, even the owner of the tables is shown nothing.
    expect(await query(databaseUrl, "SELECT * FROM lineup.players")).toEqual([]);
    const [operator] = await query(
      databaseUrl,
      `SET ROLE ${OPERATOR_ROLE}`,
      "SELECT count(*)::int AS count FROM lineup.players",
    );
    expect(operator?.count).toBeGreaterThan(0);
  }

  test("and may make roles serves, with the roles that it makes itself", async () => {
    await expectToServe(await makeOwner("maker", "CREATEROLE"));
  });

  test("is refused, and told what to do, where it may neither make the roles nor take them", async () => {
    const url = await makeOwner("outsider", "");
    await expect(openPostgresStore({ url })).rejects.toThrow(
      new RegExp(`may not make the two roles.*CREATE ROLE ${TENANT_ROLE}.*GRANT ${TENANT_ROLE}`),
    );
    expect(await query(url, "SELECT to_regnamespace('lineup') AS schema")).toEqual([{ schema: null }]);
  });

  test("serves with roles that an administrator gave it", async () => {
    const url = await makeOwner("given", "");
    await administer(`GRANT ${TENANT_ROLE}, ${OPERATOR_ROLE} TO given`);
    await expectToServe(url);
  });

  test("is refused where one of the roles has more rights than it is to have", async () => {
    const url = await makeOwner("wary", "");
    await administer(`GRANT ${TENANT_ROLE}, ${OPERATOR_ROLE} TO wary`, `ALTER ROLE ${TENANT_ROLE} BYPASSRLS`);
    await expect(openPostgresStore({ url })).rejects.toThrow(/NOSUPERUSER NOBYPASSRLS NOLOGIN/);
    await administer(`ALTER ROLE ${TENANT_ROLE} NOBYPASSRLS`);
    await (await openPostgresStore({ url })).store.close();
  });
});
