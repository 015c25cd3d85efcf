/** The pages of an organization with thousands of everything: they come up, scroll, and let cards be dragged. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { drillCount, isDrill, SEED } from "../drill-count.ts";
import { canStart } from "../services/provided-services.ts";
import { Random } from "../stale/random.ts";
import { WatchedBrowser } from "./browser.ts";
import { countsFor, makeLargeTables } from "./large-organization.ts";
import { scrollThrough, timeFirstRow } from "./page-timing.ts";
import { dragTo } from "./pointer.ts";
import { type StaffedServer, startStaffedServer } from "./staffed-server.ts";

const COUNTS = countsFor(drillCount("large-data", 600, 10_000));
const DRAGS = isDrill ? 20 : 2;
/** On machines that are busy with other tests. What is meant is a second, and a tenth of one. */
const FIRST_ROW_MS = 10_000;
const LONG_TASK_MS = 1_000;

/** What a page shows first. */
const PAGES = {
  Roster: "[data-section] li",
  Players: "tr[data-key]",
  Teams: 'main ul[aria-label="Teams"] > li',
  Schedule: "[data-kind][data-status]",
  Prospects: "[data-card]",
  Contracts: "li[aria-posinset]",
} as const;
type PageName = keyof typeof PAGES;
const NAMES = Object.keys(PAGES) as readonly PageName[];

