import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { runSql } from "../../test/test-store.ts";
import {
  Browser,
  expectRefusal,
  makeUser,
  openTestPeople,
  PASSWORD,
  readAudit,
  type TestPeople,
} from "../../test/test-visitor.ts";
import { signInByLink } from "./link-use.ts";
import { makeLink } from "./links.ts";
import { changePassword, updateProfile } from "./own-account.ts";
import { signIn } from "./sign-in.ts";
import { claimUser, endSessions, setPasswordHash, type UserRow } from "./users.ts";

let people: TestPeople;
beforeAll(async () => {
  people = await openTestPeople();
});
afterAll(() => people.close());

const enter = async (browser: Browser, email: string, password = PASSWORD) =>
  browser.keep(await signIn(people.identity.tools, browser.visit(), { email, password })).outcome;

async function makeSignInLink(user: UserRow): Promise<string> {
  const wanted = { kind: "sign-in", userId: user.id, createdBy: "test" } as const;
  return (await people.store.writePeople(TEST_ORIGIN, (operator) => makeLink(operator, wanted, Date.now()))).token;
}

describe("one's own account", () => {
  test("has its password changed with the old one, and all other sessions end", async () => {
    const user = await makeUser(people);
    const [here, there] = [new Browser(), new Browser()];
    await enter(here, user.email);
    await enter(there, user.email);
    const own = await here.requireUser(people.identity);
    const { tools } = people.identity;
    const password = "the password after it";
    await expectRefusal(changePassword({ tools, visit: here.visit(), user: own }, { password }), "VALIDATION_ERROR");
    const wrong = { current: "not the right one", password };
    await expectRefusal(changePassword({ tools, visit: here.visit(), user: own }, wrong), "WRONG_CREDENTIALS");
    await changePassword({ tools, visit: here.visit(), user: own }, { current: PASSWORD, password });
    expect(await people.identity.findUser(here.visit())).toBeDefined();
    expect(await people.identity.findUser(there.visit())).toBeUndefined();
    expect(await enter(there, user.email, password)).toBe("signed-in");
  });

  test("without a password gets one while the session is fresh", async () => {
    const user = await makeUser(people, { withoutPassword: true });
    const browser = new Browser();
    browser.keep(await signInByLink(people.identity.tools, browser.visit(), await makeSignInLink(user)));
    const own = await browser.requireUser(people.identity);
    expect(await people.identity.describeSession(own, 1)).toMatchObject({ user: { hasPassword: false } });
    const age = (ms: number) =>
      runSql(people.dataDir, "UPDATE sessions SET created_at = ? WHERE user_id = ?", Date.now() - ms, user.id);
    await age(2 * 86_400_000);
    const choose = () =>
      changePassword({ tools: people.identity.tools, visit: browser.visit(), user: own }, { password: PASSWORD });
    expect(await expectRefusal(choose(), "FORBIDDEN")).toContain("npx lineup user link");
    await age(60_000);
    await choose();
    expect(await people.identity.describeSession(own, 1)).toMatchObject({ user: { hasPassword: true } });
    await expectRefusal(choose(), "VALIDATION_ERROR");
  });

  test("changes its name freely, its address with the password, and never to somebody else's", async () => {
    const [user, other] = [await makeUser(people), await makeUser(people)];
    const browser = new Browser();
    await enter(browser, user.email);
    const own = await browser.requireUser(people.identity);
    const { tools } = people.identity;
    await updateProfile({ tools, visit: browser.visit(), user: own }, { name: "Renamed" });
    const email = `renamed-${user.email}`;
    await expectRefusal(updateProfile({ tools, visit: browser.visit(), user: own }, { email }), "VALIDATION_ERROR");
    const taken = { email: other.email, password: PASSWORD };
    await expectRefusal(updateProfile({ tools, visit: browser.visit(), user: own }, taken), "CONFLICT");
    await updateProfile({ tools, visit: browser.visit(), user: own }, { email, password: PASSWORD });
    expect((await people.identity.findUser(browser.visit()))?.user).toMatchObject({ name: "Renamed", email });
    await expectRefusal(enter(new Browser(), user.email), "WRONG_CREDENTIALS");
    const told = (await readAudit(people, "installation")).filter(({ target_id }) => target_id === user.id).at(-1);
    expect(told).toMatchObject({ action: "user.profile-changed", changes: expect.stringContaining(email) });
  });

  test("lets nobody in with a password that is being changed at the same moment", async () => {
    const user = await makeUser(people);
    const { tools } = people.identity;
    const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const authFor: typeof tools.authFor = (visit) => {
      const auth = tools.authFor(visit);
      const signInEmail = Object.assign(async (typed: Parameters<typeof auth.api.signInEmail>[0]) => {
        reached.resolve();
        await goOn.promise;
        return auth.api.signInEmail(typed);
      }, auth.api.signInEmail);
      return { ...auth, api: { ...auth.api, signInEmail: signInEmail as typeof auth.api.signInEmail } };
    };
    const typed = { email: user.email, password: PASSWORD };
    const entering = signIn({ ...tools, authFor }, new Browser().visit(), typed);
    await reached.promise;
    const changing = people.store.writePeople(TEST_ORIGIN, async (operator) => {
      await claimUser(operator, user.id);
      await setPasswordHash(operator, user.id, "another", Date.now());
      await endSessions(operator, user.id);
    });
    // Anyone who changes it waits for anyone who is on the way in; or, were it not so, is done by now.
    await Promise.race([changing, new Promise((resolve) => setTimeout(resolve, 500))]);
    goOn.resolve();
    await Promise.all([changing, entering]);
    expect(await runSql(people.dataDir, "SELECT id FROM sessions WHERE user_id = ?", user.id)).toEqual([]);
  });
});
