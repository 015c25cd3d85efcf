/** A manager's moves on the roster, in a real browser: by mouse, keyboard, finger and menu, refused, taken back, and seen by somebody else. */
import type { ActionResult } from "@lineup/api/dashboard/actions";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { canStart } from "../services/provided-services.ts";
import { WatchedBrowser } from "./browser.ts";
import { type FurnishedServer, startFurnishedServer } from "./furnished-server.ts";
import { goTo } from "./page-steps.ts";

const RIFT = "Northwind Rift";
const ACADEMY = "Academy of Rift";
const DEFUSE = "Northwind Defuse";
const HOLD_MS = 400;

type Entry = ActionResult<"listRoster">["items"][number];

describe.skipIf(!canStart("chromium"))("a manager who moves players", () => {
  let furnished: FurnishedServer;
  let browser: WatchedBrowser;
  let page: Page;

  beforeAll(async () => {
    furnished = await startFurnishedServer();
    browser = await WatchedBrowser.open(furnished.server.origin);
    const visitor = await browser.newVisitor();
    page = visitor.page;
    await furnished.signIn(visitor.context, "manager");
    await page.goto(`/orgs/${furnished.orgId}`);
  });
  afterAll(async () => {
    await browser?.close();
    await furnished?.stop();
  });
  afterEach(() => expect(browser.complaints).toEqual([]));

  const columnOf = (team: string, on = page) => on.getByRole("region", { name: team, exact: true });
  const sectionOf = (team: string, section: string, on = page) =>
    columnOf(team, on).locator(`[data-section="${section}"]`);
  const cardIn = (place: Locator, ign: string) => place.getByRole("listitem").filter({ hasText: ign });
  const handleOf = (ign: string) => page.getByRole("button", { name: `Drag ${ign}`, exact: true });
  const said = (text: string) => page.getByRole("status").filter({ hasText: text }).first().waitFor();

  async function findEntry(ign: string): Promise<Entry | undefined> {
    const answer = await page.request.get(`/internal/orgs/${furnished.orgId}/roster?limit=500`);
    const { items } = (await answer.json()) as { readonly items: readonly Entry[] };
    return items.find((entry) => entry.ign === ign);
  }

  async function act(ign: string, item: string): Promise<void> {
    await page.getByRole("button", { name: `Actions for ${ign}`, exact: true }).click();
    await page.getByRole("menuitem", { name: item, exact: true }).click();
  }

  async function middleOf(place: Locator): Promise<{ x: number; y: number }> {
    await place.scrollIntoViewIfNeeded();
    const { x = 0, y = 0, width = 0, height = 0 } = (await place.boundingBox()) ?? {};
    return { x: x + width / 2, y: y + Math.min(height / 2, 40) };
  }

  async function drag(ign: string, to: Locator): Promise<void> {
    const end = await middleOf(to);
    const from = await middleOf(handleOf(ign));
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(end.x, end.y, { steps: 8 });
    await page.waitForTimeout(50);
    await page.mouse.up();
  }

  test("makes a team, which has its column at once", async () => {
    await goTo(page, "Teams");
    await page.getByRole("button", { name: "New team" }).click();
    await page.getByLabel("Name").fill(ACADEMY);
    await page.getByRole("button", { name: "Create team" }).click();
    await page.getByRole("link", { name: ACADEMY }).waitFor();
    await goTo(page, "Roster");
    await columnOf(ACADEMY).getByText("Missing: Top, Jungle, Mid, ADC, Support.").waitFor();
  });

  test("drags a card to a team of the same game: moved at once, and taken back by the toast", async () => {
    await drag("Oxbow", sectionOf(ACADEMY, "starters"));
    await cardIn(sectionOf(ACADEMY, "starters"), "Oxbow").waitFor();
    await said(`Oxbow is in ${ACADEMY} as Support.`);
    await columnOf(RIFT).getByText("Missing: Support.").waitFor();
    expect(await findEntry("Oxbow")).toMatchObject({ teamName: ACADEMY, role: "Support", isStarter: true });
    await page.getByRole("button", { name: "Undo" }).click();
    await cardIn(sectionOf(RIFT, "starters"), "Oxbow").waitFor();
    expect(await findEntry("Oxbow")).toMatchObject({ teamName: RIFT });
  });

  test("moves by keyboard alone, and the focus goes along", async () => {
    await handleOf("Tessera").focus();
    await page.keyboard.press("Space");
    await said(`Picked up Tessera, ${RIFT}, Starters.`);
    await page.keyboard.press("ArrowDown");
    await said(`Over ${RIFT}, Substitutes.`);
    await page.keyboard.press("Space");
    await cardIn(sectionOf(RIFT, "substitutes"), "Tessera").waitFor();
    await expect.poll(async () => (await findEntry("Tessera"))?.isStarter).toBe(false);
    await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe("Drag Tessera");
    await page.keyboard.press("Space");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Escape");
    await said("Tessera is back where it was.");
    expect((await findEntry("Tessera"))?.isStarter).toBe(false);
  });

  test("is asked for a role where the game is another", async () => {
    await drag("Palewick", sectionOf(DEFUSE, "starters"));
    const dialog = page.getByRole("dialog", { name: "Move Palewick" });
    await dialog.getByLabel("Role").selectOption("Rifler");
    await dialog.getByLabel("Captain of the team").check();
    await dialog.getByRole("button", { name: "Move" }).click();
    await cardIn(sectionOf(DEFUSE, "starters"), "Palewick").waitFor();
    expect(await findEntry("Palewick")).toMatchObject({ teamName: DEFUSE, role: "Rifler", isCaptain: true });
    await act("Palewick", "Take last move back");
    await cardIn(sectionOf(RIFT, "substitutes"), "Palewick").waitFor();
  });

  test("takes somebody out of a team and brings them back, benches and makes captain", async () => {
    await act("Farrow", "Take out of the team");
    await cardIn(columnOf("Without a team"), "Farrow").waitFor();
    await said("Farrow is without a team.");
    await page.getByRole("button", { name: "Undo" }).last().click();
    await cardIn(sectionOf(RIFT, "starters"), "Farrow").waitFor();
    expect(await findEntry("Farrow")).toMatchObject({ role: "Top" });
    await act("Farrow", "Bench");
    await said("Farrow is benched.");
    await act("Farrow", "Make captain");
    await said("Farrow is captain.");
    expect(await findEntry("Farrow")).toMatchObject({ status: "benched", isCaptain: true });
  });

  test("sees a refused card return to where it was, and why", async () => {
    const { playerId } = (await findEntry("Quillon")) ?? { playerId: "" };
    const path = `/internal/orgs/${furnished.orgId}/players/${playerId}/move`;
    const message = "The role is not one of this game.";
    const refusal = { error: { code: "VALIDATION_ERROR", message, details: [] }, requestId: "req_1" };
    browser.expectRefusals(400, path);
    await page.route(`**${path}`, (route) => route.fulfill({ status: 400, json: refusal }));
    await drag("Quillon", sectionOf(ACADEMY, "starters"));
    await page.getByRole("alert").filter({ hasText: message }).waitFor();
    await cardIn(sectionOf(RIFT, "starters"), "Quillon").waitFor();
    expect(await cardIn(columnOf(ACADEMY), "Quillon").count()).toBe(0);
    await page.unroute(`**${path}`);
  });

  test("sees what somebody else moves, and the roster of an earlier day", async () => {
    const other = await browser.newVisitor();
    await furnished.signIn(other.context, "owner");
    await other.page.goto(page.url());
    await columnOf(ACADEMY, other.page).waitFor();
    await act("Brineleaf", "Make substitute");
    await cardIn(sectionOf(RIFT, "substitutes", other.page), "Brineleaf").waitFor();
    await page.getByLabel("As of").last().fill("2020-01-01");
    await page.getByText("Nobody was in a team").waitFor();
    await page.getByRole("button", { name: "Show today" }).click();
    await columnOf(RIFT).waitFor();
  });

  test("drags with a finger", async () => {
    const phone = await browser.newVisitor({ size: "phone" });
    await furnished.signIn(phone.context, "manager");
    await phone.page.goto(`${page.url().split("?")[0]}?game=LoL`);
    const session = await phone.context.newCDPSession(phone.page);
    const touch = (type: string, point?: { x: number; y: number }) =>
      session.send("Input.dispatchTouchEvent", { type, touchPoints: point === undefined ? [] : [point] } as never);
    const handle = phone.page.getByRole("button", { name: "Drag Quillon", exact: true });
    const to = await middleOf(sectionOf(RIFT, "substitutes", phone.page));
    const from = await middleOf(handle);
    await touch("touchStart", from);
    await phone.page.waitForTimeout(HOLD_MS);
    for (const part of [0.25, 0.5, 0.75, 1]) {
      await touch("touchMove", { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part });
      await phone.page.waitForTimeout(30);
    }
    await touch("touchEnd");
    await cardIn(sectionOf(RIFT, "substitutes", phone.page), "Quillon").waitFor();
    await expect.poll(async () => (await findEntry("Quillon"))?.isStarter).toBe(false);
  });
});
