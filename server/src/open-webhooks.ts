/** Webhooks as a server opens them: what keeps them, what sends them, and how people hear of those that fail. */
import type { Logger } from "pino";
import manifest from "../package.json" with { type: "json" };
import type { Config } from "./config.ts";
import type { Webhooks } from "./dashboard/context.ts";
import { AddressGuard, type AddressGuardOptions } from "./events/address-guard.ts";
import { WebhookSender } from "./events/sender.ts";
import type { Notice } from "./events/webhook-health.ts";
import { WebhookRequester } from "./events/webhook-request.ts";
import { SecretBox } from "./events/webhook-secret.ts";
import type { MetricNumber } from "./http/metrics.ts";
import { requireSecret } from "./store/secret-file.ts";
import type { Store } from "./store/store.ts";

/** For tests: endpoints of their own, and no patience. */
export interface WebhookOptions extends Pick<AddressGuardOptions, "resolve"> {
  readonly ca?: string;
  readonly attemptMaxMs?: number;
}

export interface OpenedWebhooks {
  readonly webhooks: Webhooks;
  readonly numbers: readonly MetricNumber[];
  close(): Promise<void>;
}

export type WebhookConfig = Pick<Config, "dataDir" | "databaseUrl" | "secret" | "webhookAllow">;

export function makeWebhooks(config: WebhookConfig, now: () => number, options: WebhookOptions = {}): Webhooks {
  const { resolve, ca, attemptMaxMs } = options;
  const guard = new AddressGuard({ allow: config.webhookAllow, ...(resolve === undefined ? {} : { resolve }) });
  const requester = new WebhookRequester({ guard, version: manifest.version, ca, attemptMaxMs, now });
  return { guard, box: new SecretBox(requireSecret(config)), requester };
}

export function openWebhooks(
  config: WebhookConfig & Pick<Config, "mail" | "publicUrl">,
  { store, log, now, options }: { store: Store; log: Logger; now(): number; options?: WebhookOptions | undefined },
): OpenedWebhooks {
  const webhooks = makeWebhooks(config, now, options);
  const { box, requester } = webhooks;
  const sender = new WebhookSender({
    store,
    box,
    requester,
    now,
    // Not waited for: a mail server that hangs keeps no webhook from being sent.
    tell: async (notice) => void tell(config, { store, log }, notice),
    onFault: (err) => log.error({ err }, "webhooks cannot be sent; trying again"),
    onRecovery: () => log.info("webhooks can be sent again"),
  });
  return {
    webhooks,
    numbers: webhookNumbers(sender),
    close: async () => {
      try {
        await sender.stop();
      } finally {
        requester.close();
      }
    },
  };
}

export function webhookNumbers(sender: Pick<WebhookSender, "delivered" | "refused" | "backlog">): MetricNumber[] {
  return [
    {
      name: "lineup_webhook_attempts_total",
      help: "Attempts to deliver a webhook by this process, by result.",
      kind: "counter",
      label: "result",
      read: () => ({ delivered: sender.delivered, failed: sender.refused }),
    },
    {
      name: "lineup_webhook_backlog",
      help: "Entries of audit logs that webhooks are behind, over all of them; 0 on nodes that do not send.",
      kind: "gauge",
      read: () => sender.backlog,
    },
  ];
}

/** The log says so always; those who may manage webhooks are told by mail, where mail is set. */
async function tell(
  { mail, publicUrl }: Pick<Config, "mail" | "publicUrl">,
  { store, log }: { readonly store: Store; readonly log: Logger },
  notice: Notice,
): Promise<void> {
  const { orgId, webhookId, host, what } = notice;
  log.warn({ orgId, webhookId, host }, what === "failing" ? "a webhook keeps failing" : "a webhook was disabled");
  if (mail === undefined) return;
  try {
    const { Mailer, webhookLetter } = await import("./identity/mailer.ts");
    const people = await store.operator
      .selectFrom("members")
      .innerJoin("users", "users.id", "members.user_id")
      .innerJoin("organizations", "organizations.id", "members.org_id")
      .select(["users.email", "organizations.name"])
      .where("members.org_id", "=", orgId)
      .where("members.role", "in", ["owner", "compliance"])
      .execute();
    const mailer = new Mailer(mail, log);
    try {
      for (const { email, name } of people) {
        const page = `${publicUrl ?? ""}/orgs/${orgId}/compliance/webhooks`;
        await mailer.send(webhookLetter({ ...notice, email, organization: name, page }));
      }
    } finally {
      mailer.close();
    }
  } catch (err) {
    log.error({ err }, "the people of a webhook could not be told by mail");
  }
}
