/** Writes that come together, and in the embedded store share a transaction: the log is what it would be had they come one by one. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AuditFixture } from "../../test/audit-fixture.ts";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { ENGINE } from "../../test/test-store.ts";
import { makeId } from "../store/ids.ts";

let fixture: AuditFixture;
beforeAll(async () => {
  fixture = await AuditFixture.open();
});
afterAll(() => fixture.close());

const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);
const notesOf = async (orgId: string) => (await fixture.rows(orgId)).slice(1).map(({ note }) => note);
const revisionOf = async (orgId: string, on = fixture) => (await on.store.org(orgId).readRevision()) ?? 0;
const teamsOf = (orgId: string, on = fixture) =>
  on.store.org(orgId).selectFrom("teams").select("name").orderBy("id").execute();

/** Changes data and tells of it. */
function addTeam(orgId: string, name: string, afterwards?: () => void, on = fixture): Promise<void> {
  return on.store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
    const id = makeId("team");
    const row = { game: "LoL", division: "main", status: "active", player_count: 0, external_ids: "{}" } as const;
    const rest = { tag: null, region: null, logo_url: null, search_text: "", created_at: 1, updated_at: 1 };
    await org.insertInto("teams", [{ id, name, ...row, ...rest }]).execute();
    await org.record([{ at: 1_000, action: "team.created", target: { kind: "team", id, name }, note: name }]);
    afterwards?.();
  });
}

async function expectWhole(orgId: string, on = fixture): Promise<void> {
  const { isWhole, isVouched } = await on.verify(orgId);
  expect([isWhole, isVouched]).toEqual([true, true]);
}

describe("writes that come together", () => {
  test("are told one after the other, each once, and raise the revision once each", async () => {
    const orgId = await fixture.makeOrg(1);
    const before = await revisionOf(orgId);
    await Promise.all(names(100).map((name) => addTeam(orgId, name)));
    expect(await notesOf(orgId)).toEqual(names(100));
    expect((await teamsOf(orgId)).map(({ name }) => name)).toEqual(names(100));
    expect(await revisionOf(orgId)).toBe(before + 100);
    await expectWhole(orgId);
  });

  test("keep the logs of several organizations apart", async () => {
    const orgIds = [await fixture.makeOrg(1), await fixture.makeOrg(1), await fixture.makeOrg(1)];
    await Promise.all(names(30).map((name, index) => addTeam(orgIds[index % 3] ?? "", name)));
    for (const [place, orgId] of orgIds.entries()) {
      expect(await notesOf(orgId)).toEqual(names(30).filter((_, index) => index % 3 === place));
      await expectWhole(orgId);
    }
  });

  test("leave no end of one that failed while it was telling to the next, of another organization", async () => {
    const [failing, other] = [await fixture.makeOrg(1), await fixture.makeOrg(1)];
    function* tellMuchAndFail() {
      const target = { kind: "team", id: "team_1", name: "never" };
      for (let told = 0; told < 700; told++) yield { at: 1_000, action: "team.updated", target, note: "never" };
      throw new Error("given up");
    }
    const results = await Promise.allSettled([
      fixture.store.writeOrg(failing, TEST_ORIGIN, (org) => org.record(tellMuchAndFail())),
      addTeam(other, "fine"),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    expect([await notesOf(failing), await notesOf(other)]).toEqual([[], ["fine"]]);
    for (const orgId of [failing, other]) await expectWhole(orgId);
  });

  test("leave no trace of one that failed after it had told of itself, and go on where the one before it ended", async () => {
    const orgId = await fixture.makeOrg(1);
    const before = await revisionOf(orgId);
    const fail = () => {
      throw new Error("given up");
    };
    const written = names(20).map((name, index) => addTeam(orgId, name, index % 3 === 1 ? fail : undefined));
    const kept = names(20).filter((_, index) => index % 3 !== 1);
    expect((await Promise.allSettled(written)).filter(({ status }) => status === "fulfilled")).toHaveLength(13);
    expect(await notesOf(orgId)).toEqual(kept);
    expect(await revisionOf(orgId)).toBe(before + kept.length);
    await expectWhole(orgId);
  });

  test("nor of one that failed while it was telling, with hundreds of entries in the log already", async () => {
    const orgId = await fixture.makeOrg(1);
    function* tellUntilItFails() {
      const target = { kind: "team", id: "team_1", name: "never" };
      for (let told = 0; told < 700; told++) yield { at: 1_000, action: "team.updated", target, note: "never" };
      throw new Error("given up");
    }
    const fail = () => fixture.store.writeOrg(orgId, TEST_ORIGIN, (org) => org.record(tellUntilItFails()));
    const settled = await Promise.allSettled([addTeam(orgId, "a"), fail(), addTeam(orgId, "b")]);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await notesOf(orgId)).toEqual(["a", "b"]);
    await expectWhole(orgId);
  });

  test("find what somebody did to the log before them, and say so once", async () => {
    const orgId = await fixture.makeOrg(2);
    await fixture.forge(orgId);
    await Promise.all(names(5).map((name) => addTeam(orgId, name)));
    const actions = (await fixture.rows(orgId)).map(({ action }) => action);
    expect(actions.filter((action) => action === "audit.break-found")).toHaveLength(1);
    expect(actions.slice(-5)).toEqual(Array(5).fill("team.created"));
  });
});

describe.skipIf(ENGINE !== "sqlite")("where the end of a shared transaction fails", () => {
  test.each(["ABORT", "ROLLBACK"])(
    "by %s, all of it fails, nothing is there, and nothing is remembered",
    async (how) => {
      const own = await AuditFixture.open();
      try {
        const orgId = await own.makeOrg(2);
        const [rows, revision] = [await own.rows(orgId), await revisionOf(orgId, own)];
        await own.sql(
          `CREATE TRIGGER refuse BEFORE UPDATE ON audit_heads BEGIN SELECT RAISE(${how}, 'refused by the test'); END`,
        );
        const settled = await Promise.allSettled(names(4).map((name) => addTeam(orgId, name, undefined, own)));
        expect(settled.map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
        expect([await own.rows(orgId), await teamsOf(orgId, own)]).toEqual([rows, []]);
        expect(await revisionOf(orgId, own)).toBe(revision);
        await own.sql("DROP TRIGGER refuse");
        // A mark of what was never written would make the next one tell of a break.
        await addTeam(orgId, "after", undefined, own);
        const added = (await own.rows(orgId)).slice(rows.length);
        expect(added.map(({ action, note }) => [action, note])).toEqual([["team.created", "after"]]);
        await expectWhole(orgId, own);
      } finally {
        await own.close();
      }
    },
  );
});
