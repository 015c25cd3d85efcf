/** Looks at states of pages, in light and dark, wide and on a phone: for what a program can find wrong for those who see, hear or move differently. */
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { canStart } from "../services/provided-services.ts";
import { findViolations, type Judged } from "./accessibility.ts";
import { type Scheme, SIZES, type SizeName, WatchedBrowser } from "./browser.ts";
import type { PersonName } from "./furnished-people.ts";
import { type FurnishedServer, startFurnishedServer } from "./furnished-server.ts";
import { openState, type PageState, settle } from "./page-state.ts";

interface Look {
  readonly size: SizeName;
  readonly scheme: Scheme;
  readonly judged: Judged;
}

/** In the other colours everything else stands where it stood. */
const LOOKS: readonly Look[] = [
  { size: "desktop", scheme: "light", judged: "everything" },
  { size: "desktop", scheme: "dark", judged: "colours" },
  { size: "phone", scheme: "dark", judged: "colours" },
  { size: "phone", scheme: "light", judged: "everything" },
];
/** Runs in the page: what makes it scroll sideways. */
const LIST_TOO_WIDE = `document.documentElement.scrollWidth <= window.innerWidth ? [] : [
  document.documentElement.scrollWidth + " px",
  ...[...document.querySelectorAll("body *")]
    .filter((it) => it.getBoundingClientRect().right > window.innerWidth)
    .map((it) => it.outerHTML.slice(0, 120))
    .slice(0, 5),
]`;
export function describeStates(name: string, states: readonly PageState[]): void {
  describe.skipIf(!canStart("chromium"))(name, () => {
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

    afterEach(() => expect(browser.takeComplaints()).toEqual([]));

    async function contextOf(person: PersonName | undefined): Promise<BrowserContext> {
      const known = contexts.get(person);
      if (known !== undefined) return known;
      const { context, page } = await browser.newVisitor();
      await page.close();
      if (person !== undefined) await furnished.signIn(context, person);
      contexts.set(person, context);
      return context;
    }

    test.each(states)("$name: axe finds nothing, and a phone scrolls nothing sideways", async (state) => {
      const page = await (await contextOf(state.as)).newPage();
      await page.setViewportSize(SIZES[state.isOfPhone === true ? "phone" : "desktop"]);
      await openState(browser, page, state, furnished);
      await judge(page, state.name, state.isOfPhone);
      await page.close();
    });
  });
}

export async function judge(page: Page, name: string, isOfPhone = false): Promise<void> {
  for (const { size, scheme, judged } of LOOKS) {
    if (isOfPhone && size !== "phone") continue;
    await page.setViewportSize(SIZES[size]);
    await page.emulateMedia({ colorScheme: scheme });
    await settle(page);
    expect.soft(await page.evaluate(LIST_TOO_WIDE), `${name}, ${size}`).toEqual([]);
    expect.soft(await findViolations(page, judged), `${name}, ${size}, ${scheme}`).toEqual([]);
  }
}
