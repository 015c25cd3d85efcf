import { expect, it } from "vitest";
import { makeTestDatabase, requireRedisUrl } from "../services/provided-services.ts";
import { makeKey, makeOrg, type TestServer } from "../test-server.ts";
import { Receiver } from "../webhooks/receiver.ts";
import { addPlayer, addWebhook, startSendingServer } from "../webhooks/webhook-world.ts";

it("two nodes send each message once, and the second goes on when the first stops", async () => {
  const receiver = await Receiver.start();
  const { url: databaseUrl } = await makeTestDatabase();
  const config = { databaseUrl, redisUrl: requireRedisUrl(), databasePoolSize: 3 };
  const nodes: TestServer[] = [await startSendingServer({ config }), await startSendingServer({ config })];
  const [first, second] = nodes as [TestServer, TestServer];
  try {
    const orgId = await makeOrg(first);
    const { key } = await makeKey(first, orgId);
    await addWebhook({ server: first, orgId, key }, receiver.url);
    await expect.poll(() => receiver.types).toEqual(["webhook.ping"]);
    for (let number = 0; number < 40; number++) {
      await addPlayer({ server: number % 2 === 0 ? first : second, orgId, key }, `P${number}`);
    }
    await expect.poll(() => new Set(receiver.changeIds).size).toBe(40);
    await first.stop();
    nodes.shift();
    const stoppedAt = performance.now();
    await addPlayer({ server: second, orgId, key }, "After");
    await expect.poll(() => new Set(receiver.changeIds).size).toBe(41);
    expect(performance.now() - stoppedAt).toBeLessThan(5_000);
    expect(receiver.changeIds).toHaveLength(41);
  } finally {
    for (const node of nodes) await node.stop();
    await receiver.stop();
  }
});
