/** An older end of a log that is put back with the seal of that time: found by anyone who has seen more, and by nobody who has a reason not to. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AuditFixture, SECRET } from "../../test/audit-fixture.ts";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { dropTestStore, ENGINE, storeSettingsOf } from "../../test/test-store.ts";
import { createOrganization, deleteOrganization } from "../access/organizations.ts";
import { INSTALLATION_CHAIN } from "../store/audit-entry.ts";
import { MARKS_FILE, readMarks } from "../store/audit-marks.ts";
import { openStore } from "../store/open-store.ts";

let fixture: AuditFixture;
beforeAll(async () => {
  fixture = await AuditFixture.open();
});
afterAll(() => fixture.close());

/** What somebody who has the database keeps, to put it back later. */
async function keepEnd(orgId: string): Promise<() => Promise<void>> {
  const [head] = await fixture.sql("SELECT * FROM audit_heads WHERE org_id = ?", orgId);
  const [seal] = await fixture.sql("SELECT * FROM audit_seals WHERE org_id = ?", orgId);
  const end = [head?.count, head?.hash];
  return async () => {
    await fixture.sql("DELETE FROM audit WHERE org_id = ? AND seq > ?", orgId, head?.count);
    await fixture.sql("UPDATE audit_heads SET count = ?, hash = ? WHERE org_id = ?", ...end, orgId);
    await fixture.sql(
      "UPDATE audit_seals SET count = ?, hash = ?, seal = ? WHERE org_id = ?",
      ...end,
      seal?.seal,
      orgId,
    );
  };
}

const breaksOf = async (orgId: string) =>
  (await fixture.rows(orgId)).filter(({ action }) => action === "audit.break-found").map(({ note }) => note);

const messagesWithMarks = async (orgId?: string) => {
  const { findings } = await fixture.verify(orgId, { marks: await readMarks(fixture.dataDir) });
  return findings.map(({ message }) => message);
};

describe("an older end that is put back", () => {
  test("is found by the process that wrote more, which goes on after what it knows", async () => {
    const orgId = await fixture.makeOrg(3);
    const putBack = await keepEnd(orgId);
    for (const note of ["evil", "more of it"]) await fixture.record(orgId, note);
    await putBack();
    await fixture.record(orgId, "goes on");
    expect(await breaksOf(orgId)).toEqual(["This machine has seen 5 entries, and 3 are left."]);
    expect((await fixture.rows(orgId)).map(({ seq }) => seq)).toEqual([1, 2, 3, 6, 7]);
    expect(await fixture.messages(orgId)).toEqual(expect.arrayContaining(["Entries 4 to 5 are missing."]));
    await fixture.record(orgId, "quiet");
    expect((await breaksOf(orgId)).length).toBe(1);
  });

  // Processes on one embedded store have seen the same.
  test.runIf(ENGINE === "postgres")(
    "is found where it has grown as long again under a process that had not seen it",
    async () => {
      const orgId = await fixture.makeOrg(3);
      const putBack = await keepEnd(orgId);
      await fixture.record(orgId, "evil");
      await putBack();
      const blind = await fixture.openBeside();
      for (const note of ["as if", "nothing was"]) await fixture.record(orgId, note, blind);
      await fixture.record(orgId, "goes on");
      expect(await breaksOf(orgId)).toEqual(["Entry 4 is not the one that this machine has seen."]);
    },
  );

  test("is found after a restart, by the check and by the server", async () => {
    const orgId = await fixture.makeOrg(3);
    const putBack = await keepEnd(orgId);
    const first = await fixture.openWith(SECRET);
    await fixture.record(orgId, "evil", first);
    await fixture.shut(first);
    expect(await messagesWithMarks(orgId)).toEqual([]);
    await putBack();
    expect(await fixture.messages(orgId)).toEqual([]);
    expect(await messagesWithMarks(orgId)).toEqual([expect.stringMatching(/^Entry 4 .* this machine has seen/)]);
    const second = await fixture.openWith(SECRET);
    await fixture.record(orgId, "goes on", second);
    expect(await breaksOf(orgId)).toEqual(["This machine has seen 4 entries, and 3 are left."]);
    await fixture.shut(second);
    expect(await messagesWithMarks(orgId)).not.toEqual([]);
  });

  test("is found of the installation's log too, with an organization that vanished", async () => {
    const own = await AuditFixture.open();
    try {
      await own.makeOrg(1);
      const store = await own.openWith(SECRET);
      const { id } = await createOrganization(store, { name: "Vanishing" }, TEST_ORIGIN);
      await own.shut(store);
      for (const table of ["audit", "audit_heads", "audit_seals"])
        await own.sql(`DELETE FROM ${table} WHERE org_id = ?`, id);
      await own.sql("DELETE FROM organizations WHERE id = ?", id);
      const { findings } = await own.verify(undefined, { marks: await readMarks(own.dataDir) });
      expect(findings.map(({ message }) => message)).toContainEqual(
        expect.stringContaining("This machine knows this log with 1 entries"),
      );
    } finally {
      await own.close();
    }
  });
});

