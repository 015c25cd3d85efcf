import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { disableWebhook, enableWebhook } from "../../src/events/webhook-store.ts";
import { listDeliveries, listWebhooks } from "../../src/events/webhook-views.ts";
import { join, makeUser } from "../dashboard/dashboard-world.ts";
import { ManualClock } from "../manual-clock.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { makeKey, makeOrg } from "../test-server.ts";
import { runSql } from "../test-store.ts";
import { answerWith, Receiver } from "./receiver.ts";
import { addPlayer, addWebhook, makeWebhookWorld, type WebhookWorld } from "./webhook-world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** From each attempt to the next, by the contract. */
const DELAYS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];

const clock = new ManualClock(Date.now());
const letters: string[] = [];
const post = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  onData: (stream, _session, taken) => {
    let letter = "";
    stream.setEncoding("utf8").on("data", (text: string) => (letter += text));
    stream.once("end", () => {
      letters.push(letter);
      taken();
    });
  },
});

let shared: WebhookWorld;
let world: WebhookWorld;
let receiver: Receiver;

beforeAll(async () => {
  post.listen(0, "127.0.0.1");
  await once(post.server, "listening");
  const mail = {
    smtpUrl: `smtp://127.0.0.1:${(post.server.address() as AddressInfo).port}`,
    from: "lineup@example.com",
  };
  shared = await makeWebhookWorld({ clock, config: { mail, publicUrl: "https://lineup.example.com" } });
});
afterAll(async () => {
  await shared?.server.stop();
  await new Promise<void>((resolve) => post.close(() => resolve()));
});
beforeEach(async () => {
  const orgId = await makeOrg(shared.server);
  world = { server: shared.server, orgId, key: (await makeKey(shared.server, orgId)).key };
  receiver = await Receiver.start();
  return () => receiver.stop();
});

const read = async () => (await listWebhooks(world.server.store.org(world.orgId), clock.wallMs()))[0];
const readDelivery = async (webhookId: string, type: string) =>
  (await listDeliveries(world.server.store.org(world.orgId), webhookId, { type }, {})).deliveries[0];

/** A webhook whose first ping was taken. */
async function addTaken(): Promise<string> {
  const { id } = await addWebhook(world, receiver.url, null, clock.wallMs());
  await expect.poll(async () => (await read())?.lastAttempt?.status).toBe(200);
  return id;
}

const actionsOf = async () =>
  (await runSql(world.server.dataDir, "SELECT action FROM audit WHERE org_id = ? ORDER BY seq", world.orgId)).map(
    ({ action }) => action,
  );

