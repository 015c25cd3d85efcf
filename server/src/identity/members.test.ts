import type { Role } from "@lineup/api/dashboard/members";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import {
  addMember,
  Browser,
  expectRefusal,
  makeOrganization,
  makeUser,
  openTestPeople,
  readAudit,
  type TestPeople,
} from "../../test/test-visitor.ts";
import { changeRole, listMembers, removeMember } from "./members.ts";
import { originOf, type UserRow } from "./users.ts";

let people: TestPeople;
beforeAll(async () => {
  people = await openTestPeople();
});
afterAll(() => people.close());

async function withOwners(count: number): Promise<{ orgId: string; owners: UserRow[] }> {
  const orgId = await makeOrganization(people);
  const owners: UserRow[] = [];
  for (let number = 0; number < count; number++) {
    const user = await makeUser(people);
    await addMember(people, orgId, user, "owner");
    owners.push(user);
  }
  return { orgId, owners };
}

const setRole = (orgId: string, userId: string, role: Role) =>
  changeRole(people.store, TEST_ORIGIN, { orgId, userId, role }, Date.now());
const remove = (orgId: string, userId: string) =>
  removeMember(people.store, TEST_ORIGIN, { orgId, userId }, Date.now());
const roleOf = (orgId: string, userId: string) => people.identity.findRole(userId, orgId);

async function countOwners(orgId: string): Promise<number> {
  return (await listMembers(people.store, orgId, "")).filter(({ role }) => role === "owner").length;
}

describe("members", () => {
  test("are listed with their role, and whether they have a second factor", async () => {
    const { orgId, owners } = await withOwners(1);
    const viewer = await makeUser(people);
    await addMember(people, orgId, viewer, "viewer");
    const listed = await listMembers(people.store, orgId, viewer.id);
    expect(listed).toHaveLength(2);
    expect(listed).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ userId: owners[0]?.id, role: "owner", isYou: false, hasSecondFactor: false }),
        expect.objectContaining({ userId: viewer.id, role: "viewer", isYou: true, lastSeenAt: null }),
      ]),
    );
  });

  test("get another role and lose access at once, each told to the audit log", async () => {
    const { orgId } = await withOwners(1);
    const user = await makeUser(people);
    await addMember(people, orgId, user, "viewer");
    await setRole(orgId, user.id, "manager");
    expect(await roleOf(orgId, user.id)).toBe("manager");
    await setRole(orgId, user.id, "manager");
    await remove(orgId, user.id);
    expect(await roleOf(orgId, user.id)).toBeUndefined();
    await expectRefusal(remove(orgId, user.id), "NOT_FOUND");
    await expectRefusal(setRole(orgId, user.id, "owner"), "NOT_FOUND");
    const told = (await readAudit(people, orgId)).filter(({ target_id }) => target_id === user.id);
    expect(told.map(({ action, changes }) => [action, JSON.parse(String(changes))])).toEqual([
      ["member.joined", { role: [null, "viewer"] }],
      ["member.role-changed", { role: ["viewer", "manager"] }],
      ["member.removed", { role: ["manager", null] }],
    ]);
  });

  test("leave of their own accord", async () => {
    const { orgId } = await withOwners(1);
    const user = await makeUser(people);
    await addMember(people, orgId, user, "viewer");
    const origin = originOf(user, new Browser().visit());
    await removeMember(people.store, origin, { orgId, userId: user.id }, Date.now());
    expect((await readAudit(people, orgId)).at(-1)).toMatchObject({ action: "member.left", actor_id: user.id });
  });

  test("of another organization are out of reach", async () => {
    const [here, there] = [await withOwners(1), await withOwners(2)];
    const userId = there.owners[0]?.id ?? "";
    await expectRefusal(remove(here.orgId, userId), "NOT_FOUND");
    await expectRefusal(setRole(here.orgId, userId, "viewer"), "NOT_FOUND");
    expect(await roleOf(there.orgId, userId)).toBe("owner");
  });
});

describe("the last owner", () => {
  test("can neither be removed nor be given another role, until there is another", async () => {
    const { orgId, owners } = await withOwners(1);
    const userId = owners[0]?.id ?? "";
    await expectRefusal(remove(orgId, userId), "CONFLICT");
    await expectRefusal(setRole(orgId, userId, "viewer"), "CONFLICT");
    await setRole(orgId, userId, "owner");
    const second = await makeUser(people);
    await addMember(people, orgId, second, "owner");
    await setRole(orgId, userId, "viewer");
    await expectRefusal(remove(orgId, second.id), "CONFLICT");
    expect(await countOwners(orgId)).toBe(1);
  });

  test("remains when all owners are taken their role at the same moment", async () => {
    for (let round = 0; round < 6; round++) {
      const { orgId, owners } = await withOwners(4);
      const answers = await Promise.allSettled(
        owners.map(({ id }, number) => (number % 2 === round % 2 ? remove(orgId, id) : setRole(orgId, id, "viewer"))),
      );
      expect(await countOwners(orgId)).toBe(1);
      const refused = answers.filter((answer) => answer.status === "rejected").map(({ reason }) => reason);
      expect(refused).toMatchObject([{ name: "ActionError", code: "CONFLICT" }]);
    }
  });
});
