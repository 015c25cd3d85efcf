/** A webhook's life in the dashboard, in a real browser, with a real endpoint that takes and refuses: from the first ping to its deletion. */
import { createHmac } from "node:crypto";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { canStart } from "../services/provided-services.ts";
import { call, makeKey } from "../test-server.ts";
import { answerWith, type Received } from "../webhooks/receiver.ts";
import { WatchedBrowser } from "./browser.ts";
import { type FurnishedServer, startFurnishedServer } from "./furnished-server.ts";
import { goTo, readBox } from "./page-steps.ts";

const NAME = "Journey";
const SECRET_SHAPE = /^whsec_[\w+/]{32,}=*$/;

/** By Standard Webhooks: which of the message's signatures this secret made. */
function countSignatures({ headers, body }: Received, secret: string): number {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const bytes = Buffer.from(secret.slice("whsec_".length), "base64");
  const own = `v1,${createHmac("sha256", bytes).update(signed).digest("base64")}`;
  return (headers["webhook-signature"] ?? "").split(" ").filter((signature) => signature === own).length;
}

describe.skipIf(!canStart("chromium"))("somebody who has another system told of changes", () => {
  let furnished: FurnishedServer;
  let browser: WatchedBrowser;
  let page: Page;
  let key: string;
  /** The secret, and the one after it. */
  const secrets: string[] = [];

  beforeAll(async () => {
    furnished = await startFurnishedServer();
    browser = await WatchedBrowser.open(furnished.server.origin);
    const visitor = await browser.newVisitor();
    page = visitor.page;
    await furnished.signIn(visitor.context, "compliance");
    ({ key } = await makeKey(furnished.server, furnished.orgId));
    await page.goto(`/orgs/${furnished.orgId}`);
  });
  afterAll(async () => {
    await browser?.close();
    await furnished?.stop();
  });
  afterEach(() => expect(browser.complaints).toEqual([]));

  const latest = () => furnished.endpoint.received.at(-1) ?? { at: 0, path: "", headers: {}, body: "{}" };
  const press = (name: string, within: Page | Locator = page) =>
    within.getByRole("button", { name, exact: true }).click();
  const deliveryOf = (type: string, state: string) =>
    page
      .getByRole("table", { name: "Deliveries, newest first" })
      .getByRole("row")
      .filter({ hasText: type })
      .filter({ hasText: state });

  async function addPlayer(ign: string): Promise<void> {
    const { status } = await call(furnished.server, "POST", "/players", { key, body: { ign, role: "Player" } });
    expect(status).toBe(201);
  }

  test("is told at Home which webhooks need somebody", async () => {
    const notice = page.getByRole("status").filter({ hasText: "2 webhooks need you" });
    await notice.getByRole("link", { name: "Discord bot" }).waitFor();
    await notice.getByRole("link", { name: "old-crm.example" }).waitFor();
  });

  test("creates one, is shown its secret once, and what the endpoint answers to the ping", async () => {
    furnished.endpoint.answering = answerWith(401);
    await goTo(page, "Webhooks");
    await page.getByRole("link", { name: "Create webhook" }).click();
    await page.getByLabel("Address").fill(furnished.endpoint.url);
    await page.getByLabel("Description").fill(NAME);
    await page.getByRole("radio", { name: "Only these types" }).check();
    await press("All of Players");
    await press("Create webhook");
    await page.getByRole("heading", { level: 1, name: "Your new webhook" }).waitFor();
    const secret = await readBox(page, "Secret");
    expect(secret).toMatch(SECRET_SHAPE);
    expect(await readBox(page, ".env line")).toBe(`LINEUP_WEBHOOK_SECRET=${secret}`);
    secrets.push(secret);
    await page.getByText("The endpoint did not take the ping").waitFor();
    await page.getByText("put the secret into it").waitFor();

    furnished.endpoint.answering = answerWith(204);
    await press("Send the ping again");
    await page.getByText("The endpoint took the ping").waitFor();
    await page.getByText(/^204 in /).waitFor();
    expect(countSignatures(latest(), secret)).toBe(1);
    // It would be lost: the page asks before it is left.
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Requests" }).click();
    await press("Cancel", page.getByRole("dialog", { name: "Leave without the secret?" }));
    await press("I have stored it");
    await page.getByRole("link", { name: "Go to the webhook" }).click();
    await page.getByRole("heading", { level: 1, name: NAME }).waitFor();
    await page.getByText("Healthy", { exact: true }).first().waitFor();
    expect(await page.content()).not.toContain(secret);
  });

  test("sees a change delivered, one that was refused with why, and has that one sent again", async () => {
    await addPlayer("Taken");
    await deliveryOf("player.created", "Delivered").waitFor();
    furnished.endpoint.answering = answerWith(500);
    await addPlayer("Refused");
    const refused = deliveryOf("player.created", "Waiting");
    await refused.waitFor();
    await page.getByText("Failing", { exact: true }).first().waitFor();
    await refused.getByRole("button", { name: /^Attempts: player\.created/ }).click();
    const attempts = page.getByRole("table", { name: "Attempts, oldest first" });
    await attempts.getByText("The endpoint answered 500.").first().waitFor();

    furnished.endpoint.answering = answerWith(200);
    await press("Send it again");
    await attempts.getByText("Taken").waitFor();
    await page.getByText("Healthy", { exact: true }).first().waitFor();
    const times = furnished.endpoint.changeIds.filter((id) => id === latest().headers["webhook-id"]).length;
    expect(times).toBeGreaterThan(1);
    await page.getByLabel("Type", { exact: true }).selectOption("player.created");
    await expect.poll(() => deliveryOf("webhook.ping", "").count()).toBe(0);
    await expect.poll(() => deliveryOf("player.created", "Delivered").count()).toBe(2);
    expect(page.url()).toContain("type=player.created");
    await press("Clear filters");
  });

  test("has everything since a moment sent again, under the same ids", async () => {
    const before = [...new Set(furnished.endpoint.changeIds)];
    furnished.endpoint.received.length = 0;
    await press("Send again since…");
    const dialog = page.getByRole("dialog", { name: "Send changes again" });
    await dialog.getByRole("radio", { name: "The last hour" }).check();
    await press("Send again", dialog);
    await page.getByText(/entries of the audit log are looked at again/).waitFor();
    // On a busy machine some may come twice, or behind others.
    await expect.poll(() => new Set(furnished.endpoint.changeIds)).toEqual(new Set(before));
  });

  test("rotates the secret: shown once, and both sign for 24 hours", async () => {
    await press("Rotate");
    await page.getByText("For 24 hours every message is signed with both").waitFor();
    await press("Make the new secret");
    await page.getByRole("heading", { level: 1, name: "The new secret" }).waitFor();
    await page.getByText("Every message is signed with the old secret too until").waitFor();
    secrets.push(await readBox(page, "Secret"));
    await press("Send a ping");
    await page.getByText("The endpoint took the ping").waitFor();
    expect(secrets.map((secret) => countSignatures(latest(), secret))).toEqual([1, 1]);
    await press("I have stored it");
    await page.getByRole("link", { name: "Go to the webhook" }).click();
    await page.getByText("Rotating", { exact: true }).first().waitFor();
    await page.getByText("Two secrets sign; the old one until").waitFor();
  });

  test("disables it, and what came meanwhile is sent once it is enabled", async () => {
    await press("Disable");
    await press("Disable", page.getByRole("dialog", { name: "Disable webhook" }));
    await page.getByText(/^Disabled by /).waitFor();
    expect(await page.getByRole("button", { name: "Send again since…" }).count()).toBe(0);
    const sent = furnished.endpoint.received.length;
    await addPlayer("Meanwhile");
    await press("Enable");
    expect(furnished.endpoint.received.length).toBe(sent);
    await press("Enable", page.getByRole("dialog", { name: "Enable webhook" }));
    await page.getByText("Webhook enabled.").waitFor();
    await expect.poll(() => furnished.endpoint.received.length).toBe(sent + 1);
  });

  test("edits it, and is told at the field what cannot be", async () => {
    await press("Edit");
    const dialog = page.getByRole("dialog", { name: "Edit webhook" });
    browser.expectRefusal(
      400,
      new URL(page.url()).pathname.replace("/compliance", "").replace("/orgs", "/internal/orgs"),
    );
    await dialog.getByLabel("Address").fill("https://user:word@hooks.example.com/");
    await press("Save", dialog);
    await dialog.getByText(/Must hold no user or password/).waitFor();
    await dialog.getByLabel("Address").fill(`${furnished.endpoint.url}/v2`);
    await dialog.getByRole("radio", { name: "All changes" }).check();
    await press("Save", dialog);
    await page.getByText("Webhook changed.").waitFor();
    await page.getByText("All changes, also of types that later versions add").waitFor();
    await press("Send a test");
    await page.getByText("The endpoint took the test").waitFor();
    expect(latest().path).toBe("/hook/v2");
  });

  test("deletes it by typing its host, and finds all of it in the audit log, without the secrets", async () => {
    await press("Delete");
    const dialog = page.getByRole("dialog", { name: "Delete webhook" });
    expect(await dialog.getByRole("button", { name: "Delete for good" }).isDisabled()).toBe(true);
    const { host } = new URL(furnished.endpoint.url);
    await dialog.getByLabel(`Type ${host} to confirm`).fill(host);
    await press("Delete for good", dialog);
    await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
    await page.getByText("Webhook deleted.").waitFor();
    expect(await page.getByRole("link", { name: NAME, exact: true }).count()).toBe(0);
    await goTo(page, "Audit");
    for (const sentence of [
      `created the webhook ${NAME}`,
      `changed the webhook ${NAME}`,
      `rotated the secret of the webhook ${NAME}`,
      `disabled the webhook ${NAME}`,
      `enabled the webhook ${NAME}`,
      `had changes sent again to the webhook ${NAME}`,
      `deleted the webhook ${NAME}`,
    ]) {
      await page.getByRole("row").filter({ hasText: sentence }).first().waitFor();
    }
    for (const secret of secrets) expect(await page.content()).not.toContain(secret);
  });
});
