import { DAY_MS, MINUTE_MS } from "@lineup/api/tiers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { revokeKey, rotateKey } from "../../src/access/key-admin.ts";
import { setTier } from "../../src/access/organizations.ts";
import { ManualClock } from "../manual-clock.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, makeOrg, type Reply, startTestServer, type TestServer } from "../test-server.ts";
import { countOf, describeLimits } from "./limit-headers.ts";

/** Not a whole second, so that rounding shows. */
const START_MS = Date.UTC(2026, 5, 1) + 1_234;

let clock: ManualClock;
let server: TestServer;

beforeAll(async () => {
  clock = new ManualClock(START_MS);
  server = await startTestServer({ clock });
});
afterAll(() => server.stop());
// Every test finds an address window of its own and a day without memory.
beforeEach(() => clock.advance(2 * DAY_MS));

async function keyOf(tier: "Free" | "Basic"): Promise<string> {
  return (await makeKey(server, await makeOrg(server, tier))).key;
}

const get = (key: string, path = "/teams") => call(server, "GET", path, { key });

async function sendMany(key: string, count: number): Promise<Reply[]> {
  return Promise.all(Array.from({ length: count }, () => get(key)));
}

describe("the minute", () => {
  test("admits exactly 60 of 300 requests sent at once with a Basic key, and names the window to the rest", async () => {
    const replies = await sendMany(await keyOf("Basic"), 300);
    expect(countOf(replies, 200)).toBe(60);
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(240);
    for (const { body, headers } of refused) {
      expect(body.error).toMatchObject({ code: "RATE_LIMIT_EXCEEDED", status: 429 });
      expect(body.error.message).toContain("60 requests a minute");
      expect(headers.get("retry-after")).toBe("60");
    }
    const left = replies.filter(({ status }) => status === 200).map((reply) => describeLimits(reply).remaining);
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, index) => index));
  });

  test("admits the next request exactly when the oldest leaves, and says so beforehand", async () => {
    const key = await keyOf("Basic");
    const firstAt = clock.wallMs();
    await get(key);
    clock.advance(10_500);
    const secondAt = clock.wallMs();
    expect(countOf(await sendMany(key, 60), 200)).toBe(59);
    const refused = await get(key);
    expect(describeLimits(refused)).toMatchObject({
      limit: 60,
      remaining: 0,
      reset: Math.ceil((firstAt + MINUTE_MS) / 1000),
      retryAfter: "50",
    });
    clock.advance(firstAt + MINUTE_MS - clock.wallMs() - 1);
    const tooSoon = await get(key);
    expect([tooSoon.status, tooSoon.headers.get("retry-after")]).toEqual([429, "1"]);
    clock.advance(1);
    expect((await get(key)).status).toBe(200);
    const again = await get(key);
    expect([again.status, describeLimits(again).reset]).toEqual([429, Math.ceil((secondAt + MINUTE_MS) / 1000)]);
    clock.advance(secondAt + MINUTE_MS - clock.wallMs());
    expect(countOf(await sendMany(key, 80), 200)).toBe(59);
  });

  test("a client that waits for Retry-After, or until Reset, is admitted", async () => {
    for (const wait of ["retry-after", "reset"] as const) {
      const key = await keyOf("Free");
      await sendMany(key, 4);
      clock.advance(777);
      await sendMany(key, 6);
      clock.advance(12_345);
      const { retryAfter, reset } = describeLimits(await get(key));
      clock.advance(wait === "reset" ? reset * 1000 - clock.wallMs() : Number(retryAfter) * 1000);
      expect((await get(key)).status).toBe(200);
    }
  });

  test("never exceeds its limit in any 60 seconds, and never refuses below it, whatever the pattern", async () => {
    const key = await keyOf("Basic");
    const admittedAt: number[] = [];
    let state = 20_260_601;
    const draw = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state % below;
    };
    for (let burst = 0; burst < 60; burst++) {
      clock.advance(draw(4) === 0 ? draw(40_000) : draw(3_000));
      const now = clock.wallMs();
      const room = Math.max(0, 60 - admittedAt.filter((at) => now - at < MINUTE_MS).length);
      const sent = 1 + draw(16);
      const admitted = countOf(await sendMany(key, sent), 200);
      expect(admitted).toBe(Math.min(room, sent));
      for (let one = 0; one < admitted; one++) admittedAt.push(now);
    }
    for (const from of admittedAt) {
      expect(admittedAt.filter((at) => at >= from && at < from + MINUTE_MS).length).toBeLessThanOrEqual(60);
    }
    expect(admittedAt.length).toBeGreaterThan(200);
  });
});

describe("the day", () => {
  test("admits 100 requests with a Free key and then none until the oldest leaves, to the millisecond", async () => {
    const key = await keyOf("Free");
    const firstAt = clock.wallMs();
    for (let minute = 0; minute < 10; minute++) {
      expect(countOf(await sendMany(key, 12), 200)).toBe(10);
      clock.advance(MINUTE_MS);
    }
    const refused = await get(key);
    expect(refused.body.error.message).toContain("100 requests a day");
    expect(describeLimits(refused)).toMatchObject({
      limit: 100,
      remaining: 0,
      reset: Math.ceil((firstAt + DAY_MS) / 1000),
      retryAfter: String(Math.ceil((firstAt + DAY_MS - clock.wallMs()) / 1000)),
      fields: `"minute";r=10;t=0, "day";r=0;t=${86_400 - 600}`,
    });
    clock.advance(firstAt + DAY_MS - clock.wallMs() - 1);
    expect((await get(key)).status).toBe(429);
    clock.advance(1);
    expect(countOf(await sendMany(key, 20), 200)).toBe(10);
  });

  test("governs the headers as soon as it has fewer left than the minute, and where both are full the later one does", async () => {
    const key = await keyOf("Free");
    for (let sent = 0; sent < 9; sent++) {
      await sendMany(key, 10);
      clock.advance(MINUTE_MS);
    }
    // Ten left in both: the minute where equal.
    expect(describeLimits(await get(key))).toMatchObject({ limit: 10, remaining: 9 });
    clock.advance(MINUTE_MS);
    expect(describeLimits(await get(key))).toMatchObject({ limit: 100, remaining: 8 });
    await sendMany(key, 8);
    const both = await get(key);
    expect(both.status).toBe(429);
    expect(both.body.error.message).toContain("a day");
  });
});

