/** `lineup webhook …`: who else is told of an organization's changes. A secret is printed at its making and never again. */
import type { InspectColor } from "node:util";
import { CHANGE_TYPES, type ChangeType } from "@lineup/api/change-types";
import type { WebhookState, WebhookView } from "@lineup/api/dashboard/webhooks";
import { parseInstant } from "@lineup/api/instants";
import { findNearestName } from "@lineup/api/nearest-name";
import type { Command } from "commander";
import { requireOrganization } from "../access/organizations.ts";
import { replayDelivery, replaySince, sendTestPing } from "../events/asked-deliveries.ts";
import { requireWebhook, requireWebhookRef, type WebhookRef } from "../events/webhook-rows.ts";
import { createWebhook, deleteWebhook, disableWebhook, enableWebhook, rotateWebhook } from "../events/webhook-store.ts";
import { describeWebhook, listWebhooks } from "../events/webhook-views.ts";
import { makeWebhooks } from "../make-webhooks.ts";
import { commandOrigin } from "../store/audit-entry.ts";
import type { Store } from "../store/store.ts";
import { addCommand, addToList, ORG_MEANING, withStore } from "./command.ts";
import { parseSpan } from "./key.ts";
import {
  CommandError,
  confirmDeletion,
  formatTime,
  type JsonOption,
  note,
  paint,
  print,
  printJson,
  printPairs,
  printTable,
  UsageError,
} from "./output.ts";

const STATE_COLOURS: Readonly<Record<WebhookState, InspectColor>> = {
  active: "green",
  new: "yellow",
  rotating: "yellow",
  failing: "red",
  disabled: "red",
};

const ID_MEANING = "the webhook's id, webhook_…";

export function addTo(program: Command): void {
  const webhook = addCommand(program, "webhook", "Tell other systems of an organization's changes", [
    "npx lineup webhook list --org ORG",
    "npx lineup webhook create --help",
  ]);
  addCommand(webhook, "create", "Make a webhook; its secret is shown this once", [
    'npx lineup webhook create --org "Northwind Esports" --url https://example.com/lineup --description "Stats site"',
    "npx lineup webhook create --org org_… --url https://example.com/lineup --type player.updated,roster.updated --json",
  ])
    .requiredOption("--org <ORG>", ORG_MEANING)
    .requiredOption("--url <URL>", "where it is sent to, beginning with https://")
    .option("--type <TYPE...>", "what is told; repeat it, or separate several with commas (default: all)", addToList)
    .option("--description <TEXT>", "what it is for, at most 200 characters")
    .option("--json", "print the webhook and its secret as JSON")
    .addHelpText("after", `\nTypes:\n${CHANGE_TYPES.map((type) => `  ${type}`).join("\n")}`)
    .action(create);
  addCommand(webhook, "list", "List an organization's webhooks with their health", [
    'npx lineup webhook list --org "Northwind Esports"',
    "npx lineup webhook list --org org_… --json",
  ])
    .requiredOption("--org <ORG>", ORG_MEANING)
    .option("--json", "print a JSON array")
    .action(list);
  addWebhookCommand(webhook, "show", "Show one webhook and how its deliveries go").action(show);
  addWebhookCommand(webhook, "test", "Send a ping now, and say what the endpoint answered").action(test);
  addWebhookCommand(webhook, "rotate", "Make another secret; the one before signs too for 24 hours").action(rotate);
  addWebhookCommand(webhook, "disable", "Send nothing more until it is enabled").action(disable);
  addWebhookCommand(webhook, "enable", "Send again, beginning with what came meanwhile").action(enable);
  addWebhookCommand(webhook, "delete", "Delete a webhook with its deliveries")
    .option("--yes", "do not ask")
    .action(remove);
  addCommand(webhook, "replay", "Send one delivery again, or all changes since a moment", [
    "npx lineup webhook replay webhook_… --since 2h",
    "npx lineup webhook replay webhook_… --delivery change_…",
  ])
    .argument("<WEBHOOK_ID>", ID_MEANING)
    .option("--delivery <ID>", "the id of one delivery, change_…")
    .option("--since <WHEN>", "a span such as 2h or 7d, a date or a date-time, within the last 30 days")
    .option("--json", "print what is sent again as JSON")
    .action(replay);
}

