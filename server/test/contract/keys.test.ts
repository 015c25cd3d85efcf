/** Keys and tiers as the requests see them: a change holds from the very next one, no matter who made it. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createKey, revokeKey, rotateKey } from "../../src/access/key-admin.ts";
import { makeKey as makeKeyText } from "../../src/access/key-format.ts";
import { deleteOrganization, renameOrganization, setTier } from "../../src/access/organizations.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { makeKey, makeOrg, type Reply } from "../test-server.ts";
import { storeEnvOf } from "../test-store.ts";
import { checkedCall, expectError, openStage, type Stage } from "./checked-call.ts";
import { DAY_MS, HOUR_MS } from "./seed-records.ts";

let stage: Stage;
let orgId: string;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.stop());
beforeEach(async () => {
  stage.clock.advance(60_000);
  orgId = await makeOrg(stage.server, "Basic");
});

const now = () => stage.clock.wallMs();
const me = (key: string): Promise<Reply> => checkedCall(stage.server, "GET", "/me", { key });
const SCRIPT = fileURLToPath(new URL("change-access.ts", import.meta.url));

async function inAnotherProcess(...args: string[]): Promise<string> {
  const env = await storeEnvOf(stage.server.dataDir);
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, ...args], { env });
  return stdout;
}

describe("a change to a key", () => {
  it("holds from the next request when made in this process", async () => {
    const { id, key } = await makeKey(stage.server, orgId);
    expect((await me(key)).status).toBe(200);
    await revokeKey(stage.server.store, id, TEST_ORIGIN);
    expectError(await me(key), "KEY_REVOKED");
  });

  it("holds from the very next request when made by another process", async () => {
    const { id, key } = await makeKey(stage.server, orgId);
    expect((await me(key)).status).toBe(200);
    await inAnotherProcess("revoke", id);
    expectError(await me(key), "KEY_REVOKED");
  });

  it("does not touch other keys", async () => {
    const [first, second] = [await makeKey(stage.server, orgId), await makeKey(stage.server, orgId)];
    expect((await me(second.key)).status).toBe(200);
    await revokeKey(stage.server.store, first.id, TEST_ORIGIN);
    expect((await me(second.key)).body.data.id).toBe(second.id);
  });

  it("is a deletion with its organization, after which nobody holds the key", async () => {
    const { key } = await makeKey(stage.server, orgId);
    expect((await me(key)).status).toBe(200);
    await deleteOrganization(stage.server.store, orgId, TEST_ORIGIN);
    expectError(await me(key), "INVALID_API_KEY");
  });
});

describe("the expiry of a key", () => {
  it("holds to the millisecond, and a revoked key that has expired is revoked", async () => {
    const wanted = { orgId, name: "Short", permissions: ["teams:read"], expiresAt: now() + 1_000 };
    const { id, key } = await createKey(stage.server.store, wanted, TEST_ORIGIN, now());
    stage.clock.advance(999);
    expect((await me(key)).body.data.expiresAt).toBe(wanted.expiresAt);
    stage.clock.advance(1);
    expectError(await me(key), "KEY_EXPIRED");
    await revokeKey(stage.server.store, id, TEST_ORIGIN);
    expectError(await me(key), "KEY_REVOKED");
  });
});

describe("the rotation of a key", () => {
  it("makes a successor with the same name, permissions and expiry and windows of its own", async () => {
    const wanted = { orgId, name: "Sync", permissions: ["teams:read", "roster:read"], expiresAt: now() + 90 * DAY_MS };
    const old = await createKey(stage.server.store, wanted, TEST_ORIGIN, now());
    for (let sent = 0; sent < 5; sent++) await me(old.key);
    const { successor } = await rotateKey(stage.server.store, old.id, HOUR_MS, TEST_ORIGIN, now());
    const described = (await me(successor.key)).body.data;
    expect(described).toMatchObject({
      id: successor.id,
      name: "Sync",
      permissions: ["teams:read", "roster:read"],
      expiresAt: wanted.expiresAt,
      limits: { minute: { limit: 60, remaining: 59 }, day: { limit: 1_000, remaining: 999 } },
    });
    expect((await me(old.key)).body.data).toMatchObject({
      id: old.id,
      expiresAt: now() + HOUR_MS,
      limits: { minute: { remaining: 54 } },
    });
  });

  it("lets the old key live for the overlap and then answer KEY_EXPIRED", async () => {
    const old = await makeKey(stage.server, orgId);
    const { successor } = await rotateKey(stage.server.store, old.id, HOUR_MS, TEST_ORIGIN, now());
    stage.clock.advance(HOUR_MS - 1);
    expect((await me(old.key)).status).toBe(200);
    stage.clock.advance(1);
    expectError(await me(old.key), "KEY_EXPIRED");
    expect((await me(successor.key)).status).toBe(200);
  });

  it("holds at once without an overlap, also when made by another process", async () => {
    const old = await makeKey(stage.server, orgId);
    expect((await me(old.key)).status).toBe(200);
    const { successor } = await rotateKey(stage.server.store, old.id, 0, TEST_ORIGIN, now());
    expectError(await me(old.key), "KEY_EXPIRED");
    // The other process goes by the real clock, which this server's is far behind; the overlap is all that counts here.
    const key = await inAnotherProcess("rotate", successor.id, String(HOUR_MS));
    expect((await me(key)).body.data.name).toBe("Test key");
  });
});

describe("a change of tier", () => {
  it("holds from the next request and forgets nothing that was counted", async () => {
    const { key } = await makeKey(stage.server, orgId);
    for (let sent = 0; sent < 4; sent++) await me(key);
    await setTier(stage.server.store, orgId, "Pro", TEST_ORIGIN);
    const raised = await me(key);
    expect(raised.headers.get("x-ratelimit-limit")).toBe("300");
    expect(raised.headers.get("x-ratelimit-remaining")).toBe("295");
    expect(raised.body.data).toMatchObject({ tier: "Pro", limits: { day: { limit: 10_000, remaining: 9_995 } } });
    await inAnotherProcess("tier", orgId, "Free");
    for (let sent = 6; sent <= 10; sent++) {
      expect((await me(key)).headers.get("x-ratelimit-remaining")).toBe(String(10 - sent));
    }
    const refused = await me(key);
    expectError(refused, "RATE_LIMIT_EXCEEDED");
    expect(refused.body.error.message).toContain("10 requests a minute");
    await setTier(stage.server.store, orgId, "Basic", TEST_ORIGIN);
    expect((await me(key)).headers.get("x-ratelimit-remaining")).toBe("49");
  });

  it("to one whose limit is already passed refuses until enough has left the window", async () => {
    const { key } = await makeKey(stage.server, orgId);
    for (let sent = 0; sent < 15; sent++) await me(key);
    await setTier(stage.server.store, orgId, "Free", TEST_ORIGIN);
    const refused = await me(key);
    expectError(refused, "RATE_LIMIT_EXCEEDED");
    expect(refused.headers.get("x-ratelimit-remaining")).toBe("0");
    expect(refused.headers.get("retry-after")).toBe("60");
    stage.clock.advance(60_000);
    expect((await me(key)).headers.get("x-ratelimit-remaining")).toBe("9");
  });

  it("gives each key of an organization its own limits", async () => {
    await setTier(stage.server.store, orgId, "Free", TEST_ORIGIN);
    const [first, second] = [await makeKey(stage.server, orgId), await makeKey(stage.server, orgId)];
    for (let sent = 0; sent < 10; sent++) await me(first.key);
    expectError(await me(first.key), "RATE_LIMIT_EXCEEDED");
    expect((await me(second.key)).headers.get("x-ratelimit-remaining")).toBe("9");
  });
});

describe("a request with a valid key", () => {
  it("counts whatever its answer, but for 429", async () => {
    const { key } = await makeKey(stage.server, orgId, ["players:read", "players:write"]);
    const send = (method: string, path: string, body?: unknown) =>
      checkedCall(stage.server, method, path, { key, body });
    const replies = [
      await send("GET", "/players"),
      await send("HEAD", "/players"),
      await send("GET", "/teams"),
      await send("GET", "/nowhere"),
      await send("GET", "/players?nosuch=1"),
      await send("POST", "/players", "{"),
      await send("POST", "/players", { ign: "Vex", role: "Nobody" }),
      await send("GET", "/players/1"),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 403, 404, 400, 400, 400, 404]);
    const remaining = replies.map(({ headers }) => Number(headers.get("x-ratelimit-remaining")));
    expect(remaining).toEqual([59, 58, 57, 56, 55, 54, 53, 52]);
    while ((await send("GET", "/players")).headers.get("x-ratelimit-remaining") !== "0");
    for (let sent = 0; sent < 5; sent++) expectError(await send("GET", "/players"), "RATE_LIMIT_EXCEEDED");
    stage.clock.advance(60_000);
    expect((await me(key)).body.data.limits).toMatchObject({ minute: { remaining: 59 }, day: { remaining: 939 } });
  });
});

describe("GET /me", () => {
  it("describes the key, its organization by today's name, and both windows", async () => {
    const made = await makeKey(stage.server, orgId, ["schedule:read", "players:write"]);
    await renameOrganization(stage.server.store, orgId, "Renamed", TEST_ORIGIN);
    const reply = await me(made.key);
    expect(reply.body.data).toEqual({
      id: made.id,
      name: "Test key",
      permissions: ["players:write", "schedule:read"],
      expiresAt: null,
      organization: { id: orgId, name: "Renamed" },
      tier: "Basic",
      limits: {
        minute: { limit: 60, remaining: 59, reset: now() + 60_000 },
        day: { limit: 1_000, remaining: 999, reset: now() + DAY_MS },
      },
    });
    expect(reply.text).not.toContain(made.key);
  });
});

describe("the Authorization header", () => {
  const send = (authorization: string) => checkedCall(stage.server, "GET", "/me", { headers: { authorization } });

  it.each(["Bearer", "bearer", "BEARER", "bEaReR"])("names its scheme in any case: %s", async (scheme) => {
    const { key } = await makeKey(stage.server, orgId);
    expect((await send(`${scheme} ${key}`)).status).toBe(200);
    expect((await send(`${scheme}   ${key}`)).status).toBe(200);
  });

  it("opens nothing by another scheme, without one, or with more than the key", async () => {
    const { key } = await makeKey(stage.server, orgId);
    const basic = Buffer.from(`${key}:`).toString("base64");
    const tries = [
      "",
      "Bearer",
      key,
      `Token ${key}`,
      `Basic ${basic}`,
      `Bearer${key}`,
      `Bearer ${key} x`,
      `Bearer "${key}"`,
    ];
    for (const text of [...tries, `Bearer ${key},${key}`, `Bearer ${key.toUpperCase()}`, `Bearer ${makeKeyText()}`]) {
      expectError(await send(text), "INVALID_API_KEY");
    }
    expectError(
      await checkedCall(stage.server, "GET", "/players", { headers: { "x-api-key": key } }),
      "INVALID_API_KEY",
    );
    for (const address of [`/players?key=${key}`, `/players/${key}`]) {
      const inAddress = await checkedCall(stage.server, "GET", address);
      expectError(inAddress, "INVALID_API_KEY");
      expect(inAddress.body.error.message).toMatch(/^The address holds a key.*Replace the key/);
    }
  });

  it("leaves no trace of the key in the log or in an answer", async () => {
    const { key } = await makeKey(stage.server, orgId);
    const replies = [await me(key), await send(`Token ${key}`), await send(`Bearer ${key}x`)];
    replies.push(await checkedCall(stage.server, "GET", `/players?search=${key}&nosuch=${key}`, { key }));
    for (const { text } of replies) expect(text).not.toContain(key.slice(0, 20));
    expect(stage.server.logged()).not.toContain(key.slice(12));
  });
});
