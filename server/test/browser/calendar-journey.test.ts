/** A viewer who has the schedule in a calendar of their own, by keyboard alone; and an owner who takes the link back. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { readEntries } from "../calendar/subscriber.ts";
import { canStart } from "../services/provided-services.ts";
import { WatchedBrowser } from "./browser.ts";
import { type FurnishedServer, startFurnishedServer } from "./furnished-server.ts";

describe.skipIf(!canStart("chromium"))("somebody who subscribes to the schedule", () => {
  let furnished: FurnishedServer;
  let browser: WatchedBrowser;
  let viewer: Page;
  let link: string;

  beforeAll(async () => {
    furnished = await startFurnishedServer();
    browser = await WatchedBrowser.open(furnished.server.origin);
    viewer = await open("viewer", "data/schedule");
  });
  afterAll(async () => {
    await browser?.close();
    await furnished?.stop();
  });
  afterEach(() => expect(browser.complaints).toEqual([]));

  async function open(person: "viewer" | "owner", path: string): Promise<Page> {
    const { context, page } = await browser.newVisitor();
    await furnished.signIn(context, person);
    await page.goto(`/orgs/${furnished.orgId}/${path}`);
    return page;
  }

  async function press(page: Page, name: string): Promise<void> {
    await page.getByRole("button", { name, exact: true }).focus();
    await page.keyboard.press("Enter");
  }

  test("chooses what it shows, by keyboard, and gets a link that calendars can read", async () => {
    await press(viewer, "Subscribe");
    await viewer.locator('[data-field="name"]:focus').waitFor();
    await viewer.keyboard.press("ControlOrMeta+A");
    await viewer.keyboard.type("Only matches");
    for (const kind of ["Scrims", "Practices", "Events"]) {
      await viewer.getByLabel(kind).focus();
      await viewer.keyboard.press("Space");
    }
    await viewer.getByLabel("Ends of contracts").focus();
    await viewer.keyboard.press("Space");
    await viewer.keyboard.press("Enter");
    link = (await viewer.getByRole("region", { name: "Link" }).textContent()) ?? "";
    const answer = await fetch(link);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/calendar; charset=utf-8"]);
    const text = await answer.text();
    expect(text).toContain("X-WR-CALNAME:Only matches\r\n");
    const kinds = [...readEntries(text).values()].map(({ component }) => component.getFirstPropertyValue("categories"));
    expect(new Set(kinds)).toEqual(new Set(["Match", "Contract"]));
    const program = viewer.getByRole("link", { name: "Open in a calendar program" });
    expect(await program.getAttribute("href")).toBe(link.replace("http:", "webcal:"));
  });

  test("never sees the link again, but that it was used", async () => {
    // Only its button closes what is shown once.
    await viewer.keyboard.press("Escape");
    await press(viewer, "Done");
    await viewer.getByRole("dialog").waitFor({ state: "hidden" });
    await press(viewer, "Subscribe");
    const row = viewer.getByRole("row", { name: /^Only matches/ });
    await row.getByText(/ago|now/i).waitFor();
    expect(await viewer.content()).not.toContain(new URL(link).pathname);
  });

  test("loses it when an owner takes it back", async () => {
    const owner = await open("owner", "settings/organization");
    await press(owner, "Take back Only matches");
    await owner.getByRole("dialog").getByRole("button", { name: "Take back", exact: true }).focus();
    await owner.keyboard.press("Enter");
    await owner.getByText("Link taken back.").waitFor();
    await owner.getByText(/Nobody has made one/).waitFor();
    expect((await fetch(link)).status).toBe(404);
  });
});
