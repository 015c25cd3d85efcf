/** Faults of PostgreSQL and Redis, each planted in servers of the test's own, found, and mended as told. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ROOT } from "../docs-tables.ts";
import { runLineup } from "../run-lineup.ts";
import { requirePostgresPrograms } from "../services/binaries.ts";
import { findFreePort } from "../services/free-port.ts";
import { startPgBouncer } from "../services/pgbouncer.ts";
import { type OwnPostgres, startOwnPostgres } from "../services/postgres.ts";
import { canStart } from "../services/provided-services.ts";
import { type OwnRedis, startOwnRedis, talkToRedis } from "../services/redis.ts";
import { killLiving, serve } from "../serving-process.ts";
import { TEST_SECRET } from "../test-origin.ts";
import { type Examined, examine, expectAllRight, expectFault } from "./examined.ts";

const PASSWORD = "a-password-of-tests";
let folder: string;
let postgres: OwnPostgres;
let redis: OwnRedis;
let settings: Record<string, string> & { readonly LINEUP_DATA_DIR: string };

describe.runIf(canStart("postgres", "redis", "pgbouncer"))("of PostgreSQL and Redis", () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "lineup-doctor-"));
    [postgres, redis] = await Promise.all([startOwnPostgres(), startOwnRedis()]);
    // As compose.yaml has it done.
    await promisify(execFile)(join(ROOT, "deploy/postgres-init.sh"), {
      env: {
        PATH: `${requirePostgresPrograms()}${delimiter}${process.env.PATH}`,
        PGHOST: "127.0.0.1",
        PGPORT: String(postgres.port),
        POSTGRES_USER: "postgres",
        POSTGRES_DB: "postgres",
        POSTGRES_PASSWORD: PASSWORD,
      },
    });
    settings = {
      LINEUP_DATA_DIR: join(folder, "data"),
      LINEUP_DATABASE_URL: `postgres://lineup:${PASSWORD}@127.0.0.1:${postgres.port}/lineup`,
      LINEUP_REDIS_URL: redis.url,
      LINEUP_SECRET: TEST_SECRET,
      LINEUP_PORT: String(await findFreePort()),
    };
    await serve([], settings);
    await runLineup(["org", "create", "--name", "A"], settings);
    await runLineup(["user", "create", "--email", "a@example.com", "--org", "A", "--role", "owner"], settings);
  });

  afterAll(async () => {
    killLiving();
    await Promise.all([postgres?.remove(), redis?.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  const look = async (changed: Record<string, string> = {}): Promise<Examined> => {
    const examined = await examine({ ...settings, ...changed });
    expect(examined.out).not.toContain(PASSWORD);
    return examined;
  };

  test("finds all right of a server on both", async () => {
    const examined = await look();
    expectAllRight(examined);
    const asked = examined.checks.filter(({ id }) => /^(postgres|redis)/.test(id));
    expect(asked.map(({ state }) => state)).toEqual(Array(asked.length).fill("ok"));
    expect(asked.length).toBe(9);
  });

  test.each([
    [
      "a user who sees through row level security",
      "postgres-isolation",
      /NOSUPERUSER/,
      "ALTER ROLE lineup SUPERUSER",
      "ALTER ROLE lineup NOSUPERUSER",
    ],
    [
      "a role of Lineup's own that does",
      "postgres-isolation",
      /ALTER ROLE lineup_tenant NOSUPERUSER NOBYPASSRLS NOLOGIN/,
      "ALTER ROLE lineup_tenant BYPASSRLS",
      "ALTER ROLE lineup_tenant NOBYPASSRLS",
    ],
    [
      "a table without row level security",
      "postgres-isolation",
      /ALTER TABLE lineup\.players ENABLE ROW LEVEL SECURITY, FORCE/,
      "ALTER TABLE lineup.players DISABLE ROW LEVEL SECURITY",
      "ALTER TABLE lineup.players ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
    ],
    [
      "too few connections for its user",
      "postgres-connections",
      /LINEUP_DATABASE_POOL/,
      "ALTER ROLE lineup CONNECTION LIMIT 8",
      "ALTER ROLE lineup CONNECTION LIMIT -1",
    ],
    [
      "a database that takes no writes",
      "postgres",
      /RESET default_transaction_read_only/,
      "ALTER ROLE lineup SET default_transaction_read_only = on",
      "ALTER ROLE lineup RESET default_transaction_read_only",
    ],
    [
      "a schema of a newer version",
      "postgres-schema",
      /that version/,
      "INSERT INTO lineup.schema_steps (step, name) VALUES (999, 'later')",
      "DELETE FROM lineup.schema_steps WHERE step = 999",
    ],
  ])("finds %s, and that it was mended", async (_what, id, todo, plant, mend) => {
    await asAdmin(plant);
    const examined = await look();
    await asAdmin(mend);
    // A server that runs says itself that it is not ready with such a schema.
    expectFault({ ...examined, checks: examined.checks.filter(({ id: other }) => other !== "server-ready") }, id, todo);
    expectAllRight(await look());
  });

  test("finds that a crash would lose what was confirmed, and that it was mended", async () => {
    const isOn = async (value: string) => {
      await asAdmin(`ALTER SYSTEM SET fsync = ${value}`, "SELECT pg_reload_conf()");
      await expect.poll(async () => (await asAdmin("SHOW fsync"))[0]).toEqual({ fsync: value });
    };
    await isOn("off");
    expectFault(await look(), "postgres-durability", /ALTER SYSTEM SET fsync = on/);
    await isOn("on");
    expectAllRight(await look());
  });

  test("finds a pooler over which nothing is heard, and that it was mended", async () => {
    const users = ["lineup"] as const;
    const pooler = await startPgBouncer({ postgresPort: postgres.port, poolMode: "transaction", users });
    onTestFinished(() => pooler.stop());
    const through = { LINEUP_DATABASE_URL: pooler.url("lineup") };
    expectFault(await look(through), "postgres-notifications", /LINEUP_DATABASE_DIRECT_URL/);
    expect(await settingsOver(pooler.url("lineup"))).toEqual({ default_transaction_read_only: "off", timeout: "0" });
    expectAllRight(await look({ ...through, LINEUP_DATABASE_DIRECT_URL: settings.LINEUP_DATABASE_URL ?? "" }));
  });

  test("finds a database that is not there, that holds nothing, or that cannot be reached", async () => {
    await asAdmin("CREATE DATABASE empty OWNER lineup ENCODING 'UTF8' TEMPLATE template0");
    const at = (port: number, name: string) => ({
      LINEUP_DATABASE_URL: `postgres://lineup:${PASSWORD}@127.0.0.1:${port}/${name}`,
    });
    expectFault(await look(at(postgres.port, "nowhere")), "postgres", /createdb/);
    expectFault(await look(at(postgres.port, "empty")), "postgres-schema", /LINEUP_DATABASE_URL/);
    expectFault(await look(at(await findFreePort(), "lineup")), "postgres", /Start PostgreSQL/);
  });

  test("finds that the secret is missing, or another", async () => {
    expectFault(await look({ LINEUP_SECRET: "" }), "secret", /LINEUP_SECRET|lineup/i);
    expectFault(await look({ LINEUP_SECRET: "another-secret-of-more-than-32-characters" }), "secret", /LINEUP_SECRET/);
  });

  test("finds a Redis that forgets, and that it was mended", async () => {
    await talkToRedis(redis.port, "CONFIG SET maxmemory-policy allkeys-lru");
    expectFault(await look(), "redis-memory", /CONFIG SET maxmemory-policy noeviction/);
    await talkToRedis(redis.port, "CONFIG SET maxmemory-policy noeviction");
    expectAllRight(await look());
  });

  test("finds a Redis that is a replica, wants a password, or is not there", async () => {
    const other = await startOwnRedis();
    onTestFinished(() => other.stop());
    const at = { LINEUP_REDIS_URL: other.url };
    await talkToRedis(other.port, `REPLICAOF 127.0.0.1 ${redis.port}`);
    expectFault(await look(at), "redis", /primary/);
    await talkToRedis(other.port, "REPLICAOF NO ONE");
    expectAllRight(await look(at));
    await talkToRedis(other.port, "CONFIG SET requirepass something-hidden");
    expectFault(await look(at), "redis", /correct the setting/);
    expectAllRight(await look({ LINEUP_REDIS_URL: `redis://:something-hidden@127.0.0.1:${other.port}` }));
    await other.kill();
    expectFault(await look(at), "redis", /Start it or correct/);
  });
});

/** What the next client of a pooler finds set, on the connection that was used last. */
async function settingsOver(connectionString: string): Promise<Record<string, unknown> | undefined> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const names = "current_setting('statement_timeout') AS timeout, current_setting('default_transaction_read_only')";
    return (await client.query(`SELECT ${names} AS default_transaction_read_only`)).rows[0];
  } finally {
    await client.end();
  }
}

async function asAdmin(...statements: readonly string[]): Promise<Record<string, unknown>[]> {
  const database = statements.some((one) => one.includes("lineup.")) ? "lineup" : "postgres";
  const client = new Client({ connectionString: postgres.url(database) });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}
