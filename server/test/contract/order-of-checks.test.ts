/**
 * The stages of a request in their order: key, limits, permission, parameters, form of the body, existence, rules that need
 * stored data. For each pair of neighbours, a request that fails both is answered by the earlier one.
 */
import { request as httpRequest } from "node:http";
import { ENDPOINTS } from "@lineup/api/endpoints";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { revokeKey } from "../../src/access/key-admin.ts";
import { makeId } from "../../src/store/ids.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { makeKey, makeOrg, type Reply } from "../test-server.ts";
import { checkedCall, checkReply, expectError, openStage, type Stage } from "./checked-call.ts";
import { ownPath } from "./endpoint-requests.ts";

let stage: Stage;
let key: string;
let readOnlyKey: string;

beforeAll(async () => {
  stage = await openStage();
  key = (await makeKey(stage.server, stage.seed.orgId)).key;
  readOnlyKey = (await makeKey(stage.server, stage.seed.orgId, ["teams:read"])).key;
});
afterAll(() => stage.stop());
beforeEach(() => stage.clock.advance(60_000));

const send = (method: string, path: string, options: Parameters<typeof checkedCall>[3] = {}) =>
  checkedCall(stage.server, method, path, { key, ...options });

/** A key whose minute is used up. */
async function spentKey(permissions?: Parameters<typeof makeKey>[2]) {
  const orgId = await makeOrg(stage.server, "Free");
  const made = await makeKey(stage.server, orgId, permissions);
  for (let sent = 0; sent < 10; sent++) expect((await send("GET", "/me", { key: made.key })).status).toBe(200);
  return made;
}

describe("of two things that are wrong, the earlier is the answer:", () => {
  it("key before limits: a revoked key is not told how many requests it has left", async () => {
    const { id, key: spent } = await spentKey();
    await revokeKey(stage.server.store, id, TEST_ORIGIN);
    expectError(await send("GET", "/me", { key: spent }), "KEY_REVOKED");
  });

  it("limits before permission", async () => {
    const { key: spent } = await spentKey(["teams:read"]);
    expectError(await send("GET", "/players", { key: spent }), "RATE_LIMIT_EXCEEDED");
    stage.clock.advance(60_000);
    expectError(await send("GET", "/players", { key: spent }), "INSUFFICIENT_PERMISSIONS");
  });

  it("limits before an unknown path", async () => {
    const { key: spent } = await spentKey();
    expectError(await send("GET", "/nowhere", { key: spent }), "RATE_LIMIT_EXCEEDED");
  });

  it("permission before parameters", async () => {
    for (const endpoint of ENDPOINTS) {
      if (["any", "any read", "teams:read"].includes(endpoint.permission)) continue;
      const reply = await send(endpoint.method, `${ownPath(endpoint, stage.seed)}?nosuchthing=1`, { key: readOnlyKey });
      expectError(reply, "INSUFFICIENT_PERMISSIONS");
    }
  });

  it("permission before existence: who may not look is not told what is there", async () => {
    for (const path of ["/players", "/prospects", "/contracts"]) {
      const kind = path.slice(1, -1) as "player";
      expectError(await send("GET", `${path}/${makeId(kind)}`, { key: readOnlyKey }), "INSUFFICIENT_PERMISSIONS");
    }
  });

  it("parameters before the form of the body", async () => {
    for (const body of ["{", "[]", undefined, { nosuchfield: 1 }]) {
      for (const [method, path] of [
        ["POST", "/players"],
        ["POST", "/prospects"],
        ["PATCH", `/players/${stage.seed.players[0].id}`],
        ["PATCH", `/prospects/${stage.seed.prospects[0].id}`],
      ] as const) {
        expectError(await send(method, `${path}?nosuchthing=1`, { body }), "INVALID_PARAMETER");
      }
    }
  });

  it("parameters before existence", async () => {
    expectError(await send("GET", `/players/${makeId("player")}?nosuchthing=1`), "INVALID_PARAMETER");
  });

  it("form of the body before existence", async () => {
    for (const path of [`/players/${makeId("player")}`, `/prospects/${makeId("prospect")}`, "/players/1"]) {
      for (const body of ["{", "[]", "", {}, { ign: "" }, { nosuchfield: 1 }, { id: "x" }]) {
        expectError(await send("PATCH", path, { body }), "VALIDATION_ERROR");
      }
    }
  });

  it("existence before the rules that need stored data", async () => {
    const player = `/players/${makeId("player")}`;
    expectError(await send("PATCH", player, { body: { role: "Nobody" } }), "NOT_FOUND");
    expectError(await send("PATCH", player, { body: { teamId: makeId("team") } }), "NOT_FOUND");
    const prospect = `/prospects/${makeId("prospect")}`;
    expectError(await send("PATCH", prospect, { body: { role: "Nobody" } }), "NOT_FOUND");
    expectError(await send("PATCH", prospect, { body: { targetTeamId: makeId("team") } }), "NOT_FOUND");
  });
});

const UNKNOWN = [
  ["GET", ""],
  ["GET", "/"],
  ["GET", "/nowhere"],
  ["GET", "/Players"],
  ["GET", "/players/a/b"],
  ["GET", "/players/%zz"],
  ["GET", "//players"],
  ["GET", "/teams/x"],
  ["GET", "/contracts/expiring/x"],
  ["HEAD", "/nowhere"],
  ["POST", "/teams"],
  ["PUT", "/players"],
  ["DELETE", "/players/x"],
  ["OPTIONS", "/players"],
  ["PATCH", "/players"],
  ["PATCH", "/contracts/x"],
  ["POST", "/contracts/expiring"],
  ["TRACE", "/players"],
  ["PROPFIND", "/players"],
  ["QUERY", "/players"],
] as const;

describe("a path or method that is not there", () => {
  it.each(UNKNOWN)("%s %j answers 404 with a key and 401 without one", async (method, path) => {
    const found = await sendRaw(method, path, { authorization: `Bearer ${key}` });
    expect(found.status).toBe(404);
    if (method !== "HEAD") expectError(found, "NOT_FOUND");
    const refused = await sendRaw(method, path);
    expect(refused.status).toBe(401);
    if (method !== "HEAD") expectError(refused, "INVALID_API_KEY");
  });

  it("is not told apart from others by a key without permissions for it", async () => {
    expectError(await send("DELETE", "/players", { key: readOnlyKey }), "NOT_FOUND");
  });
});

/** As `call`, for what fetch refuses to send. */
async function sendRaw(method: string, path: string, headers: Record<string, string> = {}): Promise<Reply> {
  const { baseUrl } = stage.server;
  const { hostname, port, pathname } = new URL(baseUrl);
  const reply = await new Promise<Reply>((resolve, reject) => {
    const outgoing = httpRequest(
      { method, hostname, port, path: pathname + path, headers, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          const answered = new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
          const body = text === "" ? undefined : JSON.parse(text);
          resolve({ status: response.statusCode ?? 0, headers: answered, text, body });
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end();
  });
  checkReply(reply, method, path);
  return reply;
}
