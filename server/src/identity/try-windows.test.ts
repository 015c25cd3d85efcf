import { randomUUID } from "node:crypto";
import { HOUR_MS } from "@lineup/api/tiers";
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
import { prunePeople } from "./identity.ts";
import { KNOWN_TRIES, knownWindow, STRANGER_TRIES, signIn, strangerWindow } from "./sign-in.ts";
import { findNextTryAt, giveBackTry, type TryWindow, takeTry } from "./try-windows.ts";
import { requireCredential } from "./users.ts";

let people: TestPeople;
const refusedAddresses = new Set<string>();
beforeAll(async () => {
  people = await openTestPeople({ takeAddress: (address) => (refusedAddresses.has(address) ? 60_000 : 0) });
});
afterAll(() => people.close());

const NOW = Date.UTC(2030, 0, 1);

describe("a window of tries", () => {
  test("admits exactly its limit, however many come at once", async () => {
    // Another one for a second try of this test.
    const account = `at once ${randomUUID()}`;
    const window = { account, limit: 30, windowMs: HOUR_MS };
    const taken = await Promise.all(Array.from({ length: 80 }, () => takeTry(people.store, window, NOW)));
    expect(taken.filter((one) => one !== undefined)).toHaveLength(30);
    const rows = await runSql(people.dataDir, "SELECT id FROM sign_in_tries WHERE account = ?", account);
    expect(rows).toHaveLength(30);
  });

  test("frees a place when its try leaves the window, and not a millisecond sooner", async () => {
    const window = { account: "rolling", limit: 2, windowMs: HOUR_MS };
    const take = async (at: number) => (await takeTry(people.store, window, at)) !== undefined;
    expect([await take(NOW), await take(NOW + 1_000), await take(NOW + 2_000)]).toEqual([true, true, false]);
    expect(await findNextTryAt(people.store, window, NOW + 2_000)).toBe(NOW + HOUR_MS);
    expect(await take(NOW + HOUR_MS - 1)).toBe(false);
    expect([await take(NOW + HOUR_MS), await take(NOW + HOUR_MS)]).toEqual([true, false]);
    expect(await take(NOW + HOUR_MS + 1_000)).toBe(true);
  });

  test("has a place again that was given back, and only that one", async () => {
    const window = { account: "back", limit: 1, windowMs: HOUR_MS };
    const first = await takeTry(people.store, window, NOW);
    if (first === undefined) throw new Error("The window was full.");
    const giveBack = (at: number) =>
      people.store.writePeople(TEST_ORIGIN, (operator) => giveBackTry(operator, { ...first, at }));
    await giveBack(NOW - 1);
    expect(await takeTry(people.store, window, NOW)).toBeUndefined();
    await giveBack(NOW);
    expect(await takeTry(people.store, window, NOW)).toBeDefined();
  });

  test("in a random hour never holds more than its limit", async () => {
    const window = { account: "random", limit: 5, windowMs: HOUR_MS };
    const admitted: number[] = [];
    let at = NOW;
    for (let step = 0; step < 120; step++) {
      at += Math.floor(Math.random() * 600_000);
      if ((await takeTry(people.store, window, at)) !== undefined) admitted.push(at);
      const within = (start: number) => admitted.filter((one) => one > start - HOUR_MS && one <= start).length;
      expect(within(at)).toBeLessThanOrEqual(5);
      // Anyone who is refused is refused for a reason.
      if (admitted.at(-1) !== at) expect(within(at)).toBe(5);
    }
  });

  test("is forgotten in small steps once it is over", async () => {
    const rows = Array.from({ length: 1_203 }, (_, place) => ({
      id: `old ${place}`,
      account: "old",
      at: NOW - HOUR_MS,
    }));
    await people.store.writePeople(TEST_ORIGIN, async (operator) => {
      for (let from = 0; from < rows.length; from += 300) {
        await operator
          .insertInto("sign_in_tries")
          .values(rows.slice(from, from + 300))
          .execute();
      }
      await operator
        .insertInto("sign_in_tries")
        .values({ id: "young", account: "young", at: NOW - HOUR_MS + 1 })
        .execute();
    });
    await prunePeople(people.store, NOW);
    const left = await runSql(people.dataDir, "SELECT account FROM sign_in_tries WHERE account IN ('old', 'young')");
    expect(left).toEqual([{ account: "young" }]);
  });
});

