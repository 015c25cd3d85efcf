/** Webhooks of the furnished organization: one in every state, with what was sent to each. Their endpoints are nowhere, and nothing is due for long. */
import { createHash } from "node:crypto";
import type { ChangeType } from "@lineup/api/change-types";
import { type AttemptView, type DeliveryState, PING_TYPE } from "@lineup/api/dashboard/webhooks";
import { createWebhook, disableWebhook, type MadeSecret, rotateWebhook } from "../../src/events/webhook-store.ts";
import { SERVER_ORIGIN } from "../../src/store/audit-entry.ts";
import { idOfHash } from "../../src/store/ids.ts";
import type { Store } from "../../src/store/store.ts";
import { toolsOf } from "../webhooks/webhook-world.ts";
import { originOfPerson, type People } from "./furnished-people.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

interface Furnished {
  readonly url: string;
  readonly description: string;
  readonly types: readonly ChangeType[] | null;
  /** Deliveries, newest last: how each stands, and the status of its attempts (null: no answer). */
  readonly deliveries: readonly (readonly [DeliveryState, ...(number | null)[]])[];
  /** So many days ago its attempts began to fail. */
  readonly failingDays?: number;
  /** So many days ago the last was sent. */
  readonly lastDays?: number;
}

const TAKEN = ["delivered", 200] as const;

export const WEBHOOKS = {
  active: {
    url: "https://hooks.northwind.example/lineup",
    description: "Team website",
    types: null,
    deliveries: [...Array.from({ length: 36 }, () => TAKEN), ["delivered", 503, 200], TAKEN, TAKEN],
  },
  rotating: {
    url: "https://stats.northwind.example/in/changes",
    description: "Stats warehouse",
    types: ["player.created", "player.updated", "player.deleted", "roster.created", "roster.updated"],
    deliveries: Array.from({ length: 12 }, () => TAKEN),
  },
  failing: {
    url: "https://bot.discord-relay.example:8443/northwind/events",
    description: "Discord bot",
    types: ["schedule.created", "schedule.updated", "schedule.deleted"],
    deliveries: [
      ...Array.from({ length: 9 }, () => TAKEN),
      ["failed", 500, 500, 500, 500, 500, 500, 500, 500, 500, 500],
      ["waiting", 500, null, null, 500],
      ["waiting", null, null, 500],
      ["waiting", null],
    ],
    failingDays: 3.2,
  },
  disabled: {
    url: "https://old-crm.example/webhooks/in",
    description: "",
    types: ["contract.expiring", "contract.expired"],
    deliveries: [TAKEN, TAKEN, ["failed", 404, 404, 404], ["waiting", 404, 404]],
    failingDays: 7,
    lastDays: 2.1,
  },
  off: {
    url: "https://staging.northwind.example/lineup",
    description: "Staging, while it is rebuilt",
    types: null,
    deliveries: [TAKEN, TAKEN, TAKEN],
    lastDays: 9,
  },
  long: {
    url: `https://a-very-long-name-of-a-subdomain-that-somebody-made.integrations.northwind.example/${"inbound/".repeat(12)}?token=${"x7Qk".repeat(60)}`,
    description:
      "Scouting_and_contract_reminders_for_the_whole_performance_department_without_a_single_space_in_between_so_that_it_has_to_break_somewhere_kept_by_Ada",
    types: ["prospect.created", "prospect.updated"],
    deliveries: [TAKEN, TAKEN],
  },
} as const satisfies Record<string, Furnished>;

export type WebhookName = keyof typeof WEBHOOKS;
export type MadeWebhooks = Readonly<Record<WebhookName, MadeSecret>>;

export async function makeWebhooks(
  store: Store,
  { dataDir, orgId, people, now }: { dataDir: string; orgId: string; people: People; now: number },
): Promise<MadeWebhooks> {
  const tools = toolsOf(store, dataDir);
  const by = originOfPerson(people.compliance, "198.51.100.7");
  // Nobody can reach these endpoints: what time told of contracts would be one more that fails.
  await store.writeOrg(orgId, by, (org) => org.deleteFrom("contract_clock").execute());
  const made: Partial<Record<WebhookName, MadeSecret>> = {};
  for (const [index, [name, furnished]] of Object.entries<Furnished>(WEBHOOKS).entries()) {
    const { url, description, types } = furnished;
    const madeAt = now - (60 - index) * DAY_MS;
    const webhook = await createWebhook(tools, orgId, { url, description, types }, by, madeAt);
    made[name as WebhookName] = webhook;
    await putDeliveries(store, { orgId, webhookId: webhook.id, now }, furnished);
  }
  const webhooks = made as MadeWebhooks;
  const describeDatabase = (name: WebhookName) => ({ orgId, webhookId: webhooks[name].id });
  await rotateWebhook(tools, describeDatabase("rotating"), by, now - 5 * HOUR_MS);
  await disableWebhook(
    store,
    describeDatabase("disabled"),
    "No attempt has succeeded for 5 days.",
    SERVER_ORIGIN,
    now - 2 * DAY_MS,
  );
  await disableWebhook(
    store,
    describeDatabase("off"),
    `Disabled by ${people.owner.name}.`,
    originOfPerson(people.owner),
    now - 9 * DAY_MS,
  );
  return webhooks;
}

interface DeliveryPlace {
  readonly orgId: string;
  readonly webhookId: string;
  readonly now: number;
}

/** In place of the ping that waits since its making. */
async function putDeliveries(
  store: Store,
  { orgId, webhookId, now }: DeliveryPlace,
  furnished: Furnished,
): Promise<void> {
  const { deliveries, types, failingDays, lastDays = 0 } = furnished;
  const due = now + 4 * HOUR_MS;
  const rows = deliveries.map(([state, ...statuses], place) => {
    const createdAt = now - Math.round(lastDays * DAY_MS) - (deliveries.length - place) * 47 * MINUTE_MS;
    const hash = createHash("sha256").update(`${webhookId} ${place}`).digest("hex");
    const type = place === 0 ? PING_TYPE : (types?.[place % types.length] ?? "player.updated");
    return {
      org_id: orgId,
      webhook_id: webhookId,
      id: idOfHash(place === 0 ? "ping" : "change", createdAt, hash),
      seq: place === 0 ? null : place,
      type,
      state,
      attempts: JSON.stringify(statuses.map((status, number) => makeAttempt(status, createdAt, number))),
      due_at: state === "waiting" ? due : createdAt,
      created_at: createdAt,
      updated_at: createdAt,
    };
  });
  const isWaiting = deliveries.some(([state]) => state === "waiting");
  await store.writeEvents(async (db) => {
    await db.deleteFrom("webhook_deliveries").where("webhook_id", "=", webhookId).execute();
    await db.insertInto("webhook_deliveries").values(rows).execute();
    const failing = failingDays === undefined ? null : now - Math.round(failingDays * DAY_MS);
    await db
      .updateTable("webhooks")
      .set({ failing_since: failing, warned_at: failing === null ? null : now, next_due_at: isWaiting ? due : null })
      .where("id", "=", webhookId)
      .execute();
  });
}

function makeAttempt(status: number | null, createdAt: number, number: number): AttemptView {
  const at = createdAt + number * 5 * MINUTE_MS;
  if (status === null) return { at, status, durationMs: 15_000, fault: "gave no answer within 15 seconds" };
  const fault = status < 300 ? null : `answered ${status}`;
  return { at, status, durationMs: 40 + ((createdAt + number * 7) % 160), fault };
}
