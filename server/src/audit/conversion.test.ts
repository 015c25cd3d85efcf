/** Logs of the version before are made ready for erasing, and lose nothing by it: they verify before, meanwhile and after. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AuditFixture, SECRET } from "../../test/audit-fixture.ts";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { alterStore, ENGINE, runScript } from "../../test/test-store.ts";
import { AuditSealer } from "../store/audit-chain.ts";
import { hashOldRow, hashRow, INSTALLATION_CHAIN } from "../store/audit-entry.ts";
import { MARKS_FILE } from "../store/audit-marks.ts";
import type { Receipt } from "./audit-receipt.ts";

let fixture: AuditFixture;
beforeEach(async () => {
  fixture = await AuditFixture.open();
});
afterEach(() => fixture.close());

/** As the version before leaves it: hashes over the values, and neither facts nor commitments. */
async function makeOld(chainId: string): Promise<void> {
  let hash = "";
  const rows = await fixture.rows(chainId);
  const statements = rows.map((row) => {
    hash = hashOldRow(hash, row);
    return `UPDATE audit SET facts = NULL, salt = NULL, commitment = NULL, hash = '${hash}' WHERE org_id = '${chainId}' AND seq = ${row.seq}`;
  });
  await runScript(fixture.dataDir, statements);
  await endWith(chainId, rows.length, hash);
}

async function endWith(chainId: string, count: number, hash: string): Promise<void> {
  const { seal } = new AuditSealer(SECRET).seal(chainId, { count, hash });
  await fixture.mendHead(chainId);
  await fixture.sql(
    "UPDATE audit_seals SET count = ?, hash = ?, seal = ? WHERE org_id = ?",
    count,
    hash,
    seal,
    chainId,
  );
}

/** As a node of the version before goes on. */
async function appendOld(orgId: string): Promise<void> {
  const last = (await fixture.rows(orgId)).at(-1);
  if (last === undefined) throw new Error("There is no entry to go on from.");
  const row = {
    ...last,
    seq: last.seq + 1,
    action: "player.updated",
    note: "old",
    facts: null,
    salt: null,
    commitment: null,
  };
  const hash = hashOldRow(last.hash, row);
  await fixture.insert({ ...row, hash });
  await endWith(orgId, row.seq, hash);
}

/** With all of the store as the version before has left it. */
async function makeOldOrg(entries: number): Promise<string> {
  const orgId = await fixture.makeOrg(1);
  const target = { kind: "player", id: "player_1", name: "Viper" };
  const one = { at: 1, action: "player.updated", target, changes: { ign: [null, "Viper"] }, note: "seen" } as const;
  await fixture.store.writeOrg(orgId, TEST_ORIGIN, (org) => org.record(Array.from({ length: entries - 1 }, () => one)));
  await makeOld(orgId);
  const firstHash = JSON.stringify({ firstHash: [null, (await fixture.rows(orgId))[0]?.hash] });
  const ids = [firstHash, INSTALLATION_CHAIN, orgId];
  await fixture.sql("UPDATE audit SET changes = ? WHERE org_id = ? AND target_id = ?", ...ids);
  await makeOld(INSTALLATION_CHAIN);
  await fixture.reopen();
  return orgId;
}

const convert = (store = fixture.store) => store.convertChains(TEST_ORIGIN);

const receiptOf = async (orgId: string, seq: number): Promise<Receipt> => {
  const { hash = "" } = (await fixture.rows(orgId)).find((row) => row.seq === seq) ?? {};
  return { format: "lineup audit receipt", takenAt: 1, chains: { [orgId]: { count: seq, hash } } };
};

