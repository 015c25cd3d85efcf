/**
 * The day of a manager, step by step, whatever it is done with: a mouse, the keyboard, a thumb. Those differ in their Means alone;
 * what the pages say after each step, and what the API and the audit log say in the end, is the same.
 */
import { readFile } from "node:fs/promises";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { UserRow } from "../../src/identity/users.ts";
import { canStart } from "../services/provided-services.ts";
import { type LooseBody, makeOrg, startTestServer, type TestServer } from "../test-server.ts";
import { type VisitorOptions, WatchedBrowser } from "./browser.ts";
import { makePeople, makeToken, type People } from "./furnished-people.ts";
import {
  checkAudit,
  checkByApi,
  checkExport,
  FAULTS,
  LAST_DAY,
  MATCH,
  MENDED,
  ROWS,
  SCRIM,
  SEASON,
  type SeasonFile,
} from "./manager-season.ts";

/** What a person does with their hands. */
export interface Means {
  /** To a page, by its name in the navigation. */
  goTo(name: string): Promise<void>;
  press(control: Locator): Promise<void>;
  /** In a list of choices. */
  choose(field: Locator, choice: string): Promise<void>;
  /** One of several beside each other. */
  pick(group: Locator, choice: string): Promise<void>;
  write(field: Locator, text: string): Promise<void>;
  /** A day, 2026-11-18, or a day and a time, 2026-11-18T19:30. */
  writeTime(field: Locator, time: string): Promise<void>;
  pressInMenu(button: Locator, item: string): Promise<void>;
  chooseFiles(button: Locator, files: readonly SeasonFile[]): Promise<void>;
  /** Brings mended files to the ones that are there. */
  bringMended(button: Locator, files: readonly SeasonFile[]): Promise<void>;
  /** Brings a player to a team's starters; a dialog asks for the role. */
  carryPlayer(ign: string, team: string): Promise<void>;
  /** Opens the form of a new event, which begins then. */
  beginEvent(day: string, time: string): Promise<void>;
  carryEvent(title: string, from: string, to: string): Promise<void>;
  carryProspect(ign: string, stage: string): Promise<void>;
}

interface World {
  readonly server: TestServer;
  readonly browser: WatchedBrowser;
  readonly orgId: string;
  readonly people: People;
  readonly page: Page;
}

async function startDay(options: VisitorOptions): Promise<World> {
  const server = await startTestServer();
  const orgId = await makeOrg(server, "Pro", "Northwind Esports");
  const people = await makePeople(server.store, orgId, await makeOrg(server), Date.now());
  const browser = await WatchedBrowser.open(server.origin);
  const { page, context } = await browser.newVisitor(options);
  await signIn(context, server, people.manager);
  await page.goto(`/orgs/${orgId}`);
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  return { server, browser, orgId, people, page };
}

