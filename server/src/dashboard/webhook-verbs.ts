/** Compliance › Webhooks. A webhook of another organization is answered as one that nobody has. */
import { ActionError } from "@lineup/api/dashboard/action";
import { DELIVERY_RETENTION_DAYS, WEBHOOKS_MAX } from "@lineup/api/dashboard/webhooks";
import { replayDelivery, replaySince, sendTestPing } from "../events/asked-deliveries.ts";
import { requireWebhook } from "../events/webhook-rows.ts";
import {
  createWebhook,
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  rotateWebhook,
  updateWebhook,
  type WebhookTools,
} from "../events/webhook-store.ts";
import { describeWebhook, listDeliveries, listWebhooks } from "../events/webhook-views.ts";
import { type ActionVerbs, type DashboardTools, inTurns, type MemberContext } from "./context.ts";

export const WEBHOOK_VERBS = {
  listWebhooks: async (context) => {
    const webhooks = await listWebhooks(context.tools.store.org(context.orgId), context.visit.now);
    return { webhooks: await withMakers(context, webhooks), max: WEBHOOKS_MAX };
  },

  createWebhook: async ({ tools, orgId, origin, visit }, { body }) => {
    const { id, secret } = await createWebhook(toolsOf(tools), orgId, body, origin, visit.now);
    return { id, secret };
  },

  getWebhook: async (context, { path }) => {
    const org = context.tools.store.org(context.orgId);
    const row = await requireWebhook(org, path.webhookId);
    const { count } = await org.readAuditEnd();
    const [view] = await withMakers(context, [await describeWebhook(org, row, count, context.visit.now)]);
    if (view === undefined) throw new Error("One webhook was asked for.");
    return view;
  },

  updateWebhook: async ({ tools, origin, visit }, { path, body }) => {
    if (Object.values(body).every((value) => value === undefined)) {
      throw new ActionError("VALIDATION_ERROR", "Nothing was changed. Give another address, types or description.");
    }
    await updateWebhook(toolsOf(tools), path, body, origin, visit.now);
  },

  testWebhook: ({ tools, visit }, { path }) =>
    testInTurn(path.orgId, () => sendTestPing({ store: tools.store, ...tools.webhooks }, path, visit.now)),

  rotateWebhook: ({ tools, origin, visit }, { path }) => rotateWebhook(toolsOf(tools), path, origin, visit.now),

  disableWebhook: async ({ tools, user, origin, visit }, { path }) => {
    await disableWebhook(tools.store, path, `Disabled by ${user.name}.`, origin, visit.now);
  },

  enableWebhook: async ({ tools, origin, visit }, { path }) => {
    await enableWebhook(tools.store, path, origin, visit.now);
  },

  deleteWebhook: ({ tools, origin, visit }, { path }) => deleteWebhook(tools.store, path, origin, visit.now),

  listDeliveries: async ({ tools, orgId }, { path, query }) => {
    const org = tools.store.org(orgId);
    const { id } = await requireWebhook(org, path.webhookId);
    return { ...(await listDeliveries(org, id, query, query)), retentionDays: DELIVERY_RETENTION_DAYS };
  },

  replayDelivery: ({ tools, origin, visit }, { path }) =>
    replayDelivery(tools.store, path, path.deliveryId, origin, visit.now),

  replayWebhook: async ({ tools, origin, visit }, { path, body }) => ({
    entries: await replaySince(tools.store, path, body.since, origin, visit.now),
  }),
} satisfies Partial<ActionVerbs>;

/** Each waits for an endpoint. */
const testInTurn = inTurns(10, "Another ping is under way. Try again in a few seconds.", 5_000);

function toolsOf({ store, webhooks }: DashboardTools): WebhookTools {
  return { store, ...webhooks };
}

/** By the names of today. */
async function withMakers<T extends { readonly createdBy: string }>(
  { tools }: MemberContext,
  views: readonly T[],
): Promise<T[]> {
  const names = await tools.identity.nameOf(views.map(({ createdBy }) => createdBy));
  return views.map((view) => ({ ...view, createdBy: names.get(view.createdBy) ?? view.createdBy }));
}
