/** All 255 sets of permissions: the tools that are listed are those that can be called, and those are the endpoints that the key may call. */
import type { RequiredPermission } from "@lineup/api/endpoint";
import { ENDPOINTS } from "@lineup/api/endpoints";
import { PERMISSIONS, type Permission } from "@lineup/api/permissions";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";
import { BEFORE, CURRENT, connect, send, told, toolCall } from "./assistant.ts";

let server: TestServer;
let orgId: string;
beforeAll(async () => {
  server = await startTestServer();
  orgId = await makeOrg(server);
});
afterAll(() => server.stop());

const SETS = Array.from({ length: 2 ** PERMISSIONS.length }, (_, bits) =>
  PERMISSIONS.filter((_permission, index) => (bits >> index) & 1),
).filter((set) => set.length > 0);

function isOpen(permission: RequiredPermission, set: readonly Permission[]): boolean {
  if (permission === "any read") return set.some((one) => one.endsWith(":read"));
  return permission === "any" || set.includes(permission);
}

it("tools listed, tools callable and endpoints allowed are the same for each of the 255 sets", async () => {
  expect(SETS).toHaveLength(255);
  for (const set of SETS) {
    const { key } = await makeKey(server, orgId, set);
    const allowed = ENDPOINTS.filter(({ permission }) => isOpen(permission, set)).map(({ name }) => name);
    const [listed, ...answers] = await Promise.all([
      send(server, key, { jsonrpc: "2.0", id: 1, method: "tools/list" }),
      ...ENDPOINTS.map(({ name }) => send(server, key, toolCall(name, UNKNOWN))),
    ]);
    expect(listed.body.result.tools.map(({ name }: { name: string }) => name)).toEqual(allowed);
    const codes = answers.map(({ body }) => told(body.result).error.code);
    // What no endpoint takes is refused where the permission has opened the way, and only there.
    const callable = ENDPOINTS.filter((_, index) => codes[index] !== "INSUFFICIENT_PERMISSIONS").map(
      ({ name }) => name,
    );
    expect(callable).toEqual(allowed);
    expect(new Set(codes.filter((code) => code !== "INSUFFICIENT_PERMISSIONS"))).toEqual(
      new Set(
        ENDPOINTS.filter(({ name }) => allowed.includes(name)).map((one) =>
          "body" in one ? "VALIDATION_ERROR" : "INVALID_PARAMETER",
        ),
      ),
    );
  }
});

const UNKNOWN = { id: "player_01jb8v6k3ze5xr9m4q7w2t5n8d", noSuchThing: "x" };

it.each([CURRENT, BEFORE])("the official client of %s lists and calls them, and no other", async (revision) => {
  const { key } = await makeKey(server, orgId, ["teams:read"]);
  const client = await connect(server, key, revision);
  expect(client.getNegotiatedProtocolVersion()).toBe(revision);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["listTeams", "describeKey", "listChanges"]);
  expect(told(await client.callTool({ name: "listTeams" }))).toEqual({ data: [] });
  const refused = await client.callTool({ name: "listPlayers" });
  expect(refused.isError).toBe(true);
  expect(told(refused).error).toMatchObject({ code: "INSUFFICIENT_PERMISSIONS", status: 403 });
  expect(told(refused).error.message).toContain("players:read");
  await expect(client.callTool({ name: "dropEverything" })).rejects.toThrow("No tool has this name");
  await client.close();
});

it("tools say whether they write, and what they take", async () => {
  const { key } = await makeKey(server, orgId);
  const client = await connect(server, key);
  const { tools } = await client.listTools();
  expect(client.getInstructions()).toContain("nextCursor");
  for (const [index, endpoint] of ENDPOINTS.entries()) {
    const tool = tools[index];
    const { method, path } = endpoint;
    expect(tool?.title).toBe(endpoint.summary);
    expect(tool?.annotations).toEqual({
      readOnlyHint: method === "GET",
      ...(method !== "GET" && { destructiveHint: method === "PATCH", idempotentHint: method === "PATCH" }),
      openWorldHint: false,
    });
    const fields = "body" in endpoint ? Object.keys(endpoint.body.fields.shape) : Object.keys(endpoint.query);
    const terms = { GET: [], POST: ["idempotencyKey"], PATCH: ["idempotencyKey", "ifMatch"] }[method];
    const id = path.includes("{id}") ? ["id"] : [];
    const { properties = {}, required = [] } = tool?.inputSchema ?? {};
    expect(Object.keys(properties)).toEqual([...id, ...fields, ...terms]);
    expect(required).toEqual([...id, ...("body" in endpoint ? endpoint.body.required : [])]);
    for (const property of Object.values(properties)) {
      expect(property).toMatchObject({ description: expect.stringMatching(/\S\.$/) });
      expect(JSON.stringify(property)).toMatch(/^\{"(type|anyOf)":/);
    }
    // The words of the endpoint that are not true of the tool.
    expect(JSON.stringify(tool)).not.toMatch(/bare call|meta\.|`Link`|\bLink header/);
  }
  await client.close();
});