describe("an endpoint that does not take a message", () => {
  it("is tried ten times, after the times that were promised, and never before", async () => {
    const id = await addTaken();
    receiver.answering = answerWith(500);
    await addPlayer(world, "Vex");
    await expect.poll(() => receiver.changeIds).toHaveLength(1);
    for (const [index, delay] of DELAYS.entries()) {
      await expect.poll(async () => (await readDelivery(id, "player.created"))?.attempts.length).toBe(index + 1);
      const { nextAttemptAt } = (await readDelivery(id, "player.created")) ?? {};
      const waits = (nextAttemptAt ?? 0) - clock.wallMs();
      expect(waits).toBeGreaterThanOrEqual(delay);
      expect(waits).toBeLessThanOrEqual(delay * 1.1 + 1);
      clock.advance(waits - 1);
      await new Promise((resolve) => setTimeout(resolve, index === 0 ? 500 : 0));
      expect(receiver.changeIds).toHaveLength(index + 1);
      clock.advance(1);
      await expect.poll(() => receiver.changeIds).toHaveLength(index + 2);
    }
    await expect.poll(async () => (await readDelivery(id, "player.created"))?.state).toBe("failed");
    expect(new Set(receiver.changeIds).size).toBe(1);
    expect((await readDelivery(id, "player.created"))?.attempts.at(-1)).toMatchObject({
      status: 500,
      fault: "answered 500",
    });
  });

  it("holds up none that comes behind it", async () => {
    await addTaken();
    receiver.answering = (_request, response) =>
      void response.writeHead(receiver.changeIds.length > 1 ? 200 : 500).end();
    await addPlayer(world, "First");
    await addPlayer(world, "Second");
    await addPlayer(world, "Third");
    await expect.poll(() => new Set(receiver.changeIds).size).toBe(3);
    await expect.poll(async () => (await read())?.waiting).toBe(1);
    clock.advance(6 * SECOND);
    await expect.poll(async () => (await read())?.waiting).toBe(0);
    expect(await read()).toMatchObject({ state: "active", failingSince: null });
  });

  it("is left alone for as long as it asks", async () => {
    const id = await addTaken();
    receiver.answering = answerWith(503, { "retry-after": "600" });
    await addPlayer(world, "Vex");
    await expect.poll(async () => (await readDelivery(id, "player.created"))?.attempts.length).toBe(1);
    const { nextAttemptAt } = (await readDelivery(id, "player.created")) ?? {};
    expect((nextAttemptAt ?? 0) - clock.wallMs()).toBeGreaterThanOrEqual(600 * SECOND);
    receiver.answering = answerWith(200);
    await addPlayer(world, "Nox");
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(receiver.changeIds).toHaveLength(1);
    clock.advance(700 * SECOND);
    await expect.poll(() => new Set(receiver.changeIds).size).toBe(2);
  });

  it("is disabled at once where it is gone, and loses nothing by that", async () => {
    const id = await addTaken();
    receiver.answering = answerWith(410);
    await addPlayer(world, "Vex");
    await expect.poll(async () => (await read())?.state).toBe("disabled");
    expect(await read()).toMatchObject({ disabledReason: "The endpoint answered 410 Gone." });
    expect((await actionsOf()).at(-1)).toBe("webhook.disabled");
    await addPlayer(world, "Nox");
    receiver.answering = answerWith(200);
    await enableWebhook(world.server.store, { orgId: world.orgId, webhookId: id }, TEST_ORIGIN, clock.wallMs());
    await expect.poll(() => new Set(receiver.changeIds).size).toBe(2);
  });

  it("is disabled after five days; its people are told before, and when it happens", async () => {
    const owner = await makeUser(world.server, "owner");
    await join(world.server, world.orgId, owner, "owner");
    await join(world.server, world.orgId, await makeUser(world.server, "viewer"), "viewer");
    letters.length = 0;
    const id = await addTaken();
    receiver.answering = answerWith(500);
    await addPlayer(world, "Vex");
    await expect.poll(async () => (await read())?.state).toBe("failing");
    const { failingSince = 0, disablesAt } = (await read()) ?? {};
    expect(disablesAt).toBe((failingSince ?? 0) + 5 * DAY);
    clock.advance(3 * DAY + MINUTE);
    await expect.poll(() => letters.length).toBe(1);
    expect(await actionsOf()).toContain("webhook.failing");
    clock.advance(2 * DAY - 2 * MINUTE);
    await expect.poll(() => receiver.changeIds.length).toBeGreaterThan(1);
    expect((await read())?.state).toBe("failing");
    clock.advance(2 * MINUTE);
    await expect.poll(async () => (await read())?.state).toBe("disabled");
    await expect.poll(() => letters.length).toBe(2);
    expect((await read())?.disabledReason).toBe("No attempt has succeeded for 5 days.");
    expect(letters[0]).toMatch(/To: owner-.*keeps failing/s);
    expect(letters[1]).toMatch(/To: owner-.*was disabled/s);
    expect(letters.join()).not.toContain("viewer-");
    expect(letters.join()).not.toContain("/hook");
    receiver.answering = answerWith(200);
    await enableWebhook(world.server.store, { orgId: world.orgId, webhookId: id }, TEST_ORIGIN, clock.wallMs());
    expect((await read())?.state).toBe("active");
    clock.advance(HOUR);
    await expect.poll(async () => (await read())?.waiting).toBe(0);
  });
});

it("nothing is sent while disabled, and all of it afterwards, each once", async () => {
  const id = await addTaken();
  const place = { orgId: world.orgId, webhookId: id };
  await disableWebhook(world.server.store, place, "For a test.", TEST_ORIGIN, clock.wallMs());
  for (const ign of ["A", "B", "C"]) await addPlayer(world, ign);
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(receiver.changeIds).toEqual([]);
  await enableWebhook(world.server.store, place, TEST_ORIGIN, clock.wallMs());
  await expect.poll(() => receiver.changeIds.length).toBe(3);
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(new Set(receiver.changeIds).size).toBe(3);
  expect(receiver.changeIds).toHaveLength(3);
});

it("deliveries are kept for 30 days", async () => {
  const id = await addTaken();
  await addPlayer(world, "Vex");
  await expect.poll(async () => (await readDelivery(id, "player.created"))?.state).toBe("delivered");
  clock.advance(31 * DAY);
  await expect.poll(async () => readDelivery(id, "player.created"), { timeout: 90_000 }).toBeUndefined();
});
