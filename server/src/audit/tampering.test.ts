/** Whatever is done to the audit log with the database's own tools is found, and keeps nobody from working. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AuditFixture } from "../../test/audit-fixture.ts";
import { INSTALLATION_CHAIN } from "../store/audit-entry.ts";

const ENTRIES = 6;

let fixture: AuditFixture;
beforeAll(async () => {
  fixture = await AuditFixture.open();
});
afterAll(() => fixture.close());

/** What each column becomes, in SQL. */
const ALTERATIONS: Readonly<Record<string, string>> = {
  at: "at + 1",
  actor_kind: "'server'",
  actor_id: "'user_2'",
  actor_name: "'nobody'",
  address: "'192.0.2.2'",
  request_id: "''",
  action: "'player.created'",
  target_kind: "'team'",
  target_id: "'player_2'",
  target_name: "NULL",
  changes: `'{"ign":[null,"another"]}'`,
  note: "'another'",
  facts: '\'{"fields":["role"]}\'',
  salt: "'00112233445566778899aabbccddeeff'",
  commitment: `'${"0".repeat(64)}'`,
  hash: `'${"0".repeat(64)}'`,
};

type Tampering = (orgId: string) => Promise<unknown>;

const TAMPERINGS: Readonly<Record<string, Tampering>> = {
  "removing the first entry": (id) => fixture.sql("DELETE FROM audit WHERE org_id = ? AND seq = 1", id),
  "removing one in the middle": (id) => fixture.sql("DELETE FROM audit WHERE org_id = ? AND seq = 3", id),
  "removing the last entry": (id) => fixture.sql("DELETE FROM audit WHERE org_id = ? AND seq = ?", id, ENTRIES),
  "removing one in the middle and closing the gap": async (id) => {
    await fixture.sql("DELETE FROM audit WHERE org_id = ? AND seq = 3", id);
    for (let seq = 4; seq <= ENTRIES; seq++) await renumber(id, seq, seq - 1);
    await fixture.rehash(id);
  },
  "cutting off the end": (id) => fixture.sql("DELETE FROM audit WHERE org_id = ? AND seq > 3", id),
  "cutting off the end and mending the head": (id) => cut(id),
  "cutting off the end, mending the head and removing the seal": async (id) => {
    await cut(id);
    await removeSeals(id);
  },
  "cutting off the end, mending the head and rewriting the seal": async (id) => {
    await cut(id);
    const [last] = (await fixture.rows(id)).slice(-1);
    await fixture.sql("UPDATE audit_seals SET count = ?, hash = ? WHERE org_id = ?", last?.seq, last?.hash, id);
  },
  "altering an entry and making all hashes fit again": async (id) => {
    await fixture.sql("UPDATE audit SET actor_name = 'nobody' WHERE org_id = ? AND seq = 4", id);
    await fixture.rehash(id, 4);
  },
  "altering the last entry and making all hashes fit again": async (id) => {
    await fixture.sql("UPDATE audit SET actor_name = 'nobody' WHERE org_id = ? AND seq = ?", id, ENTRIES);
    await fixture.rehash(id, ENTRIES);
  },
  "removing the values of an entry": (id) => blank(id, 4),
  "removing the values of an entry, and what proves them": (id) => blank(id, 4, "salt = NULL"),
  "removing all that an entry commits to, and making all hashes fit again": async (id) => {
    await blank(id, 4, "salt = NULL, facts = NULL");
    await fixture.rehash(id, 4);
  },
  "removing what proves the values of an entry": (id) =>
    fixture.sql("UPDATE audit SET salt = NULL WHERE org_id = ? AND seq = 4", id),
  "swapping the salts of two entries": async (id) => {
    const [one, other] = (await fixture.rows(id)).slice(3, 5);
    await fixture.sql("UPDATE audit SET salt = ? WHERE org_id = ? AND seq = 4", other?.salt, id);
    await fixture.sql("UPDATE audit SET salt = ? WHERE org_id = ? AND seq = 5", one?.salt, id);
  },
  "removing the values of an entry, and forging an erasure that says why": async (id) => {
    await blank(id, 4, "salt = NULL");
    const [like] = (await fixture.rows(id)).slice(3, 4);
    if (like === undefined) throw new Error("There is no entry to erase.");
    const facts = JSON.stringify({ erased: [like.target_id] });
    await fixture.insert({ ...like, seq: ENTRIES + 1, action: "person.erased", facts });
    await fixture.rehash(id, ENTRIES + 1);
  },
  "swapping two entries": (id) => swap(id, 2, 4),
  "swapping two entries and making all hashes fit again": async (id) => {
    await swap(id, 2, 4);
    await fixture.rehash(id);
  },
  "turning the order around": async (id) => {
    await swap(id, 2, ENTRIES);
    await swap(id, 3, ENTRIES - 1);
  },
  "giving an entry another number": (id) => renumber(id, ENTRIES, ENTRIES + 5),
  "giving an entry a number beyond all counting": (id) => renumber(id, ENTRIES, 9_000_000_000_000_000),
  "giving an entry to another organization": async (id) => {
    const other = await fixture.makeOrg(1);
    await fixture.sql("UPDATE audit SET org_id = ? WHERE org_id = ? AND seq = 3", other, id);
  },
  "adding an entry at the end": async (id) => {
    await forge(id, ENTRIES + 1);
  },
  "adding an entry at the end that fits, with its head": async (id) => {
    await forge(id, ENTRIES + 1);
    await fixture.rehash(id, ENTRIES + 1);
  },
  "putting an entry into the middle": async (id) => {
    for (let seq = ENTRIES; seq >= 3; seq--) await renumber(id, seq, seq + 1);
    await forge(id, 3);
    await fixture.rehash(id);
  },
  "counting less in the head": (id) => fixture.sql("UPDATE audit_heads SET count = 3 WHERE org_id = ?", id),
  "counting more in the head": (id) => fixture.sql("UPDATE audit_heads SET count = 60 WHERE org_id = ?", id),
  "another hash in the head": (id) => fixture.sql("UPDATE audit_heads SET hash = 'x' WHERE org_id = ?", id),
  "removing the head": (id) => fixture.sql("DELETE FROM audit_heads WHERE org_id = ?", id),
  "removing the seal": (id) => removeSeals(id),
  "altering the seal": (id) => fixture.sql("UPDATE audit_seals SET seal = 'x' WHERE org_id = ?", id),
  "altering what is sealed": (id) => fixture.sql("UPDATE audit_seals SET count = 3 WHERE org_id = ?", id),
  "another mark on the seal": (id) =>
    fixture.sql("UPDATE audit_seals SET mark = '0123456789abcdef' WHERE org_id = ?", id),
  "the seal of another organization": async (id) => {
    const other = await fixture.makeOrg(ENTRIES);
    await removeSeals(id);
    await fixture.sql("UPDATE audit_seals SET org_id = ? WHERE org_id = ?", id, other);
  },
  "all of another organization's log": async (id) => {
    const other = await fixture.makeOrg(ENTRIES);
    await wipe(id);
    for (const table of ["audit", "audit_heads", "audit_seals"]) {
      await fixture.sql(`UPDATE ${table} SET org_id = ? WHERE org_id = ?`, id, other);
    }
  },
  "removing all entries": (id) => fixture.sql("DELETE FROM audit WHERE org_id = ?", id),
  "removing all entries and beginning at nothing": async (id) => {
    await wipe(id);
    await fixture.sql("INSERT INTO audit_heads (org_id, count, hash) VALUES (?, 0, '')", id);
  },
  "removing all entries, head and seal": (id) => wipe(id),
};

