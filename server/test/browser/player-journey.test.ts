/** What a manager does to players, in a browser; and what the API shows of it. */
import type { Player } from "@lineup/api/players";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { canStart } from "../services/provided-services.ts";
import { WatchedBrowser } from "./browser.ts";
import { type FurnishedServer, startFurnishedServer } from "./furnished-server.ts";
import { settle } from "./page-state.ts";
import { goTo } from "./page-steps.ts";

describe.skipIf(!canStart("chromium"))("players, as a manager changes them", () => {
  let furnished: FurnishedServer;
  let browser: WatchedBrowser;
  let page: Page;

  beforeAll(async () => {
    furnished = await startFurnishedServer();
    browser = await WatchedBrowser.open(furnished.server.origin);
  });
  afterAll(async () => {
    await browser?.close();
    await furnished?.stop();
  });
  beforeEach(async () => {
    const visitor = await browser.newVisitor();
    page = visitor.page;
    await furnished.signIn(visitor.context, "manager");
  });
  afterEach(async () => {
    await page.context().close();
    expect(browser.takeComplaints()).toEqual([]);
  });

  async function open(rest: string): Promise<void> {
    await page.goto(`/orgs/${furnished.orgId}/data/players${rest}`);
    await settle(page);
  }

  async function ask<T>(path: string, init: object = {}): Promise<T> {
    const url = JSON.stringify(`/internal/orgs/${furnished.orgId}${path}`);
    return (await page.evaluate(`fetch(${url}, ${JSON.stringify(init)}).then((answer) => answer.json())`)) as T;
  }

  async function find(ign: string): Promise<Player> {
    const { items } = await ask<{ items: Player[] }>(`/players?search=${ign}`);
    const [player] = items;
    if (player === undefined) throw new Error(`There is no ${ign}.`);
    return player;
  }

  const change = (player: Player, fields: object) =>
    ask<Player>(`/players/${player.id}`, {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...fields, updatedAt: player.updatedAt }),
    });

  test("nobody is said to have no team while the teams are on their way", async () => {
    await open("");
    const { items } = await ask<{ items: Player[] }>("/players?limit=500");
    const [teamed] = items.filter(({ teamId }) => teamId !== null);
    const { promise: asked, resolve: goOn } = Promise.withResolvers<void>();
    await page.route(/\/internal\/.*\/teams/, async (route) => {
      await asked;
      await route.continue();
    });
    await page.goto(`/orgs/${furnished.orgId}/data/players/${teamed?.id}`);
    await page.getByText(`…, ${teamed?.role}`, { exact: true }).waitFor();
    goOn();
    await page.getByText(new RegExp(`^\\w.*, ${teamed?.role}$`)).waitFor();
  });

  test("many are moved to a team of another game, each in a role of it, and back again", async () => {
    await open("?team=none");
    await page.getByRole("checkbox", { name: "Select all shown" }).click();
    const before = await ask<{ items: Player[] }>("/players?teamId=none");
    await page.getByRole("button", { name: "Team…" }).click();
    await page.getByLabel("To team").selectOption({ label: "Northwind Rift (LoL)" });
    const submit = page.getByRole("button", { name: /^Change/ });
    expect(await submit.isDisabled()).toBe(true);
    await page.getByLabel("The same for all").selectOption("Jungle");
    await page.getByLabel(`Role of ${before.items[0]?.ign}`).selectOption("Top");
    await submit.click();
    await page.getByText(`${before.items.length} players changed.`).waitFor();
    const moved = await find(before.items[0]?.ign ?? "");
    expect(moved).toMatchObject({ role: "Top" });
    expect(moved.teamId).not.toBeNull();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText(`${before.items.length} players changed back.`).waitFor();
    const after = await ask<{ items: Player[] }>("/players?teamId=none");
    const facts = ({ items }: { items: Player[] }) => items.map(({ id, role, teamId }) => [id, role, teamId]);
    expect(facts(after)).toEqual(facts(before));
  });

  test("what somebody else changed meanwhile is refused and told, and stays", async () => {
    await open("?q=tessera");
    await page.getByRole("checkbox", { name: /^Select Tessera/ }).click();
    await page.getByRole("button", { name: "Status…", exact: true }).click();
    await page.getByLabel("Status", { exact: true }).last().selectOption("benched");
    const seen = await find("Tessera");
    const path = `/internal/orgs/${furnished.orgId}/players/${seen.id}`;
    // Between the page's asking and the server's hearing it, so that the page cannot know.
    await page.route(`**${path}`, async (route) => {
      const data = { nationality: "PT", updatedAt: seen.updatedAt };
      await page.context().request.patch(path, { data, headers: { origin: furnished.server.origin } });
      await route.continue();
    });
    browser.expectRefusal(409, path);
    await page.getByRole("button", { name: /^Change 1/ }).click();
    await page.getByText("Somebody else changed this player meanwhile.").waitFor();
    expect(await find("Tessera")).toMatchObject({ nationality: "PT", status: "active" });
  });

  test("by keyboard alone: down the rows, into a player, a value changed, and taken back", async () => {
    await open("?sort=ign");
    const links = page.getByRole("table").getByRole("link");
    await links.first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const ign = (await links.nth(2).textContent()) ?? "";
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: ign }).waitFor();
    await settle(page);
    await page.getByTitle("Edit: Real name").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("Robin Example");
    await page.keyboard.press("Enter");
    await page.getByText("Real name saved.").waitFor();
    expect((await find(ign)).realName).toBe("Robin Example");
    const focused = await page.evaluate("document.activeElement.title");
    expect(focused).toBe("Edit: Real name");
    await page
      .getByRole("button", { name: /^Undo: / })
      .last()
      .press("Enter");
    await page.getByText("Taken back.").waitFor();
    expect((await find(ign)).realName).not.toBe("Robin Example");
  });

  test("a country is typed by its name, and taken out again", async () => {
    await open("?q=tessera");
    await page.getByRole("link", { name: "Tessera" }).click();
    const write = async (type: () => Promise<void>, leave: string) => {
      await page.getByTitle("Edit: Country").click();
      await type();
      await page.keyboard.press(leave);
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByTitle("Edit: Country").waitFor();
      return (await find("Tessera")).nationality;
    };
    expect(await write(() => page.keyboard.type("germany"), "Tab")).toBe("DE");
    expect(await write(() => page.keyboard.type("swe"), "Enter")).toBe("SE");
    expect(await write(() => page.keyboard.press("Backspace"), "Tab")).toBeNull();
  });

  test("a value that somebody changed while one typed is shown beside one's own, and neither is lost", async () => {
    await open("?q=sleet");
    await page.getByRole("link", { name: "Sleet" }).click();
    await page.getByTitle("Edit: Real name").click();
    await page.getByRole("textbox", { name: "Real name" }).fill("Mine");
    const seen = await find("Sleet");
    await change(seen, { nationality: "IS" });
    browser.expectRefusal(409, `/internal/orgs/${furnished.orgId}/players/${seen.id}`);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("button", { name: "Save mine" }).click();
    await page.getByText("Real name saved.").waitFor();
    expect(await find("Sleet")).toMatchObject({ realName: "Mine", nationality: "IS" });
  });

  test("who was typed in is not lost by the browser's way back, and is shown once added", async () => {
    await page.goto(`/orgs/${furnished.orgId}`);
    await goTo(page, "Players");
    await page.getByRole("button", { name: "Add player" }).click();
    await page.getByLabel("In-game name").fill("Newcomer");
    await page.evaluate("history.back()");
    const asks = page.getByRole("dialog", { name: "Leave without saving?" });
    await asks.getByRole("button", { name: "Cancel" }).click();
    await page.getByLabel("Role *").selectOption("Player");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Newcomer" }).waitFor();
    expect(await asks.count()).toBe(0);
  });
});
