import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeTotp } from "../../test/browser/totp.ts";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import {
  Browser,
  expectRefusal,
  makeUser,
  openTestPeople,
  PASSWORD,
  type TestPeople,
} from "../../test/test-visitor.ts";
import { resetPassword } from "./link-use.ts";
import { changePassword } from "./own-account.ts";
import { makeResetLinkAsOperator } from "./reset-links.ts";
import { beginSecondFactor, confirmSecondFactor } from "./second-factor.ts";
import { endAllSessions, signOut } from "./sessions.ts";
import { CODE_TRIES, KNOWN_TRIES, signIn, verifySecondFactor } from "./sign-in.ts";
import { forgetKnownDevices, requireCredential, type UserRow } from "./users.ts";

let people: TestPeople;
beforeAll(async () => {
  people = await openTestPeople();
});
afterAll(() => people.close());

const OTHER_PASSWORD = "another fine password";

const enter = async (browser: Browser, { email }: UserRow, password = PASSWORD) =>
  browser.keep(await signIn(people.identity.tools, browser.visit(), { email, password })).outcome;

const isKnown = async (browser: Browser, { id }: UserRow) =>
  people.identity.tools.devices.isKnown(browser.visit(), await requireCredential(people.store.operator, id));

async function enterTwice() {
  const user = await makeUser(people);
  const [here, there] = [new Browser(), new Browser("203.0.113.5")];
  await enter(here, user);
  await enter(there, user);
  expect([await isKnown(here, user), await isKnown(there, user)]).toEqual([true, true]);
  return { user, here, there, own: await here.requireUser(people.identity) };
}

describe("a device that signed in", () => {
  test("stays known when it signs out", async () => {
    const { user, here, there, own } = await enterTwice();
    here.take(await signOut(people.identity.tools, here.visit(), own));
    expect([await isKnown(here, user), await isKnown(there, user)]).toEqual([true, true]);
  });

  test("is a stranger after the password was changed on another", async () => {
    const { user, here, there, own } = await enterTwice();
    const typed = { current: PASSWORD, password: OTHER_PASSWORD };
    here.take(await changePassword({ tools: people.identity.tools, visit: here.visit(), user: own }, typed));
    expect([await isKnown(here, user), await isKnown(there, user)]).toEqual([true, false]);
  });

  test("is a stranger after a password was chosen with a link, but where that was done", async () => {
    const { user, here, there } = await enterTwice();
    const { tools } = people.identity;
    const { link } = await makeResetLinkAsOperator(tools, here.visit(), TEST_ORIGIN, user.email);
    const typed = { token: link.split("#")[1] ?? "", password: OTHER_PASSWORD };
    const elsewhere = new Browser();
    elsewhere.take(await resetPassword(tools, elsewhere.visit(), typed));
    expect([await isKnown(here, user), await isKnown(there, user)]).toEqual([false, false]);
    expect(await isKnown(elsewhere, user)).toBe(true);
  });

  test("is a stranger after its user signed out everywhere", async () => {
    const { user, here, there, own } = await enterTwice();
    here.take(await endAllSessions({ tools: people.identity.tools, visit: here.visit(), user: own }));
    expect([await isKnown(here, user), await isKnown(there, user)]).toEqual([true, false]);
  });

  test("is a stranger after the second factor was switched on; then all known ones share their codes, too", async () => {
    const { user, here, there, own } = await enterTwice();
    const { tools } = people.identity;
    const { secret } = await beginSecondFactor({ tools, visit: here.visit(), user: own }, PASSWORD);
    expect(await isKnown(there, user)).toBe(true);
    here.take(await confirmSecondFactor({ tools, visit: here.visit(), user: own }, makeTotp(secret)));
    expect([await isKnown(here, user), await isKnown(there, user)]).toEqual([true, false]);

    const copies = [new Browser("198.51.100.1"), new Browser("198.51.100.2"), new Browser("198.51.100.3")];
    const codes: string[] = [];
    for (const copy of copies) {
      for (const [name, value] of here.jar) copy.jar.set(name, value);
      await enter(copy, user);
      for (let guess = 0; guess < 5; guess++) {
        const typed = { code: "123456", kind: "app", trustDevice: false } as const;
        const answer = verifySecondFactor(tools, copy.visit(), typed);
        codes.push(
          await answer.then(
            ({ outcome }) => outcome,
            (error: { code: string }) => error.code,
          ),
        );
      }
    }
    expect(codes.filter((code) => code === "WRONG_CREDENTIALS")).toHaveLength(CODE_TRIES);
    expect(codes.filter((code) => code === "TOO_MANY_TRIES")).toHaveLength(15 - CODE_TRIES);
  });

  test("is a stranger even when the clock stands still or goes back", async () => {
    const { user, here } = await enterTwice();
    const { state } = await requireCredential(people.store.operator, user.id);
    for (const now of [state, state - 60_000]) {
      await enter(here, user);
      await people.store.writePeople(TEST_ORIGIN, (operator) => forgetKnownDevices(operator, user.id, now));
      expect(await isKnown(here, user)).toBe(false);
    }
  });
});

test("wrong passwords of sessions count among those of known devices, and one session cannot use them up", async () => {
  const { user, here, there, own } = await enterTwice();
  const { tools } = people.identity;
  const confirm = (browser: Browser, who: typeof own) =>
    changePassword(
      { tools, visit: browser.visit(), user: who },
      { current: "not the right one", password: OTHER_PASSWORD },
    );
  for (let number = 0; number < KNOWN_TRIES / 2; number++) await expectRefusal(confirm(here, own), "WRONG_CREDENTIALS");
  await expectRefusal(confirm(here, own), "TOO_MANY_TRIES");
  expect(await enter(here, user)).toBe("signed-in");
  const others = await there.requireUser(people.identity);
  for (let number = 1; number < KNOWN_TRIES / 2; number++) {
    await expectRefusal(confirm(there, others), "WRONG_CREDENTIALS");
  }
  expect(await expectRefusal(confirm(there, others), "TOO_MANY_TRIES")).toContain("ask for a link");
});
