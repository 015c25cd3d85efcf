/** A store put into PostgreSQL is there whole, guarded as ever, or the database is as it was. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { administer, listSchemas, makeOddBackup, makePlainBackup, namesIn, sumsOf } from "../../test/copy-fixture.ts";
import { waitUntil } from "../../test/nodes/wait-until.ts";
import { startLineup } from "../../test/run-lineup.ts";
import { hasPostgres, makeTestDatabase } from "../../test/services/provided-services.ts";
import type { TestDatabase } from "../../test/services/test-database.ts";
import { listOrganizations } from "../access/organizations.ts";
import { withArchive } from "./archive-file.ts";
import { backupPostgresTo } from "./backup.ts";
import type { Row, RowSource, StoreSums } from "./copy-rows.ts";
import { openPostgresStore } from "./postgres.ts";
import { fillPostgres } from "./postgres-fill.ts";
import type { PostgresAddress } from "./postgres-snapshot.ts";
import { restoreIntoPostgres } from "./restore-store.ts";

/** Held by anyone who migrates; a restore that waits for it has put the old store aside already. */
const MIGRATION_LOCK = 0x4c6e5570;
const NOW = new Date(Date.UTC(2026, 0, 31, 12));
const KEPT = "lineup_before_restore_20260131t120000000z";
const WAITS =
  "SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database WHERE datname = current_database() AND NOT granted";

let folder: string;
let database: TestDatabase;
let address: PostgresAddress;
let odd: string;
let oddSums: StoreSums;
let plain: string;

const ask = (sql: string) => administer(database.url, async (client) => (await client.query(sql)).rows);

async function sumsInDatabase(): Promise<StoreSums> {
  const file = join(folder, `${randomBytes(6).toString("hex")}.db`);
  await backupPostgresTo(address, folder, file);
  return sumsOf(file);
}

/** The archive, and something that happens when the copy has come to a table. */
function whenReading(archive: RowSource, table: string, happens: () => Promise<void>): RowSource {
  const { kind, ask: askArchive } = archive;
  return {
    kind,
    ask: async (sql, values) => {
      if (sql.includes(`FROM ${table} `)) await happens();
      return askArchive(sql, values);
    },
  };
}

/** The archive, with other values in the rows that have a certain column. */
function withRows(archive: RowSource, column: string, values: Row): RowSource {
  const { kind, ask: askArchive } = archive;
  return {
    kind,
    ask: async (sql, parameters) =>
      (await askArchive(sql, parameters)).map((row) => (column in row ? { ...row, ...values } : row)),
  };
}

const CONNECTIONS =
  "SELECT pid FROM pg_stat_activity WHERE application_name = 'lineup' AND datname = current_database()";

const cutConnections = async () => {
  await ask(`SELECT pg_terminate_backend(pid) FROM (${CONNECTIONS}) AS connections`);
};

