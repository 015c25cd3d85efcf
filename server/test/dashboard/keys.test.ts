import { PERMISSIONS } from "@lineup/api/permissions";
import { DAY_MS } from "@lineup/api/tiers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey, revokeKey, rotateKey } from "../../src/access/key-admin.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeOrg } from "../test-server.ts";
import { join, makeUser, makeWorld, type World } from "./dashboard-world.ts";
import { Visitor } from "./visitor.ts";

const HOUR_MS = 3_600_000;

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world?.stop());

/** An organization of its own, with somebody who may do everything in it. */
async function makeOffice(tier: "Free" | "Enterprise" = "Enterprise") {
  const { server } = world;
  const orgId = await makeOrg(server, tier, "Office");
  const userId = await makeUser(server, "Ada");
  await join(server, orgId, userId, "owner");
  return { orgId, ada: await new Visitor(server).signInAs(userId) };
}

async function stateOf(ada: Visitor, orgId: string, keyId: string): Promise<string | undefined> {
  const { keys } = await ada.do("listKeys", { path: { orgId } });
  return keys.find(({ id }) => id === keyId)?.state;
}

describe("the list of keys", () => {
  it("says of each key the first state that applies", async () => {
    const { orgId, ada } = await makeOffice("Free");
    const { store } = world.server;
    const now = Date.now();
    const make = (expiresAt: number | null, at = now) =>
      createKey(store, { orgId, name: "Key", permissions: ["players:read"], expiresAt }, TEST_ORIGIN, at);
    const unused = await make(null);
    const soon = await make(now + 14 * DAY_MS - HOUR_MS);
    const later = await make(now + 15 * DAY_MS);
    const expired = await make(now - 1, now - DAY_MS);
    const revoked = await make(now - 1, now - DAY_MS);
    await revokeKey(store, revoked.id, TEST_ORIGIN);
    const rotating = await make(null);
    const { successor } = await rotateKey(store, rotating.id, HOUR_MS, TEST_ORIGIN);
    const rotated = await make(null);
    await rotateKey(store, rotated.id, 0, TEST_ORIGIN);
    const used = await make(null);
    await call(world.server, "GET", "/players", { key: used.key });
    const limited = await make(now + 2 * DAY_MS);
    for (let sent = 0; sent < 10; sent++) await call(world.server, "GET", "/players", { key: limited.key });
    const { keys } = await ada.do("listKeys", { path: { orgId } });
    const states = new Map(keys.map(({ id, state }) => [id, state]));
    expect(
      [unused, soon, later, expired, revoked, rotating, successor, rotated, used, limited].map(({ id }) =>
        states.get(id),
      ),
    ).toEqual([
      "never used",
      "expires soon",
      "never used",
      "expired",
      "revoked",
      "rotating",
      "never used",
      "expired",
      "active",
      "rate limited",
    ]);
    // Newest first.
    expect(keys.map(({ id }) => id)).toEqual(
      keys
        .map(({ id }) => id)
        .toSorted()
        .reverse(),
    );
  });

  it("says who made a key, by a name, and when it was last used and how much", async () => {
    const { orgId, ada } = await makeOffice();
    const made = await ada.do("createKey", {
      path: { orgId },
      body: { name: "  Sync ", permissions: ["teams:read", "players:read"], expiresAt: null },
    });
    await createKey(world.server.store, { orgId, name: "By hand", permissions: ["teams:read"] }, TEST_ORIGIN);
    const before = Date.now();
    for (let sent = 0; sent < 3; sent++) await call(world.server, "GET", "/teams", { key: made.key });
    await expect
      .poll(async () => (await ada.do("listKeys", { path: { orgId } })).keys.at(-1)?.recentHours.at(-1))
      .toBe(3);
    const { keys } = await ada.do("listKeys", { path: { orgId } });
    expect(keys.map(({ name, createdBy }) => [name, createdBy])).toEqual([
      ["By hand", "test"],
      ["Sync", "Ada"],
    ]);
    const [, sync] = keys;
    expect(sync).toMatchObject({ permissions: ["players:read", "teams:read"], state: "active" });
    expect(made.key.startsWith(sync?.shownPrefix ?? "?")).toBe(true);
    expect(sync?.recentHours).toHaveLength(36);
    expect(sync?.lastUsedAt ?? 0).toBeGreaterThanOrEqual(before - 5);
    expect(JSON.stringify(keys)).not.toContain(made.key);
  });
});

describe("a new key", () => {
  it("opens what it may, and nothing else", async () => {
    const { orgId, ada } = await makeOffice();
    const { key } = await ada.do("createKey", {
      path: { orgId },
      body: { name: "Reader", permissions: ["players:read"], expiresAt: Date.now() + DAY_MS },
    });
    expect((await call(world.server, "GET", "/players", { key })).status).toBe(200);
    expect((await call(world.server, "GET", "/teams", { key })).status).toBe(403);
  });

  it("ends in the future, or never", async () => {
    const { orgId, ada } = await makeOffice();
    for (const expiresAt of [Date.now() - 1, 0, -5]) {
      const reply = await ada.try("createKey", {
        path: { orgId },
        body: { name: "Late", permissions: ["players:read"], expiresAt },
      });
      expect([reply.code, reply.body.error.details?.[0]?.field]).toEqual(["VALIDATION_ERROR", "expiresAt"]);
    }
    const beyond = { name: "Far", permissions: ["players:read"], expiresAt: 9_007_199_254_740_991 };
    expect((await ada.try("createKey", { path: { orgId }, body: beyond })).code).toBe("VALIDATION_ERROR");
  });
});

