import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
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
  type TestPeople,
} from "../../test/test-visitor.ts";
import { invite } from "./invitations.ts";
import { acceptInvitation, resetPassword, signInByLink } from "./link-use.ts";
import { changeRole, removeMember } from "./members.ts";
import { makeResetLink, makeResetLinkAsOperator } from "./reset-links.ts";
import { signIn } from "./sign-in.ts";
import { makeSignInLinkFor, setOperator } from "./user-admin.ts";
import { originOf, type UserRow } from "./users.ts";

let people: TestPeople;
let owner: UserRow;
let bob: UserRow;
let orgId: string;
let foreign: string;
beforeAll(async () => {
  people = await openTestPeople();
});
afterAll(() => people.close());
beforeEach(async () => {
  [owner, bob] = [await makeUser(people), await makeUser(people)];
  [orgId, foreign] = [await makeOrganization(people), await makeOrganization(people)];
  await addMember(people, orgId, owner, "owner");
  await addMember(people, orgId, bob, "viewer");
});

const visit = () => new Browser().visit();
const tokenOf = (link: string) => link.split("#")[1] ?? "";

async function makeOwnersLink(): Promise<string> {
  const maker = { id: owner.id, name: owner.name, email: owner.email, isOperator: false, sessionId: "none" };
  const wanted = { orgId, userId: bob.id, maker };
  return tokenOf((await makeResetLink(people.identity.tools, visit(), originOf(owner, visit()), wanted)).link);
}

const useLink = (token: string) =>
  resetPassword(people.identity.tools, visit(), { token, password: "chosen by the owner" });

/** The row of the membership alone, as if the link had been made a moment later and had not been voided. */
const slipInto = (role: string) =>
  runSql(
    people.dataDir,
    "INSERT INTO members (org_id, user_id, role, created_at, updated_at) VALUES (?, ?, ?, 1, 1)",
    foreign,
    bob.id,
    role,
  );

describe("an owner's reset link", () => {
  test("works while all that it opens is the owner's", async () => {
    await useLink(await makeOwnersLink());
    const typed = { email: bob.email, password: "chosen by the owner" };
    expect(await signIn(people.identity.tools, visit(), typed)).toMatchObject({ outcome: "signed-in" });
  });

  test("stops working, as links to sign in do, when its person joins another organization", async () => {
    const { tools } = people.identity;
    const token = await makeOwnersLink();
    const signInLink = await makeSignInLinkFor(people.store, bob.email, TEST_ORIGIN, Date.now());
    const wanted = { orgId: foreign, email: bob.email, role: "owner" } as const;
    const { link } = await invite(tools, visit(), TEST_ORIGIN, wanted);
    const browser = new Browser();
    browser.keep(await signIn(tools, browser.visit(), { email: bob.email, password: PASSWORD }));
    const own = await browser.requireUser(people.identity);
    await acceptInvitation(tools, browser.visit(), own, { token: tokenOf(link) });
    await expectRefusal(useLink(token), "NOT_FOUND");
    await expectRefusal(signInByLink(tools, visit(), signInLink.token), "NOT_FOUND");
    expect(await people.identity.findUser(browser.visit())).toBeDefined();
  });

  test("stops working when its person becomes an operator", async () => {
    const token = await makeOwnersLink();
    await setOperator(people.store, { email: bob.email, isOperator: true }, TEST_ORIGIN, Date.now());
    await expectRefusal(useLink(token), "NOT_FOUND");
  });

  test("is judged again when it is used", async () => {
    const token = await makeOwnersLink();
    await slipInto("viewer");
    expect(await expectRefusal(useLink(token), "FORBIDDEN")).toContain("npx lineup user reset");
    await removeMember(people.store, TEST_ORIGIN, { orgId: foreign, userId: bob.id }, Date.now());
    const other = await makeUser(people);
    await addMember(people, orgId, other, "owner");
    await changeRole(people.store, TEST_ORIGIN, { orgId, userId: owner.id, role: "viewer" }, Date.now());
    await expectRefusal(useLink(token), "FORBIDDEN");
    await changeRole(people.store, TEST_ORIGIN, { orgId, userId: owner.id, role: "owner" }, Date.now());
    await removeMember(people.store, TEST_ORIGIN, { orgId, userId: bob.id }, Date.now());
    await expectRefusal(useLink(token), "FORBIDDEN");
    await expectRefusal(
      signIn(people.identity.tools, visit(), { email: bob.email, password: "chosen by the owner" }),
      "WRONG_CREDENTIALS",
    );
  });

  test("made by an operator works wherever its person belongs", async () => {
    const operator = await makeUser(people, { isOperator: true });
    const origin = originOf(operator, visit());
    const { link } = await makeResetLinkAsOperator(people.identity.tools, visit(), origin, bob.email);
    await slipInto("owner");
    await useLink(tokenOf(link));
  });
});