describe("wrong passwords", () => {
  const wrong = "certainly not the password";

  async function tryOut(email: string, browsers: readonly Browser[], password = wrong): Promise<string[]> {
    const codes: string[] = [];
    for (let from = 0; from < browsers.length; from += 10) {
      const some = browsers.slice(from, from + 10).map((browser) =>
        signIn(people.identity.tools, browser.visit(), { email, password }).then(
          ({ outcome }) => outcome,
          (error: { code: string }) => error.code,
        ),
      );
      codes.push(...(await Promise.all(some)));
    }
    return codes;
  }

  /** Looking at a password takes long, so most of the hundred are only counted. */
  async function countTries(window: TryWindow, tries: number): Promise<void> {
    for (let number = 0; number < tries; number++) await takeTry(people.store, window, Date.now());
  }

  const strangers = (count: number) =>
    Array.from({ length: count }, (_, number) => new Browser(`198.51.100.${number}`));

  test("are stopped after eighty in an hour, wherever they come from, while a known device still gets in", async () => {
    const user = await makeUser(people);
    const orgId = await makeOrganization(people);
    await addMember(people, orgId, user, "owner");
    const known = new Browser();
    known.keep(await signIn(people.identity.tools, known.visit(), { email: user.email, password: PASSWORD }));

    await countTries(strangerWindow(people.identity.tools, user.email), STRANGER_TRIES - 20);
    const codes = await tryOut(user.email, strangers(30));
    expect(codes.filter((code) => code === "WRONG_CREDENTIALS")).toHaveLength(20);
    expect(codes.filter((code) => code === "TOO_MANY_TRIES")).toHaveLength(10);
    expect(await tryOut(user.email, [new Browser("203.0.113.77")], PASSWORD)).toEqual(["TOO_MANY_TRIES"]);

    // Not even the address is in the way of who was here before.
    refusedAddresses.add(known.address);
    known.jar.delete("lineup.session_token");
    expect(await tryOut(user.email, [known], PASSWORD)).toEqual(["signed-in"]);
    refusedAddresses.clear();

    await people.identity.close();
    const told = (await readAudit(people, orgId)).filter(({ action }) => action === "user.sign-in-refused");
    expect(told).toMatchObject([{ target_id: user.id, actor_kind: "server", address: expect.stringMatching(/^198/) }]);
  });

  test("for an address that is nobody's are answered alike, and as many", async () => {
    await countTries(strangerWindow(people.identity.tools, "stranger@example.com"), STRANGER_TRIES - 5);
    const codes = await tryOut("stranger@example.com", strangers(8));
    expect(codes.filter((code) => code === "WRONG_CREDENTIALS")).toHaveLength(5);
    expect(codes.filter((code) => code === "TOO_MANY_TRIES")).toHaveLength(3);
    const rows = await runSql(people.dataDir, "SELECT account FROM sign_in_tries WHERE account LIKE '%stranger%'");
    expect(rows).toEqual([]);
  });

  test("on known devices share one window, however many there are, which the strangers' does not see", async () => {
    const user = await makeUser(people);
    const devices = strangers(6);
    for (const device of devices) {
      device.keep(await signIn(people.identity.tools, device.visit(), { email: user.email, password: PASSWORD }));
    }
    await countTries(knownWindow(user.id), KNOWN_TRIES - 4);
    const codes = await tryOut(user.email, devices);
    expect(codes.filter((code) => code === "WRONG_CREDENTIALS")).toHaveLength(4);
    expect(codes.filter((code) => code === "TOO_MANY_TRIES")).toHaveLength(2);
    expect(await tryOut(user.email, [new Browser()], PASSWORD)).toEqual(["signed-in"]);
    expect(STRANGER_TRIES + KNOWN_TRIES).toBe(100);
  });

  test("of one account do not count for another, though the device is known there", async () => {
    const [user, other] = [await makeUser(people), await makeUser(people)];
    const known = new Browser();
    known.keep(await signIn(people.identity.tools, known.visit(), { email: user.email, password: PASSWORD }));
    known.keep(await signIn(people.identity.tools, known.visit(), { email: other.email, password: PASSWORD }));
    const { devices } = people.identity.tools;
    const isKnownTo = async (id: string) =>
      devices.isKnown(known.visit(), await requireCredential(people.store.operator, id));
    expect([await isKnownTo(user.id), await isKnownTo(other.id)]).toEqual([true, true]);
    const third = await makeUser(people);
    // The cookie cannot be carried over to another account, nor made up.
    const cookie = known.jar.get("lineup.device") ?? "";
    known.jar.set("lineup.device", cookie.replaceAll(user.id, third.id));
    expect([await isKnownTo(third.id), await isKnownTo(user.id), await isKnownTo(other.id)]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test("that turn out right are given back", async () => {
    const user = await makeUser(people);
    const before = await runSql(people.dataDir, "SELECT count(*) AS count FROM sign_in_tries");
    await signIn(people.identity.tools, new Browser().visit(), { email: user.email, password: PASSWORD });
    expect(await runSql(people.dataDir, "SELECT count(*) AS count FROM sign_in_tries")).toEqual(before);
  });

  test("from an address that had too many are not even looked at", async () => {
    const user = await makeUser(people);
    refusedAddresses.add("192.0.2.200");
    const typed = { email: user.email, password: PASSWORD };
    await expectRefusal(signIn(people.identity.tools, new Browser("192.0.2.200").visit(), typed), "TOO_MANY_TRIES");
    refusedAddresses.clear();
  });
});
