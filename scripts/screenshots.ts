/**
 * Pictures of every page of the dashboard, for people to look at: `npm run screenshots`, into screenshots/. Wide and on a phone, in light
 * and in dark, whole from top to bottom.
 *
 *   npm run screenshots -- keys          only the states whose names begin so
 *   npm run screenshots -- --readme      instead, the pictures that the README shows, into docs/images/
 */
import { mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { BrowserContext, Page } from "playwright-core";
import { ALL_STATES } from "../server/test/browser/all-states.ts";
import { type Scheme, SIZES, type SizeName, WatchedBrowser } from "../server/test/browser/browser.ts";
import type { PersonName } from "../server/test/browser/furnished-people.ts";
import { type FurnishedServer, startFurnishedServer } from "../server/test/browser/furnished-server.ts";
import { openState, settle } from "../server/test/browser/page-state.ts";
import { findChromium } from "../server/test/services/binaries.ts";
import { startTestServer } from "../server/test/test-server.ts";

const FOLDER = fileURLToPath(new URL("../screenshots/", import.meta.url));
const README_FOLDER = fileURLToPath(new URL("../docs/images/", import.meta.url));
const README_PICTURES: Readonly<Record<string, string>> = {
  keys: "api-keys",
  key: "one-key",
  roster: "roster-board",
  contracts: "contract-time-line",
};
const SIZE_NAMES = Object.keys(SIZES) as SizeName[];
const HEIGHT_MAX = 6_000;
const SCHEMES: readonly Scheme[] = ["light", "dark"];

async function main(words: readonly string[]): Promise<void> {
  if (findChromium() === undefined) {
    throw new Error(
      "There is no Chromium on this machine. Install it (on Debian: apt install chromium), then try again.",
    );
  }
  const forReadme = words.includes("--readme");
  const [beginning = ""] = words.filter((word) => !word.startsWith("--"));
  const states = ALL_STATES.filter(({ name }) => (forReadme ? name in README_PICTURES : name.startsWith(beginning)));
  const folder = forReadme ? README_FOLDER : FOLDER;
  if (!forReadme && beginning === "") await rm(FOLDER, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const furnished = await startFurnishedServer();
  const browser = await WatchedBrowser.open(furnished.server.origin);
  try {
    const contexts = new Map<PersonName | undefined, BrowserContext>();
    for (const [index, state] of states.entries()) {
      const page = await newPage(browser, furnished, contexts, state.as);
      await page.setViewportSize(SIZES[state.isOfPhone === true ? "phone" : "desktop"]);
      await openState(browser, page, state, furnished);
      if (forReadme) await page.screenshot({ path: `${folder}${README_PICTURES[state.name]}.png` });
      else await takePictures(page, state.name, state.isOfPhone === true ? ["phone"] : SIZE_NAMES);
      await page.close();
      console.log(`${String(index + 1).padStart(3)} of ${states.length}  ${state.name}`);
    }
    for (const complaint of browser.complaints) console.error(`Complaint: ${complaint}`);
  } finally {
    await browser.close();
    await furnished.stop();
  }
  if (!forReadme && "setup".startsWith(beginning)) await takeSetUpPage();
  console.log(`They are in ${folder}`);
}

async function newPage(
  browser: WatchedBrowser,
  furnished: FurnishedServer,
  contexts: Map<PersonName | undefined, BrowserContext>,
  person: PersonName | undefined,
): Promise<Page> {
  const known = contexts.get(person);
  if (known !== undefined) return known.newPage();
  const { context, page } = await browser.newVisitor();
  contexts.set(person, context);
  if (person !== undefined) await furnished.signIn(context, person);
  return page;
}

async function takePictures(page: Page, name: string, sizes: readonly SizeName[]): Promise<void> {
  for (const size of sizes) {
    for (const scheme of SCHEMES) {
      await page.setViewportSize(SIZES[size]);
      await page.emulateMedia({ colorScheme: scheme });
      await settle(page);
      await stretch(page, size);
      await page.screenshot({ path: `${FOLDER}${name}-${size}-${scheme}.png` });
    }
  }
}

/** The window becomes as high as the page, so that what is fixed to it stands where it does for somebody who scrolls. */
async function stretch(page: Page, size: SizeName): Promise<void> {
  const { width, height } = SIZES[size];
  const whole = (await page.evaluate("document.documentElement.scrollHeight")) as number;
  await page.setViewportSize({ width, height: Math.min(Math.max(height, whole), HEIGHT_MAX) });
  await settle(page);
}

/** Only there while nobody has an account. */
async function takeSetUpPage(): Promise<void> {
  const server = await startTestServer();
  const browser = await WatchedBrowser.open(server.origin);
  try {
    const { page } = await browser.newVisitor();
    await page.goto("/setup");
    await settle(page);
    await takePictures(page, "setup", SIZE_NAMES);
  } finally {
    await browser.close();
    await server.stop();
  }
}

await main(process.argv.slice(2));
