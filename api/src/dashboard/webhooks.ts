/** Compliance › Webhooks: who else is told of changes, and how that goes. */
import * as z from "zod";
import { CHANGE_TYPES, type ChangeType } from "../change-types.ts";
import { defineAction, done, moment } from "./action.ts";

export const WEBHOOKS_MAX = 20;
export const WEBHOOK_URL_MAX = 2_048;
export const WEBHOOK_DESCRIPTION_MAX = 200;
/** For so long deliveries are kept, and changes can be sent again. */
export const DELIVERY_RETENTION_DAYS = 30;
/** For so long the secret before still signs beside the new one. */
export const SECRET_OVERLAP_HOURS = 24;

/** The type of the message that tries an endpoint out. */
export const PING_TYPE = "webhook.ping";

/** In the order in which they are said: what comes first hides what comes later. A new one is told nothing before its first ping. */
export const WEBHOOK_STATES = ["disabled", "failing", "rotating", "new", "active"] as const;
export const webhookStateSchema = z.enum(WEBHOOK_STATES);
export type WebhookState = z.output<typeof webhookStateSchema>;

/** Waiting for its first or next attempt; taken by the endpoint; or given up after the last attempt. */
export const DELIVERY_STATES = ["waiting", "delivered", "failed"] as const;
export const deliveryStateSchema = z.enum(DELIVERY_STATES);
export type DeliveryState = z.output<typeof deliveryStateSchema>;

const changeType = z.enum(CHANGE_TYPES as [ChangeType, ...ChangeType[]], {
  error: "must be a type of change, such as player.updated",
});

/** Null for all, also those that later versions add. */
export const webhookTypes = z
  .array(changeType)
  .min(1, { error: "must name at least one type, or be null for all" })
  .max(CHANGE_TYPES.length)
  .nullable();

export const webhookUrl = z
  .string()
  .trim()
  .min(1, { error: "must be the endpoint's address, beginning with https://" })
  .max(WEBHOOK_URL_MAX, { error: `must have at most ${WEBHOOK_URL_MAX} characters` });

export const webhookDescription = z
  .string()
  .trim()
  .max(WEBHOOK_DESCRIPTION_MAX, { error: `must have at most ${WEBHOOK_DESCRIPTION_MAX} characters` });

export const attemptSchema = z.strictObject({
  at: moment,
  /** Null where there was no answer. */
  status: z.int().nullable(),
  durationMs: z.int(),
  /** Why it did not succeed, for a person; null where it did. */
  fault: z.string().nullable(),
});
export type AttemptView = z.output<typeof attemptSchema>;

export const webhookSchema = z.strictObject({
  id: z.string(),
  url: z.string(),
  types: z.array(changeType).nullable(),
  description: z.string(),
  state: webhookStateSchema,
  /** Since when no attempt has succeeded; null while they do. */
  failingSince: moment.nullable(),
  /** When it is disabled, unless an attempt succeeds before; null while none has failed. */
  disablesAt: moment.nullable(),
  disabledAt: moment.nullable(),
  disabledReason: z.string().nullable(),
  /** Until when the secret before signs too; null where there is none. */
  previousSecretUntil: moment.nullable(),
  /** Entries of the audit log that were not yet looked at for it; 0 while it is up to date. */
  behind: z.int(),
  /** Deliveries that wait for another attempt; no more than 1,000 are counted. */
  waiting: z.int(),
  /** How the latest deliveries stand, oldest first, at most 30 of them. */
  recent: z.array(deliveryStateSchema),
  /** Null before the first. */
  lastAttempt: attemptSchema.nullable(),
  createdBy: z.string(),
  createdAt: moment,
  updatedAt: moment,
});
export type WebhookView = z.output<typeof webhookSchema>;

export const deliverySchema = z.strictObject({
  /** The message's id, which is the change's: the same in every attempt. */
  id: z.string(),
  /** A type of change, or `webhook.ping`. */
  type: z.string(),
  /** The change's number; null for a ping. */
  sequence: z.int().nullable(),
  state: deliveryStateSchema,
  /** Oldest first. */
  attempts: z.array(attemptSchema),
  /** When the next attempt is due; null where none is. */
  nextAttemptAt: moment.nullable(),
  createdAt: moment,
});
export type DeliveryView = z.output<typeof deliverySchema>;

/** Shown this once. */
const madeSecret = z.strictObject({ id: z.string(), secret: z.string() });

const momentText = z
  .string()
  .regex(/^\d{1,15}$/, { error: "must be milliseconds since the Unix epoch" })
  .transform(Number);
