/** A server that may send to this machine, and one organization with a key. */
import type { ChangeType } from "@lineup/api/change-types";
import { AddressGuard } from "../../src/events/address-guard.ts";
import { SecretBox } from "../../src/events/webhook-secret.ts";
import { createWebhook, type MadeSecret, type WebhookTools } from "../../src/events/webhook-store.ts";
import { requireSecret } from "../../src/store/secret-file.ts";
import type { Store } from "../../src/store/store.ts";
import { TEST_ORIGIN, TEST_SECRET } from "../test-origin.ts";
import { call, makeKey, makeOrg, startTestServer, type TestServer, type TestServerOptions } from "../test-server.ts";
import { ENGINE } from "../test-store.ts";
import { LOOPBACK, RECEIVER_TLS } from "./receiver.ts";

export interface WebhookWorld {
  readonly server: TestServer;
  readonly orgId: string;
  readonly key: string;
}

export async function makeWebhookWorld(options: TestServerOptions = {}): Promise<WebhookWorld> {
  const server = await startSendingServer(options);
  const orgId = await makeOrg(server);
  return { server, orgId, key: (await makeKey(server, orgId)).key };
}

export function startSendingServer(options: TestServerOptions = {}): Promise<TestServer> {
  return startTestServer({
    ...options,
    config: { webhookAllow: LOOPBACK, ...options.config },
    webhooks: { ca: RECEIVER_TLS.cert, ...options.webhooks },
  });
}

export function toolsOf(store: Store, dataDir: string): WebhookTools {
  const secret = ENGINE === "postgres" ? TEST_SECRET : requireSecret({ dataDir, secret: undefined });
  return { store, guard: new AddressGuard({ allow: LOOPBACK }), box: new SecretBox(secret) };
}

export function addWebhook(
  { server, orgId }: WebhookWorld,
  url: string,
  types: readonly ChangeType[] | null = null,
  now = Date.now(),
): Promise<MadeSecret> {
  const tools = toolsOf(server.store, server.dataDir);
  return createWebhook(tools, orgId, { url, types, description: "" }, TEST_ORIGIN, now);
}

/** Makes a player through the API; returns its id. */
export async function addPlayer({ server, key }: WebhookWorld, ign: string): Promise<string> {
  const { status, body, text } = await call(server, "POST", "/players", { key, body: { ign, role: "Player" } });
  if (status !== 201) throw new Error(`POST /players was answered with ${status}: ${text}`);
  return body.data.id as string;
}