async function renumber(orgId: string, from: number, to: number): Promise<void> {
  await fixture.sql("UPDATE audit SET seq = ? WHERE org_id = ? AND seq = ?", to, orgId, from);
}

async function swap(orgId: string, one: number, other: number): Promise<void> {
  await renumber(orgId, one, 1_000);
  await renumber(orgId, other, one);
  await renumber(orgId, 1_000, other);
}

async function blank(orgId: string, seq: number, more = ""): Promise<void> {
  const values = ["target_name = NULL", "changes = NULL", "note = NULL", more].filter((one) => one !== "").join(", ");
  await fixture.sql(`UPDATE audit SET ${values} WHERE org_id = ? AND seq = ?`, orgId, seq);
}

async function cut(orgId: string): Promise<void> {
  await fixture.sql("DELETE FROM audit WHERE org_id = ? AND seq > 3", orgId);
  await fixture.mendHead(orgId);
}

async function removeSeals(orgId: string): Promise<void> {
  await fixture.sql("DELETE FROM audit_seals WHERE org_id = ?", orgId);
}

async function wipe(orgId: string): Promise<void> {
  for (const table of ["audit", "audit_heads", "audit_seals"]) {
    await fixture.sql(`DELETE FROM ${table} WHERE org_id = ?`, orgId);
  }
}

async function forge(orgId: string, seq: number): Promise<void> {
  const [like] = await fixture.rows(orgId);
  if (like === undefined) throw new Error("There is no entry to imitate.");
  await fixture.insert({ ...like, seq, action: "player.updated", note: "forged" });
}

/** Found at once; the next change is made all the same; and then it is still found. */
async function expectFound(orgId: string, tamper: Tampering): Promise<void> {
  expect(await fixture.messages(orgId)).toEqual([]);
  await tamper(orgId);
  expect(await fixture.messages(orgId)).not.toEqual([]);
  for (const note of ["after", "and again"]) await fixture.record(orgId, note);
  const recorded = (await fixture.rows(orgId)).filter(({ note }) => note === "after" || note === "and again");
  expect(recorded.length).toBe(2);
  expect(await fixture.messages(orgId)).not.toEqual([]);
}

