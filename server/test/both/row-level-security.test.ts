/**
 * The second guard around an organization's data, PostgreSQL's own. The first is the handle that adds the filter; here the filter is
 * taken out of the handle's own queries on purpose, and what is left must hold.
 */
import { sql } from "kysely";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKey } from "../../src/access/key-admin.ts";
import { hashKey } from "../../src/access/key-format.ts";
import { ACCESS_TABLES, createOrganization, ORG_TABLES } from "../../src/access/organizations.ts";
import { AuditSealer } from "../../src/store/audit-chain.ts";
import { INSTALLATION_CHAIN } from "../../src/store/audit-entry.ts";
import type { OrgStore } from "../../src/store/org-store.ts";
import { openPostgresStore } from "../../src/store/postgres.ts";
import { OPERATOR_ROLE, TENANT_ROLE } from "../../src/store/postgres-migrations.ts";
import type { Store } from "../../src/store/store.ts";
import { seedOrganization } from "../contract/seed.ts";
import { insertCalendarLink, insertEventRows } from "../sample-records.ts";
import { makeTestDatabase } from "../services/provided-services.ts";
import type { TestDatabase } from "../services/test-database.ts";
import { TEST_ORIGIN, TEST_SECRET } from "../test-origin.ts";

let database: TestDatabase;
let store: Store;
let administrator: Client;
let ours: string;
let theirs: string;
let ourKey: string;

beforeAll(async () => {
  database = await makeTestDatabase();
  ({ store } = await openPostgresStore({
    url: database.url,
    poolSize: 2,
    makeSealer: () => new AuditSealer(TEST_SECRET),
  }));
  administrator = new Client({ connectionString: database.url });
  await administrator.connect();
  await administrator.query("SET search_path = lineup");
  [ours, theirs] = [await makeFilledOrg("Ours"), await makeFilledOrg("Theirs")];
  ({ key: ourKey } = await createKey(store, { orgId: ours, name: "Key", permissions: ["teams:read"] }, TEST_ORIGIN));
  await createKey(store, { orgId: theirs, name: "Key", permissions: ["teams:read"] }, TEST_ORIGIN);
});
afterAll(async () => {
  await administrator?.end();
  await store?.close();
  await database?.drop();
});

async function makeFilledOrg(name: string): Promise<string> {
  const { id } = await createOrganization(store, { name }, TEST_ORIGIN);
  await seedOrganization(store, id);
  await store.writeOrg(id, TEST_ORIGIN, async (org) => {
    const contract = await org.selectFrom("contracts").select("contracts.id").executeTakeFirstOrThrow();
    await insertEventRows(org, contract.id);
  });
  await insertCalendarLink(store, id);
  return id;
}

const AUDIT_TABLES = ["audit", "audit_heads", "audit_seals"] as const;

class TakenBack extends Error {}

/** Does the work in the organization's own transaction, and takes back whatever it did. */
async function tryOut<T>(work: (org: OrgStore) => Promise<T>): Promise<T> {
  let result: { readonly value: T } | undefined;
  await store
    .writeOrg(ours, TEST_ORIGIN, async (org) => {
      result = { value: await work(org) };
      throw new TakenBack();
    })
    .catch((error: unknown) => {
      if (!(error instanceof TakenBack)) throw error;
    });
  if (result === undefined) throw new Error("The work has no result.");
  return result.value;
}

/** Statements as somebody with this role alone, in a transaction that is taken back; the rows of the last. */
async function runAs(
  role: string,
  organization: string | undefined,
  statement: string,
  ...parameters: readonly string[]
): Promise<unknown[]> {
  await administrator.query("BEGIN");
  try {
    await administrator.query(`SET LOCAL ROLE ${role}`);
    if (organization !== undefined) {
      await administrator.query("SELECT set_config('lineup.org', $1, true)", [organization]);
    }
    const answer =
      parameters.length === 0 ? administrator.query(statement) : administrator.query(statement, [...parameters]);
    // Of several statements there are several results.
    return [await answer].flat().at(-1)?.rows ?? [];
  } finally {
    await administrator.query("ROLLBACK");
  }
}

async function countRows(table: string, orgId: string): Promise<number> {
  const { rows } = await administrator.query(`SELECT count(*)::int AS count FROM ${table} WHERE org_id = $1`, [orgId]);
  return rows[0].count;
}

