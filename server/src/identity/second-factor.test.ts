import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readStored } from "../../test/test-store.ts";
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
import { changePassword } from "./own-account.ts";
import { beginSecondFactor, confirmSecondFactor, endSecondFactor, renewRecoveryCodes } from "./second-factor.ts";
import { endAllSessions } from "./sessions.ts";
import { CODE_TRIES, signIn, verifySecondFactor } from "./sign-in.ts";
import type { UserRow } from "./users.ts";

let people: TestPeople;
beforeAll(async () => {
  // An app's codes change every half minute: on a machine that is slow enough, between two lines of a test.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  people = await openTestPeople();
});
afterAll(async () => {
  await people.close();
  vi.useRealTimers();
});

/** A code as an app makes it (RFC 6238), `steps` half minutes from now. */
function codeOf(secret: string, steps = 0): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...secret].map((letter) => letters.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const mac = createHmac("sha1", key).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, "0");
}

const enter = async (browser: Browser, { email }: UserRow) =>
  browser.keep(await signIn(people.identity.tools, browser.visit(), { email, password: PASSWORD })).outcome;

async function verify(browser: Browser, code: string, kind: "app" | "recovery" = "app", trustDevice = false) {
  return browser.keep(await verifySecondFactor(people.identity.tools, browser.visit(), { code, kind, trustDevice }))
    .outcome;
}

const wrongly = (browser: Browser, code: string, kind: "app" | "recovery" = "app") =>
  expectRefusal(verify(browser, code, kind), "WRONG_CREDENTIALS");

/** A user whose second factor is on, signed in; the code of the half minute before was used to confirm it. */
async function withSecondFactor() {
  const user = await makeUser(people);
  const orgId = await makeOrganization(people);
  await addMember(people, orgId, user, "owner");
  const browser = new Browser();
  await enter(browser, user);
  const { tools } = people.identity;
  const own = await browser.requireUser(people.identity);
  const begun = await beginSecondFactor({ tools, visit: browser.visit(), user: own }, PASSWORD);
  await expectRefusal(confirmSecondFactor({ tools, visit: browser.visit(), user: own }, "000000"), "WRONG_CREDENTIALS");
  browser.take(await confirmSecondFactor({ tools, visit: browser.visit(), user: own }, codeOf(begun.secret, -1)));
  return { user, orgId, browser, ...begun };
}

