import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, test } from "vitest";
import { drillCount } from "../drill-count.ts";
import { makeKey, makeOrg } from "../test-server.ts";
import { runSql } from "../test-store.ts";
import { RECEIVER_TLS } from "./receiver.ts";
import { addPlayer, addWebhook, makeWebhookWorld, type WebhookWorld } from "./webhook-world.ts";

const WRITES = drillCount("write-cost", 60, 300);
const BURST = drillCount("burst", 200, 1_000);
const ENDPOINTS = 20;
/** What the writes of one turn cost differs less than what one of them does. */
const WRITES_A_TURN = 20;
/** The same work takes a processor that others use as well more time, now and then by so much. Sending by the thread that answers takes three times as much. */
const NOISE = 1.3;

let shared: WebhookWorld;
let endpoint: Worker;
let url: string;

beforeAll(async () => {
  shared = await makeWebhookWorld();
  endpoint = new Worker(new URL("quick-endpoint-worker.ts", import.meta.url), { workerData: { tls: RECEIVER_TLS } });
  [url] = await once(endpoint, "message");
});
afterAll(async () => {
  await shared?.server.stop();
  await endpoint?.terminate();
});

async function makeWorld(endpoints: number): Promise<WebhookWorld> {
  const orgId = await makeOrg(shared.server);
  const world = { server: shared.server, orgId, key: (await makeKey(shared.server, orgId)).key };
  for (let number = 0; number < endpoints; number++) await addWebhook(world, `${url}/${number}`);
  return world;
}

const medianOf = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;

test(`a write to an organization with ${ENDPOINTS} endpoints costs the thread that answers what it does without`, async () => {
  const [without, withAll] = [await makeWorld(0), await makeWorld(ENDPOINTS)];
  await expect.poll(async () => countOf(withAll, "delivered")).toBe(ENDPOINTS);
  const costs: Record<"without" | "withAll", number[]> = { without: [], withAll: [] };
  const turns = Math.ceil(WRITES / WRITES_A_TURN);
  // By turns, so that whatever else the machine does falls on both. One write after another: messages are sent meanwhile, and only then.
  for (let turn = 0; turn < 2 * turns; turn++) {
    const name = turn % 2 === 0 ? "without" : "withAll";
    const begun = process.threadCpuUsage();
    for (let number = 0; number < WRITES_A_TURN; number++) {
      await addPlayer(name === "without" ? without : withAll, `P${turn}-${number}`);
    }
    const { user, system } = process.threadCpuUsage(begun);
    costs[name].push((user + system) / 1_000 / WRITES_A_TURN);
    const told = ENDPOINTS * (1 + Math.ceil(turn / 2) * WRITES_A_TURN);
    await expect.poll(async () => countOf(withAll, "delivered"), { timeout: 600_000, interval: 100 }).toBe(told);
  }
  const [before, after] = [medianOf(costs.without), medianOf(costs.withAll)];
  const more = ((after / before - 1) * 100).toFixed(1);
  console.log(
    `processor time of a write: ${before.toFixed(2)} ms without, ${after.toFixed(2)} ms with ${ENDPOINTS} endpoints (${more} %)`,
  );
  expect(after).toBeLessThan(before * NOISE);
});

test(`a burst of ${BURST} changes reaches ${ENDPOINTS} endpoints, each once, and in few transactions`, async () => {
  const world = await makeWorld(ENDPOINTS);
  await expect.poll(async () => countOf(world, "delivered")).toBe(ENDPOINTS);
  const begun = performance.now();
  for (let number = 0; number < BURST; number += 20) {
    const some = Array.from({ length: 20 }, (_, one) => addPlayer(world, `B${number + one}`));
    await Promise.all(some);
  }
  const written = performance.now() - begun;
  await expect
    .poll(async () => countOf(world, "delivered"), { timeout: 7_000_000, interval: 200 })
    .toBe(ENDPOINTS * (BURST + 1));
  const told = performance.now() - begun;
  console.log(
    `${BURST} changes written in ${Math.round(written)} ms, told to ${ENDPOINTS} endpoints in ${Math.round(told)} ms`,
  );
  const attempts = await runSql(
    world.server.dataDir,
    "SELECT attempts FROM webhook_deliveries WHERE org_id = ?",
    world.orgId,
  );
  expect(attempts.filter((row) => JSON.parse(String(row.attempts)).length !== 1)).toEqual([]);
});

async function countOf({ server, orgId }: WebhookWorld, state: string): Promise<number> {
  const sql = "SELECT count(*) AS count FROM webhook_deliveries WHERE org_id = ? AND state = ?";
  const [row] = await runSql(server.dataDir, sql, orgId, state);
  return Number(row?.count);
}