describe.skipIf(!hasPostgres())("a restore into PostgreSQL", () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "lineup-fill-"));
    odd = await makeOddBackup(folder);
    oddSums = await sumsOf(odd);
    plain = await makePlainBackup(folder, "Present");
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    database = await makeTestDatabase({ empty: true });
    address = { url: database.url, setting: "LINEUP_DATABASE_URL" };
  });
  afterEach(() => database.drop());

  test("keeps the store that was there under another name, by which one can go back to it", async () => {
    await restoreIntoPostgres(address, plain);
    expect(await restoreIntoPostgres(address, odd, { now: NOW })).toEqual({ keptAs: KEPT, migrated: 0 });
    expect(await namesIn(database.url)).toEqual(["Northwind", "Southwind"]);
    await ask(`ALTER SCHEMA lineup RENAME TO lineup_given_up; ALTER SCHEMA ${KEPT} RENAME TO lineup`);
    expect(await namesIn(database.url)).toEqual(["Present"]);
    const { store } = await openPostgresStore({ url: database.url, poolSize: 1, lock: "alone" });
    expect(await store.findKey("nobody's")).toBeUndefined();
    await store.close();
  });

  test("fills a store that has no organization yet, and a schema that an administrator has made", async () => {
    await ask("CREATE SCHEMA lineup");
    const { store } = await openPostgresStore({ url: database.url, poolSize: 1 });
    await store.close();
    expect(await restoreIntoPostgres(address, odd)).toEqual({ keptAs: undefined, migrated: 0 });
    expect(await listSchemas(database.url)).toEqual(["lineup"]);
    expect(await sumsInDatabase()).toEqual(oddSums);
  });

  test("puts what it does not know aside, rather than into it", async () => {
    await ask("CREATE SCHEMA lineup; CREATE TABLE lineup.precious AS SELECT 1 AS one");
    expect(await restoreIntoPostgres(address, odd, { now: NOW })).toMatchObject({ keptAs: KEPT });
    expect(await ask(`SELECT one FROM ${KEPT}.precious`)).toEqual([{ one: 1 }]);
  });

  test.each(["alone", "together"] as const)("is refused while a server that counts %s runs on it", async (lock) => {
    await restoreIntoPostgres(address, plain);
    const { store } = await openPostgresStore({ url: database.url, poolSize: 1, lock });
    await expect(restoreIntoPostgres(address, odd)).rejects.toThrow(/server is running on the database.*Stop it first/);
    await store.close();
    expect(await namesIn(database.url)).toEqual(["Present"]);
    expect(await listSchemas(database.url)).toEqual(["lineup"]);
    await restoreIntoPostgres(address, odd);
  });

  test("waits for nobody who has the tables in hand for long, and changes nothing then", async () => {
    await restoreIntoPostgres(address, plain);
    await administer(database.url, async (client) => {
      await client.query("BEGIN; SELECT count(*) FROM lineup.players");
      await expect(restoreIntoPostgres(address, odd)).rejects.toThrow(/Another program is at work on the tables/);
      await client.query("COMMIT");
    });
    expect(await listSchemas(database.url)).toEqual(["lineup"]);
  });

  test.each(["players", "erasures"])(
    "that loses its connection while it copies %s changes nothing, and can be run again",
    async (table) => {
      await restoreIntoPostgres(address, plain);
      const before = await sumsInDatabase();
      await withArchive(odd, async (archive) => {
        const cut = whenReading(archive, table, cutConnections);
        await expect(fillPostgres(address, cut, { occupied: "keep" })).rejects.toThrow(/cannot be reached/);
        await expect(
          fillPostgres(address, archive, { occupied: "keep", beforeCommit: cutConnections }),
        ).rejects.toThrow(/cannot be reached/);
      });
      expect(await listSchemas(database.url)).toEqual(["lineup"]);
      expect(await sumsInDatabase()).toEqual(before);
      await restoreIntoPostgres(address, odd);
      expect(await sumsInDatabase()).toEqual(oddSums);
    },
  );

  test("that is killed has changed nothing", async () => {
    await restoreIntoPostgres(address, plain);
    await administer(database.url, async (client) => {
      await client.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
      const settings = { LINEUP_DATA_DIR: join(folder, "killed"), LINEUP_DATABASE_URL: database.url, TMPDIR: folder };
      const child = await startLineup(["restore", odd], settings);
      await waitUntil("it waits", async () => (await client.query(WAITS)).rows.length > 0, 20_000);
      child.kill("SIGKILL");
      await once(child, "close");
      // Only when it has its lock does the server notice that nobody is there any more.
      await client.query("SELECT pg_advisory_unlock($1)", [MIGRATION_LOCK]);
      await waitUntil("it is gone", async () => (await client.query(CONNECTIONS)).rows.length === 0, 20_000);
    });
    expect(await listSchemas(database.url)).toEqual(["lineup"]);
    expect(await namesIn(database.url)).toEqual(["Present"]);
  });

  test("is seen by a backup that began during it either whole or not at all", async () => {
    await restoreIntoPostgres(address, plain);
    let restoring: Promise<unknown> | undefined;
    let backingUp: Promise<StoreSums | "nothing"> | undefined;
    await administer(database.url, async (client) => {
      await client.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
      restoring = restoreIntoPostgres(address, odd);
      await waitUntil("the restore waits", async () => (await client.query(WAITS)).rows.length === 1, 20_000);
      // On a busy machine the restore may take longer than a backup waits for it, which is then refused.
      backingUp = sumsInDatabase().catch((error: Error) => {
        if (!error.message.includes("is at work on the tables")) throw error;
        return "nothing" as const;
      });
      await waitUntil("the backup waits", async () => (await client.query(WAITS)).rows.length === 2, 20_000);
    });
    await restoring;
    expect([oddSums, "nothing"]).toContainEqual(await backingUp);
  });

  test("is not taken for an empty store by a command that began to read during it", async () => {
    await restoreIntoPostgres(address, plain);
    const { store } = await openPostgresStore({ url: database.url, poolSize: 1 });
    try {
      const [organization] = await listOrganizations(store);
      const read = () => store.readOrgAtOnce(organization?.id ?? "", (org) => org.readRevision());
      expect(await read()).toBe(1);
      let reading: Promise<unknown> | undefined;
      let restoring: Promise<unknown> | undefined;
      await administer(database.url, async (client) => {
        await client.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
        restoring = restoreIntoPostgres(address, odd);
        await waitUntil("the restore waits", async () => (await client.query(WAITS)).rows.length === 1, 20_000);
        reading = expect(read()).rejects.toThrow(/restored into the database at this moment/);
        await waitUntil("the command waits", async () => (await client.query(WAITS)).rows.length === 2, 20_000);
      });
      await restoring;
      await reading;
    } finally {
      await store.close();
    }
  });

  test("changes nothing when the file is no backup, or holds a text that PostgreSQL cannot keep", async () => {
    await restoreIntoPostgres(address, plain);
    await expect(restoreIntoPostgres(address, import.meta.filename)).rejects.toThrow("is not a Lineup store");
    await expect(restoreIntoPostgres(address, join(folder, "nowhere.db"))).rejects.toThrow("There is no file");
    await withArchive(odd, async (archive) => {
      const spoilt = withRows(archive, "real_name", { real_name: "a\u0000b" });
      await expect(fillPostgres(address, spoilt, { occupied: "keep" })).rejects.toThrow(/row of players holds a text/);
    });
    expect(await namesIn(database.url)).toEqual(["Present"]);
    expect(await listSchemas(database.url)).toEqual(["lineup"]);
  });

  test("says whatever is wrong with the address without repeating its password", async () => {
    const wrong = new URL(database.url);
    [wrong.username, wrong.password, wrong.port] = ["somebody", "hunter2", "1"];
    const error = await restoreIntoPostgres({ url: wrong.href, setting: "--to" }, odd).catch((fault: Error) => fault);
    expect(String(error)).toMatch(/cannot be reached.*correct --to/);
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain("hunter2");
  });

  test("makes a database that is guarded and built exactly as a migrated one", async () => {
    const migrated = await makeTestDatabase({ empty: true });
    try {
      await (await openPostgresStore({ url: migrated.url, poolSize: 1 })).store.close();
      await restoreIntoPostgres(address, plain);
      await restoreIntoPostgres(address, odd);
      const [wanted, made] = [await describeSchema(migrated.url), await describeSchema(database.url)];
      for (const [what, rows] of Object.entries(wanted)) expect([what, rows.length > 0]).toEqual([what, true]);
      expect(made).toEqual(wanted);
    } finally {
      await migrated.drop();
    }
  });

  test("for an owner who is no superuser shows an organization its own rows alone", async () => {
    const owned = await makeOwnedDatabase();
    try {
      const own = { url: owned.url, setting: "LINEUP_DATABASE_URL" };
      await restoreIntoPostgres(own, plain);
      await restoreIntoPostgres(own, odd);
      await administer(owned.url, async (client) => {
        const organizations = await seenBy(client, "lineup_operator", "", "organizations", "id");
        expect(organizations).toHaveLength(2);
        for (const orgId of organizations) {
          for (const table of ["players", "teams", "erasures", "external_ids"]) {
            expect(new Set(await seenBy(client, "lineup_tenant", orgId, table, "org_id"))).toEqual(new Set([orgId]));
          }
        }
        expect(await seenBy(client, "lineup_tenant", "org_nobody", "players", "org_id")).toEqual([]);
        expect(await seenBy(client, "lineup_tenant", organizations[0] ?? "", "api_keys", "id")).toEqual([]);
        expect((await client.query("SELECT FROM lineup.players")).rows).toEqual([]);
      });
      await withArchive(odd, async (archive) => {
        const dangling = withRows(archive, "auto_renew", { player_id: "player_nobody" });
        await expect(fillPostgres(own, dangling, { occupied: "keep" })).rejects.toThrow(/foreign key constraint/);
      });
    } finally {
      await owned.drop();
    }
  });
});

