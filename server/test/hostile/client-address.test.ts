import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { revokeKey } from "../../src/access/key-admin.ts";
import { ManualClock } from "../manual-clock.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import {
  type CallOptions,
  call,
  makeKey,
  makeOrg,
  type Reply,
  startTestServer,
  type TestServer,
} from "../test-server.ts";

const clock = new ManualClock(Date.now());
const ADDRESS_LIMIT = 60;
const HTTPS_REQUIRED = /HTTPS is required.*[Rr]eplace the key/;

/** The rules need a fresh minute each, and nothing else. */
beforeEach(() => clock.advance(60_000));

async function startBehind(
  trustedProxies: readonly string[],
  host = "127.0.0.1",
): Promise<{ server: TestServer; key: string; orgId: string }> {
  const server = await startTestServer({ clock, config: { trustedProxies, host, isLoopback: host === "127.0.0.1" } });
  const orgId = await makeOrg(server);
  return { server, orgId, key: (await makeKey(server, orgId)).key };
}

function expectHttpsRequired(reply: Reply): void {
  expect([reply.status, reply.body.error.code]).toEqual([401, "INVALID_API_KEY"]);
  expect(reply.body.error.message).toMatch(HTTPS_REQUIRED);
  expect(reply.headers.get("ratelimit-policy")).toBe('"address";q=60;w=60');
}

/** Uses up the window of an address, and proves that it is used up. */
async function exhaust(server: TestServer, options: CallOptions, status = 401): Promise<void> {
  const replies = await Promise.all(
    Array.from({ length: ADDRESS_LIMIT }, () => call(server, "GET", "/players", options)),
  );
  expect(replies.map((reply) => reply.status)).toEqual(replies.map(() => status));
  expectFull(await call(server, "GET", "/players", options));
}

function expectFull(reply: Reply): void {
  expect([reply.status, reply.body.error.code]).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
  expect(reply.headers.get("ratelimit-policy")).toBe('"address";q=60;w=60');
  expect(reply.headers.get("ratelimit")).toMatch(/^"address";r=0;t=\d+$/);
  expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(reply.body.error.message).toMatch(/address/);
}

async function remainingFor(server: TestServer, headers: Record<string, string>): Promise<number> {
  const reply = await call(server, "GET", "/players", { headers });
  expect(reply.status).toBe(401);
  return Number(reply.headers.get("x-ratelimit-remaining"));
}

