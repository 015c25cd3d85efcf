/** Every page, in light and dark, wide and on a phone: what a program can find wrong with it for those who see, hear or move differently. */
import { PAGE_PATHS } from "@lineup/api/dashboard/pages";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canStart } from "../services/provided-services.ts";
import { findViolations } from "./accessibility.ts";
import { SIZES, WatchedBrowser } from "./browser.ts";
import { ENTRY_STATES } from "./entry-states.ts";
import type { PersonName } from "./furnished-people.ts";
import { type FurnishedServer, startFurnishedServer } from "./furnished-server.ts";
import { INSIDE_STATES } from "./inside-states.ts";
import { openState, type PageState, settle } from "./page-state.ts";

const STATES: readonly PageState[] = [...ENTRY_STATES, ...INSIDE_STATES];
/** In the other colours everything else stands where it stood. */
const LOOKS = [
  { size: "desktop", scheme: "light", judged: "everything" },
  { size: "desktop", scheme: "dark", judged: "colours" },
  { size: "phone", scheme: "dark", judged: "colours" },
  { size: "phone", scheme: "light", judged: "everything" },
] as const;
/** How far the page can be scrolled sideways. */
const TOO_WIDE = "document.documentElement.scrollWidth - window.innerWidth";
const PATIENCE = { timeout: 120_000 };

describe.skipIf(!canStart("chromium"))("every page", () => {
  let furnished: FurnishedServer;
  let browser: WatchedBrowser;
  const contexts = new Map<PersonName | undefined, BrowserContext>();

  beforeAll(async () => {
    furnished = await startFurnishedServer();
    browser = await WatchedBrowser.open(furnished.server.origin);
  });
  afterAll(async () => {
    await browser?.close();
    await furnished?.stop();
  });

  async function contextOf(person: PersonName | undefined): Promise<BrowserContext> {
    const known = contexts.get(person);
    if (known !== undefined) return known;
    const { context, page } = await browser.newVisitor();
    await page.close();
    if (person !== undefined) await furnished.signIn(context, person);
    contexts.set(person, context);
    return context;
  }

  test.each(STATES)("$name: axe finds nothing, and a phone scrolls nothing sideways", PATIENCE, async (state) => {
    const page = await (await contextOf(state.as)).newPage();
    const looks = LOOKS.filter(({ size }) => size === "phone" || state.isOfPhone !== true);
    await page.setViewportSize(SIZES[state.isOfPhone === true ? "phone" : "desktop"]);
    await openState(browser, page, state, furnished);
    for (const { size, scheme, judged } of looks) {
      await page.setViewportSize(SIZES[size]);
      await page.emulateMedia({ colorScheme: scheme });
      await settle(page);
      expect.soft(await findViolations(page, judged), `${state.name}, ${size}, ${scheme}`).toEqual([]);
      expect.soft(await page.evaluate(TOO_WIDE), `${state.name}, ${size}: too wide by`).toBeLessThanOrEqual(0);
    }
    await page.close();
    expect(browser.complaints).toEqual([]);
  });

  test("is among the states above", () => {
    const there = new Set(STATES.map(({ page }) => page));
    expect(PAGE_PATHS.filter((path) => !there.has(path))).toEqual([]);
  });
});
