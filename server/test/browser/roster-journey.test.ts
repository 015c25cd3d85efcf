/** A manager's moves on the roster, in a real browser: by mouse, keyboard, finger and menu, refused, taken back, and seen by somebody else. */
import type { ActionResult } from "@lineup/api/dashboard/actions";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { canStart } from "../services/provided-services.ts";
import { WatchedBrowser } from "./browser.ts";
import { type FurnishedServer, startFurnishedServer } from "./furnished-server.ts";
import { goTo, undoLast } from "./page-steps.ts";
import { below, boxOf, dragByFinger, dragTo } from "./pointer.ts";

const RIFT = "Northwind Rift";
const ACADEMY = "Academy of Rift";
const DEFUSE = "Northwind Defuse";
/** A long section is in sight by its upper end. */
const SECTION_SPOT = below(40);

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

  const dragCard = (ign: string, section: Locator) => dragTo(page, handleOf(ign), section, SECTION_SPOT);

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
    await dragCard("Oxbow", sectionOf(ACADEMY, "starters"));
    await cardIn(sectionOf(ACADEMY, "starters"), "Oxbow").waitFor();
    await said(`Oxbow is in ${ACADEMY} as Support.`);
    await columnOf(RIFT).getByText("Missing: Support.").waitFor();
    expect(await findEntry("Oxbow")).toMatchObject({ teamName: ACADEMY, role: "Support", isStarter: true });
    await undoLast(page);
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
    await dragCard("Palewick", sectionOf(DEFUSE, "starters"));
    const dialog = page.getByRole("dialog", { name: "Move Palewick" });
    await dialog.getByLabel("Role").selectOption("Rifler");
    await dialog.getByLabel("Captain of the team").check();
    await dialog.getByRole("button", { name: "Move" }).click();
    await cardIn(sectionOf(DEFUSE, "starters"), "Palewick").waitFor();
    expect(await findEntry("Palewick")).toMatchObject({ teamName: DEFUSE, role: "Rifler", isCaptain: true });
    await act("Palewick", "Take last move back");
    await cardIn(sectionOf(RIFT, "substitutes"), "Palewick").waitFor();
    await said("The last move of Palewick is taken back.");
    expect(await page.getByRole("button", { name: /^Undo: Palewick is in/ }).count()).toBe(0);
  });

  test("finds a card where it was dropped, whatever role is chosen, and the focus at the card that was moved", async () => {
    await dragCard("Brineleaf", sectionOf(DEFUSE, "substitutes"));
    const dialog = page.getByRole("dialog", { name: "Move Brineleaf" });
    const move = async () => {
      await dialog.getByLabel("Role").selectOption("Rifler");
      await dialog.getByRole("button", { name: "Move" }).click();
    };
    await move();
    await cardIn(sectionOf(DEFUSE, "substitutes"), "Brineleaf").waitFor();
    expect(await findEntry("Brineleaf")).toMatchObject({ role: "Rifler", isStarter: false });
    await act("Brineleaf", "Take last move back");
    await cardIn(sectionOf(RIFT, "starters"), "Brineleaf").waitFor();
    await act("Brineleaf", "Move to…");
    await dialog.getByLabel("Team", { exact: true }).selectOption({ label: `${DEFUSE} (CS2)` });
    await move();
    await cardIn(sectionOf(DEFUSE, "starters"), "Brineleaf").waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe("Actions for Brineleaf");
    await act("Brineleaf", "Take last move back");
    await cardIn(sectionOf(RIFT, "starters"), "Brineleaf").waitFor();
  });

  test("has the whole bar above the board, however wide the window is", async () => {
    const before = page.viewportSize();
    for (const width of [780, 900, 1100]) {
      await page.setViewportSize({ width, height: 800 });
      const end = await boxOf(page.getByRole("button", { name: "Today", exact: true }));
      expect([width, end.x + end.width <= width, end.width > 80]).toEqual([width, true, true]);
    }
    if (before !== null) await page.setViewportSize(before);
  });

  test("is offered to take back only what was a move", async () => {
    await page.getByRole("button", { name: "Actions for Quillon", exact: true }).click();
    const item = page.getByRole("menuitem", { name: "Take last move back", exact: true });
    await expect.poll(() => item.isDisabled()).toBe(true);
    await page.keyboard.press("Escape");
    await item.waitFor({ state: "hidden" });
  });

  test("moves nobody to where they are, which would offer to take back an older move", async () => {
    const before = await findEntry("Brineleaf");
    await act("Brineleaf", "Move to…");
    const dialog = page.getByRole("dialog", { name: "Move Brineleaf" });
    await dialog.getByRole("button", { name: "Move" }).click();
    await dialog.waitFor({ state: "hidden" });
    await act("Brineleaf", "Bench");
    await said("Brineleaf is benched.");
    expect(await page.getByRole("button", { name: /^Undo: Brineleaf is in/ }).count()).toBe(0);
    expect(await findEntry("Brineleaf")).toEqual({ ...before, status: "benched", updatedAt: expect.any(Number) });
  });

  test("takes somebody out of a team and brings them back, benches and makes captain", async () => {
    await act("Farrow", "Take out of the team");
    await cardIn(columnOf("Without a team"), "Farrow").waitFor();
    await said("Farrow is without a team.");
    await undoLast(page);
    await cardIn(sectionOf(RIFT, "starters"), "Farrow").waitFor();
    expect(await findEntry("Farrow")).toMatchObject({ role: "Top" });
    await act("Farrow", "Bench");
    await said("Farrow is benched.");
    await act("Farrow", "Make captain");
    await said("Farrow is captain.");
    expect(await findEntry("Farrow")).toMatchObject({ status: "benched", isCaptain: true });
  });

  test("takes no captain along to another team", async () => {
    await act("Farrow", "Move to…");
    const dialog = page.getByRole("dialog", { name: "Move Farrow" });
    const captain = dialog.getByLabel("Captain of the team");
    expect(await captain.isChecked()).toBe(true);
    await dialog.getByLabel("Team", { exact: true }).selectOption({ label: `${DEFUSE} (CS2)` });
    expect(await captain.isChecked()).toBe(false);
    await dialog.getByLabel("Team", { exact: true }).selectOption({ label: `${RIFT} (LoL)` });
    expect(await captain.isChecked()).toBe(true);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "hidden" });
  });

  test("leaves the past as it was when a captain or a starter changes, and takes that back like any move", async () => {
    const { playerId } = (await findEntry("Brineleaf")) ?? { playerId: "" };
    const listStays = async () => {
      const answer = await page.request.get(`/internal/orgs/${furnished.orgId}/players/${playerId}/assignments`);
      const { items } = (await answer.json()) as { readonly items: readonly Entry[] };
      return items.map(({ isCaptain, isStarter, leftAt }) => ({ isCaptain, isStarter, isOpen: leftAt === null }));
    };
    const before = await listStays();
    expect(before.at(-1)).toEqual({ isCaptain: false, isStarter: true, isOpen: true });
    await act("Brineleaf", "Make captain");
    await said("Brineleaf is captain.");
    const then = before.with(-1, { isCaptain: false, isStarter: true, isOpen: false });
    expect(await listStays()).toEqual([...then, { isCaptain: true, isStarter: true, isOpen: true }]);
    await act("Brineleaf", "Make substitute");
    await said("Brineleaf is a substitute.");
    expect((await listStays()).at(-1)).toEqual({ isCaptain: true, isStarter: false, isOpen: true });
    await undoLast(page);
    await cardIn(sectionOf(RIFT, "starters"), "Brineleaf").waitFor();
    await act("Brineleaf", "Take last move back");
    await said("The last move of Brineleaf is taken back.");
    expect(await listStays()).toEqual(before);
  });

  test("benches nobody before the players are here, and then does", async () => {
    const players = Promise.withResolvers<void>();
    const path = `**/internal/orgs/${furnished.orgId}/players?*`;
    await page.route(path, async (route) => {
      await players.promise;
      await route.continue();
    });
    await page.reload();
    await page.getByRole("button", { name: "Actions for Tessera", exact: true }).click();
    const item = page.getByRole("menuitem", { name: "Bench", exact: true });
    expect(await item.isDisabled()).toBe(true);
    players.resolve();
    await item.click();
    await said("Tessera is benched.");
    await page.unroute(path);
    await undoLast(page);
    await expect.poll(async () => (await findEntry("Tessera"))?.status).toBe("active");
  });

  test("does two things with a card at once, and takes back what was done to two", async () => {
    const { playerId } = (await findEntry("Oxbow")) ?? { playerId: "" };
    const path = `**/internal/orgs/${furnished.orgId}/players/${playerId}/move`;
    // The server has moved the player, and the page does not know yet.
    const told = Promise.withResolvers<void>();
    await page.route(path, async (route) => {
      const response = await route.fetch();
      await told.promise;
      await route.fulfill({ response });
    });
    await dragCard("Oxbow", sectionOf(ACADEMY, "starters"));
    await act("Oxbow", "Bench");
    await cardIn(sectionOf(ACADEMY, "starters"), "Oxbow").getByText("Benched").waitFor();
    told.resolve();
    await said("Oxbow is benched.");
    await page.unroute(path);
    expect(await findEntry("Oxbow")).toMatchObject({ teamName: ACADEMY, status: "benched" });
    await act("Quillon", "Bench");
    await said("Quillon is benched.");
    // Of one card the last thing done can be taken back, of others too.
    expect(await page.getByRole("button", { name: /^Undo: Oxbow is in/ }).count()).toBe(0);
    for (const ign of ["Oxbow", "Quillon"]) {
      await page.getByRole("button", { name: `Undo: ${ign} is benched.` }).click();
      await expect.poll(async () => (await findEntry(ign))?.status).toBe("active");
    }
    await act("Oxbow", "Take last move back");
    await cardIn(sectionOf(RIFT, "starters"), "Oxbow").waitFor();
  });

  test("sees a refused card return to where it was, and why", async () => {
    const { playerId } = (await findEntry("Quillon")) ?? { playerId: "" };
    const path = `/internal/orgs/${furnished.orgId}/players/${playerId}/move`;
    const message = "The role is not one of this game.";
    const refusal = { error: { code: "VALIDATION_ERROR", message, details: [] }, requestId: "req_1" };
    browser.expectRefusals(400, path);
    await page.route(`**${path}`, (route) => route.fulfill({ status: 400, json: refusal }));
    await dragCard("Quillon", sectionOf(ACADEMY, "starters"));
    await page.getByRole("alert").filter({ hasText: message }).waitFor();
    await cardIn(sectionOf(RIFT, "starters"), "Quillon").waitFor();
    expect(await cardIn(columnOf(ACADEMY), "Quillon").count()).toBe(0);
    await page.unroute(`**${path}`);
  });

  test("is told that the server does not answer for as long as it does not, and that an action failed", async () => {
    const alerts = page.getByRole("alert").filter({ hasText: "The server did not answer" });
    await page.getByRole("alert").getByRole("button").first().click();
    const path = "**/internal/**";
    await page.route(path, (route) => route.abort());
    await alerts.waitFor();
    for (const ign of ["Quillon", "Tessera"]) await act(ign, "Bench");
    await expect.poll(() => alerts.count()).toBe(2);
    await page.unroute(path);
    await expect.poll(() => alerts.count()).toBe(1);
    await alerts.first().getByRole("button").click();
    await expect.poll(() => alerts.count()).toBe(0);
    expect(browser.takeComplaints().every((text) => text.includes("net::ERR_FAILED"))).toBe(true);
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
    await page.getByRole("button", { name: "Today", exact: true }).and(page.locator(":focus")).waitFor();
    await columnOf(RIFT).waitFor();
  });

  test("types the day of a roster, which stands as it was typed", async () => {
    const field = page.getByLabel("As of").last();
    await field.focus();
    await page.keyboard.type("12122025", { delay: 60 });
    await expect.poll(() => field.inputValue()).toBe("2025-12-12");
    await page.keyboard.press("Tab");
    await expect.poll(() => page.url()).toContain("2025-12-12");
    expect(await field.inputValue()).toBe("2025-12-12");
    await page.getByRole("button", { name: "Today", exact: true }).click();
    await columnOf(RIFT).waitFor();
  });

  test("sees who joins later, who counts only then, and takes back a move made before", async () => {
    const teamId = (await findEntry("Brineleaf"))?.teamId;
    const at = Date.UTC(new Date().getUTCFullYear() + 1, 11, 5);
    const data = { ign: "Latecomer", role: "Mid", teamId, joinDate: at };
    const headers = { origin: furnished.server.origin };
    const before = await columnOf(RIFT).locator("[data-faulty]").allInnerTexts();
    const made = await page.request.post(`/internal/orgs/${furnished.orgId}/players`, { data, headers });
    expect(made.ok()).toBe(true);
    await cardIn(sectionOf(RIFT, "starters"), "Latecomer")
      .getByText(/^Joins on 5 Dec/)
      .waitFor();
    expect(await columnOf(RIFT).locator("[data-faulty]").allInnerTexts()).toEqual(before);
    await act("Latecomer", "Make captain");
    await said("Latecomer is captain.");
    expect(await findEntry("Latecomer")).toMatchObject({ isCaptain: true, joinedAt: at });
    await undoLast(page);
    await expect.poll(async () => (await findEntry("Latecomer"))?.isCaptain).toBe(false);
    await act("Latecomer", "Move to…");
    const dialog = page.getByRole("dialog", { name: "Move Latecomer" });
    expect(await dialog.getByLabel("Earlier").count()).toBe(0);
    await dialog.getByLabel("Team", { exact: true }).selectOption({ label: `${DEFUSE} (CS2)` });
    await dialog.getByLabel("Role").selectOption("Rifler");
    await dialog.getByRole("button", { name: "Move" }).click();
    await cardIn(sectionOf(DEFUSE, "starters"), "Latecomer").waitFor();
    await expect.poll(async () => (await findEntry("Latecomer"))?.teamName).toBe(DEFUSE);
    await act("Latecomer", "Take last move back");
    await cardIn(sectionOf(RIFT, "starters"), "Latecomer")
      .getByText(/^Joins on 5 Dec/)
      .waitFor();
    await act("Latecomer", "Open player");
    await page.getByText(/^from 5 Dec/).waitFor();
    await page.goBack();
    await columnOf(RIFT).waitFor();
  });

  test("drags with a finger", async () => {
    const phone = await browser.newVisitor({ size: "phone" });
    await furnished.signIn(phone.context, "manager");
    await phone.page.goto(`${page.url().split("?")[0]}?game=LoL`);
    await dragByFinger({
      ...phone,
      what: phone.page.getByRole("button", { name: "Drag Quillon", exact: true }),
      to: sectionOf(RIFT, "substitutes", phone.page),
      spot: SECTION_SPOT,
      whenHeld: () => phone.page.locator("[data-card][data-source]").waitFor(),
    });
    await cardIn(sectionOf(RIFT, "substitutes", phone.page), "Quillon").waitFor();
    await expect.poll(async () => (await findEntry("Quillon"))?.isStarter).toBe(false);
  });
});