describe("behind a trusted proxy", () => {
  let server: TestServer;
  let key: string;
  let orgId: string;

  beforeAll(async () => {
    ({ server, key, orgId } = await startBehind(["127.0.0.0/8", "198.51.100.7", "2001:db8:ffff::/48"]));
  });
  afterAll(() => server.stop());

  it.each([
    ["https", 200],
    ["HTTPS", 200],
    ["http, https", 200],
    ["http", 401],
    ["https, http", 401],
    ["", 401],
    ["wss", 401],
  ])("believes its X-Forwarded-Proto %o", async (proto, status) => {
    const headers = { "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": proto };
    const reply = await call(server, "GET", "/players", { key, headers });
    expect(reply.status).toBe(status);
    if (status === 401) expectHttpsRequired(reply);
  });

  it("requires its word for HTTPS", async () => {
    expectHttpsRequired(await call(server, "GET", "/me", { key, headers: { "x-forwarded-for": "203.0.113.7" } }));
    expectHttpsRequired(await call(server, "GET", "/me", { key, headers: { forwarded: "for=203.0.113.7" } }));
    expect((await call(server, "GET", "/me", { key })).status).toBe(200);
  });

  it("asks for a key, not for HTTPS, where none was sent", async () => {
    const reply = await call(server, "GET", "/me", { headers: { "x-forwarded-for": "203.0.113.7" } });
    expect(reply.body.error.message).not.toMatch(HTTPS_REQUIRED);
  });

  it("counts by the rightmost address that is not a trusted proxy", async () => {
    expect(await remainingFor(server, { "x-forwarded-for": "203.0.113.1" })).toBe(59);
    expect(await remainingFor(server, { "x-forwarded-for": "192.0.2.99, 203.0.113.1" })).toBe(58);
    expect(await remainingFor(server, { "x-forwarded-for": "10.9.8.7,203.0.113.1, 198.51.100.7" })).toBe(57);
    expect(await remainingFor(server, { "x-forwarded-for": "203.0.113.1, 127.3.2.1 ,198.51.100.7" })).toBe(56);
    expect(await remainingFor(server, { "x-forwarded-for": "127.0.0.1, 203.0.113.1:4711" })).toBe(55);
    expect(await remainingFor(server, { "x-forwarded-for": "::ffff:203.0.113.1" })).toBe(54);
    expect(await remainingFor(server, { "x-forwarded-for": "192.0.2.99" })).toBe(59);
  });

  it("stops at what is no address, and counts by the last proxy that wrote one", async () => {
    expect(await remainingFor(server, { "x-forwarded-for": "203.0.113.2, unknown, 198.51.100.7" })).toBe(59);
    expect(await remainingFor(server, { "x-forwarded-for": "203.0.113.3, <script>, 198.51.100.7" })).toBe(58);
    expect(await remainingFor(server, { "x-forwarded-for": "203.0.113.2" })).toBe(59);
  });

  it("counts IPv6 by /64", async () => {
    expect(await remainingFor(server, { "x-forwarded-for": "2001:db8:1:2::1" })).toBe(59);
    expect(await remainingFor(server, { "x-forwarded-for": "2001:0DB8:1:2:ffff:ffff:ffff:ffff" })).toBe(58);
    expect(await remainingFor(server, { "x-forwarded-for": "[2001:db8:1:2::3]:443, 2001:db8:ffff::9" })).toBe(57);
    expect(await remainingFor(server, { "x-forwarded-for": "2001:db8:1:3::1" })).toBe(59);
  });

  it("refuses an address past 60 a minute, no other address, and no valid key from there", async () => {
    const headers = { "x-forwarded-for": "203.0.113.5", "x-forwarded-proto": "https" };
    await exhaust(server, { headers });
    expectFull(await call(server, "GET", "/nope", { headers, key: "lineup_live_nonsense" }));
    expect((await call(server, "GET", "/players", { headers, key })).status).toBe(200);
    expect(await remainingFor(server, { "x-forwarded-for": "203.0.113.6" })).toBe(59);
    clock.advance(60_000);
    expect(await remainingFor(server, { "x-forwarded-for": "203.0.113.5" })).toBe(59);
  });

  it("draws on the address for revoked and expired keys, and for keys sent over plain HTTP", async () => {
    const headers = { "x-forwarded-for": "203.0.113.8", "x-forwarded-proto": "https" };
    const revoked = await makeKey(server, orgId);
    const expired = await makeKey(server, orgId, ["teams:read"], clock.wallMs() + 1_000);
    await revokeKey(server.store, revoked.id, TEST_ORIGIN);
    clock.advance(1_000);
    const first = await call(server, "GET", "/players", { headers, key: revoked.key });
    expect([first.body.error.code, first.headers.get("x-ratelimit-remaining")]).toEqual(["KEY_REVOKED", "59"]);
    const second = await call(server, "GET", "/players", { headers, key: expired.key });
    expect([second.body.error.code, second.headers.get("x-ratelimit-remaining")]).toEqual(["KEY_EXPIRED", "58"]);
    const plain = await call(server, "GET", "/players", { headers: { ...headers, "x-forwarded-proto": "http" }, key });
    expect([plain.body.error.code, plain.headers.get("x-ratelimit-remaining")]).toEqual(["INVALID_API_KEY", "57"]);
    clock.advance(60_000);
    await exhaust(server, { headers, key: revoked.key }, 403);
    expectFull(await call(server, "GET", "/players", { headers, key: expired.key }));
  });

  it("takes nobody for a client of this machine who came over another one", async () => {
    const { server: wide, key: wideKey } = await startBehind(["127.0.0.1", "10.0.0.0/8"]);
    for (const proto of [{ "x-forwarded-proto": "http" }, {}]) {
      const claims = { ...proto, "x-forwarded-for": "127.0.0.1, 10.0.0.9" };
      expectHttpsRequired(await call(wide, "GET", "/me", { key: wideKey, headers: claims }));
      expect((await fetch(`${wide.origin}/metrics`, { headers: claims })).status).toBe(403);
    }
    const local = { "x-forwarded-proto": "http", "x-forwarded-for": "127.0.0.1, ::1" };
    await wide.stop();
    const { server: near, key: nearKey } = await startBehind(["127.0.0.0/8", "::1"]);
    expect((await call(near, "GET", "/me", { key: nearKey, headers: local })).status).toBe(200);
    expect((await fetch(`${near.origin}/metrics`, { headers: local })).status).toBe(200);
    await near.stop();
  });

  it("takes a client without forwarding headers for what it is", async () => {
    expect((await call(server, "GET", "/me", { key })).status).toBe(200);
  });
});

