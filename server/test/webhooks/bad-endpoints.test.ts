import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeKey, makeOrg } from "../test-server.ts";
import { RECEIVER_TLS, Receiver } from "./receiver.ts";
import { addPlayer, addWebhook, makeWebhookWorld, type WebhookWorld } from "./webhook-world.ts";

const CHANGES = 60;
/** Far longer than a message takes on a busy machine: who waited behind one that hangs would be seen. */
const ATTEMPT_MAX_MS = 20_000;
const AT_IT_MS = 2_000;
const GROWTH_MAX_BYTES = 96 * 1_048_576;

const receivers: Receiver[] = [];
const workers: Worker[] = [];
let world: WebhookWorld;

beforeAll(async () => {
  world = await makeWebhookWorld({ webhooks: { attemptMaxMs: ATTEMPT_MAX_MS } });
});
afterAll(async () => {
  await world?.server.stop();
  await Promise.all(workers.map((worker) => worker.terminate()));
  await Promise.all(receivers.map((receiver) => receiver.stop()));
});

async function startBadEndpoints(): Promise<string[]> {
  const worker = new Worker(new URL("bad-endpoints-worker.ts", import.meta.url), { workerData: { tls: RECEIVER_TLS } });
  workers.push(worker);
  const [urls] = await once(worker, "message");
  return urls as string[];
}

/** How long it takes from each change to its message: of all but the slowest twentieth. */
async function measure(where: WebhookWorld): Promise<number> {
  const good = await Receiver.start();
  receivers.push(good);
  await addWebhook(where, good.url);
  await expect.poll(() => good.types).toEqual(["webhook.ping"]);
  const madeAt = new Map<string, number>();
  for (let number = 0; number < CHANGES; number++) {
    const playerId = await addPlayer(where, `P${number}`);
    madeAt.set(playerId, Date.now());
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await expect.poll(() => new Set(good.changeIds).size).toBe(CHANGES);
  const waits = good.received.flatMap(({ at, body }) => {
    const made = madeAt.get(JSON.parse(body).data.resourceId);
    return made === undefined ? [] : [at - made];
  });
  return waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.95)] ?? Number.POSITIVE_INFINITY;
}

it("endpoints that hang, fail, redirect, close or pour delay no other, and memory stays flat", async () => {
  const alone = await measure(world);
  const orgId = await makeOrg(world.server);
  const beside = { server: world.server, orgId, key: (await makeKey(world.server, orgId)).key };
  const bad = [...(await startBadEndpoints()), ...(await startBadEndpoints())];
  for (const url of bad) await addWebhook(beside, url);
  await new Promise((resolve) => setTimeout(resolve, AT_IT_MS));
  const before = process.memoryUsage().rss;
  const together = await measure(beside);
  console.log(`p95 from commit to message: alone ${alone} ms, beside ${bad.length} bad endpoints ${together} ms`);
  // A busy machine takes its time for both.
  expect(together).toBeLessThan(Math.max(ATTEMPT_MAX_MS / 2, 3 * alone));
  expect(process.memoryUsage().rss - before).toBeLessThan(GROWTH_MAX_BYTES);
});
