import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { readStored, runSql } from "../../test/test-store.ts";
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
import { invite, listInvitations, withdrawInvitation } from "./invitations.ts";
import { acceptInvitation, describeLink, resetPassword, signInByLink } from "./link-use.ts";
import { makeLink } from "./links.ts";
import { makeResetLink, makeResetLinkAsOperator, requestPasswordReset } from "./reset-links.ts";
import { signIn } from "./sign-in.ts";
import { originOf, type UserRow } from "./users.ts";

let people: TestPeople;
beforeAll(async () => {
  people = await openTestPeople();
});
afterAll(() => people.close());

const tokenOf = (link: string) => link.split("#")[1] ?? "";

const asSignedIn = (user: UserRow) => ({ ...user, isOperator: user.is_operator === 1, sessionId: "none" });

async function makeOwner(orgId: string): Promise<UserRow> {
  const user = await makeUser(people);
  await addMember(people, orgId, user, "owner");
  return user;
}

const enter = async (browser: Browser, email: string, password = PASSWORD) =>
  browser.keep(await signIn(people.identity.tools, browser.visit(), { email, password })).outcome;

async function makeSignInLink(user: UserRow): Promise<string> {
  const wanted = { kind: "sign-in", userId: user.id, createdBy: "test" } as const;
  return (await people.store.writePeople(TEST_ORIGIN, (operator) => makeLink(operator, wanted, Date.now()))).token;
}

describe("a sign-in link", () => {
  test("signs in once, also when twenty open it at the same moment", async () => {
    const orgId = await makeOrganization(people);
    const user = await makeOwner(orgId);
    const token = await makeSignInLink(user);
    expect(await describeLink(people.identity.tools, token, Date.now())).toMatchObject({
      kind: "sign-in",
      email: user.email,
    });
    const browsers = Array.from({ length: 20 }, () => new Browser());
    const answers = await Promise.allSettled(
      browsers.map(async (browser) => browser.keep(await signInByLink(people.identity.tools, browser.visit(), token))),
    );
    const won = answers.filter((answer) => answer.status === "fulfilled").map(({ value }) => value);
    expect(won).toMatchObject([{ organizationId: orgId }]);
    const known = await Promise.all(browsers.map((browser) => people.identity.findUser(browser.visit())));
    expect(known.filter((found) => found?.user.id === user.id)).toHaveLength(1);
    expect(await runSql(people.dataDir, "SELECT id FROM sessions WHERE user_id = ?", user.id)).toHaveLength(1);
    await expectRefusal(describeLink(people.identity.tools, token, Date.now()), "NOT_FOUND");
  });

  test("stands nowhere in the store, ends with its time, and is for nothing else", async () => {
    const token = await makeSignInLink(await makeUser(people));
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(await readStored(people.dataDir)).not.toContain(token);
    const { tools } = people.identity;
    const visit = new Browser().visit();
    await expectRefusal(resetPassword(tools, visit, { token, password: PASSWORD }), "NOT_FOUND");
    await expectRefusal(acceptInvitation(tools, visit, undefined, { token }), "NOT_FOUND");
    const tooLate = new Browser().visit(Date.now() + 86_400_000);
    await expectRefusal(signInByLink(tools, tooLate, token), "NOT_FOUND");
  });
});

