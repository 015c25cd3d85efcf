/** After a person was erased, no value that they ever had is anywhere in the store, its journals, its logs, its answers or a new backup. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ENDPOINTS } from "@lineup/api/endpoints";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyAudit } from "../../src/audit/verify-audit.ts";
import { erasePerson } from "../../src/erasure/erase-person.ts";
import { AuditSealer } from "../../src/store/audit-chain.ts";
import { requireSecret } from "../../src/store/secret-file.ts";
import { runLineup } from "../run-lineup.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, startTestServer, type TestServer } from "../test-server.ts";
import { dropTestStore, ENGINE, runSql, storeSettingsOf } from "../test-store.ts";
import { findLeft, type KnownPerson, makeKnownPerson, readAll } from "./known-person.ts";

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

  test("leaves tombstones for those who mirror the data", async () => {
    const { orgId, owner, playerId, prospectId } = await makeKnownPerson(server);
    await owner.do("erasePerson", { path: { orgId, recordId: playerId } });
    const rows = await runSql(
      dataDir,
      "SELECT action, target_id, target_name, changes, facts FROM audit WHERE org_id = ? AND action LIKE '%.deleted' AND facts LIKE '%erased%'",
      orgId,
    );
    expect(rows.map(({ action }) => action).toSorted()).toEqual([
      "assignment.deleted",
      "contract.deleted",
      "player.deleted",
      "prospect.deleted",
    ]);
    expect(rows.map((row) => row.target_id)).toEqual(expect.arrayContaining([playerId, prospectId]));
    for (const row of rows)
      expect(row).toMatchObject({ target_name: null, changes: null, facts: '{"reason":"erased"}' });
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
