/** What several nodes on one PostgreSQL owe each other: one migration, one place, and news of every change. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createKey, revokeKey } from "../../src/access/key-admin.ts";
import { createOrganization } from "../../src/access/organizations.ts";
import { AuditSealer } from "../../src/store/audit-chain.ts";
import { makeId } from "../../src/store/ids.ts";
import { openPostgresStore, type PostgresOptions } from "../../src/store/postgres.ts";
import { CHANGES_CHANNEL, POSTGRES_MIGRATIONS } from "../../src/store/postgres-migrations.ts";
import { TRUSTED_MS } from "../../src/store/postgres-revisions.ts";
import type { Store } from "../../src/store/store.ts";
import { hasPostgres, makeTestDatabase } from "../services/provided-services.ts";
import type { TestDatabase } from "../services/test-database.ts";
import { TEST_ORIGIN, TEST_SECRET } from "../test-origin.ts";
import { waitUntil } from "./wait-until.ts";

let database: TestDatabase;
const opened: Store[] = [];

async function open(options: Partial<PostgresOptions> = {}): Promise<Store> {
  const { store } = await openPostgresStore({
    url: database.url,
    poolSize: 2,
    makeSealer: () => new AuditSealer(TEST_SECRET),
    ...options,
  });
  opened.push(store);
  return store;
}

async function administer<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Made by one node, and heard of by the other: the word of it would else come at any later moment. */
async function makeHeardOrganization(one: Store, other: Store, name: string): Promise<string> {
  const before = other.recentVersion();
  const { id } = await createOrganization(one, { name }, TEST_ORIGIN);
  await waitUntil("the other node has heard of it", async () => other.recentVersion() !== before, TRUSTED_MS);
  return id;
}

/** The connections over which nodes listen. */
const LISTENERS = `SELECT pid FROM pg_stat_activity WHERE application_name = 'lineup' AND datname = current_database()
  AND pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')`;