describe("an invitation", () => {
  async function inviteTo(orgId: string, owner: UserRow, email: string, role: "viewer" | "owner" = "viewer") {
    const visit = new Browser().visit();
    return invite(people.identity.tools, visit, originOf(owner, visit), { orgId, email, role });
  }

  test("makes a new account a member with its role, once, signed in at once", async () => {
    const orgId = await makeOrganization(people, "Inviting");
    const owner = await makeOwner(orgId);
    const made = await inviteTo(orgId, owner, "new@example.com");
    expect(made).toMatchObject({ link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\/link#/), wasMailed: false });
    const token = tokenOf(made.link);
    expect(await describeLink(people.identity.tools, token, Date.now())).toEqual({
      kind: "invitation",
      email: "new@example.com",
      organization: "Inviting",
      role: "viewer",
      invitedBy: owner.name,
      hasAccount: false,
      expiresAt: made.expiresAt,
    });
    const { tools } = people.identity;
    await expectRefusal(acceptInvitation(tools, new Browser().visit(), undefined, { token }), "VALIDATION_ERROR");
    const typed = { token, name: "New Person", password: PASSWORD };
    const browsers = [new Browser(), new Browser(), new Browser()];
    const answers = await Promise.allSettled(
      browsers.map(async (browser) => browser.keep(await acceptInvitation(tools, browser.visit(), undefined, typed))),
    );
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const found = (await Promise.all(browsers.map((browser) => people.identity.findUser(browser.visit())))).find(
      Boolean,
    );
    expect(found?.user).toMatchObject({ name: "New Person", email: "new@example.com" });
    expect(await people.identity.findRole(found?.user.id ?? "", orgId)).toBe("viewer");
    const told = await readAudit(people, orgId);
    expect(told.at(-2)).toMatchObject({ actor_id: found?.user.id, actor_name: "New Person" });
    const actions = told.map(({ action }) => action);
    expect(actions.slice(-4)).toEqual(["member.invited", "member.joined", "user.created", "user.signed-in"]);
  });

  test("for somebody who has an account is accepted by nobody else, and only signed in", async () => {
    const orgId = await makeOrganization(people);
    const owner = await makeOwner(orgId);
    const [invited, other] = [await makeUser(people), await makeUser(people)];
    const token = tokenOf((await inviteTo(orgId, owner, invited.email, "owner")).link);
    const { tools } = people.identity;
    const visit = new Browser().visit();
    expect(await describeLink(tools, token, Date.now())).toMatchObject({ hasAccount: true });
    const typed = { token, name: "Somebody else", password: "a password of somebody else" };
    expect(await expectRefusal(acceptInvitation(tools, visit, undefined, typed), "CONFLICT")).toContain("Sign in");
    await expectRefusal(acceptInvitation(tools, visit, asSignedIn(other), typed), "CONFLICT");
    const joined = await acceptInvitation(tools, visit, asSignedIn(invited), { token });
    expect(joined).toEqual({ organizationId: orgId, cookies: [] });
    expect(await people.identity.findRole(invited.id, orgId)).toBe("owner");
    expect(await enter(new Browser(), invited.email)).toBe("signed-in");
  });

  test("for a new account is not accepted by a person who is signed in as somebody else", async () => {
    const orgId = await makeOrganization(people);
    const owner = await makeOwner(orgId);
    const token = tokenOf((await inviteTo(orgId, owner, "not-yet@example.com")).link);
    const typed = { token, name: "X", password: PASSWORD };
    const accepting = acceptInvitation(people.identity.tools, new Browser().visit(), asSignedIn(owner), typed);
    expect(await expectRefusal(accepting, "CONFLICT")).toContain("Sign out");
  });

  test("is replaced by a newer one, can be withdrawn, and is listed while it is open", async () => {
    const orgId = await makeOrganization(people);
    const owner = await makeOwner(orgId);
    const first = await inviteTo(orgId, owner, "twice@example.com");
    const second = await inviteTo(orgId, owner, "twice@example.com", "owner");
    await expectRefusal(describeLink(people.identity.tools, tokenOf(first.link), Date.now()), "NOT_FOUND");
    expect(await listInvitations(people.store, orgId, Date.now())).toMatchObject([
      { id: second.id, email: "twice@example.com", role: "owner", invitedBy: owner.name },
    ]);
    const elsewhere = await makeOrganization(people);
    const withdraw = (from: string) =>
      withdrawInvitation(people.store, TEST_ORIGIN, { orgId: from, linkId: second.id }, Date.now());
    await expectRefusal(withdraw(elsewhere), "NOT_FOUND");
    await withdraw(orgId);
    await expectRefusal(withdraw(orgId), "NOT_FOUND");
    await expectRefusal(describeLink(people.identity.tools, tokenOf(second.link), Date.now()), "NOT_FOUND");
    expect(await listInvitations(people.store, orgId, Date.now())).toEqual([]);
    await expectRefusal(inviteTo(orgId, owner, owner.email), "CONFLICT");
  });
});

describe("a reset link", () => {
  const visit = () => new Browser().visit();
  const asOwner = (owner: UserRow, orgId: string, userId: string) =>
    makeResetLink(people.identity.tools, visit(), originOf(owner, visit()), {
      orgId,
      userId,
      maker: asSignedIn(owner),
    });

  test("lets the member choose a password, once; all sessions and older links end", async () => {
    const orgId = await makeOrganization(people);
    const owner = await makeOwner(orgId);
    const member = await makeUser(people);
    await addMember(people, orgId, member, "manager");
    const browser = new Browser();
    await enter(browser, member.email);
    const signInToken = await makeSignInLink(member);
    const first = tokenOf((await asOwner(owner, orgId, member.id)).link);
    const token = tokenOf((await asOwner(owner, orgId, member.id)).link);
    const typed = { token, password: "a brand new password" };
    const { tools } = people.identity;
    await expectRefusal(resetPassword(tools, visit(), { ...typed, token: first }), "NOT_FOUND");
    const answers = await Promise.allSettled([
      resetPassword(tools, visit(), typed),
      resetPassword(tools, visit(), typed),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await people.identity.findUser(browser.visit())).toBeUndefined();
    await expectRefusal(signInByLink(tools, visit(), signInToken), "NOT_FOUND");
    await expectRefusal(enter(new Browser(), member.email), "WRONG_CREDENTIALS");
    expect(await enter(new Browser(), member.email, typed.password)).toBe("signed-in");
    const actions = (await readAudit(people, orgId)).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(["user.reset-link-made", "user.password-reset"]));
  });

  test("is made by an owner only for those who have nothing that the owner does not own", async () => {
    const [orgId, foreign, owned] = [
      await makeOrganization(people),
      await makeOrganization(people),
      await makeOrganization(people),
    ];
    const owner = await makeOwner(orgId);
    await addMember(people, owned, owner, "owner");
    await addMember(people, foreign, owner, "manager");
    const [inForeign, inOwned, operator, stranger] = [
      await makeUser(people),
      await makeUser(people),
      await makeUser(people, { isOperator: true }),
      await makeUser(people),
    ];
    for (const user of [inForeign, inOwned, operator]) await addMember(people, orgId, user, "viewer");
    await addMember(people, foreign, inForeign, "viewer");
    await addMember(people, owned, inOwned, "owner");
    expect(await expectRefusal(asOwner(owner, orgId, inForeign.id), "FORBIDDEN")).toContain("operator");
    await expectRefusal(asOwner(owner, orgId, operator.id), "FORBIDDEN");
    await expectRefusal(asOwner(owner, orgId, stranger.id), "NOT_FOUND");
    expect(await asOwner(owner, orgId, inOwned.id)).toMatchObject({ wasMailed: false });
    expect(await asOwner(owner, orgId, owner.id)).toMatchObject({ link: expect.stringContaining("/link#") });
  });

  test("is made by the operator for anybody who has an account", async () => {
    const { tools } = people.identity;
    const user = await makeUser(people);
    const { link } = await makeResetLinkAsOperator(tools, visit(), TEST_ORIGIN, user.email);
    await resetPassword(tools, visit(), { token: tokenOf(link), password: "chosen by its owner" });
    expect(await enter(new Browser(), user.email, "chosen by its owner")).toBe("signed-in");
    await expectRefusal(makeResetLinkAsOperator(tools, visit(), TEST_ORIGIN, "nobody@example.com"), "NOT_FOUND");
  });

  test("cannot be asked for by mail where the server sends none", async () => {
    await expectRefusal(requestPasswordReset(people.identity.tools, visit(), "nobody@example.com"), "CONFLICT");
  });
});
