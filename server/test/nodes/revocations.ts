/** Keys revoked on one node while all are under load: how long until the last of the others refuses them. */
import { setTimeout as sleep } from "node:timers/promises";
import { revokeKey } from "../../src/access/key-admin.ts";
import { createOrganization } from "../../src/access/organizations.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { makeKey, type TestServer } from "../test-server.ts";
import { type NodeGroup, PlainClient } from "./node-group.ts";

export interface Delays {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface RevocationOptions {
  readonly count: number;
  /** How many keys are revoked together; more of them end a slow measurement sooner. */
  readonly together: number;
  /** How often each node is asked. A key's minute is short. */
  readonly askEveryMs: number;
  readonly giveUpAfterMs: number;
}

const BACKGROUND_CLIENTS = 4;

export async function measureRevocations(group: NodeGroup, options: RevocationOptions): Promise<Delays> {
  const [first] = group.nodes;
  if (first === undefined) throw new Error("There is no node.");
  const client = new PlainClient();
  const { id: orgId } = await createOrganization(first.store, { name: "Revoked", tier: "Enterprise" }, TEST_ORIGIN);
  const load = await startLoad(group, client);
  try {
    const delays: number[] = [];
    while (delays.length < options.count) {
      const batch = Math.min(options.together, options.count - delays.length);
      delays.push(
        ...(await Promise.all(Array.from({ length: batch }, () => revokeOne(group, first, orgId, client, options)))),
      );
    }
    delays.sort((a, b) => a - b);
    const at = (share: number) =>
      delays[Math.min(delays.length - 1, Math.ceil(delays.length * share) - 1)] ?? Number.NaN;
    return { count: delays.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
  } finally {
    await load.stop();
    client.close();
  }
}

async function revokeOne(
  group: NodeGroup,
  first: TestServer,
  orgId: string,
  client: PlainClient,
  { askEveryMs, giveUpAfterMs }: RevocationOptions,
): Promise<number> {
  const { id, key } = await makeKey(first, orgId, ["teams:read"]);
  for (const node of group.nodes) {
    const { status } = await client.get(node.baseUrl, "/teams", key);
    if (status !== 200) throw new Error(`A new key was answered ${status}.`);
  }
  await revokeKey(first.store, id, TEST_ORIGIN);
  const revokedAt = performance.now();
  const refused = group.nodes.map(async (node) => {
    for (;;) {
      const { code, isRefusedKey } = await client.get(node.baseUrl, "/teams", key);
      const elapsedMs = performance.now() - revokedAt;
      // After sixty of them in a minute the address has no more tries, and is told that instead.
      if (code === "KEY_REVOKED" || isRefusedKey) return elapsedMs;
      if (elapsedMs > giveUpAfterMs) throw new Error(`A node still takes a key ${elapsedMs} ms after it was revoked.`);
      await sleep(askEveryMs);
    }
  });
  return Math.max(...(await Promise.all(refused)));
}

/** Reads on every node all the while, with keys enough that none runs out. */
async function startLoad(group: NodeGroup, client: PlainClient): Promise<{ stop(): Promise<void> }> {
  let isOver = false;
  const [first] = group.nodes;
  if (first === undefined) throw new Error("There is no node.");
  const { id } = await createOrganization(first.store, { name: "Load", tier: "Enterprise" }, TEST_ORIGIN);
  const keys = await Promise.all(Array.from({ length: 20 }, async () => (await makeKey(first, id)).key));
  const running = Array.from({ length: BACKGROUND_CLIENTS }, async (_, which) => {
    for (let turn = which; !isOver; turn++) {
      const node = group.nodes[turn % group.nodes.length];
      await client.get(node?.baseUrl ?? "", "/players", keys[turn % keys.length] ?? "");
      await sleep(2);
    }
  });
  return {
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
  };
}