describe("what a machine has seen", () => {
  test("is kept for its owner alone, for all that was committed, and for nothing else", async () => {
    const orgId = await fixture.makeOrg(2);
    const store = await fixture.openWith(SECRET);
    await fixture.record(orgId, "committed", store);
    const failing = store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
      await org.record([{ at: 1, action: "player.created", target: { kind: "player", id: "p", name: null } }]);
      throw new Error("No.");
    });
    await expect(failing).rejects.toThrow("No.");
    await fixture.shut(store);
    expect((await readMarks(fixture.dataDir))?.chains.get(orgId)?.count).toBe(3);
    expect(statSync(join(fixture.dataDir, MARKS_FILE)).mode & 0o777).toBe(0o600);
    await fixture.record(orgId, "goes on");
    expect(await breaksOf(orgId)).toEqual([]);
  });

  test("goes with an organization that is deleted", async () => {
    const store = await fixture.openWith(SECRET);
    const { id } = await createOrganization(store, { name: "Short-lived" }, TEST_ORIGIN);
    await deleteOrganization(store, id, TEST_ORIGIN);
    await fixture.shut(store);
    const saved = await readMarks(fixture.dataDir);
    expect([saved?.chains.has(id), saved?.chains.has(INSTALLATION_CHAIN)]).toEqual([false, true]);
    expect(await messagesWithMarks(id)).toEqual([]);
  });

  test("of another store is set aside, and no break", async () => {
    const store = await fixture.openWith(SECRET);
    await createOrganization(store, { name: "Here" }, TEST_ORIGIN);
    await fixture.shut(store);
    const other = await AuditFixture.open();
    try {
      copyFileSync(join(fixture.dataDir, MARKS_FILE), join(other.dataDir, MARKS_FILE));
      expect((await other.verify(undefined, { marks: await readMarks(other.dataDir) })).findings).toEqual([]);
      const orgId = await other.makeOrg(2);
      expect((await other.rows(INSTALLATION_CHAIN)).map(({ action }) => action)).not.toContain("audit.break-found");
      expect(existsSync(join(other.dataDir, `${MARKS_FILE}.set-aside`))).toBe(true);
      expect(await other.messages(orgId)).toEqual([]);
    } finally {
      await other.close();
    }
  });

  test("holds nobody up where it cannot be kept, and is told of once", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "lineup-marks-"));
    const settings = { ...(await storeSettingsOf(dataDir)), secret: SECRET };
    await (await openStore(settings)).store.close();
    const blocked = join(dataDir, MARKS_FILE);
    mkdirSync(blocked, { recursive: true });
    writeFileSync(join(blocked, "x"), "");
    writeFileSync(`${blocked}.set-aside`, "mine");
    const faults: unknown[] = [];
    const { store } = await openStore(settings, { onMarksFault: (error) => faults.push(error) });
    await createOrganization(store, { name: "One" }, TEST_ORIGIN);
    await createOrganization(store, { name: "Two" }, TEST_ORIGIN);
    await store.close();
    expect(faults.length).toBe(1);
    expect(readFileSync(`${blocked}.set-aside`, "utf8")).toBe("mine");
    await dropTestStore(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  });
});
