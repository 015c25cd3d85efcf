import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { replayDelivery, replaySince } from "../../src/events/asked-deliveries.ts";
import { SecretBox } from "../../src/events/webhook-secret.ts";
import { rotateWebhook, updateWebhook } from "../../src/events/webhook-store.ts";
import { listDeliveries, listWebhooks } from "../../src/events/webhook-views.ts";
import { makeId } from "../../src/store/ids.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, makeOrg } from "../test-server.ts";
import { readStored } from "../test-store.ts";
import { answerWith, type Received, Receiver } from "./receiver.ts";
import { addPlayer, addWebhook, makeWebhookWorld, toolsOf, type WebhookWorld } from "./webhook-world.ts";

let shared: WebhookWorld;
let world: WebhookWorld;
let receiver: Receiver;

beforeAll(async () => {
  shared = await makeWebhookWorld();
});
afterAll(() => shared?.server.stop());

beforeEach(async () => {
  const orgId = await makeOrg(shared.server);
  world = { server: shared.server, orgId, key: (await makeKey(shared.server, orgId)).key };
  receiver = await Receiver.start();
});
afterEach(() => receiver.stop());

/** Throws where it is not signed with the secret. */
function verifyByBoth(secret: string, { headers, body }: Received): void {
  new StandardWebhook(secret).verify(body, headers);
  new SvixWebhook(secret).verify(body, headers);
}

const originOf = () => [TEST_ORIGIN, Date.now()] as const;

describe("a message", () => {
  it("is a ping first, then each change once, under its id and in the contract's form", async () => {
    const { id } = await addWebhook(world, receiver.url);
    await expect.poll(() => receiver.types).toEqual(["webhook.ping"]);
    const playerId = await addPlayer(world, "Vex");
    await call(world.server, "PATCH", `/players/${playerId}`, { key: world.key, body: { ign: "Vexed" } });
    await expect.poll(() => receiver.types).toEqual(["webhook.ping", "player.created", "player.updated"]);
    const [ping, created, updated] = receiver.received.map(({ body }) => JSON.parse(body));
    expect(ping.data).toEqual({ id: expect.stringMatching(/^ping_/), webhookId: id });
    expect(updated).toEqual({
      type: "player.updated",
      timestamp: new Date(updated.data.occurredAt).toISOString(),
      data: {
        id: expect.stringMatching(/^change_/),
        type: "player.updated",
        resourceId: playerId,
        fields: ["ign"],
        sequence: created.data.sequence + 1,
        occurredAt: expect.any(Number),
        days: null,
        reason: null,
      },
    });
    // Never values.
    expect(receiver.received.map(({ body }) => body).join()).not.toContain("Vex");
    expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual(
      [ping, created, updated].map(({ data }) => data.id),
    );
  });

  it("is signed as two libraries that are not ours verify, and with no other secret", async () => {
    const { secret } = await addWebhook(world, receiver.url);
    const other = await addWebhook(world, `${receiver.url}/other`);
    await addPlayer(world, "Vex");
    await expect.poll(() => receiver.received.length).toBe(4);
    for (const received of receiver.received) {
      const [own, others] = received.path === "/hook" ? [secret, other.secret] : [other.secret, secret];
      verifyByBoth(own, received);
      expect(() => verifyByBoth(others, received)).toThrow();
      expect(() => verifyByBoth(own, { ...received, body: `${received.body} ` })).toThrow();
    }
  });

  it("goes to an endpoint for its types alone", async () => {
    await addWebhook(world, receiver.url, ["player.updated", "roster.created"]);
    const playerId = await addPlayer(world, "Vex");
    await call(world.server, "PATCH", `/players/${playerId}`, { key: world.key, body: { ign: "Vexed" } });
    await expect.poll(() => receiver.types).toEqual(["webhook.ping", "player.updated"]);
    const [view] = await listWebhooks(world.server.store.org(world.orgId), Date.now());
    await updateWebhook(
      toolsOf(world.server.store, world.server.dataDir),
      { orgId: world.orgId, webhookId: view?.id ?? "" },
      { types: ["player.created"] },
      ...originOf(),
    );
    await addPlayer(world, "Nox");
    await expect.poll(() => receiver.types).toEqual(["webhook.ping", "player.updated", "player.created"]);
  });

  it("tells nothing of another organization, nor of what was before", async () => {
    await addPlayer(world, "Before");
    await addWebhook(world, receiver.url);
    const otherId = await makeOrg(world.server);
    const other = { server: world.server, orgId: otherId, key: (await makeKey(world.server, otherId)).key };
    const theirs = await addPlayer(other, "Theirs");
    const ours = await addPlayer(world, "Ours");
    await expect.poll(() => receiver.types).toEqual(["webhook.ping", "player.created"]);
    const told = receiver.received.map(({ body }) => body).join();
    expect(told).toContain(ours);
    expect(told).not.toContain(theirs);
  });
});

