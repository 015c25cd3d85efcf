/** The pages for those who are not in yet, the frame around all others, and the settings. */
import { PAGE_PATHS } from "@lineup/api/dashboard/pages";
import { describe, expect, test } from "vitest";
import { canStart } from "../services/provided-services.ts";
import { startTestServer } from "../test-server.ts";
import { ALL_STATES } from "./all-states.ts";
import { WatchedBrowser } from "./browser.ts";
import { ENTRY_STATES } from "./entry-states.ts";
import { INSIDE_STATES } from "./inside-states.ts";
import { describeStates, judge } from "./page-sweep.ts";

describeStates("every page outside of the compliance area", [...ENTRY_STATES, ...INSIDE_STATES]);

test.skipIf(!canStart("chromium"))("the set-up page, while nobody has an account", async () => {
  const server = await startTestServer();
  const browser = await WatchedBrowser.open(server.origin);
  const { page } = await browser.newVisitor();
  await page.goto("/");
  await page.getByRole("heading", { level: 1, name: "Set up Lineup" }).waitFor();
  await judge(page, "set-up");
  await browser.close();
  await server.stop();
  expect(browser.complaints).toEqual([]);
});

describe("the list of pages", () => {
  test("has none that is not looked at", () => {
    const there = new Set(ALL_STATES.map(({ page }) => page));
    expect(PAGE_PATHS.filter((path) => !there.has(path))).toEqual([]);
  });
});