async function seenBy(client: Client, role: string, orgId: string, table: string, column: string): Promise<string[]> {
  await client.query("BEGIN");
  try {
    await client.query("SELECT set_config('role', $1, true), set_config('lineup.org', $2, true)", [role, orgId]);
    return (await client.query(`SELECT ${column} AS found FROM lineup.${table}`)).rows.map((row) => row.found);
  } catch (error) {
    // Not even to ask is allowed of some tables, which shows no rows either.
    if (error instanceof Error && "code" in error && error.code === "42501") return [];
    throw error;
  } finally {
    await client.query("ROLLBACK");
  }
}

/** A database whose owner is no superuser, as an operator's is. */
async function makeOwnedDatabase() {
  const owner = `lineup_test_owner_${randomBytes(6).toString("hex")}`;
  await (await openPostgresStore({ url: database.url, poolSize: 1 })).store.close();
  await ask(
    `CREATE ROLE ${owner} LOGIN PASSWORD '${owner}'; GRANT lineup_tenant, lineup_operator TO ${owner};` +
      "DROP SCHEMA lineup CASCADE",
  );
  await ask(`ALTER DATABASE ${database.name} OWNER TO ${owner}`);
  const url = new URL(database.url);
  [url.username, url.password] = [owner, owner];
  return {
    url: url.href,
    drop: async () => {
      await ask(`REASSIGN OWNED BY ${owner} TO CURRENT_USER; ALTER DATABASE ${database.name} OWNER TO CURRENT_USER;`);
      await ask(`DROP OWNED BY ${owner}; DROP ROLE ${owner}`);
    },
  };
}