const pageLimit = z
  .string()
  .regex(/^\d{1,3}$/, { error: "must be a number from 1 to 200" })
  .transform(Number)
  .pipe(z.int().min(1).max(200))
  .optional();

export const WEBHOOK_ACTIONS = [
  defineAction({
    name: "listWebhooks",
    method: "GET",
    path: "/orgs/{orgId}/webhooks",
    access: "keys:view",
    summary: "All webhooks of the organization, newest first, with their health",
    result: z.strictObject({ webhooks: z.array(webhookSchema), max: z.int() }),
  }),
  defineAction({
    name: "createWebhook",
    method: "POST",
    path: "/orgs/{orgId}/webhooks",
    access: "keys:manage",
    summary: "Make a webhook; its secret is shown this once, and a ping is its first message",
    body: z.strictObject({
      url: webhookUrl,
      types: webhookTypes.default(null),
      description: webhookDescription.default(""),
    }),
    result: madeSecret,
  }),
  defineAction({
    name: "getWebhook",
    method: "GET",
    path: "/orgs/{orgId}/webhooks/{webhookId}",
    access: "keys:view",
    summary: "One webhook with its health",
    result: webhookSchema,
  }),
  defineAction({
    name: "updateWebhook",
    method: "PATCH",
    path: "/orgs/{orgId}/webhooks/{webhookId}",
    access: "keys:manage",
    summary: "Change a webhook's address, types or description",
    body: z.strictObject({
      url: webhookUrl.optional(),
      types: webhookTypes.optional(),
      description: webhookDescription.optional(),
    }),
    result: done,
  }),
  defineAction({
    name: "testWebhook",
    method: "POST",
    path: "/orgs/{orgId}/webhooks/{webhookId}/test",
    access: "keys:manage",
    summary: "Send a ping now, and tell what the endpoint answered",
    result: z.strictObject({ deliveryId: z.string(), succeeded: z.boolean(), attempt: attemptSchema }),
  }),
  defineAction({
    name: "rotateWebhook",
    method: "POST",
    path: "/orgs/{orgId}/webhooks/{webhookId}/rotate",
    access: "keys:manage",
    summary: "Make another secret, shown this once; the one before signs too for 24 hours",
    result: madeSecret.extend({ previousSecretUntil: moment }),
  }),
  defineAction({
    name: "disableWebhook",
    method: "POST",
    path: "/orgs/{orgId}/webhooks/{webhookId}/disable",
    access: "keys:manage",
    summary: "Send nothing more to the endpoint until it is enabled",
    result: done,
  }),
  defineAction({
    name: "enableWebhook",
    method: "POST",
    path: "/orgs/{orgId}/webhooks/{webhookId}/enable",
    access: "keys:manage",
    summary: "Send again, beginning with what came meanwhile",
    result: done,
  }),
  defineAction({
    name: "deleteWebhook",
    method: "DELETE",
    path: "/orgs/{orgId}/webhooks/{webhookId}",
    access: "keys:manage",
    summary: "Delete a webhook with all its deliveries",
    result: done,
  }),
  defineAction({
    name: "listDeliveries",
    method: "GET",
    path: "/orgs/{orgId}/webhooks/{webhookId}/deliveries",
    access: "keys:view",
    summary: "A webhook's deliveries, newest first, with every attempt",
    query: z.strictObject({
      state: deliveryStateSchema.optional(),
      type: z.enum([PING_TYPE, ...CHANGE_TYPES]).optional(),
      from: momentText.optional(),
      to: momentText.optional(),
      cursor: z.string().max(200).optional(),
      limit: pageLimit,
    }),
    result: z.strictObject({
      deliveries: z.array(deliverySchema),
      /** Goes on with older ones; null when there are none. */
      nextCursor: z.string().nullable(),
      retentionDays: z.int(),
    }),
  }),
  defineAction({
    name: "replayDelivery",
    method: "POST",
    path: "/orgs/{orgId}/webhooks/{webhookId}/deliveries/{deliveryId}/replay",
    access: "keys:manage",
    summary: "Send one message again, now",
    result: done,
  }),
  defineAction({
    name: "replayWebhook",
    method: "POST",
    path: "/orgs/{orgId}/webhooks/{webhookId}/replay",
    access: "keys:manage",
    summary: "Send all changes since a moment again",
    body: z.strictObject({ since: moment }),
    result: z.strictObject({
      /** How many entries of the audit log are looked at again; not each is a change, or of a type that is wanted. */
      entries: z.int(),
    }),
  }),
] as const;
