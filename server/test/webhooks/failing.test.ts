import { once } from "node:events";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { replayDelivery } from "../../src/events/asked-deliveries.ts";
import { countOfRound, latestRounds } from "../../src/events/retry-delays.ts";
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

it("a message that is sent again after it was taken or given up has all its attempts anew", () => {
  const [taken, refused] = [{ fault: null }, { fault: "answered 500" }];
  const rounds = fc.array(
    fc.oneof(
      fc.nat(9).map((faults) => [...Array(faults).fill(refused), taken]),
      fc.constant(Array(10).fill(refused)),
    ),
  );
  fc.assert(
    fc.property(rounds, fc.integer({ min: 1, max: 10 }), (ended, faults) => {
      let stored: readonly { readonly fault: string | null }[] = [];
      // As they come: what goes beyond what is stored is left out after each.
      for (const attempt of [...ended.flat(), ...Array(faults).fill(refused)])
        stored = latestRounds([...stored, attempt]);
      expect(countOfRound(stored)).toBe(faults);
      expect(stored.length).toBeLessThanOrEqual(20);
    }),
  );
});

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
    const ref = { orgId: world.orgId, webhookId: id };
    const { id: deliveryId = "" } = (await readDelivery(id, "player.created")) ?? {};
    await replayDelivery(world.server.store, ref, deliveryId, TEST_ORIGIN, clock.wallMs());
    await expect.poll(async () => (await readDelivery(id, "player.created"))?.attempts.length).toBe(11);
    const again = await readDelivery(id, "player.created");
    expect(again?.state).toBe("waiting");
    expect((again?.nextAttemptAt ?? 0) - clock.wallMs()).toBeLessThanOrEqual(6 * SECOND);
  });

  it("that is sent again by hand before its last attempt has all of them anew", async () => {
    const id = await addTaken();
    receiver.answering = answerWith(500);
    await addPlayer(world, "Vex");
    const attempts = async () => (await readDelivery(id, "player.created"))?.attempts.length;
    for (let made = 1; made < DELAYS.length; made++) {
      await expect.poll(attempts).toBe(made);
      clock.advance(((await readDelivery(id, "player.created"))?.nextAttemptAt ?? 0) - clock.wallMs());
    }
    await expect.poll(attempts).toBe(DELAYS.length);
    const ref = { orgId: world.orgId, webhookId: id };
    for (const made of [DELAYS.length, DELAYS.length + 1]) {
      const { id: deliveryId = "" } = (await readDelivery(id, "player.created")) ?? {};
      await replayDelivery(world.server.store, ref, deliveryId, TEST_ORIGIN, clock.wallMs());
      await expect.poll(attempts).toBe(made + 1);
      const again = await readDelivery(id, "player.created");
      expect(again?.state).toBe("waiting");
      expect((again?.nextAttemptAt ?? 0) - clock.wallMs()).toBeLessThanOrEqual(6 * SECOND);
      expect(Object.keys(again?.attempts.at(-2) ?? {})).toEqual(["at", "status", "durationMs", "fault"]);
    }
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

  it("is left alone also where it takes what was under way before", async () => {
    await addTaken();
    const { promise: firstId, resolve: know } = Promise.withResolvers<string>();
    receiver.answering = async (request, response, received) => {
      const isFirst = JSON.parse(received.body).data.resourceId === (await firstId);
      if (isFirst) await expect.poll(async () => (await read())?.state).toBe("failing");
      await answerWith(isFirst ? 200 : 429, { "retry-after": "3600" })(request, response, received);
    };
    know(await addPlayer(world, "First"));
    await addPlayer(world, "Second");
    await expect.poll(async () => (await read())?.state).toBe("failing");
    await expect.poll(async () => (await read())?.state).toBe("active");
    await addPlayer(world, "Third");
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(receiver.changeIds).toHaveLength(2);
  });

  it("is sent at once what a person asks for, however long it has asked to be left alone", async () => {
    const id = await addTaken();
    receiver.answering = answerWith(503, { "retry-after": "3600" });
    await addPlayer(world, "Vex");
    await expect.poll(async () => (await readDelivery(id, "player.created"))?.attempts.length).toBe(1);
    receiver.answering = answerWith(200);
    const delivery = await readDelivery(id, "player.created");
    const ref = { orgId: world.orgId, webhookId: id };
    await replayDelivery(world.server.store, ref, delivery?.id ?? "", TEST_ORIGIN, clock.wallMs() + 1);
    clock.advance(1);
    await expect.poll(async () => (await readDelivery(id, "player.created"))?.state).toBe("delivered");
    await addPlayer(world, "Nox");
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

  it("is asked by pings once its messages have used up their attempts, and is healthy when it takes one", async () => {
    const id = await addTaken();
    receiver.answering = answerWith(500);
    await addPlayer(world, "Vex");
    for (const attempts of Array(10).keys()) {
      await expect.poll(async () => (await readDelivery(id, "player.created"))?.attempts.length).toBe(attempts + 1);
      clock.advance(((await readDelivery(id, "player.created"))?.nextAttemptAt ?? clock.wallMs()) - clock.wallMs());
    }
    expect((await readDelivery(id, "player.created"))?.state).toBe("failed");
    await expect.poll(async () => (await readDelivery(id, "webhook.ping"))?.attempts[0]?.status).toBe(500);
    expect(await read()).toMatchObject({ state: "failing", waiting: 1 });
    receiver.answering = answerWith(200);
    clock.advance(6 * SECOND);
    await expect.poll(async () => (await read())?.state).toBe("active");
  });

  it("is asked once more after five days, and not disabled where it takes that", async () => {
    const id = await addTaken();
    clock.advance(MINUTE);
    const failingSince = clock.wallMs() - 5 * DAY;
    const late = clock.wallMs() + DAY;
    const columns = "failing_since = ?, warned_at = ?, next_due_at = ?";
    const values = [failingSince, failingSince, late, id];
    await runSql(world.server.dataDir, `UPDATE webhooks SET ${columns} WHERE id = ?`, ...values);
    await expect.poll(() => receiver.types).toEqual(["webhook.ping", "webhook.ping"]);
    await expect.poll(async () => (await read())?.failingSince).toBeNull();
    expect(await actionsOf()).not.toContain("webhook.disabled");
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
  const ref = { orgId: world.orgId, webhookId: id };
  await disableWebhook(world.server.store, ref, "For a test.", TEST_ORIGIN, clock.wallMs());
  for (const ign of ["A", "B", "C"]) await addPlayer(world, ign);
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(receiver.changeIds).toEqual([]);
  await enableWebhook(world.server.store, ref, TEST_ORIGIN, clock.wallMs());
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
