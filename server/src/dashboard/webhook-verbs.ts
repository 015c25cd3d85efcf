/** Compliance › Webhooks. A webhook of another organization is answered as one that nobody has. */
import { ActionError, TooManyTries } from "@lineup/api/dashboard/action";
import { DELIVERIES_KEPT_DAYS, WEBHOOKS_MAX } from "@lineup/api/dashboard/webhooks";
import { sendTestPing } from "../events/test-ping.ts";
import { replayDelivery as replayDeliveryIn, replaySince } from "../events/webhook-replay.ts";
import { requireWebhook, WebhookError } from "../events/webhook-rows.ts";
import {
  createWebhook as createWebhookIn,
  deleteWebhook as deleteWebhookIn,
  disableWebhook as disableWebhookIn,
  enableWebhook as enableWebhookIn,
  rotateWebhook as rotateWebhookIn,
  updateWebhook as updateWebhookIn,
  type WebhookTools,
} from "../events/webhook-store.ts";
import {
  describeWebhook,
  listDeliveries as listDeliveriesOf,
  listWebhooks as listWebhooksOf,
} from "../events/webhook-views.ts";
import type { ActionVerb, DashboardTools, MemberContext } from "./context.ts";

export const listWebhooks: ActionVerb<"listWebhooks"> = async (context) => {
  const webhooks = await listWebhooksOf(context.tools.store.org(context.orgId), context.visit.now);
  return { webhooks: await withMakers(context, webhooks), max: WEBHOOKS_MAX };
};

export const createWebhook: ActionVerb<"createWebhook"> = ({ tools, orgId, origin, visit }, { body }) =>
  answer(() => createWebhookIn(toolsOf(tools), orgId, body, origin, visit.now));

export const getWebhook: ActionVerb<"getWebhook"> = (context, { path }) =>
  answer(async () => {
    const org = context.tools.store.org(context.orgId);
    const row = await requireWebhook(org, path.webhookId);
    const { count } = await org.readAuditEnd();
    const [view] = await withMakers(context, [await describeWebhook(org, row, count, context.visit.now)]);
    if (view === undefined) throw new Error("One webhook was asked for.");
    return view;
  });

export const updateWebhook: ActionVerb<"updateWebhook"> = ({ tools, origin, visit }, { path, body }) =>
  answer(async () => {
    if (Object.values(body).every((value) => value === undefined)) {
      throw new ActionError("VALIDATION_ERROR", "Nothing was changed. Give another address, types or description.");
    }
    await updateWebhookIn(toolsOf(tools), path, body, origin, visit.now);
    return {};
  });

/** Each waits for an endpoint. */
const TESTS_AT_ONCE = 10;
const TEST_WAIT_MS = 5_000;
const testing = new Set<string>();

export const testWebhook: ActionVerb<"testWebhook"> = async ({ tools, visit }, { path }) => {
  if (testing.has(path.orgId) || testing.size >= TESTS_AT_ONCE) {
    throw new TooManyTries("Another ping is under way. Try again in a few seconds.", TEST_WAIT_MS);
  }
  testing.add(path.orgId);
  try {
    return await answer(() => sendTestPing({ store: tools.store, ...tools.webhooks }, path, visit.now));
  } finally {
    testing.delete(path.orgId);
  }
};

export const rotateWebhook: ActionVerb<"rotateWebhook"> = ({ tools, origin, visit }, { path }) =>
  answer(() => rotateWebhookIn(toolsOf(tools), path, origin, visit.now));

export const disableWebhook: ActionVerb<"disableWebhook"> = ({ tools, user, origin, visit }, { path }) =>
  answer(async () => {
    await disableWebhookIn(tools.store, path, `Disabled by ${user.name}.`, origin, visit.now);
    return {};
  });

export const enableWebhook: ActionVerb<"enableWebhook"> = ({ tools, origin, visit }, { path }) =>
  answer(async () => {
    await enableWebhookIn(tools.store, path, origin, visit.now);
    return {};
  });

export const deleteWebhook: ActionVerb<"deleteWebhook"> = ({ tools, origin, visit }, { path }) =>
  answer(async () => {
    await deleteWebhookIn(tools.store, path, origin, visit.now);
    return {};
  });

export const listDeliveries: ActionVerb<"listDeliveries"> = ({ tools, orgId }, { path, query }) =>
  answer(async () => {
    const org = tools.store.org(orgId);
    const { id } = await requireWebhook(org, path.webhookId);
    return { ...(await listDeliveriesOf(org, id, query, query)), keptDays: DELIVERIES_KEPT_DAYS };
  });

export const replayDelivery: ActionVerb<"replayDelivery"> = ({ tools, origin, visit }, { path }) =>
  answer(async () => {
    await replayDeliveryIn(tools.store, path, path.deliveryId, origin, visit.now);
    return {};
  });

export const replayWebhook: ActionVerb<"replayWebhook"> = ({ tools, origin, visit }, { path, body }) =>
  answer(async () => ({ entries: await replaySince(tools.store, path, body.since, origin, visit.now) }));

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

async function answer<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    const { kind, message, field, fault } = error;
    if (kind === "not-found") throw new ActionError("NOT_FOUND", message);
    if (kind === "conflict" || field === undefined) throw new ActionError("CONFLICT", message);
    throw new ActionError("VALIDATION_ERROR", message, [{ field, message: fault }]);
  }
}