describe.skipIf(!canStart("chromium"))(`the pages with ${COUNTS.players} players`, () => {
  const random = new Random(SEED);
  let staffed: StaffedServer;
  let browser: WatchedBrowser;
  let page: Page;

  beforeAll(async () => {
    staffed = await startStaffedServer(makeLargeTables(COUNTS, Date.now()));
    browser = await WatchedBrowser.open(staffed.server.origin);
    const visitor = await browser.newVisitor();
    page = visitor.page;
    await staffed.signIn(visitor.context, "manager");
  });
  afterAll(async () => {
    await browser?.close();
    await staffed?.stop();
  });
  afterEach(() => expect(browser.takeComplaints()).toEqual([]));

  const goHome = async () => {
    await page.goto(`/orgs/${staffed.orgId}`);
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  };
  const tell = (what: string, figures: Readonly<Record<string, number>>) =>
    console.log(
      `${what}: ${Object.entries(figures)
        .map(([name, ms]) => `${name} ${ms} ms`)
        .join(", ")}`,
    );

  test("each shows its first rows soon after a press on its link", async () => {
    const first: Record<string, number> = {};
    const again: Record<string, number> = {};
    for (const name of NAMES) {
      await goHome();
      first[name] = await timeFirstRow(page, name, PAGES[name]);
    }
    await goHome();
    for (const name of [...NAMES, ...NAMES]) again[name] = await timeFirstRow(page, name, PAGES[name]);
    tell("First rows with nothing loaded", first);
    tell("First rows with records loaded", again);
    for (const ms of [...Object.values(first), ...Object.values(again)]) expect(ms).toBeLessThan(FIRST_ROW_MS);
  });

  test("all players come", async () => {
    await goHome();
    const began = Date.now();
    await timeFirstRow(page, "Players", 'main table[aria-busy="false"] tr[data-key]');
    tell("All players", { loaded: Date.now() - began });
    await page.getByText(`${COUNTS.players.toLocaleString("en")} players`).waitFor();
  });

  test("each scrolls to its end and back without being held up", async () => {
    const longest: Record<string, number> = {};
    for (const name of NAMES) {
      await timeFirstRow(page, name, PAGES[name]);
      longest[name] = await scrollThrough(page);
    }
    tell("Longest task while scrolling", longest);
    for (const ms of Object.values(longest)) expect(ms).toBeLessThan(LONG_TASK_MS);
  });

  const teamColumn = (index: number) => page.getByRole("region", { name: `Team ${String(index).padStart(5, "0")}` });

  test(`${DRAGS} cards dragged to another team are there, and stay there`, async () => {
    await timeFirstRow(page, "Roster", PAGES.Roster);
    await page.getByText("Loading more…").waitFor({ state: "hidden" });
    for (let round = 0; round < DRAGS; round++) {
      const [from, to] = random.pick([
        [0, 1],
        [1, 0],
      ] as const);
      const handle = teamColumn(from)
        .getByRole("button", { name: /^Drag / })
        .nth(random.between(0, 7));
      const name = ((await handle.getAttribute("aria-label")) ?? "").slice("Drag ".length);
      await dragTo(page, handle, teamColumn(to).getByRole("heading", { name: /^Starters/ }));
      await teamColumn(to)
        .getByRole("button", { name: `Drag ${name}` })
        .waitFor();
      await page
        .getByRole("status")
        .filter({ hasText: `${name} is in Team` })
        .last()
        .waitFor();
      expect(
        await teamColumn(to)
          .getByRole("button", { name: `Drag ${name}` })
          .count(),
      ).toBe(1);
      expect(await findTeamOf(name)).toBe(`Team ${String(to).padStart(5, "0")}`);
    }
  });

  async function findTeamOf(ign: string): Promise<string | undefined> {
    const rows = staffed.server.store
      .org(staffed.orgId)
      .selectFrom("players")
      .innerJoin("teams", "teams.id", "players.team_id")
      .select("teams.name")
      .where("players.ign", "=", ign);
    return (await rows.executeTakeFirst())?.name;
  }

  test("a move that is refused puts the card back, and says why", async () => {
    const handle = teamColumn(0)
      .getByRole("button", { name: /^Drag / })
      .first();
    const label = (await handle.getAttribute("aria-label")) ?? "";
    await refuse(/\/players\/\w+\/move$/, "That team is full.");
    await dragTo(page, handle, teamColumn(1).getByRole("heading", { name: /^Starters/ }));
    await page.getByRole("alert").filter({ hasText: "That team is full." }).waitFor();
    await teamColumn(0).getByRole("button", { name: label }).waitFor();
    expect(await teamColumn(1).getByRole("button", { name: label }).count()).toBe(0);
  });

  /** The next such write is refused. */
  async function refuse(path: RegExp, message: string): Promise<void> {
    await page.route(
      path,
      async (route) => {
        browser.expectRefusal(400, new URL(route.request().url()).pathname);
        const error = { code: "VALIDATION_ERROR", message, details: [] };
        await route.fulfill({ status: 400, json: { error, requestId: "req_refused" } });
      },
      { times: 1 },
    );
  }

  const stageColumn = (name: string) => page.locator(`[data-stage="${name}"]`);

  test(`${DRAGS} prospects dragged to another stage are there, and stay there`, async () => {
    await timeFirstRow(page, "Prospects", PAGES.Prospects);
    for (let round = 0; round < DRAGS; round++) {
      const [from, to] = random.pick([
        ["identified", "contacted"],
        ["contacted", "trial"],
        ["trial", "identified"],
      ] as const);
      const card = stageColumn(from).locator("[data-card]").nth(random.between(0, 3));
      const [id, name] = [await card.getAttribute("data-card"), (await card.textContent()) ?? ""];
      await dragTo(page, card, stageColumn(to).getByRole("heading"));
      await stageColumn(to).locator(`[data-card="${id}"]`).waitFor();
      await page.getByRole("status").filter({ hasText: name }).last().waitFor();
      const rows = staffed.server.store.org(staffed.orgId).selectFrom("prospects").select("prospects.stage");
      expect(await rows.where("prospects.id", "=", id ?? "").executeTakeFirst()).toEqual({ stage: to });
    }
  });

  test("a stage that is refused puts the card back, and says why", async () => {
    const card = stageColumn("identified").locator("[data-card]").first();
    const id = await card.getAttribute("data-card");
    await refuse(/\/prospects\/\w+$/, "Nobody may be contacted today.");
    await dragTo(page, card, stageColumn("contacted").getByRole("heading"));
    await page.getByRole("alert").filter({ hasText: "Nobody may be contacted today." }).waitFor();
    await stageColumn("identified").locator(`[data-card="${id}"]`).waitFor();
    expect(await stageColumn("contacted").locator(`[data-card="${id}"]`).count()).toBe(0);
  });
});
