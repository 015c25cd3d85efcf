import { TIERS } from "@lineup/api/tiers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey, revokeKey } from "../../src/access/key-admin.ts";
import { deleteOrganization } from "../../src/access/organizations.ts";
import {
  DAY_MS,
  HOUR_MS,
  insertContracts,
  insertEntries,
  insertPlayers,
  insertTeams,
  makeContract,
  makeEntry,
  makePlayer,
  makeTeam,
} from "../contract/seed-records.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, makeOrg } from "../test-server.ts";
import { alterStore } from "../test-store.ts";
import { join, makeUser, makeWorld, type World } from "./dashboard-world.ts";
import { Visitor } from "./visitor.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world?.stop());

async function makeOffice(role: "owner" | "viewer" = "owner") {
  const { server } = world;
  const orgId = await makeOrg(server, "Basic", "Office");
  const userId = await makeUser(server, "Ada");
  await join(server, orgId, userId, role);
  return { orgId, userId, ada: await new Visitor(server).signInAs(userId) };
}

describe("Home", () => {
  it("of an empty organization is a checklist, which fills as things are done", async () => {
    const { orgId, ada } = await makeOffice();
    const home = async () => (await ada.do("getHome", { path: { orgId } })).checklist;
    expect(await home()).toEqual({ hasTeam: false, hasPlayers: false, hasKey: false, hasFirstCall: false });
    await world.server.store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
      await insertTeams(org, [makeTeam()]);
      await insertPlayers(org, [makePlayer()]);
    });
    const { key } = await makeKey(world.server, orgId);
    expect(await home()).toEqual({ hasTeam: true, hasPlayers: true, hasKey: true, hasFirstCall: false });
    await call(world.server, "GET", "/players", { key });
    expect(await home()).toEqual({ hasTeam: true, hasPlayers: true, hasKey: true, hasFirstCall: true });
  });

  it("shows contracts that end within 90 days, with the others of their players, and the next events", async () => {
    const { orgId, ada } = await makeOffice();
    const now = Date.now();
    const player = makePlayer();
    const contracts = [100, 80, 20, -1].map((days) =>
      makeContract(player.id, {
        status: "active",
        startDate: now - 90 * DAY_MS,
        endDate: now + days * DAY_MS,
      }),
    );
    const entries = [
      makeEntry({ title: "Far", startsAt: now + 9 * DAY_MS, endsAt: null }),
      makeEntry({ title: "Next", startsAt: now + HOUR_MS, endsAt: null }),
      makeEntry({ title: "Over", startsAt: now - 2 * DAY_MS, endsAt: now - DAY_MS + HOUR_MS }),
      makeEntry({ title: "Put off", status: "postponed", startsAt: now - 2 * HOUR_MS, endsAt: null }),
      makeEntry({ title: "Live", status: "live", startsAt: now - HOUR_MS, endsAt: null }),
    ];
    await world.server.store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
      await insertPlayers(org, [player]);
      await insertContracts(org, contracts);
      await insertEntries(org, entries);
    });
    const home = await ada.do("getHome", { path: { orgId } });
    expect(home.contracts.map(({ id, daysRemaining }) => [id, daysRemaining])).toEqual([
      [contracts[2]?.id, 20],
      [contracts[1]?.id, 80],
      [contracts[0]?.id, 100],
    ]);
    expect(home.events.map(({ title }) => title)).toEqual(["Put off", "Live", "Next", "Far"]);
  });

  it("announces keys that end soon or have ended, to those who may see keys", async () => {
    const { orgId, ada } = await makeOffice();
    const now = Date.now();
    const make = (name: string, expiresAt: number | null, at = now) =>
      createKey(world.server.store, { orgId, name, permissions: ["teams:read"], expiresAt }, TEST_ORIGIN, at);
    await make("fine", null);
    await make("soon", now + 3 * DAY_MS);
    await make("ended", now - DAY_MS, now - 30 * DAY_MS);
    await make("long ended", now - 20 * DAY_MS, now - 30 * DAY_MS);
    const gone = await make("revoked", now + DAY_MS);
    await revokeKey(world.server.store, gone.id, TEST_ORIGIN);
    const seen = (await ada.do("getHome", { path: { orgId } })).keysNeedingAttention;
    expect(seen?.map(({ name, state }) => [name, state])).toEqual([
      ["ended", "expired"],
      ["soon", "expires soon"],
    ]);
    const viewer = await makeOffice("viewer");
    expect((await viewer.ada.do("getHome", { path: { orgId: viewer.orgId } })).keysNeedingAttention).toBeNull();
  });

  it("draws the requests of the last day by the hour, answered, refused and failed", async () => {
    const { orgId, ada } = await makeOffice();
    const { key } = await makeKey(world.server, orgId);
    await call(world.server, "GET", "/players", { key });
    await call(world.server, "GET", "/players?limit=0", { key });
    const hours = async () => (await ada.do("getHome", { path: { orgId } })).hours;
    await expect.poll(async () => (await hours()).at(-1)).toMatchObject({ answered: 1, refused: 1, failed: 0 });
    expect(await hours()).toHaveLength(24);
    expect((await hours()).map(({ at }) => at % HOUR_MS)).toEqual(new Array(24).fill(0));
  });
});

