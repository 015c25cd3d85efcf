/** Prospects as a board and as a table, and what is done with one. */
import type { Page } from "playwright-core";
import { type PageState, pressToOpen } from "./page-state.ts";

const PAGE = "/orgs/$orgId/data/prospects";
const NOBODY = "prospect_01jb8v6k3ze5xr9m4q7w2t5n8d";

export const openCard = (ign: string) => async (page: Page) => {
  await page.getByRole("button", { name: ign, exact: true }).click();
  await page.getByRole("dialog").getByText("History").waitFor();
};

const openThen = (ign: string, button: string) => async (page: Page) => {
  await openCard(ign)(page);
  await page.getByRole("dialog").getByRole("button", { name: button, exact: true }).click();
  await page.getByRole("dialog").nth(1).waitFor();
};

export const PROSPECT_STATES: readonly PageState[] = [
  { name: "prospects", page: PAGE, as: "manager" },
  { name: "prospects-viewer", page: PAGE, as: "viewer" },
  { name: "prospects-empty", page: PAGE, as: "founder", isEmpty: true },
  { name: "prospects-table", page: PAGE, as: "manager", rest: "?view=table&sort=-rating" },
  { name: "prospects-filtered", page: PAGE, as: "manager", rest: "?game=LoL&priority=high" },
  { name: "prospects-nothing-found", page: PAGE, as: "manager", rest: "?q=nobody-is-called-so" },
  { name: "prospect-menu", page: PAGE, as: "manager", open: pressToOpen("Actions for Halfmoon", "menu") },
  { name: "prospect", page: PAGE, as: "manager", open: openCard("Halfmoon") },
  { name: "prospect-viewer", page: PAGE, as: "viewer", open: openCard("Halfmoon") },
  { name: "prospect-missing", page: PAGE, as: "manager", rest: `?open=${NOBODY}` },
  { name: "prospect-add", page: PAGE, as: "manager", open: pressToOpen("Add prospect") },
  {
    name: "prospect-add-faults",
    page: PAGE,
    as: "manager",
    async open(page) {
      await pressToOpen("Add prospect")(page);
      await page.getByLabel("Rating").fill("eleven");
      await page.getByRole("dialog").getByRole("button", { name: "Add prospect", exact: true }).click();
      await page.getByText("Write a number from 0 to 10, or nothing.").waitFor();
    },
  },
  { name: "prospect-edit", page: PAGE, as: "manager", open: openThen("Halfmoon", "Edit") },
  { name: "prospect-delete", page: PAGE, as: "manager", open: openThen("Halfmoon", "Delete") },
  { name: "prospect-sign", page: PAGE, as: "manager", open: openThen("Halfmoon", "Sign") },
];