describe("the second factor", () => {
  test("is asked for once its first code was confirmed, and a session comes only with it", async () => {
    const user = await makeUser(people);
    const browser = new Browser();
    await enter(browser, user);
    const own = await browser.requireUser(people.identity);
    const { uri, secret, recoveryCodes } = await beginSecondFactor(
      { tools: people.identity.tools, visit: browser.visit(), user: own },
      PASSWORD,
    );
    expect(uri).toMatch(/^otpauth:\/\/totp\/Lineup:.*secret=[A-Z2-7]+&issuer=Lineup/);
    expect(recoveryCodes).toHaveLength(10);
    expect(await enter(new Browser(), user)).toBe("signed-in");

    const confirming = codeOf(secret);
    const cookies = await confirmSecondFactor(
      { tools: people.identity.tools, visit: browser.visit(), user: own },
      confirming,
    );
    browser.take(cookies);
    expect(await people.identity.findUser(browser.visit())).toBeDefined();
    const elsewhere = new Browser();
    expect(await enter(elsewhere, user)).toBe("second-factor");
    expect(elsewhere.jar.has("lineup.session_token")).toBe(false);
    expect(await people.identity.findUser(elsewhere.visit())).toBeUndefined();
    // The code that confirmed it has been used, and may have been seen.
    await expectRefusal(verify(elsewhere, confirming), "WRONG_CREDENTIALS");
    expect(await verify(elsewhere, codeOf(secret, 1))).toBe("signed-in");
    expect((await elsewhere.requireUser(people.identity)).id).toBe(user.id);
  });

  test("takes a code once, also from two who hold it at the same time", async () => {
    const { user, secret } = await withSecondFactor();
    const browsers = [new Browser(), new Browser(), new Browser()];
    for (const browser of browsers) await enter(browser, user);
    const code = codeOf(secret);
    const outcomes = await Promise.allSettled(browsers.map((browser) => verify(browser, code)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("takes each recovery code once, however it is typed", async () => {
    const { user, orgId, recoveryCodes } = await withSecondFactor();
    const [first = "", second = ""] = recoveryCodes;
    const browsers = [new Browser(), new Browser(), new Browser()];
    for (const browser of browsers) await enter(browser, user);
    const outcomes = await Promise.allSettled(browsers.map((browser) => verify(browser, first, "recovery")));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const later = new Browser();
    await enter(later, user);
    await wrongly(later, first, "recovery");
    expect(await verify(later, second.toUpperCase().replace("-", " "), "recovery")).toBe("signed-in");
    expect((await readAudit(people, orgId)).at(-1)).toMatchObject({
      action: "user.signed-in",
      note: "with a recovery code",
    });
  });

  test("cannot be guessed: wrong codes are bounded by account, and a known device has its own bound", async () => {
    const { user, secret, browser: known } = await withSecondFactor();
    let wrong = 0;
    for (let challenge = 0; challenge < 4; challenge++) {
      const stranger = new Browser(`198.51.100.${challenge}`);
      await enter(stranger, user);
      for (let guess = 0; guess < 5; guess++) {
        const code = await verify(stranger, "123456").catch((error: { code: string }) => error.code);
        if (code === "WRONG_CREDENTIALS") wrong += 1;
        else expect(code).toBe("TOO_MANY_TRIES");
      }
    }
    expect(wrong).toBe(CODE_TRIES);
    const stranger = new Browser();
    await enter(stranger, user);
    await expectRefusal(verify(stranger, codeOf(secret)), "TOO_MANY_TRIES");
    expect(await enter(known, user)).toBe("second-factor");
    expect(await verify(known, codeOf(secret, 1))).toBe("signed-in");
  });

  test("of one challenge ends after five wrong codes", async () => {
    const { user, secret, browser } = await withSecondFactor();
    await enter(browser, user);
    for (let guess = 0; guess < 5; guess++) await wrongly(browser, "000000");
    await wrongly(browser, codeOf(secret));
    await enter(browser, user);
    expect(await verify(browser, codeOf(secret))).toBe("signed-in");
  });

  test("is not asked for on a device that is trusted, until the user ends all sessions", async () => {
    const { user, secret } = await withSecondFactor();
    const trusted = new Browser();
    await enter(trusted, user);
    await verify(trusted, codeOf(secret), "app", true);
    expect(await enter(trusted, user)).toBe("signed-in");
    const stranger = new Browser();
    stranger.jar.set("lineup.trust_device", "made-up.signature");
    expect(await enter(stranger, user)).toBe("second-factor");
    const own = await trusted.requireUser(people.identity);
    trusted.take(await endAllSessions({ tools: people.identity.tools, visit: trusted.visit(), user: own }));
    expect(await enter(trusted, user)).toBe("second-factor");
  });

  test("is asked for again everywhere after the password was changed", async () => {
    const { user, secret } = await withSecondFactor();
    const trusted = new Browser();
    await enter(trusted, user);
    await verify(trusted, codeOf(secret), "app", true);
    const own = await trusted.requireUser(people.identity);
    const typed = { current: PASSWORD, password: "another fine password" };
    await changePassword({ tools: people.identity.tools, visit: trusted.visit(), user: own }, typed);
    const again = { email: user.email, password: typed.password };
    expect(await signIn(people.identity.tools, trusted.visit(), again)).toMatchObject({ outcome: "second-factor" });
  });

  test("is given up, renewed and begun with the password alone, and all of it is told to the audit log", async () => {
    const { user, orgId, browser, recoveryCodes } = await withSecondFactor();
    const { tools } = people.identity;
    const own = await browser.requireUser(people.identity);
    await expectRefusal(beginSecondFactor({ tools, visit: browser.visit(), user: own }, PASSWORD), "CONFLICT");
    for (const work of [renewRecoveryCodes, endSecondFactor]) {
      await expectRefusal(
        work({ tools, visit: browser.visit(), user: own }, "wrong password here"),
        "WRONG_CREDENTIALS",
      );
    }
    const renewed = await renewRecoveryCodes({ tools, visit: browser.visit(), user: own }, PASSWORD);
    expect(renewed).toHaveLength(10);
    const elsewhere = new Browser();
    await enter(elsewhere, user);
    await wrongly(elsewhere, recoveryCodes[3] ?? "", "recovery");
    expect(await verify(elsewhere, renewed[0] ?? "", "recovery")).toBe("signed-in");

    browser.take(await endSecondFactor({ tools, visit: browser.visit(), user: own }, PASSWORD));
    expect(await people.identity.findUser(browser.visit())).toBeDefined();
    expect(await enter(new Browser(), user)).toBe("signed-in");
    const actions = (await readAudit(people, orgId)).map(({ action }) => action);
    expect(actions).toEqual(
      expect.arrayContaining([
        "user.second-factor-enabled",
        "user.recovery-codes-renewed",
        "user.second-factor-disabled",
      ]),
    );
  });

  test("needs a password first", async () => {
    const user = await makeUser(people, { withoutPassword: true });
    const own = { id: user.id, name: user.name, email: user.email, isOperator: false, sessionId: "none" };
    await expectRefusal(
      beginSecondFactor({ tools: people.identity.tools, visit: new Browser().visit(), user: own }, PASSWORD),
      "CONFLICT",
    );
  });

  test("stands sealed in the store: neither its secret nor its recovery codes can be read there", async () => {
    const { secret, recoveryCodes } = await withSecondFactor();
    const stored = await readStored(people.dataDir);
    for (const hidden of [secret, ...recoveryCodes]) expect(stored).not.toContain(hidden);
  });

  test("outlives the operator setting a secret, and says what to do when that secret is another one", async () => {
    const { user, secret } = await withSecondFactor();
    const under = async (serverSecret: string, code: string) => {
      const other = await openTestPeople({ store: people.store, secret: serverSecret });
      const browser = new Browser();
      const typed = { email: user.email, password: PASSWORD };
      browser.keep(await signIn(other.identity.tools, browser.visit(), typed));
      const answer = verifySecondFactor(other.identity.tools, browser.visit(), {
        code,
        kind: "app",
        trustDevice: false,
      });
      return { other, browser, answer };
    };
    const first = await under("the first secret that the operator has set", codeOf(secret));
    first.browser.keep(await first.answer);
    const { tools } = first.other.identity;
    const own = await first.browser.requireUser(first.other.identity);
    first.browser.take(await endSecondFactor({ tools, visit: first.browser.visit(), user: own }, PASSWORD));
    const again = await first.browser.requireUser(first.other.identity);
    const begun = await beginSecondFactor({ tools, visit: first.browser.visit(), user: again }, PASSWORD);
    await confirmSecondFactor({ tools, visit: first.browser.visit(), user: again }, codeOf(begun.secret));
    const second = await under("a second secret, which is not the same one", codeOf(begun.secret, 1));
    expect(await expectRefusal(second.answer, "CONFLICT")).toContain("user reset EMAIL --second-factor");
  });
});
