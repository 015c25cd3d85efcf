/** Nodes behind the balancer that is shipped are replaced one after another while clients go on asking: none of them may notice. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PERMISSIONS } from "@lineup/api/permissions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey } from "../../src/access/key-admin.ts";
import { createOrganization } from "../../src/access/organizations.ts";
import { drillCount } from "../drill-count.ts";
import { type ServerProcess, startServerProcess } from "../durability/server-process.ts";
import { findFreePort } from "../services/free-port.ts";
import { type Haproxy, startHaproxy } from "../services/haproxy.ts";
import { canStart, hasPostgres } from "../services/provided-services.ts";
import { type OwnRedis, startOwnRedis } from "../services/redis.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { openTestStore } from "../test-store.ts";
import { waitUntil } from "./wait-until.ts";

const RESTARTS = drillCount("rolling-restart", 1, 30);
const NODES = 3;
const CLIENTS = 6;
/** As the Dockerfile has it. */
const DRAIN_MS = 5_000;
const IN_AGAIN_MS = 60_000;

describe.skipIf(!hasPostgres() || !canStart("redis", "haproxy"))("a rolling restart", () => {
  let dataDir: string;
  let redis: OwnRedis;
  let balancer: Haproxy;
  const ports: number[] = [];
  const nodes: ServerProcess[] = [];
  const keys: string[] = [];

  const startNode = (port: number) =>
    startServerProcess(dataDir, {
      LINEUP_PORT: String(port),
      LINEUP_REDIS_URL: redis.url,
      LINEUP_TRUST_PROXY: "127.0.0.1",
      LINEUP_DRAIN_MS: String(DRAIN_MS),
      LINEUP_LOG_LEVEL: "warn",
    });
  const isIn = async (index: number) => (await balancer.listReady())[index] === true;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "lineup-rolling-"));
    redis = await startOwnRedis();
    const store = await openTestStore(dataDir);
    const { id: orgId } = await createOrganization(store, { name: "Rolling", tier: "Enterprise" }, TEST_ORIGIN);
    while (keys.length < CLIENTS) {
      keys.push((await createKey(store, { orgId, name: "Key", permissions: PERMISSIONS }, TEST_ORIGIN)).key);
    }
    await store.close();
    while (ports.length < NODES) ports.push(await findFreePort());
    nodes.push(...(await Promise.all(ports.map(startNode))));
    balancer = await startHaproxy({ backends: ports.map((port) => ({ host: "127.0.0.1", port })) });
    for (const index of ports.keys()) await waitUntil("the node is in", () => isIn(index), IN_AGAIN_MS);
  });
  afterAll(async () => {
    await balancer?.stop();
    await Promise.all(nodes.map((node) => node.kill()));
    await redis?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it("drops no request, reads and writes alike", async () => {
    let isOver = false;
    const answers = new Map<string, number>();
    const clients = keys.map(async (key, which) => {
      for (let turn = 0; !isOver; turn++) {
        const isWrite = (turn + which) % 4 === 0;
        const answer = `${isWrite ? "POST" : "GET"} ${await ask(balancer.url, key, isWrite ? `r${which}-${turn}` : undefined)}`;
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
        // Under a thousand a minute, which is what a key may.
        await sleep(65);
      }
    });
    for (let restart = 0; restart < RESTARTS; restart++) {
      const index = restart % NODES;
      nodes[index]?.signal("SIGTERM");
      expect(await nodes[index]?.exited).toEqual({ code: 0, signal: null });
      nodes[index] = await startNode(ports[index] ?? 0);
      await waitUntil("the node is in again", () => isIn(index), IN_AGAIN_MS);
    }
    isOver = true;
    await Promise.all(clients);
    expect([...answers.keys()].sort()).toEqual(["GET 200", "POST 201"]);
    expect(answers.get("POST 201")).toBeGreaterThan(RESTARTS * 5);
  });
});

/** The status, or why there is none. */
async function ask(origin: string, key: string, ign: string | undefined): Promise<number | string> {
  const write = { method: "POST", body: JSON.stringify({ ign, role: "Player" }) };
  try {
    const response = await fetch(`${origin}/api/public/v1/players${ign === undefined ? "?limit=1" : ""}`, {
      ...(ign === undefined ? {} : write),
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    });
    await response.text();
    return response.status;
  } catch (error) {
    return `${error} ${(error as Error).cause}`;
  }
}