describe("an organization's settings", () => {
  it("show its tier, what that allows, and how much of it is used", async () => {
    const { orgId, ada } = await makeOffice();
    const busy = await makeKey(world.server, orgId);
    await makeKey(world.server, orgId);
    const gone = await makeKey(world.server, orgId);
    await revokeKey(world.server.store, gone.id, TEST_ORIGIN);
    for (let sent = 0; sent < 4; sent++) await call(world.server, "GET", "/players", { key: busy.key });
    const settings = () => ada.do("getOrganization", { path: { orgId } });
    await expect.poll(async () => (await settings()).usage.requestsLastDay).toBe(4);
    expect(await settings()).toMatchObject({
      id: orgId,
      name: "Office",
      tier: "Basic",
      limits: TIERS.Basic,
      usage: {
        activeKeys: 2,
        players: 0,
        teams: 0,
        requestsLastDay: 4,
        busiestKey: { id: busy.id, name: "Test key", requestsLastDay: 4 },
      },
    });
    for (const role of ["viewer", "manager", "compliance"] as const) {
      const userId = await makeUser(world.server, role);
      await join(world.server, orgId, userId, role);
      const { usage } = await (await new Visitor(world.server).signInAs(userId)).do("getOrganization", {
        path: { orgId },
      });
      expect(usage.busiestKey?.id, role).toBe(role === "compliance" ? busy.id : undefined);
    }
  });

  it("export one at a time, so that nobody else is held up", async () => {
    const { orgId, ada } = await makeOffice();
    const target = { kind: "player", id: "player_1", name: "Somebody" };
    const entries = Array.from({ length: 5_000 }, () => ({ at: Date.now(), action: "player.updated", target }));
    await world.server.store.writeOrg(orgId, TEST_ORIGIN, async (org) => org.record(entries));
    const ask = () => ada.try("exportAudit", { path: { orgId }, body: {} });
    const statuses = (await Promise.all([ask(), ask(), ask()])).map(({ status }) => status).sort();
    expect(statuses).toContain(200);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect((await ask()).status).toBe(200);
  });

  it("rename it, which the next request and the audit log see", async () => {
    const { orgId, ada } = await makeOffice();
    const { key } = await makeKey(world.server, orgId);
    await ada.do("renameOrganization", { path: { orgId }, body: { name: "  Riverside " } });
    expect((await call(world.server, "GET", "/me", { key })).body.data.organization.name).toBe("Riverside");
    const [entry] = (await ada.do("listAudit", { path: { orgId }, query: { action: "organization.renamed" } })).entries;
    expect(entry).toMatchObject({ actor: { kind: "user", name: "Ada" }, changes: { name: ["Office", "Riverside"] } });
  });

  it("are gone with it", async () => {
    const { orgId, ada } = await makeOffice();
    await deleteOrganization(world.server.store, orgId, TEST_ORIGIN);
    const reply = await ada.try("getOrganization", { path: { orgId } });
    expect([reply.status, reply.code]).toEqual([404, "NOT_FOUND"]);
    expect((await ada.do("getSession")).organizations).toEqual([]);
  });
});

