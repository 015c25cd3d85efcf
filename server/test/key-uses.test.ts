/** "Use it" on a key's page: what it gives to copy works with this very key, whatever it may do. */
import { PERMISSIONS } from "@lineup/api/permissions";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeUse, type UsedKey } from "../../dashboard/src/compliance/key-uses.ts";
import { findTypeFaults, hasClient, hasPython, runPython, runShell } from "./code-to-copy.ts";
import { makeKey, makeOrg, startTestServer, type TestServer } from "./test-server.ts";

let server: TestServer;
/** One that holds all, and one for each permission alone. */
let keys: readonly UsedKey[];

beforeAll(async () => {
  server = await startTestServer();
  const orgId = await makeOrg(server);
  const sets = [PERMISSIONS, ...PERMISSIONS.map((permission) => [permission])];
  const { origin } = server;
  keys = await Promise.all(
    sets.map(async (permissions) => ({ origin, permissions, key: (await makeKey(server, orgId, permissions)).key })),
  );
});
afterAll(() => server.stop());

const withoutKey = ({ origin, permissions }: UsedKey): UsedKey => ({ origin, permissions });

it("the shell line is answered, with the key in it or in the environment", async () => {
  for (const used of keys) {
    expect(await runShell(makeUse("curl", used), {})).toContain('"success":true');
    const variables = { LINEUP_KEY: used.key ?? "" };
    expect(await runShell(makeUse("curl", withoutKey(used)), variables)).toContain('"success":true');
  }
});

it.skipIf(!hasPython)("the Python is answered", async () => {
  for (const used of keys) {
    const printed = await runPython(makeUse("python", used), { LINEUP_KEY: used.key ?? "" });
    expect(printed, String(used.permissions)).toMatch(/^(?:\[.*\]|\{.*\})\n$/);
  }
});

it.skipIf(!hasClient)("the TypeScript compiles under the strictest rules", async () => {
  const modules = keys.map((used, index) => [`use-${index}`, makeUse("typescript", used)] as const);
  expect(await findTypeFaults(Object.fromEntries(modules))).toBe("");
});

it("code has no key in it, and an assistant's settings have the one that is known", () => {
  for (const used of keys) {
    for (const use of ["typescript", "python"] as const) expect(makeUse(use, used)).not.toContain(used.key);
    const settings = (from: UsedKey) => JSON.parse(makeUse("assistant", from)).mcpServers.lineup;
    expect(settings(used)).toEqual({
      type: "http",
      url: `${server.origin}/mcp`,
      headers: { Authorization: `Bearer ${used.key}` },
    });
    expect(settings(withoutKey(used)).headers.Authorization).toMatch(/^Bearer \$\{LINEUP_KEY\}$/);
  }
});
