/** What holds for every endpoint of the list, whichever it is: who is refused, how, and what a success looks like. */
import { ENDPOINTS } from "@lineup/api/endpoints";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createKey, revokeKey } from "../../src/access/key-admin.ts";
import { makeKey as makeKeyText } from "../../src/access/key-format.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { makeKey, makeOrg, type Reply } from "../test-server.ts";
import { checkedCall, expectError, openStage, type Stage } from "./checked-call.ts";
import {
  exampleBody,
  expectedStatus,
  locationOf,
  ownPath,
  pathWith,
  takesId,
  unknownPath,
} from "./endpoint-requests.ts";
import { type Seed, seedOrganization } from "./seed.ts";
import { DAY_MS, SEED_NOW } from "./seed-records.ts";

let stage: Stage;
let stranger: Seed;
const keys = { good: "", revoked: "", expired: "", both: "" };

beforeAll(async () => {
  stage = await openStage();
  const { server, seed } = stage;
  stranger = await seedOrganization(server.store, await makeOrg(server), "stranger");
  keys.good = (await makeKey(server, seed.orgId)).key;
  const revoked = await makeKey(server, seed.orgId);
  await revokeKey(server.store, revoked.id, TEST_ORIGIN);
  keys.revoked = revoked.key;
  const spent = { orgId: seed.orgId, name: "Spent", permissions: ["players:read"], expiresAt: SEED_NOW - 1 };
  keys.expired = (await createKey(server.store, spent, TEST_ORIGIN, SEED_NOW - DAY_MS)).key;
  const both = await createKey(server.store, spent, TEST_ORIGIN, SEED_NOW - DAY_MS);
  await revokeKey(server.store, both.id, TEST_ORIGIN);
  keys.both = both.key;
});
afterAll(() => stage.stop());
// The windows of keys and of the address stand still with the clock.
beforeEach(() => stage.clock.advance(60_000));

const good = () => keys.good;

for (const endpoint of ENDPOINTS) {
  const send = (key: string | undefined, path = ownPath(endpoint, stage.seed)): Promise<Reply> =>
    checkedCall(stage.server, endpoint.method, path, { key, body: exampleBody(endpoint) });

  describe(`${endpoint.method} ${endpoint.path}`, () => {
    it("answers a key that holds the permission", async () => {
      const reply = await send(good());
      expect(reply.status).toBe(expectedStatus(endpoint));
      expect(Array.isArray(reply.body.data)).toBe(endpoint.list);
      const isFeed = endpoint.name === "listChanges";
      // Without a cursor, the feed begins with now.
      if (endpoint.list) expect(reply.body.data.length > 0).toBe(!isFeed);
      expect("nextCursor" in reply.body.meta).toBe(isFeed);
      const location = endpoint.method === "POST" ? locationOf(endpoint, reply.body.data.id) : null;
      expect(reply.headers.get("location")).toBe(location);
      expect(reply.body.meta.timestamp).toBe(new Date(stage.clock.wallMs()).toISOString());
    });

    it("refuses a request without a key", async () => {
      expectError(await send(undefined), "INVALID_API_KEY");
    });

    it.each(["", "lineup_live_", "sk_live_0123456789", `lineup_live_${"a".repeat(38)}`, "x y"])(
      "refuses the malformed key %j",
      async (key) => expectError(await send(key), "INVALID_API_KEY"),
    );

    it("refuses a key whose checksum is wrong", async () => {
      const last = good().endsWith("A") ? "B" : "A";
      expectError(await send(good().slice(0, -1) + last), "INVALID_API_KEY");
    });

    it("refuses a well-formed key that nobody holds", async () => {
      expectError(await send(makeKeyText()), "INVALID_API_KEY");
    });

    it("refuses a revoked key, an expired one, and as revoked one that is both", async () => {
      expectError(await send(keys.revoked), "KEY_REVOKED");
      expectError(await send(keys.expired), "KEY_EXPIRED");
      expectError(await send(keys.both), "KEY_REVOKED");
    });

    it("refuses a parameter that it does not have", async () => {
      const reply = await send(good(), `${ownPath(endpoint, stage.seed)}?nosuchthing=1`);
      expectError(reply, "INVALID_PARAMETER");
      expect(reply.body.error.message).toContain("nosuchthing");
    });

    if (endpoint.method === "GET") {
      it("answers HEAD as GET, without the body", async () => {
        const [head, got] = [await headOf(good()), await send(good())];
        expect(head.status).toBe(200);
        expect(head.headers.get("content-length")).toBe(got.headers.get("content-length"));
        expect(headerNames(head)).toEqual(headerNames(got));
        expect((await headOf(undefined)).status).toBe(401);
      });
    }

    if (takesId(endpoint)) {
      it("does not know an id that nobody has", async () => {
        expectError(await send(good(), unknownPath(endpoint)), "NOT_FOUND");
      });

      it("does not know what is no id at all", async () => {
        for (const id of ["1", "player_", "..%2Fplayers", "%00", "%F0%9F%98%80", "a".repeat(300), stage.seed.orgId]) {
          expectError(await send(good(), pathWith(endpoint, id)), "NOT_FOUND");
        }
      });

      it("answers another organization's id exactly as one that nobody has", async () => {
        const [foreign, unknown] = [
          await send(good(), ownPath(endpoint, stranger)),
          await send(good(), unknownPath(endpoint)),
        ];
        expect(withoutStamps(foreign)).toEqual(withoutStamps(unknown));
      });
    }

    async function headOf(key: string | undefined): Promise<Reply> {
      return checkedCall(stage.server, "HEAD", ownPath(endpoint, stage.seed), { key });
    }
  });
}

describe("past the limit of an address", () => {
  it("answers 429 to every endpoint without a valid key, and still answers those with one", async () => {
    const { server, clock, seed } = stage;
    for (let sent = 0; sent < 60; sent++) expectError(await checkedCall(server, "GET", "/teams"), "INVALID_API_KEY");
    for (const endpoint of ENDPOINTS) {
      const options = { key: keys.revoked, body: exampleBody(endpoint) };
      const reply = await checkedCall(server, endpoint.method, ownPath(endpoint, seed), options);
      expectError(reply, "RATE_LIMIT_EXCEEDED");
      expect(reply.headers.get("retry-after")).toBe("60");
      expect(reply.headers.get("x-ratelimit-reset")).toBe(String((clock.wallMs() + 60_000) / 1000));
    }
    expect((await checkedCall(server, "GET", "/teams", { key: keys.good })).status).toBe(200);
    clock.advance(60_000);
    expectError(await checkedCall(server, "GET", "/teams"), "INVALID_API_KEY");
  });
});

/** Without what is between the connection's two ends alone. */
function headerNames(reply: Reply): string[] {
  return [...reply.headers.keys()].filter((name) => name !== "connection" && name !== "keep-alive");
}

function withoutStamps(reply: Reply) {
  const { requestId, timestamp, ...meta } = reply.body.meta;
  return { status: reply.status, body: { ...reply.body, meta }, length: reply.headers.get("content-length") };
}
