/** What webhooks are kept and sent with: by a server, by the thread that sends for it, and by commands. */
import manifest from "../../package.json" with { type: "json" };
import type { Config } from "./config.ts";
import type { Webhooks } from "./dashboard/context.ts";
import { AddressGuard } from "./events/address-guard.ts";
import { WebhookRequester } from "./events/webhook-request.ts";
import { SecretBox } from "./events/webhook-secret.ts";
import { requireSecret } from "./store/secret-file.ts";

/** For tests: endpoints of their own, and no patience. */
export interface WebhookOptions {
  readonly ca?: string;
  readonly attemptMaxMs?: number;
}

export type WebhookConfig = Pick<Config, "dataDir" | "databaseUrl" | "secret" | "webhookAllow">;

export function makeWebhooks(config: WebhookConfig, now: () => number, options: WebhookOptions = {}): Webhooks {
  const guard = new AddressGuard({ allow: config.webhookAllow });
  const requester = new WebhookRequester({ ...options, guard, version: manifest.version, now });
  return { guard, box: new SecretBox(requireSecret(config)), requester };
}
