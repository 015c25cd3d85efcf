/** Webhooks, as those see them who may. */
import type { Page } from "playwright-core";
import type { FurnishedServer } from "./furnished-server.ts";
import type { WebhookName } from "./furnished-webhooks.ts";
import { type PageState, pressToOpen } from "./page-state.ts";

const LIST = "/orgs/$orgId/compliance/webhooks";
const NEW = "/orgs/$orgId/compliance/webhooks/new";
const ONE = "/orgs/$orgId/compliance/webhooks/$webhookId";
const NOBODY = "webhook_00000000000000000000000000";

const ofWebhook =
  (name: WebhookName) =>
  ({ webhooks }: FurnishedServer) => ({ webhookId: webhooks[name].id });

async function create(page: Page, url: string): Promise<void> {
  await page.getByLabel("Address").fill(url);
  await page.getByRole("button", { name: "Create webhook" }).click();
}

export const WEBHOOK_STATES: readonly PageState[] = [
  { name: "webhooks", page: LIST, as: "owner" },
  { name: "webhooks-empty", page: LIST, as: "founder", isEmpty: true },
  { name: "webhooks-nothing-found", page: LIST, as: "compliance", rest: "?q=nobody" },
  { name: "webhook-new", page: NEW, as: "owner" },
  {
    name: "webhook-new-faults",
    page: NEW,
    as: "owner",
    async open(page) {
      await page.getByRole("radio", { name: "Only these types" }).check();
      await create(page, "http://hooks.northwind.example");
      await page.getByText("Choose at least one type, or all changes.").waitFor();
    },
  },
  {
    name: "webhook-new-refused",
    page: NEW,
    as: "owner",
    refusal: [400, ({ orgId }) => `/internal/orgs/${orgId}/webhooks`],
    async open(page) {
      await create(page, "https://10.0.0.1/lineup");
      await page.getByText(/does not lead to a public address/i).waitFor();
    },
  },
  {
    name: "webhook-made",
    page: NEW,
    as: "owner",
    async open(page, { endpoint }) {
      await create(page, endpoint.url);
      await page.getByText("The endpoint took the ping").waitFor();
    },
  },
  {
    name: "webhook-made-unanswered",
    page: NEW,
    as: "owner",
    async open(page) {
      // Nobody listens at that port.
      await create(page, "https://127.0.0.1:1/lineup");
      await page.getByText("The endpoint did not take the ping").waitFor();
    },
  },
  { name: "webhook", page: ONE, as: "owner", ids: ofWebhook("active") },
  { name: "webhook-failing", page: ONE, as: "compliance", ids: ofWebhook("failing") },
  { name: "webhook-disabled", page: ONE, as: "owner", ids: ofWebhook("disabled") },
  { name: "webhook-off", page: ONE, as: "owner", ids: ofWebhook("off") },
  { name: "webhook-rotating", page: ONE, as: "owner", ids: ofWebhook("rotating") },
  { name: "webhook-long", page: ONE, as: "owner", ids: ofWebhook("long") },
  {
    name: "webhook-missing",
    page: ONE,
    as: "owner",
    ids: () => ({ webhookId: NOBODY }),
    refusal: [404, ({ orgId }) => `/internal/orgs/${orgId}/webhooks/${NOBODY}`],
  },
  {
    name: "webhook-opened",
    page: ONE,
    as: "owner",
    ids: ofWebhook("failing"),
    rest: "?state=failed",
    async open(page) {
      await page.getByRole("button", { name: /^Attempts: / }).click();
      await page.getByRole("table", { name: "Attempts, oldest first" }).waitFor();
    },
  },
  { name: "webhook-nothing-found", page: ONE, as: "owner", ids: ofWebhook("active"), rest: "?type=team.deleted" },
  { name: "webhook-edit", page: ONE, as: "owner", ids: ofWebhook("rotating"), open: pressToOpen("Edit") },
  { name: "webhook-rotate", page: ONE, as: "owner", ids: ofWebhook("rotating"), open: pressToOpen("Rotate") },
  { name: "webhook-disable", page: ONE, as: "owner", ids: ofWebhook("active"), open: pressToOpen("Disable") },
  { name: "webhook-enable", page: ONE, as: "owner", ids: ofWebhook("off"), open: pressToOpen("Enable") },
  { name: "webhook-delete", page: ONE, as: "owner", ids: ofWebhook("long"), open: pressToOpen("Delete") },
  {
    name: "webhook-replay",
    page: ONE,
    as: "owner",
    ids: ofWebhook("failing"),
    async open(page) {
      await pressToOpen("Send again since…")(page);
      await page.getByRole("radio", { name: "A moment" }).check();
      await page.getByRole("button", { name: "Send again", exact: true }).click();
      await page.getByText("Choose a moment in the last 30 days.").waitFor();
    },
  },
];
