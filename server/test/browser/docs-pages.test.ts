/** The guides and the reference at /docs, in a real browser: found from the sidebar and by their addresses, with the server's own address in their code. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { EXAMPLE_ORIGIN } from "../../src/http/docs-page.ts";
import { canStart } from "../services/provided-services.ts";
import { startTestServer, type TestServer } from "../test-server.ts";
import { SIZES, WatchedBrowser } from "./browser.ts";

const TITLES = ["First call", "Keep a mirror", "Receive webhooks", "Stay within the limits", "Ask an assistant"];

describe.skipIf(!canStart("chromium"))("the guides at /docs", () => {
  let server: TestServer;
  let browser: WatchedBrowser;

  beforeAll(async () => {
    server = await startTestServer();
    browser = await WatchedBrowser.open(server.origin);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  // Another origin, a breach of the policy or an error in the console would stand here.
  afterEach(() => expect(browser.takeComplaints()).toEqual([]));

  const headingOf = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });

  test("stand open in the sidebar, above the reference, with the reader's address in their code", async () => {
    const { page, context } = await browser.newVisitor();
    await page.goto("/docs");
    const links = page.locator('a[href^="#description/"], a[href="#tag/players"]');
    const first = ["Guides", ...TITLES, "The API", "Players"];
    await expect.poll(async () => (await links.allTextContents()).slice(0, first.length)).toEqual(first);
    for (const title of TITLES) await headingOf(page, title).waitFor();
    const code = (await page.locator("pre").allTextContents()).join("\n");
    expect(code).toContain(`curl ${server.origin}/api/public/v1/me`);
    expect(code).toContain(`"url": "${server.origin}/mcp"`);
    expect(await page.content()).not.toContain(EXAMPLE_ORIGIN);
    await context.close();
  });

  test.each([
    ["desktop", "dark"],
    ["phone", "light"],
  ] as const)("are found by their addresses, %s and %s, and scroll nothing sideways", async (size, scheme) => {
    const { page, context } = await browser.newVisitor({ size, scheme, isMobile: size === "phone" });
    await page.goto("/docs#description/stay-within-the-limits");
    const heading = headingOf(page, "Stay within the limits");
    await heading.waitFor();
    await expect.poll(async () => Math.abs((await heading.boundingBox())?.y ?? Infinity)).toBeLessThan(300);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(SIZES[size].width);
    await context.close();
  });
});
