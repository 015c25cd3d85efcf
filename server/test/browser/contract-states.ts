/** Contracts as a time line and as a table, and what is done with one. */
import type { Page } from "playwright-core";
import { type PageState, pressToOpen } from "./page-state.ts";

const PAGE = "/orgs/$orgId/data/contracts";
const NOBODY = "contract_01jb8v6k3ze5xr9m4q7w2t5n8d";

const openFirst = async (page: Page) => {
  await page
    .getByRole("button", { name: /contract of/ })
    .first()
    .click();
  await page.getByRole("dialog").getByText("History").waitFor();
};

const openThen = (button: string) => async (page: Page) => {
  await openFirst(page);
  await page.getByRole("dialog").getByRole("button", { name: button, exact: true }).click();
  await page.getByRole("dialog").nth(1).waitFor();
};

export const CONTRACT_STATES: readonly PageState[] = [
  { name: "contracts", page: PAGE, as: "manager" },
  { name: "contracts-viewer", page: PAGE, as: "viewer" },
  { name: "contracts-empty", page: PAGE, as: "founder", isEmpty: true },
  { name: "contracts-decisions", page: PAGE, as: "manager", rest: "?alert=decision&span=5" },
  { name: "contracts-table", page: PAGE, as: "manager", rest: "?view=table&sort=endDate" },
  { name: "contracts-nothing-found", page: PAGE, as: "manager", rest: "?q=nobody-is-called-so" },
  { name: "contract", page: PAGE, as: "manager", rest: "?status=active", open: openFirst },
  { name: "contract-viewer", page: PAGE, as: "viewer", rest: "?status=active", open: openFirst },
  { name: "contract-missing", page: PAGE, as: "manager", rest: `?open=${NOBODY}` },
  { name: "contract-add", page: PAGE, as: "manager", open: pressToOpen("Add contract") },
  {
    name: "contract-add-faults",
    page: PAGE,
    as: "manager",
    async open(page) {
      await pressToOpen("Add contract")(page);
      await page.getByLabel("Notice, in days").fill("a month");
      await page.getByRole("dialog").getByRole("button", { name: "Add contract", exact: true }).click();
      await page.getByText("Choose the player.").waitFor();
    },
  },
  { name: "contract-edit", page: PAGE, as: "manager", rest: "?status=active", open: openThen("Edit") },
  { name: "contract-sign", page: PAGE, as: "manager", rest: "?status=pending", open: openThen("Sign") },
  { name: "contract-renew", page: PAGE, as: "manager", rest: "?alert=90", open: openThen("Renew") },
  { name: "contract-terminate", page: PAGE, as: "manager", rest: "?status=active", open: openThen("Terminate") },
  { name: "contract-delete", page: PAGE, as: "manager", rest: "?status=active", open: openThen("Delete") },
];
