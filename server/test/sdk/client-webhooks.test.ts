/** The SDK believes what Lineup and the packages of Standard Webhooks have signed, and nothing else. */
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebhookError } from "../../../sdk/src/lineup-error.ts";
import { verifyWebhook, type WebhookEvent } from "../../../sdk/src/verify-webhook.ts";
import { makeWebhookSecret, signMessage } from "../../src/events/webhook-secret.ts";
import { takeEach } from "../take-each.ts";
import { RECEIVER_TLS } from "../webhooks/receiver.ts";
import { addPlayer, addWebhook, makeWebhookWorld } from "../webhooks/webhook-world.ts";

const secret = makeWebhookSecret();
const message = {
  id: "change_1",
  timestamp: Math.floor(Date.now() / 1_000),
  body: '{"type":"player.updated","data":{"id":"ü"}}',
};
const headersOf = (signature: string, { id, timestamp } = message) => ({
  "webhook-id": id,
  "webhook-timestamp": String(timestamp),
  "webhook-signature": signature,
});
const signature = signMessage([secret], message);
const { body } = message;

describe("a message", () => {
  it("is believed in every form in which frameworks hand it over", async () => {
    const headers = headersOf(signature);
    const forms = [
      { body, headers },
      { body: Buffer.from(body), headers: new Headers(headers) },
      { body, headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])) },
      {
        body: new TextEncoder().encode(body),
        headers: {
          "Webhook-Id": "change_1",
          "Webhook-Timestamp": headers["webhook-timestamp"],
          "Webhook-Signature": signature,
        },
      },
    ];
    for (const form of forms) {
      expect(await verifyWebhook({ ...form, secret })).toEqual({
        id: "change_1",
        type: "player.updated",
        data: { id: "ü" },
      });
    }
  });

  it("is believed where standardwebhooks and svix have signed it", async () => {
    for (const signer of [new StandardWebhook(secret), new SvixWebhook(secret)]) {
      const signed = signer.sign(message.id, new Date(message.timestamp * 1_000), body);
      expect(await verifyWebhook({ body, headers: headersOf(signed), secret })).toMatchObject({ id: "change_1" });
    }
  });

  it("is believed while a secret is rotated, on either side", async () => {
    const other = makeWebhookSecret();
    const both = headersOf(signMessage([other, secret], message));
    expect(await verifyWebhook({ body, headers: both, secret })).toMatchObject({ id: "change_1" });
    expect(await verifyWebhook({ body, headers: headersOf(signature), secret: [other, secret] })).toMatchObject({
      id: "change_1",
    });
  });

  const old = { ...message, timestamp: message.timestamp - 3_600 };
  const ahead = { ...message, timestamp: message.timestamp + 3_600 };
  it.each([
    ["is not signed with the secret", { body, headers: headersOf(signMessage([makeWebhookSecret()], message)) }],
    ["was changed", { body: `${body} `, headers: headersOf(signature) }],
    ["has the id of another", { body, headers: headersOf(signature, { ...message, id: "change_2" }) }],
    [
      "has the time of another",
      { body, headers: headersOf(signature, { ...message, timestamp: message.timestamp + 1 }) },
    ],
    ["is too old", { body, headers: headersOf(signMessage([secret], old), old) }],
    ["is from the future", { body, headers: headersOf(signMessage([secret], ahead), ahead) }],
    ["has no time", { body, headers: { ...headersOf(signature), "webhook-timestamp": "soon" } }],
    ["has no headers", { body, headers: {} }],
    ["has a signature of another kind", { body, headers: headersOf(signature.replace("v1,", "v1a,")) }],
    ["has a signature that is none", { body, headers: headersOf("v1,*** v1, v1") }],
    ["was parsed", { body: JSON.parse(body), headers: headersOf(signature) }],
  ])("is not believed that %s", async (_, received) => {
    await expect(verifyWebhook({ ...received, secret })).rejects.toBeInstanceOf(WebhookError);
  });

  it("is believed for as long as the receiver says", async () => {
    const headers = headersOf(signMessage([secret], old), old);
    expect(await verifyWebhook({ body, headers, secret, toleranceMs: 7_200_000 })).toMatchObject({ id: "change_1" });
  });

  it("cannot be verified with what is no secret", async () => {
    for (const none of ["", "whsec_", "whsec_***", undefined as unknown as string]) {
      await expect(verifyWebhook({ body, headers: headersOf(signature), secret: none })).rejects.toThrow(
        /begins with whsec_/,
      );
    }
  });
});

it("what a server sends is verified by the endpoint that it is sent to", async () => {
  const world = await makeWebhookWorld();
  onTestFinished(() => world.server.stop());
  const events: WebhookEvent[] = [];
  const made = Promise.withResolvers<string>();
  const endpoint = createServer(
    RECEIVER_TLS,
    takeEach(async (request, response) => {
      const received = { body: await text(request), headers: request.headers, secret: await made.promise };
      const event = await verifyWebhook(received).catch(() => undefined);
      if (event !== undefined) events.push(event);
      response.writeHead(event === undefined ? 400 : 204).end();
    }),
  );
  endpoint.listen(0, "127.0.0.1");
  await once(endpoint, "listening");
  onTestFinished(() => {
    endpoint.closeAllConnections();
    endpoint.close();
  });
  const { id: webhookId, secret: shown } = await addWebhook(
    world,
    `https://127.0.0.1:${(endpoint.address() as AddressInfo).port}/`,
  );
  made.resolve(shown);
  const playerId = await addPlayer(world, "Vex");
  await expect.poll(() => events.length).toBe(2);
  const [ping, created] = events;
  if (ping?.type !== "webhook.ping" || created?.type === "webhook.ping")
    return expect.unreachable("The first is a ping.");
  expect(ping.data).toEqual({ id: ping.id, webhookId });
  expect(created).toMatchObject({ type: "player.created", data: { id: created?.id, resourceId: playerId } });
});
