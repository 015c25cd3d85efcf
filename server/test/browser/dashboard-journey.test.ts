/** A newcomer's way through the dashboard, in a real browser, against the real command: from the printed link to the audit log. */
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { canStart } from "../services/provided-services.ts";
import { WatchedBrowser } from "./browser.ts";
import { createKey, enterByPrintedLink, goTo, KEY_SHAPE, readBox, rotateKey, storeKey } from "./page-steps.ts";
import { callApi, readPrintedLink, type ServedLineup, serveLineup } from "./served-lineup.ts";

const NAME = "Journey";
describe.skipIf(!canStart("chromium"))("somebody who has just started Lineup", () => {
  let lineup: ServedLineup;
  let browser: WatchedBrowser;
  let page: Page;
  /** The key, its successor, and the successor's. */
  const keys: string[] = [];
  let requestId = "";

  beforeAll(async () => {
    lineup = await serveLineup(["--demo"]);
    browser = await WatchedBrowser.open(lineup.origin);
    ({ page } = await browser.newVisitor());
  });
  afterAll(async () => {
    await browser?.close();
    await lineup?.stop();
  });
  afterEach(() => expect(browser.complaints).toEqual([]));

  test("is signed in by the printed link, which works once", async () => {
    await enterByPrintedLink(page, lineup);
    expect(await page.getByRole("button", { name: /^Switch organization: / }).textContent()).toContain(
      "Northwind Esports",
    );
    expect(page.url()).not.toContain("#");
    const { page: second, context } = await browser.newVisitor();
    browser.expectRefusals(404, "/internal/links/describe");
    await second.goto(readPrintedLink(lineup));
    await second.getByRole("heading", { name: "This link does not work" }).waitFor();
    await context.close();
  });

  test("creates a key, is shown it once, and sees its first request come", async () => {
    const key = await createKey(page, NAME, "Roster sync");
    expect(key).toMatch(KEY_SHAPE);
    expect(await readBox(page, ".env line")).toContain(key);
    expect(await readBox(page, "curl")).toContain(`Bearer ${key}`);
    // It would be lost: the page asks before it is left.
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Requests" }).click();
    const asks = page.getByRole("dialog", { name: "Leave without the key?" });
    await asks.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Waiting for the first request…").waitFor();

    const answer = await callApi(lineup, key);
    expect(answer).toMatchObject({ status: 200 });
    await page.getByText("The first request has come").waitFor();
    await page.getByText("GET /players was answered with 200.").waitFor();
    requestId = answer.requestId;
    keys.push(key);
    await storeKey(page);
    await page.getByRole("heading", { level: 1, name: NAME }).waitFor();
    expect(await page.content()).not.toContain(key);
  });

  test("copies from the key's page, by keyboard, how to use it in each language", async () => {
    const section = page.getByRole("region", { name: "Use it" });
    await section.getByRole("tab", { name: "curl" }).focus();
    const api = `${lineup.origin}/api/public/v1/players`;
    const expected = [
      ["curl", `curl '${api}'`],
      ["TypeScript", `baseUrl: "${lineup.origin}"`],
      ["Python", `"${api}"`],
      ["Assistant", `"url": "${lineup.origin}/mcp"`],
    ] as const;
    for (const [name, part] of expected) {
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await section.getByRole("tabpanel", { name }).getByText("Copied").waitFor();
      const copied = await page.evaluate("navigator.clipboard.readText()");
      expect(copied).toContain(part);
      expect(copied).toContain("LINEUP_KEY");
      await page.keyboard.press("Shift+Tab");
      await page.keyboard.press("Shift+Tab");
      await page.keyboard.press("ArrowRight");
    }
  });

  test("watches requests appear, and finds one by its id, with a line that repeats it", async () => {
    await goTo(page, "Requests");
    const refused = await callApi(lineup, keys[0] ?? "", "/contracts?status=active");
    expect(refused.code).toBe("INSUFFICIENT_PERMISSIONS");
    const row = page.getByRole("row").filter({ hasText: refused.requestId });
    await row.waitFor();
    expect(await row.textContent()).toContain("INSUFFICIENT_PERMISSIONS");

    await page.getByLabel("Find by request id").fill(requestId);
    await page.keyboard.press("Enter");
    const opened = page.getByRole("dialog", { name: "Request" });
    await opened.getByText(requestId).waitFor();
    expect(page.url()).toContain(requestId);
    expect(await opened.getByRole("link", { name: NAME }).isVisible()).toBe(true);
    const curl = await opened.getByLabel("Repeat it", { exact: true }).locator("code").textContent();
    expect(curl).toContain("/api/public/v1/players");
    expect(curl).toContain("$LINEUP_KEY");
    await page.keyboard.press("Escape");
    await opened.waitFor({ state: "hidden" });
    expect(await page.getByRole("row").filter({ hasText: "/players" }).count()).toBe(1);
  });

  test("rotates it: both keys work during the overlap; without one the old key is refused at once", async () => {
    await goTo(page, "API Keys");
    await page.getByRole("link", { name: NAME }).click();
    keys.push(await rotateKey(page, "1 hour"));
    await page.getByText("The old key works until").waitFor();
    const [first = "", second = ""] = keys;
    expect([(await callApi(lineup, first)).status, (await callApi(lineup, second)).status]).toEqual([200, 200]);
    await storeKey(page);

    keys.push(await rotateKey(page, "Stop now"));
    await page.getByText("The old key is refused from now on.").waitFor();
    const third = keys[2] ?? "";
    expect(await callApi(lineup, second)).toMatchObject({ status: 403, code: "KEY_EXPIRED" });
    expect([(await callApi(lineup, first)).status, (await callApi(lineup, third)).status]).toEqual([200, 200]);
    await storeKey(page);
  });

  test("revokes it by typing its name, and the very next call is refused", async () => {
    await page.getByRole("button", { name: "Revoke", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Revoke key" });
    await dialog.getByText(/in the last 24 hours/).waitFor();
    const confirm = dialog.getByRole("button", { name: "Revoke for good" });
    const typed = dialog.getByLabel(`Type ${NAME} to confirm`);
    await typed.fill(NAME.slice(0, -1));
    expect(await confirm.isDisabled()).toBe(true);
    await typed.fill(NAME);
    const revoked = page.waitForResponse((response) => response.url().endsWith("/revoke"));
    await confirm.click();
    await (await revoked).finished();
    expect(await callApi(lineup, keys[2] ?? "")).toMatchObject({ status: 403, code: "KEY_REVOKED" });
    await page.getByText("Key revoked.").waitFor();
    await page.getByText("Revoked", { exact: true }).first().waitFor();
  });

  test("sees all of it in the audit log, before and after, and exports it, which is recorded too", async () => {
    await goTo(page, "Audit");
    const entry = (sentence: string) => page.getByRole("row").filter({ hasText: sentence });
    for (const [sentence, times] of [
      ["signed in", 1],
      [`created the key ${NAME}`, 3],
      [`rotated the key ${NAME}`, 2],
      [`revoked the key ${NAME}`, 1],
    ] as const) {
      await entry(sentence).first().waitFor();
      expect([sentence, await entry(sentence).count()]).toEqual([sentence, times]);
      expect(await entry(sentence).first().textContent()).toContain("127.0.0.1");
    }
    await entry("revoked the key")
      .getByRole("button", { name: /^Details/ })
      .click();
    const changes = page.getByRole("table", { name: "What changed" });
    await changes.getByRole("columnheader", { name: "Before" }).waitFor();
    expect(await changes.getByRole("row").count()).toBe(2);

    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export CSV" }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/\.csv$/);
    const csv = await readFile(await file.path(), "utf8");
    for (const action of ["user.signed-in", "key.created", "key.rotated", "key.revoked"]) expect(csv).toContain(action);
    for (const key of keys) expect(csv).not.toContain(key);
    await entry("exported the audit log").waitFor();
  });

  test("is told that the server did not answer where a page cannot be fetched, and goes on once it does", async () => {
    const parts = "**/assets/organization-page-*.js";
    await page.route(parts, (route) => route.abort());
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Organization" }).click();
    await page.getByRole("heading", { level: 1, name: "The server cannot be reached" }).waitFor();
    await page.getByText("The server did not answer.").waitFor();
    await page.unroute(parts);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { level: 1, name: "Organization" }).waitFor();
    expect(browser.takeComplaints().join()).toContain("net::ERR_FAILED");
  });
});