describe("a secret", () => {
  it("is rotated without a delivery that either the old or the new one cannot verify", async () => {
    const { id, secret: old } = await addWebhook(world, receiver.url);
    const ref = { orgId: world.orgId, webhookId: id };
    let failures = 0;
    let current = old;
    let fresh = old;
    receiver.answering = (_request, response, received) => {
      try {
        verifyByBoth(current, received);
        response.writeHead(204).end();
      } catch {
        failures++;
        response.writeHead(401).end();
      }
    };
    for (let number = 0; number < 30; number++) {
      await addPlayer(world, `P${number}`);
      if (number === 10) {
        const tools = toolsOf(world.server.store, world.server.dataDir);
        fresh = (await rotateWebhook(tools, ref, ...originOf())).secret;
      }
    }
    await expect.poll(() => new Set(receiver.changeIds).size).toBe(30);
    // The receiver learns of it only now.
    expect(fresh).not.toBe(old);
    current = fresh;
    await addPlayer(world, "Last");
    await expect.poll(() => new Set(receiver.changeIds).size).toBe(31);
    expect(failures).toBe(0);
    expect(receiver.received.at(-1)?.headers["webhook-signature"]?.split(" ")).toHaveLength(2);
  });

  it("is not rotated again while the one before signs, unless neither can be read", async () => {
    const { id, secret } = await addWebhook(world, receiver.url);
    const ref = { orgId: world.orgId, webhookId: id };
    const tools = toolsOf(world.server.store, world.server.dataDir);
    const { previousSecretUntil: until } = await rotateWebhook(tools, ref, ...originOf());
    const again = (now: number, box = tools.box) => rotateWebhook({ ...tools, box }, ref, TEST_ORIGIN, now);
    await expect(again(until - 1)).rejects.toThrow(`still signs until ${new Date(until).toISOString()}`);
    await addPlayer(world, "Vex");
    await expect.poll(() => receiver.types).toHaveLength(2);
    for (const received of receiver.received) verifyByBoth(secret, received);
    const { previousSecretUntil: next } = await again(until);
    expect(next).toBeGreaterThan(until);
    // As after a restore beside another secret of the server's.
    await again(until + 1, new SecretBox("another".repeat(8)));
  });

  it("stands in no table, log line or answer", async () => {
    const { id, secret } = await addWebhook(world, `${receiver.url}?token=hidden`);
    await addPlayer(world, "Vex");
    await expect.poll(() => receiver.types).toHaveLength(2);
    const bare = secret.slice("whsec_".length);
    expect(await readStored(world.server.dataDir)).not.toContain(bare);
    expect(world.server.logged()).not.toContain(bare);
    expect(world.server.logged()).not.toContain("hidden");
    const [view] = await listWebhooks(world.server.store.org(world.orgId), Date.now());
    expect(view?.id).toBe(id);
    expect(JSON.stringify(view)).not.toContain(bare);
  });
});

describe("sending again", () => {
  it("sends one delivery again, under the same id, and notes both attempts", async () => {
    const { id } = await addWebhook(world, receiver.url);
    await addPlayer(world, "Vex");
    await expect.poll(() => receiver.changeIds).toHaveLength(1);
    const [changeId = ""] = receiver.changeIds;
    const org = world.server.store.org(world.orgId);
    const read = async () => (await listDeliveries(org, id, {}, {})).deliveries.find((one) => one.id === changeId);
    await expect.poll(async () => (await read())?.state).toBe("delivered");
    const ref = { orgId: world.orgId, webhookId: id };
    await replayDelivery(world.server.store, ref, changeId, ...originOf());
    await expect.poll(() => receiver.changeIds).toEqual([changeId, changeId]);
    await expect.poll(async () => (await read())?.attempts.length).toBe(2);
    await expect(replayDelivery(world.server.store, ref, makeId("change"), ...originOf())).rejects.toThrow(
      "no such delivery",
    );
  });

  it("sends all changes since a moment again, and goes on with what is new", async () => {
    const { id } = await addWebhook(world, receiver.url);
    const ref = { orgId: world.orgId, webhookId: id };
    await addPlayer(world, "Early");
    await expect.poll(() => receiver.changeIds).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const since = Date.now();
    for (const ign of ["A", "B", "C"]) await addPlayer(world, ign);
    await expect.poll(() => receiver.changeIds).toHaveLength(4);
    const [early, ...later] = receiver.changeIds;
    const [view] = await listWebhooks(world.server.store.org(world.orgId), Date.now());
    expect(view?.url).toBe(receiver.url);
    receiver.received.length = 0;
    expect(await replaySince(world.server.store, ref, since, ...originOf())).toBeGreaterThanOrEqual(3);
    await expect.poll(() => receiver.changeIds.toSorted()).toEqual(later.toSorted());
    await addPlayer(world, "D");
    await expect.poll(() => receiver.changeIds).toHaveLength(4);
    expect(receiver.changeIds).not.toContain(early);
    const old = Date.now() - 31 * 86_400_000;
    await expect(replaySince(world.server.store, ref, old, ...originOf())).rejects.toThrow("last 30 days");
  });
});

it("has at most twenty an organization", async () => {
  receiver.answering = answerWith(200);
  for (let number = 0; number < 20; number++) await addWebhook(world, `${receiver.url}/${number}`);
  await expect(addWebhook(world, receiver.url)).rejects.toThrow("at most 20");
  await addPlayer(world, "Vex");
  await expect.poll(() => receiver.changeIds.length).toBe(20);
  expect(new Set(receiver.changeIds).size).toBe(1);
});
