/** What a request changes is told to the audit log, with the key, where it came from and under which request id; what is refused is not. */
import { afterAll, beforeAll, expect, it } from "vitest";
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
  expect(Object.keys(JSON.parse(updated?.changes ?? "")).toSorted()).toEqual(Object.keys(change).toSorted());
});

it("nothing is told of what was refused or only read", async () => {
  const before = await countEntries();
  await stage.api("POST", "/players", { ign: "Vex", role: "Jungle" });
  await stage.api("POST", "/players", { ign: "" });
  await stage.api("PATCH", "/players/player_nobody", { ign: "X" });
  await stage.api("GET", "/players");
  expect(await countEntries()).toBe(before);
});
