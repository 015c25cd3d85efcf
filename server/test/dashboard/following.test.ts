/** What keeps the pages of data current. */
import type { ActionName } from "@lineup/api/dashboard/actions";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { call, makeKey, makeOrg } from "../test-server.ts";
import { join, makeWorld, type World } from "./dashboard-world.ts";
import { keepEverything } from "./keeping-round.ts";
import { Staff } from "./staff.ts";

let world: World;
let staff: Staff;
let orgId: string;

beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world?.stop());
beforeEach(async () => {
  orgId = await makeOrg(world.server);
  await join(world.server, orgId, world.userIds.manager, "manager");
  staff = new Staff(world, world.visitors.manager, orgId);
});

function follow(after?: number) {
  const query = after === undefined ? {} : { after: String(after) };
  return world.visitors.manager.do("followRecords", { path: { orgId }, query });
}

const LISTS = {
  team: "listTeams",
  player: "listPlayers",
  assignment: "listRoster",
  contract: "listContracts",
  event: "listSchedule",
  prospect: "listProspects",
} as const satisfies Record<string, ActionName>;

async function readLists() {
  const lists: Record<string, unknown> = {};
  for (const [kind, name] of Object.entries(LISTS)) {
    const query = kind === "event" ? { from: "0" } : {};
    const { items } = await world.visitors.manager.do(name, { path: { orgId }, query });
    lists[kind] = Object.fromEntries(items.map((item) => [item.id, item]));
  }
  return lists;
}

it("says all that changed and nothing twice: what is patched by it equals the lists", async () => {
  const { sequence } = await follow();
  const mirror = new Map<string, Map<string, unknown>>(Object.keys(LISTS).map((kind) => [kind, new Map()]));
  await keepEverything(staff, Date.now());
  const followed = await follow(sequence);
  expect([followed.isMore, followed.isTooFar]).toEqual([false, false]);
  for (const [kind, records] of Object.entries(followed.records)) {
    const open = records.filter((record) => !("leftAt" in record) || record.leftAt === null);
    expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
    for (const record of open) mirror.get(kind)?.set(record.id, record);
  }
  expect(followed.deleted.length).toBeGreaterThan(0);
  const lists = await readLists();
  expect(Object.fromEntries([...mirror].map(([kind, byId]) => [kind, Object.fromEntries(byId)]))).toEqual(lists);
  expect(await follow(followed.sequence)).toMatchObject({ sequence: followed.sequence, deleted: [] });
});

it("sends who is too far behind, or ahead of the log, back to the lists", async () => {
  const { sequence } = await follow();
  expect(await follow(sequence + 1)).toMatchObject({ isTooFar: true, sequence });
});

it("tells who changed a record and what of it, without addresses and requests", async () => {
  const { id, updatedAt } = await staff.do("createProspect", undefined, { ign: "Nyx" });
  await staff.do("updateProspect", id, { updatedAt, stage: "trial" });
  const { entries } = await world.visitors.manager.do("listRecordHistory", { path: { orgId, recordId: id } });
  expect(entries.map(({ action, actor }) => [action, actor.kind, actor.id])).toEqual([
    ["prospect.updated", "user", null],
    ["prospect.created", "user", null],
  ]);
  expect(entries[0]?.changes).toMatchObject({ stage: ["identified", "trial"] });
  expect(entries[0]).not.toHaveProperty("address");
});

it("tells nothing of keys, people and webhooks, nor of other organizations", async () => {
  const { manager } = world.visitors;
  for (const recordId of [world.keyIds.first, world.userIds.viewer, orgId]) {
    expect((await manager.try("listRecordHistory", { path: { orgId, recordId } })).code).toBe("NOT_FOUND");
  }
  const { id } = await staff.do("createProspect", undefined, { ign: "Nyx" });
  const otherId = await makeOrg(world.server);
  await join(world.server, otherId, world.userIds.manager, "manager");
  expect((await manager.try("listRecordHistory", { path: { orgId: otherId, recordId: id } })).code).toBe("NOT_FOUND");
});

it("tells nothing of what is deleted, nor which key it was", async () => {
  const { manager } = world.visitors;
  const { key } = await makeKey(world.server, orgId);
  const answer = await call(world.server, "POST", "/prospects", { key, body: { ign: "Nyx" } });
  const { id, updatedAt } = (answer.body as { data: { id: string; updatedAt: number } }).data;
  const path = { orgId, recordId: id };
  const { entries } = await manager.do("listRecordHistory", { path });
  expect(entries.map(({ actor }) => actor)).toEqual([{ kind: "key", id: null, name: "An API key" }]);
  await staff.do("deleteProspect", id, { updatedAt });
  expect((await manager.try("listRecordHistory", { path })).code).toBe("NOT_FOUND");
});
