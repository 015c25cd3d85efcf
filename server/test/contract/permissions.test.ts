/** All 256 sets of permissions against every endpoint: only the right ones open. */
import type { RequiredPermission } from "@lineup/api/endpoint";
import { ENDPOINTS } from "@lineup/api/endpoints";
import { PERMISSIONS, type Permission } from "@lineup/api/permissions";
import { afterAll, beforeAll, expect, it } from "vitest";
import { AccessError } from "../../src/access/organizations.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey } from "../test-server.ts";
import { expectError, openStage, type Stage } from "./checked-call.ts";
import { ownPath } from "./endpoint-requests.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.stop());

const SETS = Array.from({ length: 2 ** PERMISSIONS.length }, (_, bits) =>
  PERMISSIONS.filter((_permission, index) => (bits >> index) & 1),
);

it("opens with each of the 255 sets exactly the endpoints whose permission it holds", async () => {
  const sets = SETS.filter((set) => set.length > 0);
  expect(sets).toHaveLength(255);
  for (const set of sets) {
    const { key } = await makeKey(stage.server, stage.seed.orgId, set);
    await Promise.all(ENDPOINTS.map((endpoint) => proveOpenOrClosed(endpoint, set, key)));
  }
});

async function proveOpenOrClosed(endpoint: (typeof ENDPOINTS)[number], set: Permission[], key: string): Promise<void> {
  const path = ownPath(endpoint, stage.seed);
  // An empty body is refused for its form, which is looked at only once the permission has opened the way.
  const body = endpoint.method === "GET" ? undefined : {};
  const reply = await call(stage.server, endpoint.method, path, { key, body });
  const { permission } = endpoint;
  if (isOpen(permission, set)) {
    if (endpoint.method === "GET") expect(reply.status, `${endpoint.name} with ${set}`).toBe(200);
    else expectError(reply, "VALIDATION_ERROR");
  } else {
    expectError(reply, "INSUFFICIENT_PERMISSIONS");
    expect(reply.body.error.message).toContain(permission === "any read" ? "every read permission" : permission);
  }
}

function isOpen(permission: RequiredPermission, set: readonly Permission[]): boolean {
  if (permission === "any read") return set.some((one) => one.endsWith(":read"));
  return permission === "any" || set.includes(permission);
}

it("has no key with the empty set: one is not made, and one that lost all its permissions opens nothing", async () => {
  await expect(makeKey(stage.server, stage.seed.orgId, [])).rejects.toThrow(AccessError);
  const { id, key } = await makeKey(stage.server, stage.seed.orgId);
  // What no door of ours does, a hand in the database might.
  await stage.server.store.writeAccess(TEST_ORIGIN, (operator) =>
    operator.updateTable("api_keys").set({ permissions: '["no:such"]' }).where("id", "=", id).execute(),
  );
  for (const endpoint of ENDPOINTS) {
    const path = ownPath(endpoint, stage.seed);
    const reply = await call(stage.server, endpoint.method, path, {
      key,
      body: endpoint.method === "GET" ? undefined : {},
    });
    expectError(reply, "INSUFFICIENT_PERMISSIONS");
  }
});