function addWebhookCommand(webhook: Command, name: string, description: string): Command {
  return addCommand(webhook, name, description, [`npx lineup webhook ${name} webhook_…`])
    .argument("<WEBHOOK_ID>", ID_MEANING)
    .option("--json", "print the result as JSON");
}

interface CreateOptions extends JsonOption {
  readonly org: string;
  readonly url: string;
  readonly type?: readonly string[];
  readonly description?: string;
}

async function create(options: CreateOptions): Promise<void> {
  const types = options.type === undefined ? null : requireTypes(options.type);
  await withStore(async (store, config) => {
    const organization = await requireOrganization(store, options.org);
    const tools = { store, ...makeWebhooks(config, Date.now) };
    const wanted = { url: options.url, types, description: options.description ?? "" };
    const made = await createWebhook(tools, organization.id, wanted, commandOrigin("webhook create"), Date.now());
    const { id: orgId, name } = organization;
    if (options.json) return printJson({ ...made, organization: { id: orgId, name } });
    print(`${paint("bold", `Webhook of ${name}`)}\n\n  ${made.secret}\n`);
    print("The secret is shown this once. The endpoint checks signatures with it.\n");
    printPairs([
      ["Id", made.id],
      ["URL", made.url],
      ["Types", made.types?.join(", ") ?? "all"],
    ]);
    note(`A running server sends a ping first. Or send one now: npx lineup webhook test ${made.id}`);
  });
}

async function list(options: JsonOption & { readonly org: string }): Promise<void> {
  await withStore(async (store) => {
    const organization = await requireOrganization(store, options.org);
    const webhooks = await listWebhooks(store.org(organization.id), Date.now());
    if (options.json) return printJson(webhooks);
    if (webhooks.length === 0) {
      return note(`${organization.name} has no webhooks. Make one with "lineup webhook create".`);
    }
    printTable(webhooks, [
      { title: "id", value: (row) => row.id },
      { title: "URL", value: (row) => row.url },
      { title: "types", value: (row) => row.types?.join(", ") ?? "all" },
      { title: "state", value: (row) => row.state, colour: (row) => STATE_COLOURS[row.state] },
      { title: "waiting", value: (row) => String(row.waiting) },
      { title: "last attempt", value: describeLast },
      { title: "description", value: (row) => row.description },
    ]);
  });
}

async function show(webhookId: string, options: JsonOption): Promise<void> {
  await withStore(async (store) => {
    const view = await readView(store, await requireWebhookRef(store, webhookId));
    if (options.json) return printJson(view);
    printPairs([
      ["Id", view.id],
      ["URL", view.url],
      ["Types", view.types?.join(", ") ?? "all"],
      ["Description", view.description === "" ? "none" : view.description],
      ["State", view.state],
      ["Failing since", view.failingSince === null ? "not failing" : formatTime(view.failingSince)],
      ["Disabled", view.disabledAt === null ? "no" : `${formatTime(view.disabledAt)}. ${view.disabledReason ?? ""}`],
      ["Waiting", String(view.waiting)],
      ["Last attempt", describeLast(view)],
      ["Created", formatTime(view.createdAt)],
    ]);
  });
}

async function test(webhookId: string, options: JsonOption): Promise<void> {
  await withStore(async (store, config) => {
    const ref = await requireWebhookRef(store, webhookId);
    const { box, requester } = makeWebhooks(config, Date.now);
    try {
      const { deliveryId, succeeded, attempt } = await sendTestPing({ store, box, requester }, ref, Date.now());
      const { status, durationMs, fault } = attempt;
      if (options.json) printJson({ deliveryId, succeeded, ...attempt });
      else if (succeeded) print(`The endpoint answered ${status} after ${durationMs} ms.`);
      if (!succeeded) throw new CommandError(`The endpoint ${fault}. Nothing else is sent to it by this command.`);
    } finally {
      requester.close();
    }
  });
}

async function rotate(webhookId: string, options: JsonOption): Promise<void> {
  await withStore(async (store, config) => {
    const ref = await requireWebhookRef(store, webhookId);
    const tools = { store, ...makeWebhooks(config, Date.now) };
    const made = await rotateWebhook(tools, ref, commandOrigin("webhook rotate"), Date.now());
    if (options.json) return printJson(made);
    print(`${paint("bold", `New secret of ${made.id}`)}\n\n  ${made.secret}\n`);
    print("It is shown this once.");
    note(`The secret before signs too until ${formatTime(made.previousSecretUntil)}.`);
  });
}