describe("without a trusted proxy", () => {
  let server: TestServer;
  let key: string;

  beforeAll(async () => {
    ({ server, key } = await startBehind([]));
  });
  afterAll(() => server.stop());

  it("lets nobody choose an address", async () => {
    for (let at = 0; at < 5; at++) {
      expect(
        await remainingFor(server, { "x-forwarded-for": `203.0.113.${at}`, forwarded: `for=203.0.113.${at}` }),
      ).toBe(59 - at);
    }
    expect(await remainingFor(server, { "x-real-ip": "203.0.113.9", "true-client-ip": "203.0.113.9" })).toBe(54);
  });

  it.each([
    [{}, 200],
    [{ "x-forwarded-for": "127.0.0.1" }, 200],
    [{ "x-forwarded-for": "::1, 127.0.0.1" }, 200],
    [{ "x-forwarded-proto": "https" }, 200],
    [{ "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https" }, 200],
    [{ "x-forwarded-for": "203.0.113.7" }, 401],
    [{ "x-forwarded-for": "127.0.0.1, 203.0.113.7" }, 401],
    [{ "x-forwarded-for": "unknown" }, 401],
    [{ "x-forwarded-proto": "http" }, 401],
    [{ "x-forwarded-for": "127.0.0.1", "x-forwarded-proto": "http" }, 401],
    [{ "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "http" }, 401],
  ])("serves keys on this machine, unless a header admits plain HTTP from another: %j", async (headers, status) => {
    const reply = await call(server, "GET", "/me", { key, headers });
    expect(reply.status).toBe(status);
    if (status === 401) expectHttpsRequired(reply);
  });
});

const ownAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

describe.skipIf(ownAddress === undefined)("a client that is not on loopback", () => {
  /** As another machine would reach it. */
  function fromOutside(server: TestServer): TestServer {
    return { ...server, baseUrl: `http://${ownAddress}:${new URL(server.origin).port}/api/public/v1` };
  }

  it("is told that HTTPS is required and to replace its key, unless a trusted proxy spoke", async () => {
    const { server, key } = await startBehind(["203.0.113.250"], "0.0.0.0");
    const outside = fromOutside(server);
    expectHttpsRequired(await call(outside, "GET", "/me", { key }));
    expectHttpsRequired(await call(outside, "GET", "/nope", { key }));
    const claims = { "x-forwarded-proto": "https", "x-forwarded-for": "127.0.0.1" };
    expectHttpsRequired(await call(outside, "GET", "/me", { key, headers: claims }));
    const withoutKey = await call(outside, "GET", "/me");
    expect(withoutKey.body.error.code).toBe("INVALID_API_KEY");
    expect(withoutKey.body.error.message).not.toMatch(HTTPS_REQUIRED);
    expect((await call(server, "GET", "/me", { key })).status).toBe(200);
    await server.stop();
  });

  it("is believed as a proxy where its address is named, but not when it speaks of loopback", async () => {
    const { server, key } = await startBehind([ownAddress ?? ""], "0.0.0.0");
    const outside = fromOutside(server);
    const proxied = { "x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.7" };
    expect((await call(outside, "GET", "/me", { key, headers: proxied })).status).toBe(200);
    expectHttpsRequired(await call(outside, "GET", "/me", { key }));
    expectHttpsRequired(await call(outside, "GET", "/me", { key, headers: { "x-forwarded-for": "127.0.0.1" } }));
    await server.stop();
  });
});
