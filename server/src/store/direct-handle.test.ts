import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { dropTestStore, openTestStore } from "../../test/test-store.ts";
import { createOrganization } from "../access/organizations.ts";
import { makeId } from "./ids.ts";
import { type PreparedQuery, prepareQuery, type QueryValues } from "./org-store.ts";
import type { Store } from "./store.ts";

let dataDir: string;
let store: Store;
let orgIds: [string, string];
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "lineup-kept-"));
  store = await openTestStore(dataDir);
  const make = async (name: string) => (await createOrganization(store, { name }, TEST_ORIGIN)).id;
  orgIds = [await make("One"), await make("Two")];
});
afterAll(async () => {
  await store.close();
  await dropTestStore(dataDir);
  rmSync(dataDir, { recursive: true });
});

interface TeamRow extends QueryValues {
  readonly id: string;
  readonly name: string;
}

let built = 0;
const insertTeam = prepareQuery((org, { id, name }: TeamRow) => {
  const row = { game: "LoL", division: "main", status: "active", player_count: 0, external_ids: "{}" } as const;
  const rest = { tag: null, region: null, logo_url: null, search_text: "", created_at: 1, updated_at: 1 };
  return org.insertInto("teams", [{ ...row, ...rest, id, name }]);
});
const selectTeams = prepareQuery((org, { name }: { name: string }) => {
  built++;
  return org.selectFrom("teams").select(["teams.name", "teams.org_id"]).where("teams.name", "=", name);
});
const renameTeams = prepareQuery((org, { from, to }: { from: string; to: string }) =>
  org.updateTable("teams").set({ name: to }).where("name", "=", from),
);
const addTeam = (orgId: string, name: string) =>
  store.writeOrg(orgId, TEST_ORIGIN, (org) => org.run(insertTeam, { id: makeId("team"), name }));

test("a prepared query reads and writes the organization that asks it, with its values, and is built once", async () => {
  const [one, two] = orgIds;
  await Promise.all([addTeam(one, "Alike"), addTeam(two, "Alike"), addTeam(two, "O'Hara; --")]);
  const ask = (orgId: string, name: string) => store.org(orgId).run(selectTeams, { name });
  expect(await ask(one, "Alike")).toEqual([{ name: "Alike", org_id: one }]);
  expect(await ask(two, "Alike")).toEqual([{ name: "Alike", org_id: two }]);
  expect([await ask(one, "O'Hara; --"), await ask(two, "O'Hara; --")]).toMatchObject([[], [{ org_id: two }]]);
  expect(built).toBe(1);
  await store.writeOrg(two, TEST_ORIGIN, (org) => org.run(renameTeams, { from: "Alike", to: "Other" }));
  expect([await ask(one, "Alike"), await ask(two, "Alike"), await ask(two, "Other")]).toMatchObject([
    [{ org_id: one }],
    [],
    [{ org_id: two }],
  ]);
});

test("one that writes gives the organization a new revision, one that reads does not", async () => {
  const [orgId] = orgIds;
  const revisionAfter = async (work: () => Promise<unknown>) => {
    await work();
    return store.org(orgId).readRevision();
  };
  const before = (await store.org(orgId).readRevision()) ?? 0;
  expect(await revisionAfter(() => addTeam(orgId, "New"))).toBe(before + 1);
  const read = () => store.writeOrg(orgId, TEST_ORIGIN, (org) => org.run(selectTeams, { name: "New" }));
  expect(await revisionAfter(read)).toBe(before + 1);
});

test("values that it was not built with, or that are missing, are refused and not left out", async () => {
  const org = store.org(orgIds[0]);
  // As somebody could who goes round the types.
  const loose = selectTeams as unknown as PreparedQuery<QueryValues, unknown>;
  await org.run(loose, { name: "Alike" });
  await expect(org.run(loose, { name: "Alike", tag: "A" })).rejects.toThrow("always takes the same values");
  await expect(org.run(loose, { nam: "Alike" })).rejects.toThrow("not given its value for name");
});