describe.each(ORG_TABLES)("%s, asked through an organization's handle without its filter,", (table) => {
  test("shows that organization's rows alone", async () => {
    const rows = await store.org(ours).selectFrom(table).clearWhere().select("org_id").execute();
    expect(rows.length).toBe(await countRows(table, ours));
    expect(new Set(rows.map((row) => row.org_id))).toEqual(new Set([ours]));
    expect(await countRows(table, theirs)).toBe(rows.length);
  });

  test("shows nothing where no organization is named, or one that is not there", async () => {
    for (const nobody of ["", "org_nobody"]) {
      expect(await store.org(nobody).selectFrom(table).clearWhere().selectAll().execute()).toEqual([]);
    }
    expect(await runAs(TENANT_ROLE, undefined, `SELECT * FROM ${table}`)).toEqual([]);
  });

  test("is updated for that organization alone, if at all", async () => {
    const update = tryOut((org) =>
      org
        .updateTable(table as "players")
        .clearWhere()
        .set((eb) => ({ org_id: eb.ref("org_id" as "id") }) as never)
        .executeTakeFirst(),
    );
    expect(Number((await update).numUpdatedRows)).toBe(await countRows(table, ours));
  });

  test("gives none of its rows to another organization", async () => {
    const move = tryOut((org) =>
      org
        .updateTable(table as "players")
        .clearWhere()
        .set({ org_id: theirs } as never)
        .execute(),
    );
    await expect(move).rejects.toThrow(/row-level security/);
    expect(await countRows(table, ours)).toBe(await countRows(table, theirs));
  });

  test("takes no row in for another organization", async () => {
    const columns = await administrator.query(
      `SELECT column_name AS name FROM information_schema.columns
       WHERE table_schema = 'lineup' AND table_name = $1 AND is_identity = 'NO'`,
      [table],
    );
    const row = Object.fromEntries(columns.rows.map(({ name }) => [name, name === "org_id" ? theirs : "0"]));
    const intrude = tryOut((org) =>
      org
        .insertInto(table, [])
        .values(row as never)
        .execute(),
    );
    await expect(intrude).rejects.toThrow(/row-level security/);
  });
});

test("rows go from an organization's tables for it alone", async () => {
  const deleted = await tryOut(async (org) => {
    const counts: Record<string, number> = {};
    for (const table of ORG_TABLES) {
      counts[table] = Number((await org.deleteFrom(table).clearWhere().executeTakeFirst()).numDeletedRows);
    }
    return counts;
  });
  for (const [table, count] of Object.entries(deleted)) expect(count, table).toBe(await countRows(table, ours));
});

describe("a request", () => {
  test("is in the tenant's role, with its organization named, for as long as its transaction lasts", async () => {
    const who = sql<string>`concat_ws(' ', current_user, current_setting('lineup.org'))`.as("who");
    const [first] = await store.org(ours).selectFrom("players").select(who).execute();
    expect(first?.who).toBe(`${TENANT_ROLE} ${ours}`);
    const [whole] = await tryOut((org) => org.selectFrom("players").select(who).execute());
    expect(whole?.who).toBe(first?.who);
    const operator = await store.operator.selectFrom("organizations").select(who).execute();
    expect(operator[0]?.who.trim()).toBe(OPERATOR_ROLE);
  });

  test("sees its own organization alone, and changes nothing of it but the revision", async () => {
    expect(await runAs(TENANT_ROLE, ours, "SELECT id FROM organizations")).toEqual([{ id: ours }]);
    expect(await runAs(TENANT_ROLE, ours, "UPDATE organizations SET revision = 2 RETURNING id")).toEqual([
      { id: ours },
    ]);
    for (const statement of [
      "UPDATE organizations SET tier = 'Enterprise'",
      "INSERT INTO organizations (id, name, tier, created_at, updated_at) VALUES ('org_x', 'X', 'Free', 1, 1)",
      "DELETE FROM organizations",
      "UPDATE settings SET value = 0",
      "INSERT INTO schema_steps (step, name) VALUES (99, 'x')",
      "CREATE TABLE lineup.loot (id text)",
      "ALTER TABLE players DISABLE ROW LEVEL SECURITY",
    ]) {
      await expect(runAs(TENANT_ROLE, ours, statement), statement).rejects.toThrow(/permission denied|must be owner/);
    }
  });

  test("cannot read keys, and finds one by its whole hash alone", async () => {
    for (const what of ["*", "id", "count(*)"]) {
      await expect(runAs(TENANT_ROLE, ours, `SELECT ${what} FROM api_keys`)).rejects.toThrow(/permission denied/);
    }
    const find = (text: string) => runAs(TENANT_ROLE, ours, "SELECT org_id, org_name FROM find_key($1)", text);
    expect(await find(hashKey(ourKey))).toEqual([{ org_id: ours, org_name: "Ours" }]);
    for (const text of ["", "%", hashKey(ourKey).slice(0, 63), hashKey(ourKey).toUpperCase(), ourKey]) {
      expect(await find(text), text).toEqual([]);
    }
    // The function has its owner's rights, so it must not be led to a table of somebody else's making.
    const decoy = "CREATE TEMP TABLE api_keys (hash text); SET LOCAL search_path = pg_temp, lineup";
    const ask = `SELECT org_id FROM lineup.find_key('${hashKey(ourKey)}')`;
    const results = await runAs(TENANT_ROLE, ours, `${decoy}; ${ask}`);
    expect(results).toEqual([{ org_id: ours }]);
  });

  test("reaches nothing else that has more rights than itself", async () => {
    const { rows } = await administrator.query(
      `SELECT proname FROM pg_proc WHERE pronamespace = 'lineup'::regnamespace AND prosecdef`,
    );
    expect(rows).toEqual([{ proname: "find_key" }]);
    const views = await administrator.query("SELECT viewname FROM pg_views WHERE schemaname = 'lineup'");
    expect(views.rows).toEqual([]);
  });
});

