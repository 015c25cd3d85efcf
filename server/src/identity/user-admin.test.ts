import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { runSql } from "../../test/test-store.ts";
import {
  addMember,
  Browser,
  expectRefusal,
  makeOrganization,
  makeUser,
  openTestPeople,
  PASSWORD,
  readAudit,
  type TestPeople,
} from "../../test/test-visitor.ts";
import { resetPassword, signInByLink } from "./link-use.ts";
import { signIn } from "./sign-in.ts";
import {
  createUser,
  deleteUser,
  joinOrganization,
  listUsers,
  makeResetLinkFor,
  makeSignInLinkFor,
  setOperator,
  type WantedUser,
} from "./user-admin.ts";

let people: TestPeople;
beforeAll(async () => {
  people = await openTestPeople();
});
afterAll(() => people.close());

const create = (wanted: WantedUser) => createUser(people.store, wanted, TEST_ORIGIN, Date.now());
const join = (email: string, orgId: string, role?: "owner" | "viewer") =>
  joinOrganization(people.store, { email, orgId, role }, TEST_ORIGIN, Date.now());
const remove = (email: string, mayOrphan = false) =>
  deleteUser(people.store, { email, mayOrphan }, TEST_ORIGIN, Date.now());

describe("what the operator makes", () => {
  test("is first an owner with an organization, then members with the least that can be", async () => {
    const first = await create({ email: "first@example.com", name: "First" });
    expect(first).toMatchObject({ organization: { name: "My organization", role: "owner" } });
    const orgId = first.organization?.id;
    expect(first.link?.token).toMatch(/^[\w-]{43}$/);
    await expectRefusal(create({ email: "lost@example.com", name: "Lost" }), "VALIDATION_ERROR");
    const second = await create({ email: "second@example.com", name: "Second", orgId, passwordHash: "hash" });
    expect(second).toMatchObject({ organization: { role: "viewer" }, link: undefined });
    await expectRefusal(create({ email: "second@example.com", name: "Again", orgId }), "CONFLICT");
    const operator = await create({ email: "ops@example.com", name: "Ops", isOperator: true });
    expect(operator).toMatchObject({ organization: undefined, user: { is_operator: 1 } });
    expect((await readAudit(people, orgId ?? "")).map(({ action }) => action)).toEqual([
      "organization.created",
      "member.joined",
      "user.created",
      "user.reset-link-made",
      "member.joined",
      "user.created",
    ]);
    expect((await listUsers(people.store)).map(({ email, hasPassword }) => [email, hasPassword])).toEqual([
      ["first@example.com", false],
      ["second@example.com", true],
      ["ops@example.com", false],
    ]);
  });

  test("are links, each of which works once", async () => {
    const user = await makeUser(people);
    const now = Date.now();
    const { tools } = people.identity;
    const visit = () => new Browser().visit();
    const link = await makeSignInLinkFor(people.store, user.email, TEST_ORIGIN, now);
    expect(await signInByLink(tools, visit(), link.token)).toMatchObject({ organizationId: null });
    await expectRefusal(signInByLink(tools, visit(), link.token), "NOT_FOUND");
    await runSql(people.dataDir, "UPDATE users SET two_factor_enabled = 1 WHERE id = ?", user.id);
    const wanted = { email: user.email, endsSecondFactor: true };
    const { token } = await makeResetLinkFor(people.store, wanted, TEST_ORIGIN, now);
    await resetPassword(tools, visit(), { token, password: "chosen once more" });
    const typed = { email: user.email, password: "chosen once more" };
    expect(await signIn(tools, visit(), typed)).toMatchObject({ outcome: "signed-in" });
    expect(await makeResetLinkFor(people.store, wanted, TEST_ORIGIN, now)).toMatchObject({ hadSecondFactor: false });
    const told = (await readAudit(people, "installation")).filter(({ target_id }) => target_id === user.id);
    expect(told.filter(({ action }) => action === "user.second-factor-disabled")).toHaveLength(1);
    const nobody = makeSignInLinkFor(people.store, "nobody@example.com", TEST_ORIGIN, now);
    expect(await expectRefusal(nobody, "NOT_FOUND")).toContain("lineup user list");
  });

  test("are members: the first of an organization its owner, who must remain", async () => {
    const [user, other] = [await makeUser(people), await makeUser(people)];
    const orgId = await makeOrganization(people);
    expect(await join(user.email, orgId)).toMatchObject({ organization: { role: "owner" } });
    await expectRefusal(join(user.email, orgId, "viewer"), "CONFLICT");
    expect(await join(other.email, orgId)).toMatchObject({ organization: { role: "viewer" } });
    await join(other.email, orgId, "owner");
    await join(user.email, orgId, "viewer");
    expect(await people.identity.findRole(user.id, orgId)).toBe("viewer");
  });

  test("are operators, from the next request on and as long as it is wanted", async () => {
    const user = await makeUser(people);
    const browser = new Browser();
    browser.keep(await signIn(people.identity.tools, browser.visit(), { email: user.email, password: PASSWORD }));
    for (const isOperator of [true, true, false]) {
      await setOperator(people.store, { email: user.email, isOperator }, TEST_ORIGIN, Date.now());
      expect((await browser.requireUser(people.identity)).isOperator).toBe(isOperator);
    }
    const told = (await readAudit(people, "installation")).filter(({ target_id }) => target_id === user.id);
    expect(told.filter(({ action }) => action === "user.operator-changed")).toHaveLength(2);
  });
});

describe("deleting an account", () => {
  test("ends its sessions, and leaves what it did in the audit log", async () => {
    const orgId = await makeOrganization(people);
    const [owner, user] = [await makeUser(people), await makeUser(people)];
    await addMember(people, orgId, owner, "owner");
    await addMember(people, orgId, user, "manager");
    const browser = new Browser();
    browser.keep(await signIn(people.identity.tools, browser.visit(), { email: user.email, password: PASSWORD }));
    await remove(user.email);
    expect(await people.identity.findUser(browser.visit())).toBeUndefined();
    expect(await people.identity.nameOf([user.id, owner.id])).toEqual(new Map([[owner.id, owner.name]]));
    for (const table of ["sessions", "accounts", "members", "two_factors", "links"]) {
      expect(await runSql(people.dataDir, `SELECT * FROM ${table} WHERE user_id = ?`, user.id)).toEqual([]);
    }
    const told = (await readAudit(people, orgId)).filter(({ target_id }) => target_id === user.id);
    expect(told.map(({ action }) => action)).toEqual(["member.joined", "user.signed-in", "user.deleted"]);
    await expectRefusal(remove(user.email), "NOT_FOUND");
  });

  test("leaves an organization without an owner only where that is meant, also of two at once", async () => {
    const orgId = await makeOrganization(people);
    const owners = [await makeUser(people), await makeUser(people)];
    for (const owner of owners) await addMember(people, orgId, owner, "owner");
    const answers = await Promise.allSettled(owners.map(({ email }) => remove(email)));
    expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const last = owners[answers.findIndex(({ status }) => status === "rejected")];
    const message = await expectRefusal(remove(last?.email ?? ""), "CONFLICT");
    expect(message).toMatch(/last owner of "Test organization".*--force/);
    await remove(last?.email ?? "", true);
    expect(await runSql(people.dataDir, "SELECT * FROM members WHERE org_id = ?", orgId)).toEqual([]);
  });
});