describe.skipIf(!hasPostgres())("nodes on one PostgreSQL", () => {
  beforeEach(async () => {
    database = await makeTestDatabase({ empty: true });
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
    await database.drop();
  });

  it("migrate once, though ten start together", async () => {
    const starting = Array.from({ length: 10 }, () =>
      openPostgresStore({ url: database.url, poolSize: 1, lock: "together" }),
    );
    const nodes = await Promise.all(starting);
    opened.push(...nodes.map(({ store }) => store));
    expect(nodes.map(({ migrated }) => migrated).sort()).toEqual([...Array(9).fill(0), POSTGRES_MIGRATIONS.length]);
    for (const { store } of nodes) await store.ping();
  });

  it("take no step when one of them fails, and say nothing of the password", async () => {
    const broken = [...POSTGRES_MIGRATIONS, { name: "broken", sql: "CREATE TABLE half (); SELECT 1 / 0" }];
    await expect(open({ migrations: broken })).rejects.toThrow(/division by zero/);
    expect(
      await administer(async (client) => (await client.query("SELECT to_regclass('lineup.players') AS t")).rows),
    ).toEqual([{ t: null }]);
    const secret = new URL(database.url);
    [secret.username, secret.password, secret.port] = ["somebody", "hunter2", "1"];
    const error = await open({ url: secret.href }).catch((fault: Error) => fault);
    expect(String(error)).toMatch(/cannot be reached.*LINEUP_DATABASE_URL/);
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain("hunter2");
  });

  it("refuse a store that a newer version has brought further", async () => {
    await open({ migrations: [...POSTGRES_MIGRATIONS, { name: "to come", sql: "CREATE TABLE to_come ()" }] });
    const known = POSTGRES_MIGRATIONS.length;
    await expect(open()).rejects.toThrow(`newer version of Lineup (schema ${known + 1}; this version knows ${known})`);
  });

  it("are one where they count alone, and as many as they like where they count together", async () => {
    const alone = await open({ lock: "alone" });
    await expect(open({ lock: "alone" })).rejects.toThrow(/Another Lineup server runs.*LINEUP_REDIS_URL/);
    await expect(open({ lock: "together" })).rejects.toThrow(/without Redis runs on this database/);
    await open();
    await alone.close();
    await open({ lock: "together" });
    await open({ lock: "together" });
    await expect(open({ lock: "alone" })).rejects.toThrow(/LINEUP_REDIS_URL/);
  });

  it("hear of each other's writes, and take nothing from memory across them", async () => {
    const [one, other] = [await open({ lock: "together" }), await open({ lock: "together" })];
    const orgId = await makeHeardOrganization(one, other, "Heard");
    const before = await other.revisionOf(orgId);
    expect(other.revisionOf(orgId)).toBe(before);
    const version = other.recentVersion();
    expect(other.recentVersion()).toBe(version);

    await writeSomething(one, orgId);
    expect(await one.revisionOf(orgId)).toBe((before ?? 0) + 1);
    await waitUntil("the other node knows", async () => (await other.revisionOf(orgId)) === (before ?? 0) + 1, 10_000);
    expect(other.recentVersion()).toBe(version);

    const key = await createKey(one, { orgId, name: "Key", permissions: ["players:read"] }, TEST_ORIGIN);
    await waitUntil("the other node knows", async () => other.recentVersion() !== version, 10_000);
    await revokeKey(one, key.id, TEST_ORIGIN);
    expect((await one.accessRevision()) - 2).toBe((await other.accessRevision()) - 2);
  });

  it("learn of a change whose notification was lost before five seconds have passed", async () => {
    const [one, other] = [await open({ lock: "together" }), await open({ lock: "together" })];
    const orgId = await makeHeardOrganization(one, other, "Lost");
    await administer((client) => client.query("ALTER TABLE lineup.organizations DISABLE TRIGGER ALL"));
    await administer((client) => client.query("ALTER TABLE lineup.settings DISABLE TRIGGER ALL"));
    const before = await other.revisionOf(orgId);
    const version = other.recentVersion();
    await writeSomething(one, orgId);
    await createKey(one, { orgId, name: "Key", permissions: ["players:read"] }, TEST_ORIGIN);
    // Without a word from the database it goes by what it knows, for a while.
    expect(other.revisionOf(orgId)).toBe(before);
    expect(other.recentVersion()).toBe(version);
    await waitUntil("the other node knows", async () => (await other.revisionOf(orgId)) !== before, TRUSTED_MS + 500);
    await waitUntil("the other node asks", async () => other.recentVersion() !== version, TRUSTED_MS + 500);
  });

  it("go on knowing what is asked for, without anybody waiting for it", async () => {
    const node = await open({ lock: "together" });
    const { id: orgId } = await createOrganization(node, { name: "Asked for" }, TEST_ORIGIN);
    await administer((client) => client.query("ALTER TABLE lineup.organizations DISABLE TRIGGER ALL"));
    await node.revisionOf(orgId);
    const until = performance.now() + TRUSTED_MS + 1_000;
    while (performance.now() < until) {
      expect(typeof node.revisionOf(orgId)).toBe("number");
      await sleep(50);
    }
    await administer((client) => client.query("UPDATE lineup.organizations SET revision = 77"));
    await waitUntil("the node knows", async () => node.revisionOf(orgId) === 77, 10_000);
  });

  it("forget what they knew when the connection they listen on is cut, and come back by themselves", async () => {
    const heard: string[] = [];
    const node = await open({ lock: "together", onLost: () => heard.push("lost"), onBack: () => heard.push("back") });
    const { id: orgId } = await createOrganization(node, { name: "Cut" }, TEST_ORIGIN);
    await node.revisionOf(orgId);
    expect(typeof node.revisionOf(orgId)).toBe("number");
    await administer(async (client) => {
      const { rows } = await client.query(LISTENERS);
      expect(rows).toHaveLength(1);
      await client.query("SELECT pg_terminate_backend($1)", [rows[0].pid]);
    });
    await waitUntil("the node notices", async () => heard.includes("lost"), 10_000);
    expect(node.revisionOf(orgId)).toBeInstanceOf(Promise);
    await waitUntil("the node listens again", async () => heard.includes("back"), 20_000);
    await node.revisionOf(orgId);
    expect(typeof node.revisionOf(orgId)).toBe("number");
    await expect(open({ lock: "alone" })).rejects.toThrow(/LINEUP_REDIS_URL/);
  });

  it("do not keep what was read while a change was becoming known", async () => {
    const node = await open({ lock: "together" });
    const { id: orgId } = await createOrganization(node, { name: "Race" }, TEST_ORIGIN);
    const reading = node.revisionOf(orgId);
    await administer((client) => client.query(`SELECT pg_notify('${CHANGES_CHANNEL}', '${orgId}')`));
    await reading;
    // Whichever came first, a write of this node's own is seen by the very next reader.
    const writing = writeSomething(node, orgId);
    const readers = Array.from({ length: 20 }, () => node.revisionOf(orgId));
    await writing;
    await Promise.all(readers);
    expect(await node.revisionOf(orgId)).toBe(2);
  });

  it("read again on another connection when the one at hand was cut, and fail a write that was under way", async () => {
    const node = await open({ poolSize: 1, onIdleFault: () => undefined });
    const { id: orgId } = await createOrganization(node, { name: "Cut off" }, TEST_ORIGIN);
    const cutAll = () =>
      administer((client) =>
        client.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lineup' AND datname = current_database()",
        ),
      );
    await cutAll();
    expect(await node.org(orgId).readRevision()).toBe(1);
    await expect(
      node.writeOrg(orgId, TEST_ORIGIN, async (org) => {
        await org.insertInto("erasures", [{ record_id: "during", at: 1 }]).execute();
        await cutAll();
        await org.insertInto("erasures", [{ record_id: "after", at: 1 }]).execute();
      }),
    ).rejects.toThrow();
    expect(await node.org(orgId).selectFrom("erasures").select("record_id").execute()).toEqual([]);
    await writeSomething(node, orgId);
  });

  it("show themselves by name, and hold no transaction open", async () => {
    const node = await open({ lock: "together" });
    await node.ping();
    const { rows } = await administer((client) =>
      client.query(
        "SELECT application_name, state FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
      ),
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row).toEqual({ application_name: "lineup", state: "idle" });
  });
});

function writeSomething(store: Store, orgId: string): Promise<void> {
  return store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
    await org.insertInto("erasures", [{ record_id: makeId("player"), at: 1 }]).execute();
  });
}
