/** One state of a page that looks different from others: who sees it, where it is, and how one comes to it. */
import type { PagePath } from "@lineup/api/dashboard/pages";
import type { Page } from "playwright-core";
import type { WatchedBrowser } from "./browser.ts";
import type { PersonName } from "./furnished-people.ts";
import type { FurnishedServer } from "./furnished-server.ts";

export interface PageState {
  /** Short, for the name of its picture. */
  readonly name: string;
  readonly page: PagePath | "not found";
  /** Undefined for somebody who is not signed in. */
  readonly as?: PersonName;
  /** Behind the page's address: a query or a fragment. */
  readonly rest?: string | ((furnished: FurnishedServer) => string | Promise<string>);
  /** In the organization that has nothing yet. */
  readonly isEmpty?: boolean;
  /** Identifiers in the page's address, beside the organization's. */
  readonly ids?: (furnished: FurnishedServer) => Readonly<Record<string, string>>;
  /** What the server refuses on the way, which the browser would note. */
  readonly refusal?: readonly [status: number, path: string | ((furnished: FurnishedServer) => string)];
  /** What a person does once the page is there. */
  readonly open?: (page: Page, furnished: FurnishedServer) => Promise<void>;
  /** Only there on a narrow window. */
  readonly isOfPhone?: boolean;
}

const SETTLED_WITHIN_MS = 30_000;
const SETTLED_ASKED_MS = 50;
const NOWHERE = "/no/such/page";

export async function openState(
  browser: WatchedBrowser,
  page: Page,
  state: PageState,
  furnished: FurnishedServer,
): Promise<void> {
  const { orgId, emptyOrgId } = furnished;
  const ids: Readonly<Record<string, string>> = {
    orgId: state.isEmpty === true ? emptyOrgId : orgId,
    ...state.ids?.(furnished),
  };
  const template = state.page === "not found" ? NOWHERE : state.page;
  const path = template.replaceAll(/\$(\w+)/g, (_, name: string) => ids[name] ?? name);
  if (state.page === "not found") browser.expectRefusal(404, NOWHERE);
  if (state.refusal !== undefined) {
    const [status, refused] = state.refusal;
    browser.expectRefusals(status, typeof refused === "string" ? refused : refused(furnished));
  }
  const rest = typeof state.rest === "function" ? await state.rest(furnished) : (state.rest ?? "");
  await page.goto(path + rest);
  await settle(page);
  if (state.open === undefined) return;
  await state.open(page, furnished);
  await settle(page);
}

/** Runs in the page: nothing is waited for and nothing moves. */
const IS_SETTLED = `document.querySelector('[aria-busy="true"], .mantine-Skeleton-root, .mantine-Loader-root') === null
  && document.getAnimations().every((animation) => animation.playState !== "running")
  && document.fonts.status === "loaded"`;

/** Runs in the page: a window that has just got another size is laid out for it by the next frame. */
const IS_DRAWN = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))";

export async function settle(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await page.evaluate(IS_DRAWN);
  const givenUpAt = Date.now() + SETTLED_WITHIN_MS;
  // Asked from outside: to ask from inside is to evaluate, which the page's policy forbids.
  while (!(await page.evaluate(IS_SETTLED))) {
    if (Date.now() > givenUpAt) throw new Error(`${page.url()} does not come to rest.`);
    await page.waitForTimeout(SETTLED_ASKED_MS);
  }
}

/** Presses a button, and waits for what it opens. */
export function pressToOpen(name: string, role: "dialog" | "menu" = "dialog"): (page: Page) => Promise<void> {
  return async (page) => {
    await page.getByRole("button", { name, exact: true }).click();
    await page.getByRole(role).first().waitFor();
  };
}