describe("an organization's log", () => {
  describe.each([1, 3, ENTRIES])("entry %i", (seq) => {
    test.each(Object.entries(ALTERATIONS))("with another %s is found", async (column, value) => {
      await expectFound(await fixture.makeOrg(ENTRIES), (id) =>
        fixture.sql(`UPDATE audit SET ${column} = ${value} WHERE org_id = ? AND seq = ?`, id, seq),
      );
    });
  });

  test.each(Object.entries(TAMPERINGS))("shows %s", async (_, tamper) => {
    await expectFound(await fixture.makeOrg(ENTRIES), tamper);
  });

  test("tells what was cut off as soon as it goes on, and in which entry", async () => {
    const orgId = await fixture.makeOrg(ENTRIES);
    await cut(orgId);
    await fixture.record(orgId, "after");
    const [broken, after] = (await fixture.rows(orgId)).slice(-2);
    expect(broken).toMatchObject({ seq: ENTRIES + 1, action: "audit.break-found", target_id: orgId });
    expect(broken?.note).toContain(`${ENTRIES} entries were sealed, and 3 are left.`);
    expect(after).toMatchObject({ seq: ENTRIES + 2, note: "after" });
    const messages = await fixture.messages(orgId);
    expect(messages[0]).toBe(`Entries 4 to ${ENTRIES} are missing.`);
    await fixture.record(orgId, "quiet");
    expect((await fixture.rows(orgId)).filter(({ action }) => action === "audit.break-found").length).toBe(1);
  });

  test("tells that its seal was removed, where it would otherwise begin under a new one", async () => {
    const orgId = await fixture.makeOrg(ENTRIES);
    await removeSeals(orgId);
    await fixture.record(orgId, "after");
    const [broken] = (await fixture.rows(orgId)).slice(-2);
    expect(broken).toMatchObject({ seq: ENTRIES + 1, action: "audit.break-found" });
    expect(broken?.note).toContain("The seal was removed.");
  });

  test("is whole but for what was found once what was cut off is put back", async () => {
    const orgId = await fixture.makeOrg(ENTRIES);
    const backup = await fixture.rows(orgId);
    await cut(orgId);
    await fixture.record(orgId, "after");
    for (const row of backup.slice(3)) await fixture.insert(row);
    expect(await fixture.messages(orgId)).toEqual([expect.stringMatching(/^A break was found on .*3 are left/)]);
  });
});

describe("the installation's log", () => {
  const IN_THE_OPEN: Readonly<Record<string, (orgId: string) => Promise<unknown>>> = {
    "an organization that is gone with all of its log": async (id) => {
      await wipe(id);
      await fixture.sql("DELETE FROM organizations WHERE id = ?", id);
    },
    "an organization that is gone and has left its log": (id) =>
      fixture.sql("DELETE FROM organizations WHERE id = ?", id),
  };

  test.each(Object.entries(IN_THE_OPEN))("shows %s", async (_, tamper) => {
    const orgId = await fixture.makeOrg(2, "Gone");
    await tamper(orgId);
    const { findings } = await fixture.verify();
    const about = findings.filter(({ chainId }) => chainId === orgId);
    expect(about.map(({ name, message }) => `${name}: ${message}`)).toContain(
      "Gone: The organization is gone, and nothing says who deleted it.",
    );
  });

  test("shows an organization that somebody has put there past Lineup, also one whose log has begun since", async () => {
    const own = await AuditFixture.open();
    try {
      for (const id of ["org_silent", "org_used"]) {
        await own.sql("INSERT INTO organizations VALUES (?, 'Smuggled', 'Free', 1, 1, 1)", id);
      }
      await own.record("org_used", "goes on");
      const { findings } = await own.verify();
      const message = "The organization was made, and the installation's log does not know of it.";
      expect(findings.map((one) => [one.chainId, one.message])).toEqual([
        ["org_silent", message],
        ["org_used", message],
      ]);
    } finally {
      await own.close();
    }
  });

  test("shows that it was itself altered, cut off or removed, in a store of its own", async () => {
    for (const tamper of [
      "UPDATE audit SET note = 'x' WHERE org_id = ? AND seq = 2",
      "DELETE FROM audit WHERE org_id = ? AND seq = 3",
      "DELETE FROM audit WHERE org_id = ?",
      "DELETE FROM audit_heads WHERE org_id = ?",
      "DELETE FROM audit_seals WHERE org_id = ?",
    ]) {
      const own = await AuditFixture.open();
      try {
        await own.makeOrg(1);
        const orgId = await own.makeOrg(1);
        expect(await own.messages()).toEqual([]);
        await own.sql(tamper, INSTALLATION_CHAIN);
        expect(await own.messages(), tamper).not.toEqual([]);
        await own.makeOrg(1);
        await own.record(orgId, "goes on");
        expect(await own.messages(), tamper).not.toEqual([]);
      } finally {
        await own.close();
      }
    }
  });
});