describe("the operator", () => {
  it("sees all organizations with their numbers, and reads nobody's data", async () => {
    const { operator } = world.visitors;
    const { orgId } = await makeOffice();
    const { key } = await makeKey(world.server, orgId);
    await call(world.server, "GET", "/players", { key });
    const find = async () => (await operator.do("listOrganizations")).organizations.find(({ id }) => id === orgId);
    await expect.poll(async () => (await find())?.requestsLastDay).toBe(1);
    expect(await find()).toMatchObject({ name: "Office", tier: "Basic", members: 1, activeKeys: 1 });
    expect((await operator.try("getHome", { path: { orgId } })).code).toBe("NOT_FOUND");
  });

  it("makes an organization and gets a link for its owner, who is one when they follow it", async () => {
    const { operator } = world.visitors;
    const ownerEmail = `owner-${process.pid}@example.com`;
    const made = await operator.do("createOrganization", { body: { name: "New club", tier: "Pro", ownerEmail } });
    expect(made.link.startsWith(`${world.server.origin}/link#`)).toBe(true);
    expect(made.wasMailed).toBe(false);
    const token = made.link.split("#")[1] ?? "";
    const newcomer = new Visitor(world.server);
    const link = await newcomer.do("describeLink", { body: { token } });
    expect(link).toMatchObject({ kind: "invitation", organization: "New club", role: "owner", email: ownerEmail });
    const accepted = await newcomer.do("acceptInvitation", {
      body: { token, name: "Grace", password: "correct horse battery" },
    });
    expect(accepted.organizationId).toBe(made.id);
    expect((await newcomer.do("getOrganization", { path: { orgId: made.id } })).tier).toBe("Pro");
    const [first] = (await newcomer.do("listAudit", { path: { orgId: made.id } })).entries.slice(-1);
    expect(first).toMatchObject({ action: "organization.created", actor: { kind: "user", name: "operator" } });
  });

  it("sets a tier, whose limits hold from the next request on", async () => {
    const { orgId } = await makeOffice();
    const { key } = await makeKey(world.server, orgId);
    const limitOf = async () => (await call(world.server, "GET", "/me", { key })).headers.get("x-ratelimit-limit");
    expect(await limitOf()).toBe(String(TIERS.Basic.perMinute));
    await world.visitors.operator.do("setTier", { path: { targetOrgId: orgId }, body: { tier: "Enterprise" } });
    expect(await limitOf()).toBe(String(TIERS.Enterprise.perMinute));
  });
});

describe("what goes wrong inside", () => {
  it("is INTERNAL_ERROR outside, with nothing of the inside, and whole in the log under the request id", async () => {
    const broken = await makeWorld();
    try {
      await alterStore(broken.server.dataDir, "ALTER TABLE key_usage RENAME TO key_usage_gone");
      const reply = await broken.visitors.owner.try("getHome", { path: { orgId: broken.first } });
      expect([reply.status, reply.code]).toEqual([500, "INTERNAL_ERROR"]);
      expect(reply.text).not.toMatch(/key_usage|SELECT|relation|table/i);
      const requestId = reply.headers.get("x-request-id") ?? "none";
      const line = broken.server
        .logged()
        .split("\n")
        .find((one) => one.includes(requestId) && one.includes("action failed"));
      expect(JSON.parse(line ?? "{}")).toMatchObject({
        level: 50,
        route: "GET /internal/orgs/{orgId}/home",
        status: 500,
        err: { message: expect.stringContaining("key_usage") },
      });
    } finally {
      await alterStore(broken.server.dataDir, "ALTER TABLE key_usage_gone RENAME TO key_usage");
      await broken.stop();
    }
  });
});