async function disable(webhookId: string, options: JsonOption): Promise<void> {
  await change(webhookId, options, async (store, ref) => {
    const origin = commandOrigin("webhook disable");
    const wasEnabled = await disableWebhook(store, ref, "Disabled by a command.", origin, Date.now());
    return wasEnabled ? "Disabled. What comes meanwhile is sent when it is enabled again." : "It was disabled already.";
  });
}

async function enable(webhookId: string, options: JsonOption): Promise<void> {
  await change(webhookId, options, async (store, ref) => {
    const wasDisabled = await enableWebhook(store, ref, commandOrigin("webhook enable"), Date.now());
    return wasDisabled ? "Enabled. What came meanwhile is sent now." : "It was enabled already.";
  });
}

async function change(
  webhookId: string,
  options: JsonOption,
  work: (store: Store, ref: WebhookRef) => Promise<string>,
): Promise<void> {
  await withStore(async (store) => {
    const ref = await requireWebhookRef(store, webhookId);
    const told = await work(store, ref);
    if (options.json) printJson(await readView(store, ref));
    else print(told);
  });
}

async function remove(webhookId: string, options: JsonOption & { readonly yes?: boolean }): Promise<void> {
  await withStore(async (store) => {
    const ref = await requireWebhookRef(store, webhookId);
    if (options.yes !== true) {
      const command = `npx lineup webhook delete ${webhookId}`;
      await confirmDeletion({ what: `the webhook ${webhookId} with its deliveries`, name: webhookId, command });
    }
    await deleteWebhook(store, ref, commandOrigin("webhook delete"), Date.now());
    if (options.json) printJson({ id: webhookId, deleted: true });
    else print(`Deleted ${webhookId}.`);
  });
}

interface ReplayOptions extends JsonOption {
  readonly delivery?: string;
  readonly since?: string;
}

async function replay(webhookId: string, { delivery, since, json }: ReplayOptions): Promise<void> {
  const now = Date.now();
  if ((delivery === undefined) === (since === undefined)) {
    throw new UsageError("Give either --delivery with the id of one delivery, or --since with a moment.");
  }
  const from = since === undefined ? now : requireSince(since, now);
  await withStore(async (store) => {
    const ref = await requireWebhookRef(store, webhookId);
    const origin = commandOrigin("webhook replay");
    if (delivery !== undefined) {
      await replayDelivery(store, ref, delivery, origin, now);
      if (json) return printJson({ id: webhookId, delivery });
      return print(`A running server now sends ${delivery} again.`);
    }
    const entries = await replaySince(store, ref, from, origin, now);
    if (json) return printJson({ id: webhookId, since: from, entries });
    print(
      `A running server now sends the changes since ${formatTime(from)} again, from ${entries} entries of the audit log.`,
    );
  });
}

function requireSince(text: string, now: number): number {
  const spanMs = parseSpan(text);
  const since = spanMs === undefined ? parseInstant(text.trim()) : now - spanMs;
  if (since !== undefined) return since;
  throw new UsageError(`--since must be a span such as 2h or 7d, a date or a date-time, not "${text}".`);
}

function requireTypes(texts: readonly string[]): ChangeType[] {
  const wanted = texts.map((text) => text.trim()).filter((text) => text !== "");
  for (const text of wanted) {
    if (CHANGE_TYPES.includes(text as ChangeType)) continue;
    const nearest = findNearestName(text, CHANGE_TYPES);
    const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
    throw new UsageError(`There is no type "${text}".${hint} The types are ${CHANGE_TYPES.join(", ")}.`);
  }
  return CHANGE_TYPES.filter((type) => wanted.includes(type));
}

async function readView(store: Store, { orgId, webhookId }: WebhookRef): Promise<WebhookView> {
  const org = store.org(orgId);
  const { count } = await org.readAuditEnd();
  return describeWebhook(org, await requireWebhook(org, webhookId), count, Date.now());
}

function describeLast({ lastAttempt }: WebhookView): string {
  if (lastAttempt === null) return "none";
  return `${formatTime(lastAttempt.at)}: ${lastAttempt.fault ?? `answered ${lastAttempt.status}`}`;
}
