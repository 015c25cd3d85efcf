/**
 * Prints whether the protocol's library is loaded: by a server that has begun and answered the API, by a stranger's knock at `/mcp`, and by that of
 * a key. Run by loading.test.ts in a process of its own, because this one's modules are what is looked at.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { registerHooks } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const loaded = new Set<string>();
registerHooks({
  load(url, context, nextLoad) {
    loaded.add(url);
    return nextLoad(url, context);
  },
});
const isLoaded = () => [...loaded].some((url) => url.includes("@modelcontextprotocol"));

const { createKey } = await import("../../src/access/key-admin.ts");
const { createOrganization } = await import("../../src/access/organizations.ts");
const { startServer } = await import("../../src/app.ts");
const { readConfig } = await import("../../src/config.ts");
const { TEST_ORIGIN } = await import("../test-origin.ts");

const dataDir = await mkdtemp(join(tmpdir(), "lineup-loaded-"));
const { address, store, stop } = await startServer(readConfig({ LINEUP_DATA_DIR: dataDir, LINEUP_PORT: "0" }));
const { id: orgId } = await createOrganization(store, { name: "Loaded", tier: "Enterprise" }, TEST_ORIGIN);
const wanted = { orgId, name: "Loader", permissions: ["players:read"], expiresAt: null } as const;
const { key } = await createKey(store, wanted, TEST_ORIGIN);

async function ask(path: string, init: RequestInit = {}): Promise<boolean> {
  await (await fetch(address + path, init)).text();
  return isLoaded();
}

const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
const byApi = await ask("/api/public/v1/players", { headers });
const byStranger = await ask("/mcp", { method: "POST", body });
const byKey = await ask("/mcp", { method: "POST", headers, body });
process.stdout.write(JSON.stringify({ byApi, byStranger, byKey }));
await stop();
await rm(dataDir, { recursive: true });
