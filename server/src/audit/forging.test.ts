/** Entries that somebody adds who has the database alone, with a seal that is made up: never vouched for, and never sealed over in silence. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AuditFixture, SECRET } from "../../test/audit-fixture.ts";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { ENGINE } from "../../test/test-store.ts";
import { AuditSealer } from "../store/audit-chain.ts";
import { INSTALLATION_CHAIN } from "../store/audit-entry.ts";

const FORGED_MARK = "0123456789abcdef";

const actionsOf = async (fixture: AuditFixture, orgId: string) =>
  (await fixture.rows(orgId)).map(({ action }) => action).filter((action) => action.startsWith("audit."));

describe("forged entries", () => {
  let fixture: AuditFixture;
  beforeAll(async () => {
    fixture = await AuditFixture.open();
  });
  afterAll(() => fixture.close());

  test("forged entries are a break, before the server goes on and ever after", async () => {
    const orgId = await fixture.makeOrg(2);
    await fixture.forge(orgId, FORGED_MARK);
    expect(await fixture.messages(orgId)).toEqual([expect.stringMatching(/^Entries 3 to 4 were not sealed with the/)]);
    await fixture.record(orgId, "goes on");
    expect((await fixture.rows(orgId)).slice(-2)).toMatchObject([
      { seq: 5, action: "audit.break-found", note: expect.stringMatching(/^Entries 3 to 4 were not sealed with the/) },
      { seq: 6, note: "goes on" },
    ]);
    expect(await fixture.messages(orgId)).toEqual([expect.stringMatching(/A break was found.*Entries 3 to 4/)]);
    await fixture.record(orgId, "quiet");
    expect(await actionsOf(fixture, orgId)).toEqual(["audit.began", "audit.break-found"]);
  });

  test("also those that are forged anew under a mark that is known", async () => {
    const orgId = await fixture.makeOrg(2);
    for (let round = 0; round < 2; round++) {
      await fixture.forge(orgId, FORGED_MARK);
      await fixture.record(orgId, "goes on");
    }
    expect(await actionsOf(fixture, orgId)).toEqual(["audit.began", "audit.break-found", "audit.break-found"]);
    expect((await fixture.messages(orgId)).length).toBe(2);
  });

  test("in the installation's log as well", async () => {
    const own = await AuditFixture.open();
    try {
      await own.makeOrg(1);
      await own.forge(INSTALLATION_CHAIN, FORGED_MARK);
      expect(await own.messages()).not.toEqual([]);
      await own.makeOrg(1);
      expect(await own.messages()).toEqual([expect.stringContaining("A break was found")]);
    } finally {
      await own.close();
    }
  });
});

test.runIf(ENGINE === "sqlite")("forged entries are a break where the data folder has the secret, too", async () => {
  const fixture = await AuditFixture.openWithFile();
  try {
    const orgId = await fixture.makeOrg(2);
    await fixture.forge(orgId, FORGED_MARK);
    await fixture.record(orgId, "goes on");
    expect(await actionsOf(fixture, orgId)).toEqual(["audit.began", "audit.break-found"]);
    expect(await fixture.verify(orgId)).toMatchObject({ isWhole: false, isVouched: true });
  } finally {
    await fixture.close();
  }
});

test("entries that an earlier version has said were sealed by others stay what nobody here vouches for", async () => {
  const fixture = await AuditFixture.open();
  try {
    const orgId = await fixture.makeOrg(4);
    const { mark } = new AuditSealer(SECRET);
    const note = `Entries 2 to 3 were not sealed with the secret marked ${mark}, but with others, marked ${FORGED_MARK}.`;
    await fixture.store.writeOrg(orgId, TEST_ORIGIN, (org) =>
      org.record([
        { at: 1, action: "audit.others-sealed", target: { kind: "organization", id: orgId, name: null }, note },
      ]),
    );
    const { isWhole, isVouched, chains } = await fixture.verify(orgId);
    expect([isWhole, isVouched]).toEqual([true, false]);
    const { unvouched } = chains.find(({ chainId }) => chainId === orgId) ?? {};
    expect(unvouched).toEqual([{ from: 2, to: 3, by: [FORGED_MARK], why: "others" }]);
  } finally {
    await fixture.close();
  }
});