describe("a log of the version before", () => {
  test("verifies as it is, with what is written by this version after it", async () => {
    const orgId = await makeOldOrg(4);
    await fixture.record(orgId, "of today");
    expect((await fixture.rows(orgId)).map(({ commitment }) => commitment === null)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
    expect(await fixture.messages()).toEqual([]);
  });

  test("is converted once, keeps its hashes, and verifies after", async () => {
    const orgId = await makeOldOrg(2_500);
    const before = await fixture.rows(orgId);
    const receipts = [await receiptOf(orgId, 1), await receiptOf(orgId, 1_700), await receiptOf(orgId, 2_500)];
    const installation = (await fixture.rows(INSTALLATION_CHAIN)).length;
    expect(await convert()).toEqual({ entries: 2_500 + installation, broken: [] });
    const after = await fixture.rows(orgId);
    expect(after.slice(0, -1).map(({ hash }) => hash)).toEqual(before.map(({ hash }) => hash));
    expect(after.every(({ salt, commitment }) => salt?.length === 32 && commitment?.length === 64)).toBe(true);
    expect(after[1]?.facts).toBe('{"fields":["ign"]}');
    expect(after.at(-1)).toMatchObject({ seq: 2_501, action: "audit.converted" });
    expect(await fixture.messages()).toEqual([]);
    for (const receipt of receipts) expect(await fixture.messages(orgId, receipt)).toEqual([]);
    expect(await convert()).toEqual({ entries: 0, broken: [] });
    await fixture.record(orgId, "goes on");
    expect((await fixture.rows(orgId)).length).toBe(2_502);
    expect(await fixture.messages()).toEqual([]);
  });

  test("can be converted by several at once", async () => {
    const orgId = await makeOldOrg(2_200);
    const other = await fixture.openWith(SECRET);
    await Promise.all([convert(), convert(other)]);
    const actions = (await fixture.rows(orgId)).map(({ action }) => action);
    expect(actions.filter((action) => action === "audit.converted").length).toBe(1);
    expect(await fixture.messages()).toEqual([]);
  });

  test("is converted again where a node of the version before has gone on meanwhile", async () => {
    const orgId = await makeOldOrg(3);
    await convert();
    await fixture.record(orgId, "of today");
    for (const round of [1, 2]) {
      await appendOld(orgId);
      await fixture.record(orgId, `of today, round ${round}`);
      await appendOld(orgId);
      expect(await fixture.messages()).toEqual([]);
      expect(await convert()).toEqual({ entries: 2, broken: [] });
      expect(await fixture.messages()).toEqual([]);
    }
    expect((await fixture.rows(orgId)).filter(({ action }) => action === "audit.break-found")).toEqual([]);
  });

  test("goes on where it was interrupted, and verifies meanwhile", async () => {
    const orgId = await makeOldOrg(2_500);
    await alterStore(fixture.dataDir, interruptAt(orgId, 1_500));
    await expect(convert()).rejects.toThrow();
    const filled = (await fixture.rows(orgId)).filter(({ commitment }) => commitment !== null);
    expect(filled.length).toBe(1_000);
    expect(await fixture.messages()).toEqual([]);
    await alterStore(fixture.dataDir, LIFT);
    expect((await convert()).entries).toBe(1_500);
    expect(await fixture.messages()).toEqual([]);
  });

  test("is left as it is where it is not whole, and says so for ever", async () => {
    const orgId = await makeOldOrg(5);
    await fixture.sql("UPDATE audit SET note = 'another' WHERE org_id = ? AND seq = 3", orgId);
    expect((await convert()).broken).toEqual([{ chainId: orgId, seq: 3 }]);
    expect((await fixture.rows(orgId)).every(({ commitment }) => commitment === null)).toBe(true);
    expect(await fixture.messages(orgId)).toEqual([expect.stringContaining("Entry 3 does not follow")]);
  });
});

/** A disk that is full there. */
const interruptAt = (orgId: string, seq: number) =>
  ENGINE === "sqlite"
    ? `CREATE TRIGGER full BEFORE UPDATE ON audit WHEN NEW.org_id = '${orgId}' AND NEW.seq = ${seq} BEGIN SELECT RAISE(ABORT, 'full'); END`
    : `ALTER TABLE audit ADD CONSTRAINT "full" CHECK (org_id <> '${orgId}' OR seq <> ${seq} OR commitment IS NULL)`;
const LIFT = ENGINE === "sqlite" ? "DROP TRIGGER full" : 'ALTER TABLE audit DROP CONSTRAINT "full"';

describe("erasing in a log of the version before", () => {
  async function eraseIn(orgId: string): Promise<void> {
    await fixture.store.eraseInOrg(orgId, TEST_ORIGIN, async (org, blank) => {
      await blank(["player_1"]);
      await org.insertInto("erasures", [{ record_id: "player_1", at: 2 }]).execute();
      const target = { kind: "person", id: "player_1", name: null };
      await org.record([{ at: 2, action: "person.erased", target, facts: { erased: ["player_1"] } }]);
    });
  }

  test("leaves no hash that would confirm a guess, and is proven all the same", async () => {
    const orgId = await makeOldOrg(1_200);
    const receipts = [await receiptOf(orgId, 1), await receiptOf(orgId, 700), await receiptOf(orgId, 1_200)];
    await expect(eraseIn(orgId)).rejects.toThrow("have no commitments");
    await convert();
    await eraseIn(orgId);
    expect(await fixture.messages()).toEqual([]);
    await fixture.store.sweep([orgId]);
    const rows = await fixture.rows(orgId);
    expect(
      rows.slice(1, 1_200).every(({ hash, salt, changes }) => hash.startsWith("~") && (salt ?? changes) === null),
    ).toBe(true);
    expect([rows[0]?.hash.startsWith("~"), rows.at(-1)?.action]).toEqual([false, "person.erased"]);
    expect(await fixture.messages()).toEqual([]);
    for (const receipt of receipts) expect(await fixture.messages(orgId, receipt)).toEqual([]);
    const forged = { ...receipts[1], chains: { [orgId]: { count: 700, hash: "0".repeat(64) } } } as Receipt;
    expect(await fixture.messages(orgId, forged)).toEqual([expect.stringContaining("By the receipt")]);
    await fixture.sql("UPDATE audit SET facts = NULL WHERE org_id = ? AND seq = 600", orgId);
    expect(await fixture.messages(orgId)).not.toEqual([]);
  });

  test("is no break for a machine that has seen the log before", async () => {
    const orgId = await makeOldOrg(5);
    const { chains } = await receiptOf(orgId, 4);
    await convert();
    await eraseIn(orgId);
    await fixture.store.sweep([orgId]);
    const seen = { format: "lineup audit marks", store: ENGINE, chains: { [orgId]: [4, chains[orgId]?.hash] } };
    await fixture.reopen();
    writeFileSync(join(fixture.dataDir, MARKS_FILE), JSON.stringify(seen));
    await fixture.record(orgId, "goes on");
    expect((await fixture.rows(orgId)).map(({ action }) => action)).not.toContain("audit.break-found");
    expect(await fixture.messages()).toEqual([]);
  });
});

describe("what conversion has added cannot be altered:", () => {
  test.each([
    ["the facts", `facts = '{"fields":["role"]}'`],
    ["the commitment", `commitment = '${"0".repeat(64)}'`],
    ["the salt", `salt = '${"0".repeat(32)}'`],
    ["the values", "note = 'another'"],
    ["the values and what proves them", "note = NULL, changes = NULL, target_name = NULL, salt = NULL"],
    ["the hash", `hash = '~${"0".repeat(63)}'`],
    ["all of it", "note = NULL, changes = NULL, target_name = NULL, salt = NULL, facts = NULL, commitment = NULL"],
  ])("%s", async (_, alteration) => {
    const orgId = await makeOldOrg(5);
    await convert();
    expect(await fixture.messages(orgId)).toEqual([]);
    await fixture.sql(`UPDATE audit SET ${alteration} WHERE org_id = ? AND seq = 3`, orgId);
    const found = await fixture.verify(orgId, { secret: SECRET });
    expect(found.findings.map(({ seq }) => seq)).not.toEqual([]);
  });

  test("nor the entry that proves it be made up", async () => {
    const orgId = await makeOldOrg(5);
    await convert();
    const rows = await fixture.rows(orgId);
    await fixture.sql("UPDATE audit SET facts = NULL WHERE org_id = ? AND seq = 3", orgId);
    let stretchHash = "";
    for (const row of rows.slice(0, -1))
      stretchHash = hashRow(stretchHash, row.seq === 3 ? { ...row, facts: null } : row);
    const last = rows.at(-1);
    if (last === undefined) throw new Error("There is no entry to forge.");
    const hash = hashRow(stretchHash, last);
    await fixture.sql("UPDATE audit SET hash = ? WHERE org_id = ? AND seq = ?", hash, orgId, last.seq);
    await fixture.mendHead(orgId);
    expect(await fixture.messages(orgId)).not.toEqual([]);
  });
});