describe("a key's page", () => {
  it("shows both windows as the next request would find them, and nothing counted before the first", async () => {
    const { orgId, ada } = await makeOffice("Free");
    const { id: keyId, key } = await ada.do("createKey", {
      path: { orgId },
      body: { name: "Gauge", permissions: ["players:read"], expiresAt: null },
    });
    const fresh = await ada.do("getKey", { path: { orgId, keyId } });
    expect(fresh.windows).toEqual({
      minute: { limit: 10, remaining: 10, resetsAt: null },
      day: { limit: 100, remaining: 100, resetsAt: null },
    });
    const reply = await call(world.server, "GET", "/players", { key });
    for (let looked = 0; looked < 3; looked++) await ada.do("getKey", { path: { orgId, keyId } });
    const { windows } = await ada.do("getKey", { path: { orgId, keyId } });
    expect([windows.minute.remaining, windows.day.remaining]).toEqual([9, 99]);
    // The header is in whole seconds, rounded up; the wall clock and the one that counts part by some microseconds.
    const earlierMs = Number(reply.headers.get("x-ratelimit-reset")) * 1_000 - (windows.minute.resetsAt ?? 0);
    expect(earlierMs).toBeGreaterThan(-50);
    expect(earlierMs).toBeLessThan(1_050);
  });

  it("names the permissions that no request has needed, and draws use over time and by endpoint", async () => {
    const { orgId, ada } = await makeOffice();
    const { id: keyId, key } = await ada.do("createKey", {
      path: { orgId },
      body: { name: "Wide", permissions: PERMISSIONS, expiresAt: null },
    });
    await call(world.server, "GET", "/players", { key });
    await call(world.server, "GET", "/players", { key });
    await call(world.server, "GET", "/me", { key });
    await call(world.server, "GET", "/players/nobody", { key });
    await call(world.server, "GET", "/nowhere", { key });
    const page = () => ada.do("getKey", { path: { orgId, keyId } });
    await expect.poll(async () => (await page()).requestsLastDay).toBe(5);
    expect((await page()).unusedPermissions).toEqual(PERMISSIONS.filter((one) => one !== "players:read"));
    for (const [span, count, stepMs] of [
      ["24h", 24, HOUR_MS],
      ["7d", 28, 6 * HOUR_MS],
      ["30d", 30, DAY_MS],
      ["400d", 40, 10 * DAY_MS],
    ] as const) {
      const usage = await ada.do("getKeyUsage", { path: { orgId, keyId }, query: { span } });
      expect([usage.steps.length, usage.stepMs]).toEqual([count, stepMs]);
      expect(usage.steps.at(-1)).toMatchObject({ answered: 3, refused: 2, failed: 0 });
      const [{ at: first } = { at: 0 }, { at: second } = { at: 0 }] = usage.steps;
      expect(second - first).toBe(stepMs);
      expect((usage.steps.at(-1)?.at ?? 0) + stepMs).toBeGreaterThan(Date.now());
      expect(usage.endpoints.map(({ route, requests, errors }) => [route, requests, errors])).toEqual(
        expect.arrayContaining([
          ["GET /players", 2, 0],
          ["GET /players/{id}", 1, 1],
          ["GET /me", 1, 0],
        ]),
      );
      expect(usage.endpoints[0]?.route).toBe("GET /players");
    }
  });

  it("shows how a key was used before its limits were counted here, to the hour", async () => {
    const { orgId, ada } = await makeOffice();
    const { id: keyId } = await ada.do("createKey", {
      path: { orgId },
      body: { name: "Moved", permissions: ["teams:read"], expiresAt: null },
    });
    const hour = Math.floor(Date.now() / HOUR_MS) - 50;
    await world.server.store.writePeople(TEST_ORIGIN, (operator) =>
      operator
        .insertInto("key_usage")
        .values({
          org_id: orgId,
          key_id: keyId,
          hour,
          endpoint: "listTeams",
          status: 200,
          requests: 7,
          duration_us: 900,
        })
        .execute(),
    );
    const page = await ada.do("getKey", { path: { orgId, keyId } });
    expect([page.lastUsedAt, page.state, page.requestsLastDay]).toEqual([hour * HOUR_MS, "active", 0]);
  });
});

