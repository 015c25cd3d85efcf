import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { startHaproxy } from "./haproxy.ts";
import { startPgBouncer } from "./pgbouncer.ts";
import { startOwnPostgres } from "./postgres.ts";
import { canStart } from "./provided-services.ts";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Node {
  readonly port: number;
  isReady: boolean;
  /** Takes requests and closes the connection on them. */
  isBroken: boolean;
  readonly seen: IncomingHttpHeaders[];
}

async function startNode(): Promise<Node> {
  const node = { port: 0, isReady: true, isBroken: false, seen: [] as IncomingHttpHeaders[] };
  const server: Server = createServer((request, response) => {
    if (request.url === "/readyz") {
      response.writeHead(node.isReady ? 200 : 503).end();
      return;
    }
    node.seen.push(request.headers);
    if (node.isBroken) request.socket.destroy();
    else response.end(String(node.port));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  node.port = (server.address() as AddressInfo).port;
  ends.push(async () => {
    server.close();
    server.closeAllConnections();
  });
  return node;
}

async function balance(...nodes: readonly Node[]) {
  const haproxy = await startHaproxy({ backends: nodes.map(({ port }) => ({ host: "127.0.0.1", port })) });
  ends.push(haproxy.stop);
  return haproxy;
}

async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await condition())) {
    expect(performance.now()).toBeLessThan(deadline);
    await sleep(10);
  }
}

describe.skipIf(!canStart("haproxy"))("The balancer", () => {
  test("takes out a node that is not ready, and back in when it is", async () => {
    const [first, second] = [await startNode(), await startNode()];
    const haproxy = await balance(first, second);
    const ask = async () => (await fetch(haproxy.url)).text();
    expect(new Set([await ask(), await ask()])).toEqual(new Set([String(first.port), String(second.port)]));

    first.isReady = false;
    await waitUntil(async () => (await haproxy.listReady())[0] === false);
    expect(new Set([await ask(), await ask(), await ask(), await ask()])).toEqual(new Set([String(second.port)]));

    first.isReady = true;
    await waitUntil(async () => (await haproxy.listReady())[0] === true);
    expect(new Set([await ask(), await ask()]).size).toBe(2);
  });

  test("says where a request came from, whatever its client claims", async () => {
    const node = await startNode();
    const haproxy = await balance(node);
    await fetch(haproxy.url, { headers: { "x-forwarded-for": "203.0.113.9" } });
    expect(node.seen[0]).toMatchObject({ "x-forwarded-for": "127.0.0.1", "x-forwarded-proto": "https" });
  });

  test("tries another node where that is safe, and nowhere else", async () => {
    const [broken, whole] = [await startNode(), await startNode()];
    const haproxy = await balance(broken, whole);
    broken.isBroken = true;
    for (let round = 0; round < 4; round++) expect((await fetch(haproxy.url)).status).toBe(200);
    const tried = broken.seen.length;
    expect(tried).toBeGreaterThan(0);

    const succeeded: boolean[] = [];
    for (let round = 0; round < 4; round++) {
      // On a connection that has served a request before, a failure is an end without an answer.
      succeeded.push(
        await fetch(haproxy.url, { method: "POST" }).then(
          ({ ok }) => ok,
          () => false,
        ),
      );
    }
    expect(succeeded.filter(Boolean)).toHaveLength(2);
    expect(broken.seen.length).toBe(tried + 2);
  });
});

describe.skipIf(!canStart("postgres", "pgbouncer"))("The pool in front of PostgreSQL", () => {
  test("gives a client a connection for one transaction at a time", async () => {
    const postgres = await startOwnPostgres({ fsync: false });
    ends.push(postgres.remove);
    const pool = await startPgBouncer({
      postgresPort: postgres.port,
      poolMode: "transaction",
      settings: { default_pool_size: "1" },
    });
    ends.push(pool.stop);
    const clients = [new Client(pool.url("postgres")), new Client(pool.url("postgres"))];
    for (const client of clients) {
      await client.connect();
      ends.push(() => client.end());
    }
    const pids: unknown[] = [];
    for (const client of clients) pids.push((await client.query("select pg_backend_pid() as pid")).rows[0].pid);
    expect(pids[0]).toBe(pids[1]);
  });
});
