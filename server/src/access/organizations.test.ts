import { hash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { insertCalendarLink, insertEventRows, insertOneOfEach } from "../../test/sample-records.ts";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { ENGINE, openTestStore, runSql } from "../../test/test-store.ts";
import { makeId } from "../store/ids.ts";
import type { Operator, Store } from "../store/store.ts";
import { createKey } from "./key-admin.ts";
import {
  ACCESS_TABLES,
  createOrganization,
  deleteOrganization,
  findOrganization,
  listOrganizations,
  ORG_TABLES,
  renameOrganization,
  requireOrganization,
  setTier,
} from "./organizations.ts";

const NOW = Date.UTC(2026, 0, 1);
const OWNED_TABLES = [
  ...ORG_TABLES,
  ...ACCESS_TABLES,
  "audit",
  "audit_heads",
  "audit_seals",
  ...(ENGINE === "postgres" ? ["request_blocks"] : []),
];

let folder: string;
let store: Store;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lineup-organizations-"));
  store = await openTestStore(folder);
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("an organization", () => {
  test("is Free unless told, and its tier is taken in any case and kept exactly", async () => {
    expect(await createOrganization(store, { name: "  Free Folk " }, TEST_ORIGIN, NOW)).toMatchObject({
      id: expect.stringMatching(/^org_/),
      name: "Free Folk",
      tier: "Free",
      createdAt: NOW,
    });
    const organization = await createOrganization(store, { name: "Tiers", tier: "enterPRISE" }, TEST_ORIGIN);
    expect(organization.tier).toBe("Enterprise");
    expect((await setTier(store, organization.id, "basic", TEST_ORIGIN)).tier).toBe("Basic");
    expect((await findOrganization(store, "Tiers"))?.tier).toBe("Basic");
    await expect(setTier(store, organization.id, "gold", TEST_ORIGIN)).rejects.toThrow(
      /"gold".*Free, Basic, Pro, Enterprise/,
    );
  });

  test.each([
    ["   ", "must not be empty"],
    ["x".repeat(201), "at most 200"],
    ["bell\u0007", "control characters"],
  ])("refuses the name %j", async (name, fault) => {
    await expect(createOrganization(store, { name }, TEST_ORIGIN)).rejects.toThrow(fault);
    await expect(renameOrganization(store, "Tiers", name, TEST_ORIGIN)).rejects.toThrow(fault);
  });

  test("is found by id or by exact name", async () => {
    const organization = await createOrganization(store, { name: "Exact" }, TEST_ORIGIN);
    expect(await findOrganization(store, organization.id)).toEqual(organization);
    expect(await findOrganization(store, "Exact")).toEqual(organization);
    expect(await findOrganization(store, "exact")).toBeUndefined();
    await expect(requireOrganization(store, "Exakt")).rejects.toThrow(/"Exakt".*Did you mean "Exact"\?/);
  });

  test.each(["", "Exact\0", "\ud800", "x".repeat(201)])("is not found by %j, which is no name", async (ref) => {
    expect(await findOrganization(store, ref)).toBeUndefined();
    await expect(requireOrganization(store, ref)).rejects.toThrow("There is no organization");
  });

  test("is not guessed where two have its name", async () => {
    const one = await createOrganization(store, { name: "Twins" }, TEST_ORIGIN);
    const two = await createOrganization(store, { name: "Twins" }, TEST_ORIGIN);
    await expect(deleteOrganization(store, "Twins", TEST_ORIGIN)).rejects.toThrow(`${one.id}, ${two.id}`);
    expect((await renameOrganization(store, two.id, "Twin no more", TEST_ORIGIN)).name).toBe("Twin no more");
    expect((await requireOrganization(store, "Twins")).id).toBe(one.id);
  });

  test("is listed with its keys, those in use counted apart", async () => {
    const { id } = await createOrganization(store, { name: "Holders" }, TEST_ORIGIN);
    const permissions = ["teams:read"];
    await createKey(store, { orgId: id, name: "one", permissions }, TEST_ORIGIN, NOW);
    await createKey(store, { orgId: id, name: "two", permissions, expiresAt: NOW + 1 }, TEST_ORIGIN, NOW);
    const listed = await listOrganizations(store, NOW + 1);
    expect(listed.find((one) => one.id === id)).toMatchObject({ keyCount: 2, activeKeyCount: 1 });
    expect(listed.find((one) => one.name === "Exact")).toMatchObject({ keyCount: 0, activeKeyCount: 0 });
  });

  test("makes those who remember keys look again when it changes", async () => {
    const { id } = await createOrganization(store, { name: "Watched" }, TEST_ORIGIN);
    const before = await store.accessRevision();
    await setTier(store, id, "Pro", TEST_ORIGIN);
    expect(await store.accessRevision()).toBeGreaterThan(before);
  });
});

describe("deleting an organization", () => {
  test("takes all of its data and nothing of another's", async () => {
    const gone = await createOrganization(store, { name: "Gone" }, TEST_ORIGIN);
    const stays = await createOrganization(store, { name: "Stays" }, TEST_ORIGIN);
    for (const { id } of [gone, stays]) await fillEveryTable(id);
    const before = await countRows(stays.id);
    expect(Object.values(await countRows(gone.id)).every((count) => count > 0)).toBe(true);

    await deleteOrganization(store, "Gone", TEST_ORIGIN);

    expect(Object.values(await countRows(gone.id)).every((count) => count === 0)).toBe(true);
    expect(await countRows(stays.id)).toEqual(before);
    expect(await findOrganization(store, gone.id)).toBeUndefined();
  });

  test("knows every table that belongs to an organization", async () => {
    const statement = {
      sqlite: `SELECT s.name FROM sqlite_schema s JOIN pragma_table_info(s.name) c ON c.name = 'org_id' WHERE s.type = 'table'`,
      postgres: `SELECT table_name AS name FROM information_schema.columns
        WHERE table_schema = 'lineup' AND column_name = 'org_id'`,
    }[ENGINE];
    const tables = await runSql(folder, statement);
    expect(tables.map(({ name }) => name).sort()).toEqual([...OWNED_TABLES].sort());
  });
});

async function fillEveryTable(orgId: string): Promise<void> {
  await createKey(store, { orgId, name: "key", permissions: ["teams:read"] }, TEST_ORIGIN);
  await store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
    const made = await insertOneOfEach(org);
    await insertEventRows(org, made.contracts?.id ?? "");
  });
  await store.writeAccess(TEST_ORIGIN, async (operator) => {
    await fillAccessTables(operator, orgId);
  });
  await insertCalendarLink(store, orgId);
}

