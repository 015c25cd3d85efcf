/** Webhooks as a server opens them: what keeps them, what sends them, and how people hear of those that fail. */
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import { WebhookSender } from "./events/sender.ts";
import type { Notice } from "./events/webhook-health.ts";
import { counter, gauge, type MetricNumber } from "./http/metrics.ts";
import { makeWebhooks, type WebhookOptions } from "./make-webhooks.ts";
import { type SendingSettings, SendingThread } from "./sending-thread.ts";
import type { Store } from "./store/store.ts";

export interface OpenWebhooksOptions {
  readonly store: Store;
  readonly log: Logger;
  now(): number;
  readonly options?: WebhookOptions | undefined;
  /** By this thread, where somebody sets its clock: another cannot read that. */
  readonly sendsHere: boolean;
}

export function openWebhooks(
  config: SendingSettings["config"] & Pick<Config, "mail" | "publicUrl">,
  { store, log, now, options, sendsHere }: OpenWebhooksOptions,
) {
  const webhooks = makeWebhooks(config, now, options);
  const { box, requester } = webhooks;
  const told = {
    store,
    // Not waited for: a mail server that hangs keeps no webhook from being sent.
    tell: async (notice: Notice) => void tell(config, { store, log }, notice),
    onFault: (err: unknown) => log.error({ err }, "webhooks cannot be sent; trying again"),
    onRecovery: () => log.info("webhooks can be sent again"),
  };
  const sender = sendsHere
    ? new WebhookSender({ ...told, box, requester, now })
    : new SendingThread({ ...told, config, options });
  return {
    webhooks,
    /** Settles when they are sent, where there are any. */
    ready: "ready" in sender ? sender.ready : Promise.resolve(),
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
  const attempts = () => ({ delivered: sender.delivered, failed: sender.refused });
  return [
    counter(
      "lineup_webhook_attempts_total",
      "Attempts to deliver a webhook by this process, by result.",
      attempts,
      "result",
    ),
    gauge(
      "lineup_webhook_backlog",
      "Entries of audit logs that webhooks are behind, over all of them; 0 on nodes that do not send.",
      () => sender.backlog,
    ),
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