/** Tells the tests of a day that is done with these means. */
export function tellManagerDay(how: string, options: VisitorOptions, makeMeans: (page: Page) => Means): void {
  describe.skipIf(!canStart("chromium"))(how, () => {
    let world: World;
    let page: Page;
    let means: Means;

    beforeAll(async () => {
      world = await startDay(options);
      ({ page } = world);
      means = makeMeans(page);
    });
    afterAll(async () => {
      await world?.browser.close();
      await world?.server.stop();
    });
    afterEach(() => expect(world.browser.complaints).toEqual([]));

    const button = (name: string | RegExp, within: Page | Locator = page) =>
      within.getByRole("button", { name, exact: true });
    const dialog = (name: string | RegExp) => page.getByRole("dialog", { name, exact: true });
    const field = (label: string, within: Locator) => within.getByLabel(label);
    const says = async (text: string | RegExp) => {
      try {
        await page.getByText(text).first().waitFor();
      } catch (error) {
        const shown = await page.locator("dialog, [role=dialog], [role=alert], [role=status]").allInnerTexts();
        throw new Error(`"${text}" is not said, but:\n${shown.join("\n")}`, { cause: error });
      }
    };

    test("a season is imported from CSV, after two faults are mended", async () => {
      await means.goTo("Import & export");
      await means.chooseFiles(button("Choose files"), SEASON);
      await says("2 faults have to be mended");
      const faulty = page.getByRole("table", { name: "Rows of the files" }).locator("mark");
      expect((await faulty.allTextContents()).sort()).toEqual([...FAULTS].sort());
      await means.bringMended(button("Choose files"), MENDED);
      await means.press(button(`Create ${ROWS}`));
      await says("Imported");
    });

    test("a player moves to a team of another game, in a role of that game; another is benched", async () => {
      await means.goTo("Roster");
      await means.carryPlayer("Wisp", "Gale");
      const asks = dialog("Move Wisp");
      await means.choose(field("Role", asks), "AWPer");
      await means.press(button("Move", asks));
      await says("Wisp is in Gale as AWPer.");
      await means.pressInMenu(button("Actions for Quill"), "Bench");
      await says("Quill is benched.");
    });

    test("a scrim is booked, and moved; a match gets its result", async () => {
      await means.goTo("Schedule");
      await means.beginEvent(SCRIM.day, SCRIM.time);
      const form = dialog("New event");
      await means.pick(form.getByRole("radiogroup", { name: "Kind" }), "Scrim");
      await means.choose(field("Team", form), "Gale (CS2)");
      await means.write(field("Opponent", form), SCRIM.opponent);
      await means.press(button("Add event", form));
      await says(`${SCRIM.title} was added.`);
      await means.carryEvent(SCRIM.title, SCRIM.day, SCRIM.movedTo);
      await says(/^Moved to /);
      await means.press(button("Show"));
      await means.press(button(`Enter result of ${MATCH.title}`).first());
      await means.press(button(`Save the result ${MATCH.score}`));
      await says(`Completed with ${MATCH.score}.`);
    });

    test("a prospect goes through the stages, and is signed with a contract", async () => {
      await means.goTo("Prospects");
      for (const stage of ["Contacted", "Trial", "Offered"]) {
        await means.carryProspect("Tern", stage);
        await says(`Tern moved to ${stage}.`);
      }
      await means.carryProspect("Tern", "Signed");
      const form = dialog("Sign Tern");
      await means.writeTime(field("Ends", form), LAST_DAY);
      await means.press(button("Sign", form));
      await says("Tern is a player now.");
    });

    test("one contract is renewed, another terminated", async () => {
      await means.goTo("Contracts");
      await means.press(button(/Active player contract of Ember/));
      await means.press(button("Renew", dialog("Contract of Ember")));
      const renewal = dialog("Renew the contract of Ember");
      await means.writeTime(field("The new one ends", renewal), LAST_DAY);
      await means.choose(field("Status of the new one", renewal), "Pending");
      await means.press(button("Renew", renewal));
      await says("Contract renewed.");
      await means.press(button("Close", dialog("Contract of Ember")));
      await means.press(button(/Active player contract of Moss/));
      await means.press(button("Terminate", dialog("Contract of Moss")));
      await means.press(button("Terminate", dialog("Terminate the contract of Moss")));
      await says("Contract terminated.");
      await means.press(button("Close", dialog("Contract of Moss")));
    });

    test("everything is exported", async () => {
      await means.goTo("Import & export");
      const download = page.waitForEvent("download");
      await means.press(button("All as JSON"));
      const file = await download;
      expect(file.suggestedFilename()).toMatch(/^lineup-.*\.json$/);
      checkExport(await readFile(await file.path(), "utf8"));
    });

    test("the API shows all of it", () => checkByApi(world));

    test("the audit log says who did it", async () => {
      checkAudit(await listAudit(world), world.people.manager.id);
    });
  });
}

/** The audit log as an owner reads it. */
async function listAudit({ server, browser, orgId, people }: World): Promise<readonly LooseBody[]> {
  const { context } = await browser.newVisitor();
  await signIn(context, server, people.owner);
  const answer = await context.request.get(`/internal/orgs/${orgId}/audit?limit=100`);
  const { entries } = (await answer.json()) as LooseBody;
  await context.close();
  return entries;
}

async function signIn(context: BrowserContext, { store, origin }: TestServer, user: UserRow): Promise<void> {
  const token = await makeToken(store, { kind: "sign-in", user });
  const answer = await context.request.post("/internal/links/sign-in", { data: { token }, headers: { origin } });
  expect(answer.status()).toBe(200);
}
