import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { playerResource } from "@lineup/api/players";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { insertCalendarLink, insertEventRows, insertOneOfEach } from "../../test/sample-records.ts";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { openTestStore } from "../../test/test-store.ts";
import { createOrganization, ORG_TABLES } from "../access/organizations.ts";
import type { OrgStore } from "./org-store.ts";
import type { OrgTable } from "./schema.ts";
import type { Store } from "./store.ts";

let folder: string;
let store: Store;
let ours: string;
let theirs: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "lineup-org-store-"));
  store = await openTestStore(folder);
  [ours, theirs] = [
    (await createOrganization(store, { name: "Ours" }, TEST_ORIGIN)).id,
    (await createOrganization(store, { name: "Theirs" }, TEST_ORIGIN)).id,
  ];
  for (const orgId of [ours, theirs]) {
    await store.writeOrg(orgId, TEST_ORIGIN, fill);
    await insertCalendarLink(store, orgId);
  }
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** Rows in every table. */
async function fill(org: OrgStore): Promise<void> {
  const made = await insertOneOfEach(org);
  await insertEventRows(org, made.contracts?.id ?? "");
}

/** Whose rows a table holds, seen from outside any organization. */
async function ownersOf(table: OrgTable): Promise<string[]> {
  const { rows } = await sql<{ org_id: string }>`select org_id from ${sql.table(table)} order by org_id`.execute(
    store.operator,
  );
  return rows.map((row) => row.org_id);
}

describe.each(ORG_TABLES)("a handle on %s", (table) => {
  test("reads only rows of its organization", async () => {
    const rows = await store.org(ours).selectFrom(table).selectAll().execute();
    expect(new Set(rows.map((row) => row.org_id))).toEqual(new Set([ours]));
    expect(await store.org("org_nobody").selectFrom(table).selectAll().execute()).toEqual([]);
  });

  // As the operator, whom the database itself lets at all rows: what keeps these in is the handle alone.
  test("updates only rows of its organization, also when nothing narrows it down", async () => {
    const result = await store.writeAccess(TEST_ORIGIN, (_operator, { dataOf }) =>
      dataOf(ours)
        .updateTable(table as "players")
        .set((eb) => ({ org_id: eb.ref("org_id" as "id") }) as never)
        .executeTakeFirst(),
    );
    const owned = (await ownersOf(table)).filter((owner) => owner === ours);
    expect(Number(result.numUpdatedRows)).toBe(owned.length);
  });

  test("deletes only rows of its organization", async () => {
    await store.writeAccess(TEST_ORIGIN, async (_operator, { dataOf }) => {
      for (const one of ORG_TABLES) {
        await dataOf(ours).deleteFrom(one).execute();
        if (one === table) break;
      }
    });
    expect(new Set(await ownersOf(table))).toEqual(new Set([theirs]));
  });

  test("adds its own organization to every condition", () => {
    const org = store.org(ours);
    for (const query of [org.selectFrom(table).selectAll().compile(), org.deleteFrom(table).compile()]) {
      expect(query.sql).toContain("org_id");
      expect(query.parameters).toEqual([ours]);
    }
  });
});

test("a row is written into the handle's organization, whatever it says itself", async () => {
  const erasure = { at: 2, record_id: "r" };
  await store.writeOrg(ours, TEST_ORIGIN, (org) =>
    org.insertInto("erasures", [{ ...erasure, org_id: theirs } as never]).execute(),
  );
  expect(await ownersOf("erasures")).toEqual([ours, ours, theirs].sort());
});

test("a record that would be moved to another organization does not compile", () => {
  // @ts-expect-error The column is not among those an update may set.
  const { sql } = store.org(ours).updateTable("players").set({ org_id: theirs }).compile();
  expect(sql).toMatch(/where "org_id" = (\?|\$2)$/);
});

test("the store itself refuses a record that refers to another organization's", async () => {
  const team = await store.org(theirs).selectFrom("teams").select("teams.id").executeTakeFirstOrThrow();
  const move = store.writeOrg(ours, TEST_ORIGIN, (org) =>
    org.updateTable("players").set({ team_id: team.id }).execute(),
  );
  await expect(move).rejects.toThrow(/foreign key/i);
});

describe("the revision", () => {
  test("grows with every transaction that writes, and with no other", async () => {
    const before = await store.revisionOf(ours);
    const other = await store.revisionOf(theirs);
    await store.writeOrg(ours, TEST_ORIGIN, (org) => org.selectFrom("players").selectAll().execute());
    expect(await store.revisionOf(ours)).toBe(before);
    await store.writeOrg(ours, TEST_ORIGIN, (org) => org.updateTable("players").set({ ign: "new" }).execute());
    expect(await store.revisionOf(ours)).toBe((before ?? 0) + 1);
    expect(await store.revisionOf(theirs)).toBe(other);
    expect(await store.revisionOf("org_nobody")).toBeUndefined();
  });

  test("stands still, as everything does, when the work fails in the middle", async () => {
    const before = await store.revisionOf(ours);
    const work = store.writeOrg(ours, TEST_ORIGIN, async (org) => {
      await org.updateTable("players").set({ ign: "half" }).execute();
      throw new Error("stopped in the middle");
    });
    await expect(work).rejects.toThrow("stopped in the middle");
    const player = await store.org(ours).selectFrom("players").select("players.ign").executeTakeFirstOrThrow();
    expect([player.ign, await store.revisionOf(ours)]).toEqual([playerResource.example.ign, before]);
  });
});
