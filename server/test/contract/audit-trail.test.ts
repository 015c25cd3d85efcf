/** What a request changes is told to the audit log, with the key, where it came from and under which request id; what is refused is not. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { findUntold, lookAt } from "../told-changes.ts";
import { type LooseItem, openStage, type Stage } from "./checked-call.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.stop());

async function toldOf(targetId: string) {
  const { orgId } = stage.seed;
  const audit = stage.server.store.org(orgId).selectFrom("audit");
  return audit.selectAll().where("audit.target_id", "=", targetId).orderBy("audit.seq").execute();
}

async function entriesSince(seq: number) {
  const audit = stage.server.store.org(stage.seed.orgId).selectFrom("audit");
  return audit.select(["audit.action", "audit.target_id"]).where("audit.seq", ">", seq).orderBy("audit.seq").execute();
}

async function countEntries(): Promise<number> {
  return (await stage.server.store.org(stage.seed.orgId).readAuditEnd()).count;
}

const CASES: readonly (readonly [path: string, kind: string, body: LooseItem, patch: LooseItem])[] = [
  ["/players", "player", { ign: "Vex", role: "Player", stats: { kda: 4 } }, { ign: "Vexx", contractStatus: "expired" }],
  ["/prospects", "prospect", { ign: "Nyx", tags: ["mid"] }, { ign: "Nyxx", stage: "trial" }],
];

it.each(CASES)("POST and PATCH of %s are told once each, with before and after", async (path, kind, body, change) => {
  const made = await stage.api("POST", path, body);
  const { id } = made.body.data;
  const patched = await stage.api("PATCH", `${path}/${id}`, change);
  await stage.api("PATCH", `${path}/${id}`, change);
  const [created, updated, ...more] = await toldOf(id);
  expect(more).toEqual([]);
  expect(created).toMatchObject({
    action: `${kind}.created`,
    target_kind: kind,
    target_name: body.ign,
    actor_kind: "key",
    actor_id: expect.stringMatching(/^key_/),
    actor_name: "Test key",
    address: expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
    request_id: made.body.meta.requestId,
    at: made.body.data.createdAt,
  });
  const fields = JSON.parse(created?.changes ?? "");
  for (const [field, value] of Object.entries(body)) expect(fields[field]).toEqual([null, value]);
  for (const field of ["id", "createdAt", "updatedAt", "nationality"]) expect(fields).not.toHaveProperty(field);
  expect(updated).toMatchObject({
    action: `${kind}.updated`,
    target_name: change.ign,
    at: patched.body.data.updatedAt,
  });
  expect(updated?.request_id).toBe(patched.body.meta.requestId);
  expect(JSON.parse(updated?.changes ?? "")).toMatchObject({ ign: [body.ign, change.ign] });
  const moved = kind === "prospect" ? ["stageChangedAt"] : [];
  expect(Object.keys(JSON.parse(updated?.changes ?? "")).toSorted()).toEqual(
    [...Object.keys(change), ...moved].toSorted(),
  );
});

it("every record that a change reaches has an entry of its own, behind that of the record asked for", async () => {
  const { orgId, teams, players } = stage.seed;
  const { store } = stage.server;
  const [moved] = players;
  const moves: readonly LooseItem[] = [
    { teamId: teams.CS2.id, role: "AWPer" },
    { ign: "Renamed", realName: "Another", status: "benched", joinDate: moved.joinDate - 1_000 },
    { ign: "Moved and renamed", teamId: teams.Valorant.id, role: "Duelist" },
    { role: "Coach" },
    { teamId: null },
    { stats: { kda: 1 } },
  ];
  for (const body of moves) {
    const before = await lookAt(store, orgId, stage.clock.wallMs());
    await stage.api("PATCH", `/players/${moved.id}`, body);
    const after = await lookAt(store, orgId, stage.clock.wallMs());
    expect(await findUntold(store, orgId, before, after)).toEqual([]);
    const [first] = await entriesSince(before.seq);
    expect(first?.target_id).toBe(moved.id);
  }
  const before = await lookAt(store, orgId, stage.clock.wallMs());
  await stage.api("POST", "/players", { ign: "New", role: "Mid", teamId: teams.LoL.id });
  expect(await findUntold(store, orgId, before, await lookAt(store, orgId, stage.clock.wallMs()))).toEqual([]);
  expect((await entriesSince(before.seq)).map(({ action }) => action)).toEqual([
    "player.created",
    "assignment.created",
    "team.updated",
  ]);
});

it("nothing is told of what was refused or only read", async () => {
  const before = await countEntries();
  await stage.api("POST", "/players", { ign: "Vex", role: "Jungle" });
  await stage.api("POST", "/players", { ign: "" });
  await stage.api("PATCH", "/players/player_nobody", { ign: "X" });
  await stage.api("GET", "/players");
  expect(await countEntries()).toBe(before);
});
