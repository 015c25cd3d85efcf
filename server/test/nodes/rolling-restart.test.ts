/** Nodes behind a balancer are replaced one after another while clients go on asking: none of them may notice. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOrganization } from "../../src/access/organizations.ts";
import { findFreePort } from "../services/free-port.ts";
import { type Haproxy, startHaproxy } from "../services/haproxy.ts";
import { canStart, hasPostgres, makeTestDatabase } from "../services/provided-services.ts";
import { type OwnRedis, startOwnRedis } from "../services/redis.ts";
import type { TestDatabase } from "../services/test-database.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { makeKey, startTestServer, type TestServer } from "../test-server.ts";
import { waitUntil } from "./wait-until.ts";

const NODES = 3;
const CLIENTS = 6;

describe.skipIf(!hasPostgres() || !canStart("redis", "haproxy"))("a rolling restart", () => {
  let database: TestDatabase;
  let redis: OwnRedis;
  let balancer: Haproxy;
  let ports: number[];
  let nodes: TestServer[];

  const startNode = (port: number) =>
    startTestServer({
      config: {
        port,
        databaseUrl: database.url,
        redisUrl: redis.url,
        databasePoolSize: 3,
        trustedProxies: ["127.0.0.1"],
        // Longer than the balancer needs to see that a node is no longer ready.
        drainMs: 400,
      },
    });

  beforeAll(async () => {
    database = await makeTestDatabase();
    redis = await startOwnRedis();
    ports = [];
    while (ports.length < NODES) ports.push(await findFreePort());
    nodes = await Promise.all(ports.map(startNode));
    balancer = await startHaproxy({ backends: ports.map((port) => ({ host: "127.0.0.1", port })) });
    await waitUntil("all nodes are in", async () => (await balancer.listReady()).every(Boolean), 10_000);
  });
  afterAll(async () => {
    await balancer?.stop();
    await Promise.all((nodes ?? []).map((node) => node.stop()));
    await redis?.stop();
    await database?.drop();
  });

  it("drops no request, reads and writes alike", { timeout: 60_000 }, async () => {
    const [first] = nodes;
    if (first === undefined) throw new Error("There is no node.");
    const { id } = await createOrganization(first.store, { name: "Rolling", tier: "Enterprise" }, TEST_ORIGIN);
    const baseUrl = `${balancer.url}/api/public/v1`;
    let isOver = false;
    const answers = new Map<string, number>();
    const clients = Array.from({ length: CLIENTS }, async (_, which) => {
      const { key } = await makeKey(first, id);
      for (let turn = 0; !isOver; turn++) {
        const isWrite = (turn + which) % 4 === 0;
        const response = await fetch(`${baseUrl}/players${isWrite ? "" : "?limit=1"}`, {
          method: isWrite ? "POST" : "GET",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          ...(isWrite ? { body: JSON.stringify({ ign: `r${which}-${turn}`, role: "Player" }) } : {}),
        }).catch((error: Error) => ({ status: `${error.message} ${error.cause}`, text: async () => "" }));
        await response.text();
        const answer = `${isWrite ? "POST" : "GET"} ${response.status}`;
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
        await sleep(15);
      }
    });
    for (const [index, port] of ports.entries()) {
      await nodes[index]?.stop();
      nodes[index] = await startNode(port);
      await waitUntil("the node is in again", async () => (await balancer.listReady())[index] === true, 10_000);
    }
    isOver = true;
    await Promise.all(clients);
    expect([...answers.keys()].sort()).toEqual(["GET 200", "POST 201"]);
    expect(answers.get("POST 201")).toBeGreaterThan(20);
  });
});