describe("changing a key", () => {
  it("holds from the next request on", async () => {
    const { orgId, ada } = await makeOffice();
    const { id: keyId, key } = await ada.do("createKey", {
      path: { orgId },
      body: { name: "Old", permissions: ["players:read"], expiresAt: null },
    });
    await call(world.server, "GET", "/players", { key });
    await ada.do("updateKey", { path: { orgId, keyId }, body: { name: "New", permissions: ["teams:read"] } });
    expect((await call(world.server, "GET", "/players", { key })).body.error.code).toBe("INSUFFICIENT_PERMISSIONS");
    expect((await call(world.server, "GET", "/teams", { key })).status).toBe(200);
    expect((await call(world.server, "GET", "/me", { key })).body.data.name).toBe("New");
    expect((await ada.try("updateKey", { path: { orgId, keyId }, body: {} })).code).toBe("VALIDATION_ERROR");
    expect((await ada.try("updateKey", { path: { orgId, keyId }, body: { permissions: [] } })).code).toBe(
      "VALIDATION_ERROR",
    );
  });

  it("by rotation leaves both keys working until the old one ends", async () => {
    const { orgId, ada } = await makeOffice();
    const old = await ada.do("createKey", {
      path: { orgId },
      body: { name: "Rotated", permissions: ["players:read"], expiresAt: null },
    });
    const path = { orgId, keyId: old.id };
    const next = await ada.do("rotateKey", { path, body: { overlap: "1h" } });
    for (const { key } of [old, next]) expect((await call(world.server, "GET", "/players", { key })).status).toBe(200);
    expect(await stateOf(ada, orgId, old.id)).toBe("rotating");
    const again = await ada.try("rotateKey", { path, body: { overlap: "1h" } });
    expect([again.code, again.body.error.message]).toEqual(["CONFLICT", expect.stringContaining(next.id)]);
    const last = await ada.do("rotateKey", { path: { orgId, keyId: next.id }, body: { overlap: "now" } });
    expect((await call(world.server, "GET", "/players", { key: next.key })).body.error.code).toBe("KEY_EXPIRED");
    expect((await call(world.server, "GET", "/players", { key: last.key })).status).toBe(200);
    const expired = await ada.try("updateKey", { path: { orgId, keyId: next.id }, body: { name: "Too late" } });
    expect(expired.code).toBe("CONFLICT");
  });

  it("by several at once gives a key one successor, and tells the others in the dashboard's words", async () => {
    const { orgId, ada } = await makeOffice();
    const { id: keyId } = await ada.do("createKey", {
      path: { orgId },
      body: { name: "Wanted", permissions: ["players:read"], expiresAt: null },
    });
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => ada.try("rotateKey", { path: { orgId, keyId }, body: { overlap: "24h" } })),
    );
    expect(replies.map(({ code }) => code ?? "done").toSorted()).toEqual([...new Array(5).fill("CONFLICT"), "done"]);
    for (const { text } of replies) expect(text).not.toMatch(/lineup key|key create/);
  });

  it("for good needs its name, typed exactly, and holds from the next request on", async () => {
    const { orgId, ada } = await makeOffice();
    const { id: keyId, key } = await ada.do("createKey", {
      path: { orgId },
      body: { name: "Stats site", permissions: ["players:read"], expiresAt: null },
    });
    const path = { orgId, keyId };
    for (const name of ["", "stats site", "Stats site ", "Stats"]) {
      const reply = await ada.try("revokeKey", { path, body: { name } });
      expect([reply.code, reply.body.error.details]).toEqual([
        "VALIDATION_ERROR",
        [expect.objectContaining({ field: "name" })],
      ]);
    }
    expect((await call(world.server, "GET", "/players", { key })).status).toBe(200);
    await ada.do("revokeKey", { path, body: { name: "Stats site" } });
    expect((await call(world.server, "GET", "/players", { key })).body.error.code).toBe("KEY_REVOKED");
    for (const [name, body] of [
      ["rotateKey", { overlap: "now" }],
      ["updateKey", { name: "Alive?" }],
    ] as const) {
      const reply = await ada.try(name, { path, body });
      expect([reply.code, reply.body.error.message]).toEqual(["CONFLICT", expect.stringContaining("revoked")]);
    }
    expect((await ada.try("revokeKey", { path, body: { name: "Stats site" } })).status).toBe(200);
  });

  it("is told to the audit log with who did it, from where, and never the key", async () => {
    const { orgId, ada } = await makeOffice();
    const { id: keyId, key } = await ada.do("createKey", {
      path: { orgId },
      body: { name: "Audited", permissions: ["players:read"], expiresAt: null },
    });
    const renamed = await ada.try("updateKey", { path: { orgId, keyId }, body: { name: "Audited twice" } });
    const { entries } = await ada.do("listAudit", { path: { orgId }, query: { action: "key" } });
    expect(entries.map(({ action, actor, requestId }) => [action, actor.kind, actor.name, requestId])).toEqual([
      ["key.updated", "user", "Ada", renamed.headers.get("x-request-id")],
      ["key.created", "user", "Ada", expect.stringMatching(/^req_/)],
    ]);
    expect(entries[0]).toMatchObject({ address: "127.0.0.1", changes: { name: ["Audited", "Audited twice"] } });
    expect(JSON.stringify(entries)).not.toContain(key);
  });
});