describe("what counts", () => {
  test("every request with a valid key does, whatever its answer, but a refused one in neither window", async () => {
    const orgId = await makeOrg(server, "Free");
    const { key } = await makeKey(server, orgId, ["teams:read", "players:write"]);
    const body = "{broken";
    const answers = [
      await get(key),
      await get(key, "/teams?limit=0"),
      await get(key, "/no-such-path"),
      await get(key, "/players"),
      await call(server, "PATCH", "/players/player_unknown", { key, body: { ign: "x" } }),
      await call(server, "POST", "/players", { key, body }),
      await call(server, "DELETE", "/teams", { key }),
      await call(server, "HEAD", "/teams", { key }),
      await call(server, "POST", "/players", { key, body: { ign: "x", role: "Player" } }),
      await get(key, "/me"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 404, 403, 404, 400, 404, 200, 201, 200]);
    expect(answers.map((reply) => describeLimits(reply).remaining)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect(countOf(await sendMany(key, 40), 429)).toBe(40);
    clock.advance(MINUTE_MS);
    expect(describeLimits(await get(key)).fields).toBe('"minute";r=9;t=60, "day";r=89;t=86340');
  });

  test("each key has windows of its own, its successor too, and a revoked key draws on the address", async () => {
    const orgId = await makeOrg(server, "Free");
    const [one, other] = [await makeKey(server, orgId), await makeKey(server, orgId)];
    expect(countOf(await sendMany(one.key, 15), 200)).toBe(10);
    expect(describeLimits(await get(other.key)).remaining).toBe(9);
    const { successor } = await rotateKey(server.store, one.id, 3_600_000, TEST_ORIGIN, clock.wallMs());
    expect(describeLimits(await get(successor.key)).remaining).toBe(9);
    expect((await get(one.key)).status).toBe(429);
    await revokeKey(server.store, other.id, TEST_ORIGIN);
    const revoked = await get(other.key);
    expect([revoked.status, revoked.headers.get("ratelimit-policy")]).toEqual([403, '"address";q=60;w=60']);
    expect(describeLimits(revoked)).toMatchObject({ limit: 60, remaining: 59 });
  });

  test("a change of tier forgets nothing and holds from the next request on", async () => {
    const orgId = await makeOrg(server, "Free");
    const { key } = await makeKey(server, orgId);
    expect(countOf(await sendMany(key, 11), 200)).toBe(10);
    await setTier(server.store, orgId, "Basic", TEST_ORIGIN);
    expect(describeLimits(await get(key))).toMatchObject({ limit: 60, remaining: 49 });
    clock.advance(1_000);
    expect(countOf(await sendMany(key, 10), 200)).toBe(10);
    await setTier(server.store, orgId, "Free", TEST_ORIGIN);
    // 21 count; a request is admitted again only when 12 of them have left, which takes one of the later ten.
    const lowered = await get(key);
    expect([lowered.status, describeLimits(lowered).remaining]).toEqual([429, 0]);
    expect(lowered.headers.get("retry-after")).toBe("60");
    clock.advance(MINUTE_MS - 1_000);
    expect((await get(key)).status).toBe(429);
    clock.advance(1_000);
    expect((await get(key)).status).toBe(200);
  });
});

describe("the headers", () => {
  test("stand on every answer, to the letter", async () => {
    const key = await keyOf("Basic");
    const reset = String(Math.ceil((clock.wallMs() + MINUTE_MS) / 1000));
    const paths = ["/teams", "/unknown", "/players?limit=x", "/players/player_x", "/me"];
    for (const [index, path] of paths.entries()) {
      const { headers } = await get(key, path);
      const left = 59 - index;
      expect(Object.fromEntries(headers)).toMatchObject({
        "x-ratelimit-limit": "60",
        "x-ratelimit-remaining": String(left),
        "x-ratelimit-reset": reset,
        "ratelimit-policy": '"minute";q=60;w=60, "day";q=1000;w=86400',
        ratelimit: `"minute";r=${left};t=60, "day";r=${left + 940};t=86400`,
      });
      expect(headers.get("retry-after")).toBeNull();
    }
  });

  test("of the request after some time count down, rounded up", async () => {
    const key = await keyOf("Basic");
    await get(key);
    clock.advance(100);
    expect(describeLimits(await get(key)).fields).toBe('"minute";r=58;t=60, "day";r=998;t=86400');
    clock.advance(900);
    expect(describeLimits(await get(key)).fields).toBe('"minute";r=57;t=59, "day";r=997;t=86399');
  });

  test("agree with what /me shows of both windows", async () => {
    const key = await keyOf("Free");
    const firstAt = clock.wallMs();
    await sendMany(key, 3);
    clock.advance(MINUTE_MS);
    const { body } = await get(key, "/me");
    expect(body.data.limits).toEqual({
      minute: { limit: 10, remaining: 9, reset: clock.wallMs() + MINUTE_MS },
      day: { limit: 100, remaining: 96, reset: firstAt + DAY_MS },
    });
    expect(body.data.tier).toBe("Free");
  });
});
