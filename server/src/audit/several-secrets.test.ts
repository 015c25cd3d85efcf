/** Secrets that are shared or changed, writers at once, and states that were put back: what the seals still say. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AuditFixture, OTHER_SECRET, SECRET } from "../../test/audit-fixture.ts";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { createKey } from "../access/key-admin.ts";
import { deleteOrganization, setTier } from "../access/organizations.ts";
import { AuditSealer } from "../store/audit-chain.ts";
import { INSTALLATION_CHAIN } from "../store/audit-entry.ts";
import type { Store } from "../store/store.ts";
import { type Receipt, readReceipt, writeReceipt } from "./audit-receipt.ts";
import { verifyAudit } from "./verify-audit.ts";

let fixture: AuditFixture;
let other: Store;
beforeAll(async () => {
  fixture = await AuditFixture.open();
  other = await fixture.openWith(SECRET);
});
afterAll(() => fixture.close());

describe("a secret that all share", () => {
  test("lets several processes write in turn, and any vouch for all of it", async () => {
    const orgId = await fixture.makeOrg(2);
    for (const note of ["one", "two"]) {
      await fixture.record(orgId, `theirs ${note}`, other);
      await fixture.record(orgId, `ours ${note}`);
    }
    expect(await fixture.verify(orgId)).toMatchObject({ isWhole: true, isVouched: true });
    expect((await fixture.rows(orgId)).length).toBe(6);
  });

  test("begins anew where it was changed, and says which entries an earlier one vouches for", async () => {
    const own = await AuditFixture.open();
    try {
      const orgId = await own.makeOrg(3);
      const later = await own.openWith(OTHER_SECRET);
      await own.record(orgId, "first of the second", later);
      expect((await own.rows(orgId)).slice(-2)).toMatchObject([
        { action: "audit.began" },
        { note: "first of the second" },
      ]);
      const report = await own.verify(orgId, { secret: OTHER_SECRET });
      expect(report).toMatchObject({ isWhole: true, isVouched: false });
      const by = [new AuditSealer(SECRET).mark];
      expect(report.chains.find(({ chainId }) => chainId === orgId)).toMatchObject({
        vouchedTo: 5,
        unvouched: [{ from: 1, to: 3, by, why: "earlier" }],
        unvouchedEntries: 3,
      });
    } finally {
      await own.close();
    }
  });

  test("takes what is written with another meanwhile for a break, as nothing tells it from a forgery", async () => {
    const own = await AuditFixture.open();
    try {
      const orgId = await own.makeOrg(3);
      await own.record(orgId, "with another", await own.openWith(OTHER_SECRET));
      expect(await own.messages(orgId)).toEqual([expect.stringContaining("Entries 4 to 5 were not sealed")]);
      await own.record(orgId, "ours again");
      const [broken] = (await own.rows(orgId)).slice(-2);
      expect(broken).toMatchObject({ action: "audit.break-found" });
      expect(broken?.note).toContain("Entries 4 to 5 were not sealed");
      expect(await own.messages(orgId)).toEqual([expect.stringContaining("A break was found")]);
    } finally {
      await own.close();
    }
  });

  test("one without any is told that it can vouch for nothing", async () => {
    const { isWhole, isVouched, findings } = await fixture.verify(undefined, { secret: undefined });
    expect([isWhole, isVouched]).toEqual([false, false]);
    expect(findings.map(({ message }) => message)).toEqual([expect.stringContaining("LINEUP_SECRET")]);
  });
});

describe("many writers at once", () => {
  test("leave chains without a gap, on every machine, whatever they write", async () => {
    const orgs = await Promise.all(Array.from({ length: 4 }, () => fixture.makeOrg(1)));
    const writers = Array.from({ length: 50 }, async (_, index) => {
      const orgId = orgs[index % orgs.length] ?? "";
      const store = index % 3 === 0 ? other : fixture.store;
      for (let round = 0; round < 4; round++) {
        if (index % 10 === 1) await createKey(store, { orgId, name: "K", permissions: ["teams:read"] }, TEST_ORIGIN);
        else if (index % 10 === 2) {
          const entry = { at: 1, action: "user.signed-in", target: { kind: "user", id: "user_1", name: "R" } };
          await store.writePeople(TEST_ORIGIN, async (_operator, { record }) => {
            for (const chainId of [...orgs].reverse()) await record(chainId, [entry]);
          });
        } else await fixture.record(orgId, `${index} ${round}`, store);
      }
    });
    await Promise.all(writers);
    expect(await fixture.messages()).toEqual([]);
    const rows = (await Promise.all(orgs.map((id) => fixture.rows(id)))).flat();
    const told = rows.filter(({ action }) => !action.startsWith("audit.") && action !== "organization.created");
    // Five of the fifty tell all four organizations.
    expect(told.length).toBe(45 * 4 + 5 * 4 * 4);
  });

  test("a transaction that fails leaves no entry, and no gap", async () => {
    const orgId = await fixture.makeOrg(2);
    const failing = fixture.store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
      await org.record([{ at: 1, action: "player.created", target: { kind: "player", id: "p", name: null } }]);
      throw new Error("No.");
    });
    await expect(failing).rejects.toThrow("No.");
    await expect(setTier(fixture.store, orgId, "Gold", TEST_ORIGIN)).rejects.toThrow();
    await fixture.record(orgId, "after");
    expect((await fixture.rows(orgId)).map(({ seq, note }) => [seq, note]).slice(1)).toEqual([
      [2, "entry 2"],
      [3, "after"],
    ]);
    expect(await fixture.messages(orgId)).toEqual([]);
  });

  test("who tells of an organization that is gone is refused", async () => {
    const orgId = await fixture.makeOrg(1);
    await deleteOrganization(fixture.store, orgId, TEST_ORIGIN);
    const entry = { at: 1, action: "member.left", target: { kind: "user", id: "user_1", name: null } };
    const late = fixture.store.writePeople(TEST_ORIGIN, (_operator, { record }) => record(orgId, [entry]));
    await expect(late).rejects.toThrow(`${orgId} is gone`);
    expect(await fixture.rows(orgId)).toEqual([]);
  });
});

describe("a receipt", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "lineup-receipt-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function takeReceipt(): Promise<Receipt> {
    const { chains } = await fixture.verify();
    const file = join(folder, "receipt.json");
    writeReceipt(file, 1_000, Object.fromEntries(chains.map(({ chainId, count, hash }) => [chainId, { count, hash }])));
    const receipt = readReceipt(file);
    if (receipt === undefined) throw new Error("It was not written.");
    return receipt;
  }

  const TABLES = ["audit", "audit_heads", "audit_seals"] as const;

  test("shows an older state of a log that was put back with its seal, to those who have not seen it", async () => {
    const orgId = await fixture.makeOrg(3);
    const [heads, seals] = await Promise.all(
      ["audit_heads", "audit_seals"].map((table) => fixture.sql(`SELECT * FROM ${table} WHERE org_id = ?`, orgId)),
    );
    await fixture.record(orgId, "to be forgotten");
    const receipt = await takeReceipt();
    expect(await fixture.messages(orgId, receipt)).toEqual([]);
    await fixture.sql("DELETE FROM audit WHERE org_id = ? AND seq > 3", orgId);
    const [head, seal] = [heads?.[0], seals?.[0]];
    await fixture.sql("UPDATE audit_heads SET count = 3, hash = ? WHERE org_id = ?", head?.hash, orgId);
    await fixture.sql(
      "UPDATE audit_seals SET count = 3, hash = ?, seal = ? WHERE org_id = ?",
      seal?.hash,
      seal?.seal,
      orgId,
    );
    expect(await fixture.messages(orgId)).toEqual([]);
    expect(await fixture.messages(orgId, receipt)).toEqual([expect.stringMatching(/receipt of 1970-.*entry 4/)]);
  });

  test("knows an organization that was deleted from one that vanished", async () => {
    const [deleted, vanished] = [await fixture.makeOrg(3), await fixture.makeOrg(3)];
    const receipt = await takeReceipt();
    await deleteOrganization(fixture.store, deleted, TEST_ORIGIN);
    for (const table of TABLES) await fixture.sql(`DELETE FROM ${table} WHERE org_id = ?`, vanished);
    await fixture.sql("DELETE FROM organizations WHERE id = ?", vanished);
    expect(await fixture.messages(deleted, receipt)).toEqual([]);
    expect(await fixture.messages(vanished, receipt)).toEqual([
      expect.stringContaining("nothing says who deleted it"),
      expect.stringContaining("The receipt knows this log with 3 entries"),
    ]);
  });

  test("is refused where it is something else, and not there where there is none", () => {
    const file = join(folder, "letter.json");
    writeFileSync(file, "{}");
    expect(() => readReceipt(file)).toThrow(/no receipt/);
    expect(readFileSync(file, "utf8")).toBe("{}");
    expect(readReceipt(join(folder, "nowhere.json"))).toBeUndefined();
  });
});

test("a deleted organization leaves where its log ended, in the installation's", async () => {
  const own = await AuditFixture.open();
  try {
    const orgId = await own.makeOrg(3, "Short-lived");
    const last = (await own.rows(orgId)).at(-1);
    await deleteOrganization(own.store, orgId, TEST_ORIGIN, 5_000);
    const [created, deleted] = (await own.rows(INSTALLATION_CHAIN)).slice(-2);
    expect(created).toMatchObject({ action: "organization.created", target_id: orgId });
    expect(deleted).toMatchObject({ at: 5_000, action: "organization.deleted", target_name: "Short-lived" });
    expect(JSON.parse(deleted?.changes ?? "")).toMatchObject({ entries: [3, null], lastHash: [last?.hash, null] });
    expect((await verifyAudit(own.store, { sealer: new AuditSealer(SECRET) })).findings).toEqual([]);
  } finally {
    await own.close();
  }
});
