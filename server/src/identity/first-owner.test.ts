import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { readStored, runSql } from "../../test/test-store.ts";
import {
  Browser,
  expectRefusal,
  makeOrganization,
  openTestPeople,
  PASSWORD,
  readAudit,
  type TestPeople,
} from "../../test/test-visitor.ts";
import { makeFirstOwner, makeOwnerOfSettings, offerSetUp, removeSetUpFile, SETUP_TOKEN_FILE } from "./first-owner.ts";
import { setUp } from "./link-use.ts";
import { listMemberships } from "./members.ts";
import { signIn } from "./sign-in.ts";
import { hasUsers } from "./users.ts";

let people: TestPeople;
beforeEach(async () => {
  people = await openTestPeople();
});
afterEach(() => people.close());

const admin = { email: "admin@example.com", password: PASSWORD };
const typed = { name: "First Owner", email: "first@example.com", password: PASSWORD };

const organizationsOf = async (email: string) => {
  const [user] = await runSql(people.dataDir, "SELECT id FROM users WHERE email = ?", email);
  return listMemberships(people.store, String(user?.id));
};

describe("the first owner", () => {
  test("of the settings owns the oldest organization that nobody belongs to, and can sign in", async () => {
    const [oldest] = [await makeOrganization(people, "Oldest"), await makeOrganization(people, "Younger")];
    const made = await makeOwnerOfSettings(people.store, admin);
    expect(made?.organization).toMatchObject({ id: oldest, name: "Oldest" });
    expect(await organizationsOf(admin.email)).toMatchObject([{ id: oldest, role: "owner" }]);
    const visit = new Browser().visit();
    expect(await signIn(people.identity.tools, visit, admin)).toMatchObject({ outcome: "signed-in" });
  });

  test("gets an organization where there is none", async () => {
    expect(await hasUsers(people.store.operator)).toBe(false);
    await makeOwnerOfSettings(people.store, admin);
    expect(await hasUsers(people.store.operator)).toBe(true);
    const organizations = await organizationsOf(admin.email);
    expect(organizations).toMatchObject([{ name: "My organization", role: "owner", tier: "Free" }]);
    const actions = (await readAudit(people, organizations[0]?.id ?? "")).map(({ action }) => action);
    expect(actions).toEqual(["organization.created", "member.joined", "user.created"]);
  });

  test("is not touched by later starts: neither password nor anything else", async () => {
    await makeOwnerOfSettings(people.store, admin);
    const before = await runSql(people.dataDir, "SELECT * FROM accounts");
    const other = { ...admin, password: "a password that is new" };
    expect(await makeOwnerOfSettings(people.store, other)).toBeUndefined();
    expect(await makeOwnerOfSettings(people.store, { ...other, email: "other@example.com" })).toBeUndefined();
    expect(await runSql(people.dataDir, "SELECT * FROM accounts")).toEqual(before);
  });

  test("is one, whichever ways are taken at the same moment", async () => {
    const offered = await Promise.all(
      ["one", "two", "three"].map((node) => offerSetUp(people.store, join(people.dataDir, node))),
    );
    const { tools } = people.identity;
    const answers = await Promise.allSettled([
      ...offered.map((offer, number) =>
        setUp(tools, new Browser().visit(), {
          ...typed,
          email: `first${number}@example.com`,
          token: offer?.token ?? "",
        }),
      ),
      makeOwnerOfSettings(people.store, admin).then((made) => made ?? Promise.reject(new Error("too late"))),
      people.store.writeAccess(TEST_ORIGIN, async (operator, recording) => {
        const made = await makeFirstOwner(operator, recording, { name: "X", email: "x@example.com" }, Date.now());
        return made ?? Promise.reject(new Error("too late"));
      }),
    ]);
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await runSql(people.dataDir, "SELECT id FROM users")).toHaveLength(1);
    expect(await runSql(people.dataDir, "SELECT id FROM organizations")).toHaveLength(1);
  });
});

describe("the set-up page", () => {
  test("is opened by the token of the folder's file alone, once, and signs the first owner in", async () => {
    const offered = await offerSetUp(people.store, people.dataDir);
    const file = join(people.dataDir, SETUP_TOKEN_FILE);
    expect(offered?.file).toBe(file);
    expect(readFileSync(file, "utf8")).toBe(`${offered?.token}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await readStored(people.dataDir)).not.toContain(offered?.token);

    const { tools } = people.identity;
    const browser = new Browser();
    const wrong = setUp(tools, browser.visit(), { ...typed, token: "not the token" });
    expect(await expectRefusal(wrong, "WRONG_CREDENTIALS")).toContain("setup-token");
    const wanted = { ...typed, token: offered?.token ?? "", organizationName: "Northwind" };
    const { organizationId } = browser.keep(await setUp(tools, browser.visit(), wanted));
    expect((await browser.requireUser(people.identity)).email).toBe(typed.email);
    expect(await organizationsOf(typed.email)).toMatchObject([
      { id: organizationId, name: "Northwind", role: "owner" },
    ]);
    await expectRefusal(setUp(tools, new Browser().visit(), { ...wanted, email: "second@example.com" }), "CONFLICT");
    removeSetUpFile(people.dataDir);
    expect(existsSync(file)).toBe(false);
    expect(await offerSetUp(people.store, people.dataDir)).toBeUndefined();
  });

  test("takes the token of the last start of a server, and of every server", async () => {
    const other = join(people.dataDir, "other");
    const [first, second, elsewhere] = [
      await offerSetUp(people.store, people.dataDir),
      await offerSetUp(people.store, people.dataDir),
      await offerSetUp(people.store, other),
    ];
    const { tools } = people.identity;
    const attempt = (token = "") => setUp(tools, new Browser().visit(), { ...typed, token });
    await expectRefusal(attempt(first?.token), "WRONG_CREDENTIALS");
    expect(second?.token).not.toBe(first?.token);
    expect(await attempt(elsewhere?.token)).toMatchObject({ organizationId: expect.stringMatching(/^org_/) });
    await expectRefusal(attempt(second?.token), "CONFLICT");
    expect(await runSql(people.dataDir, "SELECT id FROM links")).toEqual([]);
  });
});
