/** After a person was erased, no value that they ever had is anywhere in the store, its journals, its logs, its answers or a new backup. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ENDPOINTS } from "@lineup/api/endpoints";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyAudit } from "../../src/audit/verify-audit.ts";
import { eraseAgain, erasePerson } from "../../src/erasure/erase-person.ts";
import { AuditSealer } from "../../src/store/audit-chain.ts";
import { requireSecret } from "../../src/store/secret-file.ts";
import { runLineup } from "../run-lineup.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, startTestServer, type TestServer } from "../test-server.ts";
import { alterStore, dropTestStore, ENGINE, runSql, storeSettingsOf } from "../test-store.ts";
import { deletePerson, findLeft, type KnownPerson, makeKnownPerson, readAll } from "./known-person.ts";

let folder: string;
let dataDir: string;
let server: TestServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lineup-erasing-"));
  dataDir = join(folder, "data");
  server = await startTestServer({ dataDir });
});
afterAll(async () => {
  await server.stop();
  await dropTestStore(dataDir);
  rmSync(folder, { recursive: true, force: true });
});

const lineup = (...words: string[]) => runLineup(words, { LINEUP_DATA_DIR: dataDir });

async function verify() {
  const sealer = new AuditSealer(requireSecret(await storeSettingsOf(dataDir)));
  return (await verifyAudit(server.store, { sealer })).findings;
}

function readTombstones(orgId: string) {
  return runSql(
    dataDir,
    "SELECT action, target_id, target_name, changes, facts FROM audit WHERE org_id = ? AND action LIKE '%.deleted' AND facts LIKE '%erased%'",
    orgId,
  );
}

/** What every endpoint and the dashboard's logs answer. */
async function readAnswers({ key, orgId, owner, playerId, prospectId }: KnownPerson): Promise<string> {
  const replies = [];
  for (const { method, path } of ENDPOINTS) {
    if (method !== "GET") continue;
    for (const id of [playerId, prospectId]) replies.push(await call(server, "GET", path.replace("{id}", id), { key }));
  }
  const texts = replies.map(({ text }) => text);
  for (const query of [{}, { target: playerId }, { target: prospectId }]) {
    texts.push(JSON.stringify(await owner.do("listAudit", { path: { orgId }, query: { limit: "200", ...query } })));
  }
  texts.push(JSON.stringify(await owner.do("listRequests", { path: { orgId }, query: { limit: "100" } })));
  texts.push(JSON.stringify(await owner.do("exportAudit", { path: { orgId }, body: {} })));
  return texts.join("\n");
}

