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
import { endAllSessions, endSession, listSessions, signOut } from "./sessions.ts";
import { signIn } from "./sign-in.ts";

let people: TestPeople;
beforeAll(async () => {
  people = await openTestPeople();
});
afterAll(() => people.close());

async function enter(browser: Browser, email: string) {
  return browser.keep(await signIn(people.identity.tools, browser.visit(), { email, password: PASSWORD }));
}

describe("signing in", () => {
  test("with the right password gives a session, which the next request is known by", async () => {
    const user = await makeUser(people);
    const browser = new Browser();
    expect(await enter(browser, user.email)).toMatchObject({ outcome: "signed-in" });
    expect(await people.identity.findUser(browser.visit())).toEqual({
      user: { id: user.id, name: user.name, email: user.email, isOperator: false, sessionId: expect.any(String) },
      cookies: [],
    });
    expect(await people.identity.findUser(new Browser().visit())).toBeUndefined();
  });

  test("sets cookies that no script can read and no other site can send, secure off this machine", async () => {
    const user = await makeUser(people);
    for (const isSecure of [false, true]) {
      const browser = new Browser("192.0.2.9", isSecure);
      const { cookies } = await enter(browser, user.email);
      expect(cookies.map((cookie) => cookie.split("=")[0])).toEqual(
        isSecure ? ["__Host-lineup.session_token", "__Host-lineup.device"] : ["lineup.session_token", "lineup.device"],
      );
      for (const cookie of cookies) {
        const attributes = cookie.split("; ").slice(1);
        expect(attributes).toEqual(expect.arrayContaining(["Path=/", "HttpOnly", "SameSite=Lax"]));
        expect(attributes.includes("Secure")).toBe(isSecure);
        expect(cookie).not.toMatch(/domain/i);
      }
      expect(await people.identity.findUser(browser.visit())).toBeDefined();
    }
  });

  test("tells a wrong password, an unknown address and an account without a password with the same words", async () => {
    const [user, withoutPassword] = [await makeUser(people), await makeUser(people, { withoutPassword: true })];
    const messages = [];
    for (const email of [user.email, withoutPassword.email, "nobody@example.com"]) {
      const typed = { email, password: "not the password at all" };
      messages.push(
        await expectRefusal(signIn(people.identity.tools, new Browser().visit(), typed), "WRONG_CREDENTIALS"),
      );
    }
    expect(new Set(messages).size).toBe(1);
  });

  test("is told to the audit log of every organization of the user, with the address and the request", async () => {
    const user = await makeUser(people);
    const orgs = [await makeOrganization(people), await makeOrganization(people)];
    for (const orgId of orgs) await addMember(people, orgId, user, "viewer");
    const browser = new Browser("198.51.100.7");
    await enter(browser, user.email);
    await signOut(people.identity.tools, browser.visit(), await browser.requireUser(people.identity));
    for (const orgId of orgs) {
      expect((await readAudit(people, orgId)).slice(-2)).toMatchObject([
        {
          action: "user.signed-in",
          actor_kind: "user",
          actor_id: user.id,
          actor_name: user.name,
          address: "198.51.100.7",
          request_id: expect.stringMatching(/^req_/),
          target_id: user.id,
        },
        { action: "user.signed-out", actor_id: user.id },
      ]);
    }
  });

  test("of somebody who belongs nowhere is told to the installation's log", async () => {
    const user = await makeUser(people);
    await enter(new Browser(), user.email);
    const told = (await readAudit(people, "installation")).filter(({ target_id }) => target_id === user.id);
    expect(told).toMatchObject([{ action: "user.signed-in" }]);
  });

  test("leaves neither password nor token in store, audit or log", async () => {
    const user = await makeUser(people);
    const browser = new Browser();
    await enter(browser, user.email);
    const typed = { email: user.email, password: "a wrong one, which is long" };
    await expectRefusal(signIn(people.identity.tools, browser.visit(), typed), "WRONG_CREDENTIALS");
    const token = decodeURIComponent(browser.jar.get("lineup.session_token") ?? "").split(".")[0] ?? "";
    expect(token).toMatch(/^\w{32}$/);
    const stored = await readStored(people.dataDir);
    for (const secret of [PASSWORD, typed.password, token]) {
      expect(stored).not.toContain(secret);
      expect(people.faults.join()).not.toContain(secret);
    }
    expect(stored).toContain(user.email);
  });
});