/** All that makes the schema what it is, without what is particular to one database. */
async function describeSchema(url: string): Promise<Record<string, unknown[]>> {
  const inSchema = "JOIN pg_namespace n ON n.nspname = 'lineup' AND n.oid =";
  const queries: Record<string, string> = {
    tables: `SELECT relname, relkind, relrowsecurity, relforcerowsecurity, relacl::text FROM pg_class c ${inSchema} relnamespace ORDER BY 1`,
    columns: `SELECT relname, attname, atttypid::regtype::text, attnotnull, attcollation, attidentity, attacl::text,
      pg_get_expr(adbin, adrelid) AS otherwise FROM pg_attribute JOIN pg_class c ON c.oid = attrelid ${inSchema} relnamespace
      LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE attnum > 0 ORDER BY 1, attnum`,
    policies: "SELECT * FROM pg_policies WHERE schemaname = 'lineup' ORDER BY tablename, policyname",
    constraints: `SELECT conrelid::regclass::text, conname, convalidated, pg_get_constraintdef(c.oid) FROM pg_constraint c ${inSchema} connamespace ORDER BY 1, 2`,
    indexes: "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'lineup' ORDER BY 1, 2",
    triggers: `SELECT tgname, tgenabled, pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid ${inSchema} relnamespace
      WHERE NOT tgisinternal ORDER BY 1`,
    functions: `SELECT proname, proowner::regrole::text, proacl::text, pg_get_functiondef(p.oid) FROM pg_proc p ${inSchema} pronamespace ORDER BY 1`,
    schema: "SELECT nspname, nspacl::text FROM pg_namespace WHERE nspname = 'lineup'",
    steps: "SELECT step, name FROM lineup.schema_steps ORDER BY 1",
  };
  return administer(url, async (client) => {
    const found: Record<string, unknown[]> = {};
    for (const [what, sql] of Object.entries(queries)) found[what] = (await client.query(sql)).rows;
    return found;
  });
}