describe("erasing a person", () => {
  test("says what goes, takes the prospect and the player along, and leaves no value anywhere", async () => {
    const person = await makeKnownPerson(server);
    const { orgId, owner, playerId, prospectId, values } = person;
    const beside = await makeKnownPerson(server);
    await owner.do("listRequests", { path: { orgId } });
    expect(findLeft(await readAll(dataDir), values)).toEqual(values);
    expect(findLeft(await readAnswers(person), values)).not.toEqual([]);

    const path = { orgId, recordId: prospectId };
    const preview = await owner.do("previewErasure", { path });
    expect(preview).toMatchObject({ assignments: 1, contracts: 1 });
    expect(preview.people.map(({ id }) => id).toSorted()).toEqual([playerId, prospectId].toSorted());
    const erased = await owner.do("erasePerson", { path });
    expect(erased).toEqual({ ...preview, isSwept: true });

    expect(findLeft(await readAll(dataDir), values)).toEqual([]);
    expect(findLeft(await readAnswers(person), values)).toEqual([]);
    expect(findLeft(await readAll(dataDir), values)).toEqual([]);
    expect(findLeft(server.logged(), values)).toEqual([]);
    expect(await verify()).toEqual([]);
    const listed = await runSql(dataDir, "SELECT record_id FROM erasures WHERE org_id = ?", orgId);
    expect(listed.map((row) => row.record_id).toSorted()).toEqual(person.recordIds.toSorted());
    // Nobody else has lost anything.
    expect(findLeft(await readAnswers(beside), beside.values)).not.toEqual([]);
    expect(findLeft(await readAll(dataDir), beside.values)).toEqual(beside.values);
    const again = await owner.try("erasePerson", { path });
    expect(again.code).toBe("NOT_FOUND");
  });

  test.each(["playerId", "prospectId"] as const)(
    "who was deleted before, by the %s, leaves nothing either",
    async (by) => {
      const person = await makeKnownPerson(server);
      const { orgId, owner, playerId, prospectId, values } = person;
      await owner.do("listRequests", { path: { orgId } });
      const named = await owner.do("getProspect", { path: { orgId, recordId: prospectId } });
      const { ign } = await owner.do("getPlayer", { path: { orgId, recordId: playerId } });
      await deletePerson(person);
      expect(findLeft(await readAll(dataDir), values)).not.toEqual([]);

      const path = { orgId, recordId: person[by] };
      const preview = await owner.do("previewErasure", { path });
      expect(preview).toMatchObject({ assignments: 0, contracts: 0 });
      const people = [
        { kind: "player", id: playerId, name: ign },
        { kind: "prospect", id: prospectId, name: named.ign },
      ];
      expect(preview.people).toEqual(people);
      expect(await owner.do("erasePerson", { path })).toEqual({ ...preview, isSwept: true });
      expect(findLeft(await readAll(dataDir), values)).toEqual([]);
      expect(findLeft(await readAnswers(person), values)).toEqual([]);
      expect(await verify()).toEqual([]);
      const listed = await runSql(dataDir, "SELECT record_id FROM erasures WHERE org_id = ?", orgId);
      expect(listed.map((row) => row.record_id).toSorted()).toEqual(person.recordIds.toSorted());
      for (const recordId of [playerId, prospectId]) {
        expect((await owner.try("previewErasure", { path: { orgId, recordId } })).code).toBe("NOT_FOUND");
        expect((await owner.try("erasePerson", { path: { orgId, recordId } })).code).toBe("NOT_FOUND");
      }
    },
  );

  test.each(["player", "prospect"] as const)(
    "whose %s alone was deleted before takes the other along",
    async (gone) => {
      const person = await makeKnownPerson(server);
      const { orgId, owner, playerId, prospectId, values } = person;
      await deletePerson(person, [gone]);
      const path = { orgId, recordId: gone === "player" ? playerId : prospectId };
      const { people } = await owner.do("erasePerson", { path });
      expect(people.map(({ id }) => id)).toEqual([playerId, prospectId]);
      expect(findLeft(await readAll(dataDir), values)).toEqual([]);
      expect(await verify()).toEqual([]);
    },
  );

  test("finds nobody who was deleted in another organization", async () => {
    const person = await makeKnownPerson(server);
    const { orgId, owner } = await makeKnownPerson(server);
    await deletePerson(person);
    const path = { orgId, recordId: person.playerId };
    expect((await owner.try("previewErasure", { path })).code).toBe("NOT_FOUND");
    expect((await owner.try("erasePerson", { path })).code).toBe("NOT_FOUND");
  });

  test("leaves tombstones for those who mirror the data", async () => {
    const { orgId, owner, playerId, recordIds } = await makeKnownPerson(server);
    await owner.do("erasePerson", { path: { orgId, recordId: playerId } });
    const rows = await readTombstones(orgId);
    expect(rows.map(({ action }) => action).toSorted()).toEqual([
      // One was opened by a move that was taken back.
      "assignment.deleted",
      "assignment.deleted",
      "contract.deleted",
      "player.deleted",
      "prospect.deleted",
    ]);
    expect(rows.map((row) => row.target_id).toSorted()).toEqual(recordIds.toSorted());
    for (const row of rows)
      expect(row).toMatchObject({ target_name: null, changes: null, facts: '{"reason":"erased"}' });
  });

  test("tells once more of what was deleted before, in the feed too, and of nothing twice", async () => {
    const person = await makeKnownPerson(server);
    const { orgId, owner, key, prospectId, recordIds } = person;
    const { body } = await call(server, "GET", "/changes", { key });
    await deletePerson(person, ["player"]);
    await owner.do("erasePerson", { path: { orgId, recordId: prospectId } });
    const told = await call(server, "GET", `/changes?cursor=${body.meta.nextCursor}`, { key });
    const ofKind = (reason: string) =>
      (told.body.data as { type: string; resourceId: string; reason: string | null }[])
        .filter((change) => change.reason === reason)
        .map(({ type, resourceId }) => `${type} ${resourceId.split("_", 1)[0]}`)
        .toSorted();
    expect(ofKind("deleted")).toEqual([
      "contract.deleted contract",
      "player.deleted player",
      "roster.deleted assignment",
    ]);
    const erased = ["contract.deleted contract", "player.deleted player", "prospect.deleted prospect"];
    expect(ofKind("erased")).toEqual([...erased, "roster.deleted assignment", "roster.deleted assignment"]);
    expect((await readTombstones(orgId)).map((row) => row.target_id).toSorted()).toEqual(recordIds.toSorted());
    const { count } = await server.store.org(orgId).readAuditEnd();
    await eraseAgain(server.store, orgId, recordIds, TEST_ORIGIN);
    expect((await readTombstones(orgId)).length).toBe(recordIds.length);
    expect((await server.store.org(orgId).readAuditEnd()).count).toBe(count + 1);
    expect(await verify()).toEqual([]);
  });

  test("tells of no contract as gone that is somebody else's by now", async () => {
    const { orgId, owner, playerId } = await makeKnownPerson(server);
    const other = await owner.do("createPlayer", { path: { orgId }, body: { ign: "Wren", role: "Player" } });
    const [contract] = (await owner.do("listContracts", { path: { orgId } })).items;
    // As an import does.
    await runSql(dataDir, "UPDATE contracts SET player_id = ? WHERE org_id = ?", other.id, orgId);
    await owner.do("erasePerson", { path: { orgId, recordId: playerId } });
    expect((await readTombstones(orgId)).map((row) => row.target_id)).not.toContain(contract?.id);
    expect((await owner.do("listContracts", { path: { orgId } })).items).toMatchObject([{ id: contract?.id }]);
  });

  test("by the command says what it takes and asks, and is not found in a new backup or export", async () => {
    const { orgId, playerId, values } = await makeKnownPerson(server);
    const asked = await lineup("erase", playerId);
    expect(asked).toMatchObject({ code: 1, err: expect.stringContaining("--yes") });
    const { code, out, err } = await lineup("erase", playerId, "--yes", "--json");
    expect([code, err.replaceAll(/^.*(Copies|backup|Backups).*$/gm, "").trim()]).toEqual([0, ""]);
    expect(JSON.parse(out)).toMatchObject([{ id: playerId, orgId, assignments: 1, contracts: 1 }]);
    const backup = join(folder, `${orgId}.db`);
    expect(await lineup("backup", backup)).toMatchObject({ code: 0 });
    expect(findLeft(readFileSync(backup, "latin1"), values)).toEqual([]);
    const target = join(folder, `export-${orgId}`);
    expect(await lineup("export", "--org", orgId, target)).toMatchObject({ code: 0 });
    const exported = readdirSync(target).map((name) => readFileSync(join(target, name), "utf8"));
    expect(findLeft(exported.join("\n"), values)).toEqual([]);
    expect(await lineup("erase", "player_00000000000000000000000000", "--yes")).toMatchObject({ code: 1 });
    const listed = JSON.parse((await lineup("erase", "--list", "--json")).out);
    expect(listed).toContainEqual({ orgId, recordId: playerId, at: expect.any(Number) });
  });

  test("by the command takes somebody who was deleted before by their name, and is not found in a new backup", async () => {
    const person = await makeKnownPerson(server);
    const { orgId, owner, playerId, values } = person;
    await owner.do("listRequests", { path: { orgId } });
    const { ign } = await owner.do("getPlayer", { path: { orgId, recordId: playerId } });
    await deletePerson(person);
    const { code, out } = await lineup("erase", playerId, "--yes");
    expect([code, out]).toEqual([0, expect.stringContaining(`${ign} (player ${playerId})`)]);
    expect(findLeft(await readAll(dataDir), values)).toEqual([]);
    const backup = join(folder, `${orgId}.db`);
    expect(await lineup("backup", backup)).toMatchObject({ code: 0 });
    expect(findLeft(readFileSync(backup, "latin1"), values)).toEqual([]);
    expect(await verify()).toEqual([]);
    const again = await lineup("erase", playerId, "--yes");
    expect(again).toMatchObject({ code: 0, err: expect.stringContaining("erased before; sweeping again") });
  });

  test("by the command names the stores put aside that still hold them, and how to be rid of each", async () => {
    const { playerId } = await makeKnownPerson(server);
    const put = async (schema: string) =>
      alterStore(dataDir, `CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.schema_steps (step int)`);
    const kept = join(dataDir, "lineup.db.before-restore.2026");
    if (ENGINE === "sqlite") writeFileSync(kept, "");
    else for (const schema of ["lineup_before_restore_2026", '"Old one"']) await put(schema);
    const { err } = await lineup("erase", playerId, "--yes");
    if (ENGINE === "sqlite") expect(err).toContain(kept);
    else
      expect(err.match(/DROP SCHEMA .*/g)).toEqual([
        'DROP SCHEMA "Old one" CASCADE;',
        "DROP SCHEMA lineup_before_restore_2026 CASCADE;",
      ]);
    if (ENGINE === "sqlite") return rmSync(kept);
    await alterStore(dataDir, 'DROP SCHEMA "Old one", lineup_before_restore_2026 CASCADE');
  });

  test("that was ended before it was swept is finished by the command", async () => {
    const { orgId, playerId, values, owner } = await makeKnownPerson(server);
    await owner.do("listRequests", { path: { orgId } });
    await erasePerson(server.store, orgId, playerId, TEST_ORIGIN);
    expect(findLeft(await readAll(dataDir), values)).not.toEqual([]);
    expect(await lineup("erase", playerId, "--yes")).toMatchObject({ code: 0 });
    expect(findLeft(await readAll(dataDir), values)).toEqual([]);
    expect(await verify()).toEqual([]);
  });

  test("leaves somebody alone to whom they were linked by mistake", async () => {
    const { orgId, owner } = await makeKnownPerson(server);
    const make = (action: "createPlayer" | "createProspect") =>
      owner.do(action, { path: { orgId }, body: { ign: "Wren", role: "Player" } });
    const [stranger, prospect] = [await make("createPlayer"), await make("createProspect")];
    const path = { orgId, recordId: prospect.id };
    const { updatedAt } = await owner.do("updateProspect", {
      path,
      body: { updatedAt: prospect.updatedAt, playerId: stranger.id },
    });
    await owner.do("updateProspect", { path, body: { updatedAt, playerId: null } });
    const { people } = await owner.do("previewErasure", { path });
    expect(people.map(({ id }) => id)).toEqual([prospect.id]);
    await owner.do("erasePerson", { path });
    expect((await owner.do("getPlayer", { path: { orgId, recordId: stranger.id } })).ign).toBe("Wren");
  });

  test("is refused where the audit log is not whole, and changes nothing", async () => {
    const { orgId, owner, playerId } = await makeKnownPerson(server);
    await runSql(dataDir, "UPDATE audit SET commitment = NULL WHERE org_id = ? AND seq = 2", orgId);
    const refused = await owner.try("erasePerson", { path: { orgId, recordId: playerId } });
    expect([refused.code, refused.body.error.message]).toEqual([
      "CONFLICT",
      expect.stringContaining("lineup audit verify"),
    ]);
    expect((await owner.do("getPlayer", { path: { orgId, recordId: playerId } })).id).toBe(playerId);
    await runSql(dataDir, "DELETE FROM audit WHERE org_id = ?", orgId);
  });

  test("is found out where somebody removes values without one", async () => {
    const { orgId, owner, playerId, prospectId } = await makeKnownPerson(server);
    await owner.do("erasePerson", { path: { orgId, recordId: playerId } });
    const before = await verify();
    const [entry] = await runSql(
      dataDir,
      "SELECT seq FROM audit WHERE org_id = ? AND salt IS NOT NULL AND changes IS NOT NULL ORDER BY seq DESC LIMIT 1",
      orgId,
    );
    const blank =
      "UPDATE audit SET target_name = NULL, changes = NULL, note = NULL, salt = NULL WHERE org_id = ? AND seq = ?";
    await runSql(dataDir, blank, orgId, entry?.seq);
    const found = (await verify()).slice(before.length);
    expect(found.map(({ message }) => message)).toEqual([
      expect.stringContaining("nothing says that they were erased"),
    ]);
    expect(prospectId).not.toBe(playerId);
  });
});

test.runIf(ENGINE === "sqlite")("a server that starts finishes what another could not sweep", async () => {
  const own = join(folder, "own");
  let running = await startTestServer({ dataDir: own });
  const person = await makeKnownPerson(running);
  await person.owner.do("listRequests", { path: { orgId: person.orgId } });
  await erasePerson(running.store, person.orgId, person.playerId, TEST_ORIGIN);
  await running.stop();
  expect(findLeft(await readAll(own), person.values)).not.toEqual([]);
  running = await startTestServer({ dataDir: own });
  try {
    await expect.poll(async () => findLeft(await readAll(own), person.values), { interval: 500 }).toEqual([]);
  } finally {
    await running.stop();
  }
});