describe("a session", () => {
  test("ends at once when it is signed out, from anywhere", async () => {
    const user = await makeUser(people);
    const [here, there] = [new Browser(), new Browser("203.0.113.5")];
    await enter(here, user.email);
    await enter(there, user.email);
    const own = await here.requireUser(people.identity);
    const sessions = await listSessions(people.identity.tools, own);
    expect(sessions).toMatchObject([
      { isThisOne: false, address: "203.0.113.5", userAgent: "Test browser" },
      { isThisOne: true, address: "192.0.2.1" },
    ]);
    const other = sessions.find(({ isThisOne }) => !isThisOne)?.id ?? "";
    expect(await endSession({ tools: people.identity.tools, visit: here.visit(), user: own }, other)).toEqual([]);
    expect(await people.identity.findUser(there.visit())).toBeUndefined();
    await expectRefusal(
      endSession({ tools: people.identity.tools, visit: here.visit(), user: own }, other),
      "NOT_FOUND",
    );

    await enter(there, user.email);
    here.take(await endAllSessions({ tools: people.identity.tools, visit: here.visit(), user: own }));
    expect(here.jar.has("lineup.session_token")).toBe(false);
    expect(await people.identity.findUser(there.visit())).toBeUndefined();
    expect(await runSql(people.dataDir, "SELECT id FROM sessions WHERE user_id = ?", user.id)).toEqual([]);
  });

  test("of another user cannot be ended", async () => {
    const [user, stranger] = [await makeUser(people), await makeUser(people)];
    const [browser, other] = [new Browser(), new Browser()];
    await enter(browser, user.email);
    await enter(other, stranger.email);
    const { sessionId } = await other.requireUser(people.identity);
    const own = await browser.requireUser(people.identity);
    await expectRefusal(
      endSession({ tools: people.identity.tools, visit: browser.visit(), user: own }, sessionId),
      "NOT_FOUND",
    );
    expect(await people.identity.findUser(other.visit())).toBeDefined();
  });

  test("gives way to the next one of the same browser", async () => {
    const user = await makeUser(people);
    const browser = new Browser();
    await enter(browser, user.email);
    await enter(browser, user.email);
    expect(await runSql(people.dataDir, "SELECT id FROM sessions WHERE user_id = ?", user.id)).toHaveLength(1);
  });

  test("slides while it is used, up to a bound, and then ends", async () => {
    const user = await makeUser(people);
    const browser = new Browser();
    await enter(browser, user.email);
    const set = (column: string, at: number) =>
      runSql(people.dataDir, `UPDATE sessions SET ${column} = ? WHERE user_id = ?`, at, user.id);
    const expiresAt = async () =>
      Number(
        (await runSql(people.dataDir, "SELECT expires_at FROM sessions WHERE user_id = ?", user.id))[0]?.expires_at,
      );
    const DAY = 86_400_000;

    await set("expires_at", Date.now() + DAY);
    await set("updated_at", Date.now() - DAY);
    const found = await people.identity.findUser(browser.visit());
    expect(found?.cookies).toEqual([expect.stringMatching(/^lineup\.session_token=.*Max-Age=2592000;.*HttpOnly/)]);
    expect(Math.abs((await expiresAt()) - Date.now() - 30 * DAY)).toBeLessThan(60_000);

    const createdAt = Date.now() - 80 * DAY;
    await set("created_at", createdAt);
    await set("expires_at", Date.now() + DAY);
    await set("updated_at", Date.now() - DAY);
    expect(await people.identity.findUser(browser.visit())).toBeDefined();
    expect(await expiresAt()).toBe(createdAt + 90 * DAY);

    await set("expires_at", Date.now() - 1);
    expect(await people.identity.findUser(browser.visit())).toBeUndefined();
  });

  test("needs the cookie as it was signed, and a user who is still there", async () => {
    const user = await makeUser(people);
    const browser = new Browser();
    await enter(browser, user.email);
    const cookie = browser.jar.get("lineup.session_token") ?? "";
    const [row] = await runSql(people.dataDir, "SELECT token FROM sessions WHERE user_id = ?", user.id);
    for (const forged of [cookie.slice(0, -3), cookie.replace(/^.{4}/, "AAAA"), String(row?.token), ""]) {
      browser.jar.set("lineup.session_token", forged);
      expect(await people.identity.findUser(browser.visit())).toBeUndefined();
    }
    browser.jar.set("lineup.session_token", cookie);
    expect(await people.identity.findUser(browser.visit())).toBeDefined();
    // Of two with the same name, nobody knows which is the browser's own.
    const visit = browser.visit();
    for (const twice of [`${visit.cookie}; lineup.session_token=x`, `lineup.session_token=x; ${visit.cookie}`]) {
      expect(await people.identity.findUser({ ...visit, cookie: twice })).toBeUndefined();
    }
    await people.store.writePeople(TEST_ORIGIN, (operator) =>
      operator.deleteFrom("users").where("id", "=", user.id).execute(),
    );
    expect(await people.identity.findUser(browser.visit())).toBeUndefined();
  });

  test("is still good on a server that starts later, and not under another secret", async () => {
    const user = await makeUser(people);
    const browser = new Browser();
    await enter(browser, user.email);
    const later = await openTestPeople({ store: people.store });
    expect(await later.identity.findUser(browser.visit())).toBeDefined();
    const other = await openTestPeople({ store: people.store, secret: "another secret of forty-two characters ..." });
    expect(await other.identity.findUser(browser.visit())).toBeUndefined();
    await later.close();
    await other.close();
  });
});
