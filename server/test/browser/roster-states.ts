/** The roster board and the teams, as those see them who may change them and those who may not. */
import type { Page } from "playwright-core";
import { type PageState, pressToOpen } from "./page-state.ts";

const ROSTER = "/orgs/$orgId/data/roster";
const TEAMS = "/orgs/$orgId/data/teams";
const DAY_MS = 86_400_000;

function dayBefore(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

async function pressInMenu(page: Page, menu: string, item: string): Promise<void> {
  await page.getByRole("button", { name: menu, exact: true }).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
  await page.getByRole("dialog").first().waitFor();
}

const ROSTER_PAGE_STATES: readonly PageState[] = [
  { name: "roster", page: ROSTER, as: "manager" },
  { name: "roster-viewer", page: ROSTER, as: "viewer" },
  { name: "roster-empty", page: ROSTER, as: "founder", isEmpty: true },
  { name: "roster-game", page: ROSTER, as: "manager", rest: "?game=LoL" },
  { name: "roster-nothing-shown", page: ROSTER, as: "manager", rest: "?team=team_nobody" },
  { name: "roster-past", page: ROSTER, as: "owner", rest: () => `?day=${dayBefore(60)}` },
  { name: "roster-before-all", page: ROSTER, as: "compliance", rest: "?day=2010-01-01" },
  { name: "roster-menu", page: ROSTER, as: "manager", open: pressToOpen("Actions for Halcyon", "menu") },
  {
    name: "roster-move",
    page: ROSTER,
    as: "manager",
    async open(page) {
      await pressInMenu(page, "Actions for Halcyon", "Move to…");
      await page
        .getByRole("dialog")
        .getByRole("combobox", { name: "Team" })
        .selectOption({ label: "Northwind Defuse (CS2)" });
      await page.getByRole("radio", { name: "Earlier" }).check();
      await page.getByRole("button", { name: "Move", exact: true }).click();
      await page.getByText("Choose a moment.").waitFor();
    },
  },
  {
    name: "roster-dropped",
    page: ROSTER,
    as: "manager",
    async open(page) {
      await page.getByRole("button", { name: "Drag Farrow" }).focus();
      for (const key of ["Space", "ArrowLeft", "Space"]) await page.keyboard.press(key);
      await page.getByRole("dialog", { name: "Move Farrow" }).waitFor();
    },
  },
];

const TEAM_PAGE_STATES: readonly PageState[] = [
  { name: "teams", page: TEAMS, as: "manager" },
  { name: "teams-viewer", page: TEAMS, as: "viewer" },
  { name: "teams-empty", page: TEAMS, as: "founder", isEmpty: true },
  { name: "teams-nothing-found", page: TEAMS, as: "compliance", rest: "?q=nobody&status=all" },
  { name: "teams-menu", page: TEAMS, as: "owner", open: pressToOpen("Actions for Northwind Rift", "menu") },
  {
    name: "teams-new",
    page: TEAMS,
    as: "manager",
    async open(page) {
      await pressToOpen("New team")(page);
      await page.getByRole("button", { name: "Create team" }).click();
      await page.getByText("A team needs a name.").waitFor();
    },
  },
  {
    name: "teams-edit",
    page: TEAMS,
    as: "manager",
    open: (page) => pressInMenu(page, "Actions for Northwind Spike", "Edit"),
  },
  {
    name: "teams-delete-refused",
    page: TEAMS,
    as: "owner",
    open: (page) => pressInMenu(page, "Actions for Northwind Rift", "Delete"),
  },
];

export const ROSTER_STATES: readonly PageState[] = [...ROSTER_PAGE_STATES, ...TEAM_PAGE_STATES];
