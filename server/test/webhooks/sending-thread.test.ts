import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_MS } from "@lineup/api/tiers";
import { expect, it, onTestFinished } from "vitest";
import { createOrganization } from "../../src/access/organizations.ts";
import { createWebhook, deleteWebhook, disableWebhook } from "../../src/events/webhook-store.ts";
import { SendingThread } from "../../src/sending-thread.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { dropTestStore, ENGINE, openTestStore, runSql, storeSettingsOf } from "../test-store.ts";
import { LOOPBACK, RECEIVER_TLS, Receiver } from "./receiver.ts";
import { toolsOf } from "./webhook-world.ts";

async function makeWebhook() {
  const dataDir = await mkdtemp(join(tmpdir(), "lineup-sending-"));
  const store = await openTestStore(dataDir);
  const receiver = await Receiver.start();
  const { id: orgId } = await createOrganization(store, { name: "Told", tier: "Pro" }, TEST_ORIGIN);
  const wanted = { url: receiver.url, types: null, description: "" };
  const { id: webhookId } = await createWebhook(toolsOf(store, dataDir), orgId, wanted, TEST_ORIGIN, Date.now());
  onTestFinished(async () => {
    await store.close();
    await receiver.stop();
    await dropTestStore(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  });
  return { dataDir, store, receiver, ref: { orgId, webhookId } };
}

/** What befalls it is told in order. */
async function startThread(
  { dataDir, store }: Awaited<ReturnType<typeof makeWebhook>>,
  webhookAllow: readonly string[] = LOOPBACK,
) {
  const told: unknown[] = [];
  const thread = new SendingThread({
    store,
    config: { ...(await storeSettingsOf(dataDir)), webhookAllow },
    options: { ca: RECEIVER_TLS.cert },
    tell: (notice) => told.push(notice),
    onFault: (error) => told.push(error),
    onRecovery: () => told.push("recovery"),
  });
  onTestFinished(() => thread.stop());
  return { thread, told };
}

it("a thread that has ended is followed by another, which sends what waits", async () => {
  const allowed = ["no address"];
  const world = await makeWebhook();
  const { thread, told } = await startThread(world, allowed);
  await expect.poll(() => told).toEqual([expect.any(Error)]);
  allowed.splice(0, 1, ...LOOPBACK);
  await expect.poll(() => world.receiver.types).toEqual(["webhook.ping"]);
  await expect.poll(() => [told.slice(1), thread.delivered, thread.refused]).toEqual([["recovery"], 1, 0]);
});

it("a delivery is kept no longer than others where every webhook is disabled", async () => {
  const world = await makeWebhook();
  const { store, ref } = world;
  const old = Date.now() - 31 * DAY_MS;
  await store.writeEvents((db) => db.updateTable("webhook_deliveries").set({ created_at: old }).execute());
  await disableWebhook(store, ref, "For a test.", TEST_ORIGIN, Date.now());
  await startThread(world);
  const kept = () => store.events.selectFrom("webhook_deliveries").select("id").execute();
  await expect.poll(kept).toEqual([]);
  expect(world.receiver.types).toEqual([]);
});

it("a webhook that keeps failing is told of", async () => {
  const world = await makeWebhook();
  const { store, receiver, ref } = world;
  receiver.answering = (_request, response) => void response.writeHead(500).end();
  const failingSince = Date.now() - 4 * DAY_MS;
  await store.writeEvents((db) => db.updateTable("webhooks").set({ failing_since: failingSince }).execute());
  const { told } = await startThread(world);
  await expect.poll(() => told).toEqual([expect.objectContaining({ ...ref, what: "failing", failingSince })]);
});

// In PostgreSQL they are not the test's to rename.
it.runIf(ENGINE === "sqlite")(
  "a store that cannot be read while there is no webhook is told once, and so is that it can be read again",
  async () => {
    const world = await makeWebhook();
    await deleteWebhook(world.store, world.ref, TEST_ORIGIN, Date.now());
    await runSql(world.dataDir, "ALTER TABLE webhooks RENAME TO gone");
    const { told } = await startThread(world);
    await expect.poll(() => told).toEqual([expect.any(Error)]);
    await runSql(world.dataDir, "ALTER TABLE gone RENAME TO webhooks");
    await expect.poll(() => told).toEqual([expect.any(Error), "recovery"]);
  },
);
