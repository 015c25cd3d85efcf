import { mkdtemp, rm } from "node:fs/promises";
import { Agent, get as httpGet } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PERMISSIONS } from "@lineup/api/permissions";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createKey } from "../../src/access/key-admin.ts";
import { createOrganization } from "../../src/access/organizations.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { openTestStore } from "../test-store.ts";
import { type ServerProcess, startServeCommand } from "./server-process.ts";

const PATH = "/api/public/v1/players";

let dataDir: string;
let key: string;
const servers: ServerProcess[] = [];
const sockets: Socket[] = [];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "lineup-lifecycle-"));
  const store = await openTestStore(dataDir);
  const { id: orgId } = await createOrganization(store, { name: "Stopped", tier: "Enterprise" }, TEST_ORIGIN);
  ({ key } = await createKey(store, { orgId, name: "Key", permissions: PERMISSIONS }, TEST_ORIGIN));
  await store.close();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) await server.kill();
  await rm(dataDir, { recursive: true, force: true });
});

async function serve(env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const server = await startServeCommand(dataDir, env);
  servers.push(server);
  return server;
}

/** A connection that has sent the head of a write and a part of its body. */
async function beginWrite(server: ServerProcess, ign: string) {
  const body = JSON.stringify({ ign, role: "Player" });
  const { hostname, port } = new URL(server.origin);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  let received = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    received += text;
  });
  socket.on("error", () => {});
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve(received)));
  const head = [
    `POST ${PATH} HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  await new Promise<void>((resolve) =>
    socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 5)}`, () => resolve()),
  );
  return { closed, finish: () => void socket.write(body.slice(5)) };
}

async function readPlayers(server: ServerProcess): Promise<{ readonly ign: string }[]> {
  const response = await fetch(server.origin + PATH, { headers: { authorization: `Bearer ${key}` } });
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: { ign: string }[] }).data;
}

/** A connection that has served a request and stays open for the next. */
async function keepAlive(server: ServerProcess): Promise<Agent> {
  const agent = new Agent({ keepAlive: true });
  await new Promise<void>((resolve, reject) => {
    httpGet(`${server.origin}/healthz`, { agent }, (response) => {
      response.resume().once("end", resolve);
    }).once("error", reject);
  });
  return agent;
}

describe("SIGTERM", () => {
  test("turns /readyz to 503 at once, and everything is served until the drain time has passed", async () => {
    const server = await serve({ LINEUP_DRAIN_MS: "2000" });
    expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
    const signalledAt = performance.now();
    server.signal("SIGTERM");
    let unready: Response;
    do unready = await fetch(`${server.origin}/readyz`, { headers: { connection: "close" } });
    while (unready.status === 200 && performance.now() - signalledAt < 1_500);
    expect(unready.status).toBe(503);
    expect(await unready.json()).toMatchObject({ status: "unavailable", reason: "the server is stopping" });
    const alive = await fetch(`${server.origin}/healthz`);
    expect([alive.status, alive.headers.get("connection")]).toEqual([200, "close"]);
    expect(await readPlayers(server)).toEqual([]);
    expect(await server.exited).toEqual({ code: 0, signal: null });
    const tookMs = performance.now() - signalledAt;
    expect(tookMs).toBeGreaterThanOrEqual(2_000);
    // No connection is waited for until it is cut off, eight seconds after that.
    expect(tookMs).toBeLessThan(9_500);
  });

  test("lets a write finish whose body is still arriving, whatever idle connections there are", async () => {
    const server = await serve();
    const agents = [await keepAlive(server), await keepAlive(server)];
    const write = await beginWrite(server, "In flight");
    expect(await readPlayers(server)).toEqual([]);
    const signalledAt = performance.now();
    server.signal("SIGTERM");
    // New connections are refused from when listening has stopped.
    while (
      await fetch(`${server.origin}/healthz`, { headers: { connection: "close" } }).then(
        () => true,
        () => false,
      )
    )
      await sleep(20);
    write.finish();
    expect(await write.closed).toMatch(/^HTTP\/1\.1 201 Created\r\n.*\r\nConnection: close\r\n/s);
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - signalledAt).toBeLessThan(7_500);
    for (const agent of agents) agent.destroy();
    expect((await readPlayers(await serve())).map(({ ign }) => ign)).toEqual(["In flight"]);
  });

  test("ends soon where a client is stuck, and the next start sees all that was acknowledged", async () => {
    const server = await serve();
    const done = await beginWrite(server, "Acknowledged");
    const stuck = await beginWrite(server, "Never sent whole");
    done.finish();
    while ((await readPlayers(server)).length === 0) await sleep(10);
    const signalledAt = performance.now();
    server.signal("SIGTERM");
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - signalledAt).toBeLessThan(20_000);
    expect(await stuck.closed).toBe("");
    expect((await readPlayers(await serve())).map(({ ign }) => ign)).toEqual(["Acknowledged"]);
  });
});