async function fillAccessTables(operator: Operator, orgId: string): Promise<void> {
  const userId = makeId("user");
  await sql`INSERT INTO users (id, name, email, created_at, updated_at)
    VALUES (${userId}, 'Robin', ${`${userId}@example.com`}, 1, 1)`.execute(operator);
  await sql`INSERT INTO members (org_id, user_id, role, created_at, updated_at)
    VALUES (${orgId}, ${userId}, 'owner', 1, 1)`.execute(operator);
  await sql`INSERT INTO links (id, token_hash, kind, org_id, created_by, created_at, expires_at)
    VALUES (${makeId("link")}, ${hash("sha256", orgId)}, 'invitation', ${orgId}, 'test', 1, 2)`.execute(operator);
  await sql`INSERT INTO key_usage (org_id, key_id, hour, endpoint, status, requests, duration_us)
    VALUES (${orgId}, 'key_1', 1, 'listPlayers', 200, 1, 1)`.execute(operator);
  if (ENGINE === "sqlite") return;
  await sql`INSERT INTO request_blocks (org_id, id, first_id, last_id, requests)
    VALUES (${orgId}, 'req_1', 'req_1', 'req_1', 1)`.execute(operator);
}

async function countRows(orgId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of OWNED_TABLES) {
    const { rows } = await sql<{ n: number }>`
      SELECT count(*) AS n FROM ${sql.table(table)} WHERE org_id = ${orgId}`.execute(store.operator);
    counts[table] = rows[0]?.n ?? -1;
  }
  return counts;
}
