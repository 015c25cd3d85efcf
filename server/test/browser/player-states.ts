/** Players, as those see them who may. */
import type { Page } from "playwright-core";
import { type PageState, pressToOpen } from "./page-state.ts";

const LIST = "/orgs/$orgId/data/players";
const ONE = "/orgs/$orgId/data/players/$playerId";
const NOBODY = "player_00000000000000000000000000";

async function openPlayer(page: Page, ign: string): Promise<void> {
  await page.getByRole("link", { name: ign, exact: true }).click();
  await page.getByRole("heading", { level: 1, name: ign }).waitFor();
}

async function select(page: Page, count: number): Promise<void> {
  const boxes = page.getByRole("checkbox", { name: /^Select (?!all)/ });
  await boxes.first().click();
  await boxes.nth(count - 1).click({ modifiers: ["Shift"] });
  await page.getByText(`${count} selected`).waitFor();
}

const one = (name: string, as: PageState["as"] & string, then?: (page: Page) => Promise<void>): PageState => ({
  name,
  page: LIST,
  as,
  rest: "?q=brineleaf",
  async open(page) {
    await openPlayer(page, "Brineleaf");
    await then?.(page);
  },
});

async function change(page: Page, name: string): Promise<void> {
  await page.getByTitle(`Edit: ${name}`).click();
}

export const PLAYER_STATES: readonly PageState[] = [
  { name: "players", page: LIST, as: "manager" },
  { name: "players-viewer", page: LIST, as: "viewer", rest: "?sort=-joinDate&game=LoL" },
  { name: "players-empty", page: LIST, as: "founder", isEmpty: true },
  { name: "players-nothing-found", page: LIST, as: "manager", rest: "?q=nobody" },
  { name: "players-columns", page: LIST, as: "manager", open: pressToOpen("Columns", "menu") },
  { name: "players-selected", page: LIST, as: "manager", open: (page) => select(page, 5) },
  {
    name: "players-bulk-team",
    page: LIST,
    as: "manager",
    async open(page) {
      await select(page, 4);
      await pressToOpen("Team…")(page);
      await page.getByLabel("To team").selectOption({ index: 3 });
    },
  },
  {
    name: "players-bulk-status",
    page: LIST,
    as: "manager",
    async open(page) {
      await select(page, 3);
      await pressToOpen("Status…")(page);
      await page.getByLabel("Status", { exact: true }).last().selectOption("benched");
    },
  },
  {
    name: "players-bulk-done",
    page: LIST,
    as: "manager",
    async open(page) {
      await select(page, 2);
      await pressToOpen("Contract status…")(page);
      await page.getByLabel("Contract status", { exact: true }).selectOption("terminated");
      await page.getByRole("button", { name: /^Change \d/ }).click();
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByText(/changed back/).waitFor();
    },
  },
  { name: "player-add", page: LIST, as: "manager", open: pressToOpen("Add player") },
  {
    name: "player-add-faults",
    page: LIST,
    as: "manager",
    async open(page) {
      await pressToOpen("Add player")(page);
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText("Choose a role.").waitFor();
    },
  },
  one("player", "owner"),
  one("player-viewer", "viewer"),
  one("player-edit", "manager", async (page) => {
    await change(page, "Real name");
    await page.getByRole("button", { name: "Change statistics" }).click();
    // From below, the page's header would cover half a button.
    await page.evaluate("window.scrollTo(0, 0)");
  }),
  one("player-edit-team", "manager", async (page) => {
    await change(page, "Team and role");
    await page.getByLabel("Team", { exact: true }).selectOption({ index: 0 });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Choose a role of the team’s game.").waitFor();
  }),
  one("player-edit-country", "manager", async (page) => {
    await change(page, "Country");
    await page.keyboard.type("ger");
    await page.getByRole("option", { name: "Germany" }).waitFor();
    await page.evaluate("window.scrollTo(0, 0)");
  }),
  one("player-delete", "manager", async (page) => {
    await pressToOpen("Delete")(page);
    await page
      .getByText(/will be deleted with it/)
      .first()
      .waitFor();
  }),
  one("player-erase", "owner", async (page) => {
    await pressToOpen("Erase person")(page);
    await page.getByLabel("Type Brineleaf to confirm").waitFor();
  }),
  {
    name: "player-missing",
    page: ONE,
    as: "viewer",
    ids: () => ({ playerId: NOBODY }),
    refusal: [404, ({ orgId }) => `/internal/orgs/${orgId}/players/${NOBODY}`],
  },
];
