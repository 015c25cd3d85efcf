/** Import & export, as those see it who may bring data in, and those who may only take it out. */
import type { Page } from "playwright-core";
import type { PageState } from "./page-state.ts";

const PAGE = "/orgs/$orgId/data/import-export";

export function csv(name: string, ...lines: readonly string[]) {
  return { name, mimeType: "text/csv", buffer: Buffer.from(`${lines.join("\n")}\n`) };
}

const TEAMS = csv("teams.csv", "externalId,name,game,region", "new-team,Harbor Nine,LoL,EMEA", "other,Gale,CS2,");
const PLAYERS = csv(
  "Spring players (2).csv",
  "externalId,ign,realName,role,team,nationality,joinDate",
  "s-1,Wisp,Ada Lund,Mid,new-team,SE,2026-01-12",
  "s-2,Quill,Mai Tran,Support,new-team,VN,2026-01-12",
  "s-3,Ember,Jo Vance,AWPer,other,US,2026-02-01",
);
const FAULTY = csv(
  "players.csv",
  "externalId,ign,realName,role,team,nationality,joinDate",
  "s-1,Wisp,Ada Lund,Duelist,new-team,Sweden,2026-01-12",
  "s-2,,Mai Tran,Support,nowhere,VN,12.01.2026",
  "s-1,Ember,Jo Vance,AWPer,other,US,2026-02-01",
);

export type ChosenFile = ReturnType<typeof csv>;

export async function chooseFiles(page: Page, ...files: readonly ChosenFile[]): Promise<void> {
  await page.locator('input[type="file"]').setInputFiles([...files]);
}

const rows = (page: Page) => page.getByRole("table", { name: "Rows of the files" });

export const TRANSFER_STATES: readonly PageState[] = [
  { name: "transfer", page: PAGE, as: "manager" },
  { name: "transfer-viewer", page: PAGE, as: "viewer" },
  {
    name: "transfer-preview",
    page: PAGE,
    as: "manager",
    async open(page) {
      await chooseFiles(page, TEAMS, PLAYERS);
      await rows(page).waitFor();
    },
  },
  {
    name: "transfer-faults",
    page: PAGE,
    as: "owner",
    async open(page) {
      await chooseFiles(page, TEAMS, FAULTY);
      await page.getByText(/faults have to be mended/).waitFor();
    },
  },
  {
    name: "transfer-unnamed",
    page: PAGE,
    as: "owner",
    async open(page) {
      await chooseFiles(page, { ...TEAMS, name: "Sheet1.csv" });
      await page.getByText("Say what Sheet1.csv holds").waitFor();
    },
  },
  {
    name: "transfer-unfit",
    page: PAGE,
    as: "owner",
    async open(page) {
      await chooseFiles(page, { ...TEAMS, name: "season.xlsx" });
      await page.getByText("is neither CSV nor JSON").waitFor();
    },
  },
  {
    name: "transfer-changes",
    page: PAGE,
    as: "founder",
    isEmpty: true,
    async open(page) {
      await chooseFiles(page, TEAMS);
      await page.getByRole("button", { name: "Create 2" }).click();
      await page.getByRole("button", { name: "Import more" }).click();
      const changed = csv("teams.csv", "externalId,name,game,region", "new-team,Harbor Ten,LoL,", "other,Gale,CS2,");
      await chooseFiles(page, changed);
      await page.getByRole("button", { name: "Change 1" }).waitFor();
    },
  },
  {
    name: "transfer-done",
    page: PAGE,
    as: "founder",
    isEmpty: true,
    async open(page) {
      await chooseFiles(
        page,
        PLAYERS,
        csv("teams.csv", "externalId,name,game", "new-team,Harbor,LoL", "other,Gale,CS2"),
      );
      await page.getByRole("button", { name: /^(Create|Change) / }).click();
      await page.getByText("Imported", { exact: true }).waitFor();
    },
  },
];