describe("the audit log", () => {
  test.each(AUDIT_TABLES)("shows a tenant the rows of its own %s alone", async (table) => {
    expect(await countRows(table, INSTALLATION_CHAIN)).toBeGreaterThan(0);
    const rows = await runAs(TENANT_ROLE, ours, `SELECT org_id FROM ${table}`);
    expect(rows.length).toBe(await countRows(table, ours));
    expect(rows).toEqual(rows.map(() => ({ org_id: ours })));
  });

  test("is added to by a tenant, and never altered, shortened or told of another", async () => {
    for (const statement of ["UPDATE audit SET note = 'x'", "DELETE FROM audit", "TRUNCATE audit"]) {
      await expect(runAs(TENANT_ROLE, ours, statement), statement).rejects.toThrow(/permission denied/);
    }
    for (const table of ["audit_heads", "audit_seals"]) {
      await expect(runAs(TENANT_ROLE, ours, `DELETE FROM ${table}`)).rejects.toThrow(/permission denied/);
      const moved = await runAs(TENANT_ROLE, ours, `UPDATE ${table} SET count = count RETURNING org_id`);
      expect(moved).toEqual([{ org_id: ours }]);
      const given = runAs(TENANT_ROLE, ours, `UPDATE ${table} SET org_id = '${theirs}'`);
      await expect(given).rejects.toThrow(/row-level security/);
    }
    const add = (orgId: string) =>
      runAs(
        TENANT_ROLE,
        ours,
        `INSERT INTO audit (org_id, seq, at, actor_kind, actor_name, action, target_kind, target_id, hash)
         VALUES ('${orgId}', 999, 1, 'server', 'x', 'x', 'x', 'x', repeat('0', 64)) RETURNING seq`,
      );
    expect(await add(ours)).toEqual([{ seq: expect.anything() }]);
    for (const other of [theirs, INSTALLATION_CHAIN]) await expect(add(other)).rejects.toThrow(/row-level security/);
  });
});

test.each([
  "users",
  "sessions",
  "accounts",
  "verifications",
  "two_factors",
  "members",
  "links",
  "sign_in_tries",
  "installation",
])("%s is out of a tenant's reach", async (table) => {
  await expect(runAs(TENANT_ROLE, ours, `SELECT count(*) FROM ${table}`)).rejects.toThrow(/permission denied/);
});

describe("the guard itself", () => {
  test("is on, and forced upon the owner too, wherever rows belong to an organization", async () => {
    const { rows } = await administrator.query(
      `SELECT relname AS name, relrowsecurity AND relforcerowsecurity AS is_guarded FROM pg_class
       WHERE relnamespace = 'lineup'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname`,
    );
    const unguarded = rows.filter((row) => !row.is_guarded).map((row) => row.name);
    expect(unguarded).toEqual(["schema_steps", "settings"]);
    const owned = [...ORG_TABLES, ...ACCESS_TABLES, ...AUDIT_TABLES, "request_blocks", "organizations", "users"];
    expect(rows.map((row) => row.name)).toEqual(expect.arrayContaining(owned));
  });

  test("is for roles that cannot sign in, do not bypass it, and own no table", async () => {
    const { rows } = await administrator.query(
      `SELECT rolname, rolcanlogin OR rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication AS is_mighty,
         (SELECT count(*)::int FROM pg_class WHERE relowner = pg_roles.oid) AS owned,
         (SELECT count(*)::int FROM pg_auth_members WHERE member = pg_roles.oid) AS memberships
       FROM pg_roles WHERE rolname IN ($1, $2) ORDER BY rolname`,
      [OPERATOR_ROLE, TENANT_ROLE],
    );
    const plain = { is_mighty: false, owned: 0, memberships: 0 };
    expect(rows).toEqual([
      { rolname: OPERATOR_ROLE, ...plain },
      { rolname: TENANT_ROLE, ...plain },
    ]);
  });
});
