import { afterAll, beforeAll, expect, test } from "vitest";
import { waitUntil } from "../../test/nodes/wait-until.ts";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { ENGINE, runSql } from "../../test/test-store.ts";
import { makeOrganization, openTestPeople, type TestPeople } from "../../test/test-visitor.ts";
import { deleteOrganization, findOrganization } from "../access/organizations.ts";
import { makeLink } from "./links.ts";

let people: TestPeople;
beforeAll(async () => {
  people = await openTestPeople();
});
afterAll(() => people.close());

/** Another transaction holds what this one needs. */
async function somebodyWaits(): Promise<boolean> {
  const sql = `SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE NOT granted AND datname = current_database()`;
  return (await runSql(people.dataDir, sql)).length > 0;
}

test("an organization goes once the invitation that is being written is there, and neither keeps the other waiting for ever", async () => {
  const { store } = people;
  const orgId = await makeOrganization(people, "Gone soon");
  const written = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const inviting = store.writePeople(TEST_ORIGIN, async (operator, { record }) => {
    const wanted = { kind: "invitation", orgId, email: "x@example.com", role: "viewer", createdBy: "x" } as const;
    await makeLink(operator, wanted, Date.now());
    const target = { kind: "invitation", id: "x", name: null };
    await record(orgId, [{ at: Date.now(), action: "member.invited", target }]);
    written.resolve();
    await goOn.promise;
  });
  await written.promise;
  const deleting = deleteOrganization(store, orgId, TEST_ORIGIN);
  if (ENGINE === "postgres") await waitUntil("the deletion waits for the invitation", somebodyWaits, 10_000);
  goOn.resolve();
  await Promise.all([inviting, deleting]);
  expect(await findOrganization(store, orgId)).toBeUndefined();
});
