/** The dashboard without a mouse: where the focus is, that it is seen, and that everything can be done. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { canStart } from "../services/provided-services.ts";
import { WatchedBrowser } from "./browser.ts";
import { type FurnishedServer, startFurnishedServer } from "./furnished-server.ts";
import { settle } from "./page-state.ts";
import { KEY_SHAPE, readBox } from "./page-steps.ts";

/** What has the focus, in words a person would use: what it is called, or what it says. */
const FOCUSED = `(() => {
  const { activeElement: it } = document;
  if (it === document.body) return "nothing";
  return (it?.getAttribute("aria-label") ?? it?.labels?.[0]?.textContent ?? it?.textContent ?? "").trim();
})()`;
/** Whether a ring or the like is drawn around what has the focus, or around what stands for it. */
const IS_FOCUS_SEEN = `(() => {
  const around = [document.activeElement, document.activeElement?.nextElementSibling, document.activeElement?.parentElement];
  return around.some((it) => {
    if (!it) return false;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(it);
    return (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2) || boxShadow.includes("0px 0px 0px 2px");
  });
})()`;
const TABS_MAX = 60;

describe.skipIf(!canStart("chromium"))("by keyboard alone", () => {
  let furnished: FurnishedServer;
  let browser: WatchedBrowser;
  let page: Page;

  beforeAll(async () => {
    furnished = await startFurnishedServer();
    browser = await WatchedBrowser.open(furnished.server.origin);
  });
  beforeEach(async () => {
    const visitor = await browser.newVisitor();
    await furnished.signIn(visitor.context, "owner");
    page = visitor.page;
    await page.goto(`/orgs/${furnished.orgId}/compliance/keys`);
    await settle(page);
  });
  afterEach(async () => {
    await page.context().close();
    expect(browser.complaints).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await furnished?.stop();
  });

  const focused = () => page.evaluate(FOCUSED) as Promise<string>;

  /** Presses Tab until this has the focus; every stop on the way must be seen. */
  async function tabTo(words: string | RegExp): Promise<void> {
    const passed: string[] = [];
    for (let presses = 0; presses < TABS_MAX; presses++) {
      await page.keyboard.press("Tab");
      const here = await focused();
      passed.push(here);
      expect([here, await page.evaluate(IS_FOCUS_SEEN)]).toEqual([here, true]);
      if (typeof words === "string" ? here === words : words.test(here)) return;
    }
    throw new Error(`Tab does not lead to ${words}, but to:\n${passed.join("\n")}`);
  }

  test("the first stop skips to the page", async () => {
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Skip to the page");
    expect(await page.getByRole("link", { name: "Skip to the page" }).isVisible()).toBe(true);
    await page.keyboard.press("Enter");
    await tabTo("Create key");
  });

  test("a page that is opened takes the focus to its heading", async () => {
    await tabTo("Audit");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Audit" }).waitFor();
    await expect.poll(focused).toBe("Audit");
    expect(await page.title()).toContain("Audit");
  });

  test("Ctrl K opens the palette, which leads to pages and keys; Escape gives the focus back", async () => {
    await tabTo("Requests");
    await page.keyboard.press("Control+k");
    const box = page.getByRole("combobox", { name: "Find a person, a team, an event, a page" });
    await box.waitFor();
    await page.keyboard.press("Escape");
    await box.waitFor({ state: "hidden" });
    await expect.poll(focused).toBe("Requests");
    await page.keyboard.press("Control+k");
    await box.waitFor();
    await page.keyboard.type("scouting note");
    await page.getByRole("option", { name: /Scouting notebook/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Scouting notebook" }).waitFor();
  });

  test("the palette is there before it is asked for", async () => {
    await page.waitForLoadState("networkidle");
    await page.route(/\.js$/, (route) => route.abort());
    await page.keyboard.press("Control+k");
    await page.keyboard.type("scouting");
    const box = page.getByRole("combobox", { name: "Find a person, a team, an event, a page" });
    expect(await box.inputValue()).toBe("scouting");
  });

  test("/ goes to the page's search, where / is a letter; ? shows the keys", async () => {
    await page.keyboard.press("/");
    expect(await focused()).toBe("Search keys");
    await page.keyboard.type("a/b?");
    expect(await page.getByLabel("Search keys").inputValue()).toBe("a/b?");
    await page.getByLabel("Search keys").blur();
    await page.keyboard.press("Shift+?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.waitFor();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "hidden" });
  });

  test("Ctrl K acts wherever the focus is, / wherever nobody types", async () => {
    const box = page.getByRole("combobox", { name: "Find a person, a team, an event, a page" });
    await page.goto(`/orgs/${furnished.orgId}/data/players`);
    await settle(page);
    for (const control of [page.getByLabel("Game"), page.getByLabel("Select all shown")]) {
      await control.focus();
      await page.keyboard.press("/");
      expect(await focused()).toBe("Search players");
    }
    await page.keyboard.press("Control+k");
    await box.waitFor();
    await page.keyboard.press("Escape");
    await box.waitFor({ state: "hidden" });
    await expect.poll(focused).toBe("Search players");
  });

  test("nothing has the focus in a head that a phone does not show", async () => {
    const phone = await browser.newVisitor({ size: "phone" });
    await furnished.signIn(phone.context, "owner");
    await phone.page.goto(`/orgs/${furnished.orgId}/data/players`);
    await settle(phone.page);
    expect(await phone.page.locator("thead").count()).toBe(1);
    expect(await phone.page.locator("thead :is(button, input)").count()).toBe(0);
    await phone.context.close();
  });

  test("a dialog keeps the focus inside, and gives it back when it is closed", async () => {
    await page.goto(`/orgs/${furnished.orgId}/compliance/keys/${furnished.keys.active.id}`);
    await settle(page);
    await tabTo("Rotate");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Rotate key" });
    await dialog.waitFor();
    for (let presses = 0; presses < 12; presses++) {
      await page.keyboard.press("Tab");
      expect(await dialog.locator(":focus").count()).toBe(1);
    }
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await expect.poll(focused).toBe("Rotate");
  });

  test.each([
    ["data/teams", /^Actions for /, "Edit"],
    ["settings/members", /^Actions for /, "Change role"],
  ])("a dialog of a menu gives the focus back to what opened the menu, in %s", async (path, opener, entry) => {
    await page.goto(`/orgs/${furnished.orgId}/${path}`);
    await settle(page);
    const button = page.getByRole("button", { name: opener }).first();
    await button.focus();
    const name = await focused();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: entry }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.locator(":focus").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await expect.poll(focused).toBe(name);
  });

  test("a team that is made inactive leaves the focus to the one in its place", async () => {
    await page.goto(`/orgs/${furnished.orgId}/data/teams`);
    await settle(page);
    const buttons = page.getByRole("button", { name: /^Actions for / });
    const [first, second] = await buttons.evaluateAll((all) => all.map((each) => each.getAttribute("aria-label")));
    await buttons.first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Make inactive" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: first ?? "", exact: true }).waitFor({ state: "detached" });
    await expect.poll(focused).toBe(second);
  });

  test("an organization that is renamed leaves the focus in its name", async () => {
    await page.goto(`/orgs/${furnished.orgId}/settings/organization`);
    await settle(page);
    const name = page.getByRole("textbox", { name: "Name", exact: true });
    await name.fill("Renamed by keyboard");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("status").filter({ hasText: "Organization renamed." }).waitFor();
    await name.and(page.locator(":focus")).waitFor();
  });

  test("a key is created", async () => {
    await tabTo("Create key");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Create key" }).waitFor();
    await tabTo(/^Name/);
    await page.keyboard.type("By keyboard");
    await tabTo(/^Read-only analytics/);
    await page.keyboard.press("Space");
    await tabTo("In 90 days");
    await page.keyboard.press("ArrowUp");
    await tabTo("Create key");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Your new key" }).waitFor();
    expect(await readBox(page, "Key")).toMatch(KEY_SHAPE);
    await tabTo("I have stored it");
    await page.keyboard.press("Enter");
    await expect.poll(focused).toBe("Go to the key");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "By keyboard" }).waitFor();
    await page.getByText("Never used", { exact: true }).first().waitFor();
  });

  test("a webhook is created, tried out, and one of its deliveries opened", async () => {
    await tabTo("Webhooks");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
    await tabTo("Create webhook");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Create webhook" }).waitFor();
    await tabTo(/^Address/);
    await page.keyboard.type(furnished.endpoint.url);
    await tabTo(/^Description/);
    await page.keyboard.type("By keyboard");
    await tabTo("All changes");
    await page.keyboard.press("ArrowDown");
    await tabTo("All of Teams");
    await page.keyboard.press("Enter");
    await tabTo("Create webhook");
    await page.keyboard.press("Enter");
    await page.getByText("The endpoint took the ping").waitFor();
    await tabTo("I have stored it");
    await page.keyboard.press("Enter");
    await expect.poll(focused).toBe("Go to the webhook");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "By keyboard" }).waitFor();
    await page.getByText("team.created, team.updated, team.deleted").waitFor();
    await tabTo("Send a test");
    await page.keyboard.press("Enter");
    await page.getByText("The endpoint took the test").waitFor();
    expect(await focused()).toBe("Send a test");
    await tabTo(/^Attempts: webhook\.ping/);
    await page.keyboard.press("Enter");
    await page.getByRole("table", { name: "Attempts, oldest first" }).waitFor();
  });
});
