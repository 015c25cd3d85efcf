/** Entries that somebody adds who has the database alone, with a seal that is made up: never vouched for, and never sealed over in silence. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AuditFixture } from "../../test/audit-fixture.ts";
import { ENGINE } from "../../test/test-store.ts";
import { INSTALLATION_CHAIN } from "../store/audit-entry.ts";
import type { Store } from "../store/store.ts";

const FORGED_MARK = "0123456789abcdef";

const actionsOf = async (fixture: AuditFixture, orgId: string) =>
  (await fixture.rows(orgId)).map(({ action }) => action).filter((action) => action.startsWith("audit."));

describe("where all share one secret", () => {
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

describe("where a data folder has the secret", () => {
  let fixture: AuditFixture;
  beforeAll(async () => {
    fixture = await AuditFixture.openUnshared();
  });
  afterAll(() => fixture.close());

  test("forged entries are a break in the embedded store, and others' in PostgreSQL; vouched for in neither", async () => {
    const orgId = await fixture.makeOrg(2);
    await fixture.forge(orgId, FORGED_MARK);
    for (const note of ["goes on", "and on"]) {
      const { isWhole, isVouched } = await fixture.verify(orgId);
      expect(isWhole && isVouched).toBe(false);
      await fixture.record(orgId, note);
    }
    const told = ENGINE === "sqlite" ? "audit.break-found" : "audit.others-sealed";
    expect(await actionsOf(fixture, orgId)).toEqual(["audit.began", told]);
    const { isWhole, isVouched, chains } = await fixture.verify(orgId);
    expect(isWhole).toBe(ENGINE === "postgres");
    expect(isVouched).toBe(ENGINE === "sqlite");
    const { unvouched } = chains.find(({ chainId }) => chainId === orgId) ?? {};
    const stretch = { from: 3, to: 4, by: [FORGED_MARK], why: "others" };
    expect(unvouched).toEqual(ENGINE === "sqlite" ? [] : [stretch]);
  });
});

describe.runIf(ENGINE === "postgres")("machines with secrets of their own", () => {
  let fixture: AuditFixture;
  let other: Store;
  beforeAll(async () => {
    fixture = await AuditFixture.openUnshared();
    other = await fixture.openBeside();
  });
  afterAll(() => fixture.close());

  const openStretches = async (orgId: string) => {
    const { chains, findings } = await fixture.verify(orgId);
    expect(findings).toEqual([]);
    return chains.find(({ chainId }) => chainId === orgId)?.unvouched.map(({ from, to }) => [from, to]);
  };

  test("write in turn, and each says which entries it goes on from are not its own", async () => {
    const orgId = await fixture.makeOrg(2);
    await fixture.record(orgId, "theirs", other);
    expect(await openStretches(orgId)).toEqual([[3, 4]]);
    await fixture.record(orgId, "ours");
    await fixture.record(orgId, "ours again");
    expect(
      (await fixture.rows(orgId)).map(({ action, note }) => (action.startsWith("audit.") ? action : note)),
    ).toEqual([
      expect.stringContaining("Sealed from here on"),
      "entry 2",
      "audit.began",
      "theirs",
      "audit.others-sealed",
      "ours",
      "ours again",
    ]);
    expect(await openStretches(orgId)).toEqual([[3, 4]]);
    await fixture.record(orgId, "theirs again", other);
    await fixture.record(orgId, "ours at last");
    expect(await openStretches(orgId)).toEqual([
      [3, 4],
      [8, 9],
    ]);
  });

  test("never vouch for what was rewritten in the other's part", async () => {
    const orgId = await fixture.makeOrg(2);
    for (const note of ["evil", "more"]) await fixture.record(orgId, note, other);
    await fixture.sql("UPDATE audit SET target_name = 'harmless' WHERE org_id = ? AND seq = 4", orgId);
    await fixture.rehash(orgId, 4);
    const last = (await fixture.rows(orgId)).at(-1);
    await fixture.sql(
      "UPDATE audit_seals SET hash = ?, seal = 'made up' WHERE org_id = ? AND count = ?",
      last?.hash,
      orgId,
      last?.seq,
    );
    expect(await fixture.verify(orgId)).toMatchObject({ isVouched: false });
    await fixture.record(orgId, "ours");
    expect(await fixture.verify(orgId)).toMatchObject({ isVouched: false });
    expect(await openStretches(orgId)).toEqual([[3, 5]]);
    // Its own machine finds it as soon as it goes on.
    await fixture.record(orgId, "theirs", other);
    expect(await actionsOf(fixture, orgId)).toContain("audit.break-found");
  });

  test("each find what was cut from the other's part", async () => {
    const orgId = await fixture.makeOrg(2);
    for (const note of ["one", "two", "three"]) await fixture.record(orgId, note, other);
    await fixture.sql("DELETE FROM audit WHERE org_id = ? AND seq > 3", orgId);
    await fixture.mendHead(orgId);
    await fixture.record(orgId, "ours");
    const [broken] = (await fixture.rows(orgId)).filter(({ action }) => action === "audit.break-found");
    expect(broken?.note).toBe("What was recorded last is sealed by nobody.");
    expect(await fixture.messages(orgId)).not.toEqual([]);
  });
});
