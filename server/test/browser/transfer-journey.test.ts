/** A manager who brings a season in, in a real browser: by keyboard, with faults to mend, and takes it out again. */
import { readFile } from "node:fs/promises";
import type { Download, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { canStart } from "../services/provided-services.ts";
import { call, makeKey } from "../test-server.ts";
import { WatchedBrowser } from "./browser.ts";
import { type FurnishedServer, startFurnishedServer } from "./furnished-server.ts";
import { csv } from "./transfer-states.ts";

const TEAMS = csv("teams.csv", "externalId,name,game", "j-team,Journey,LoL");
const player = (role: string, nationality: string) =>
  csv(
    "players.csv",
    "externalId,ign,role,team,nationality",
    `j-1,Tide,${role},j-team,${nationality}`,
    "j-2,Ebb,Top,j-team,SE",
  );

describe.skipIf(!canStart("chromium"))("somebody who imports a season", () => {
  let furnished: FurnishedServer;
  let browser: WatchedBrowser;
  let page: Page;
  let path: string;

  beforeAll(async () => {
    furnished = await startFurnishedServer();
    browser = await WatchedBrowser.open(furnished.server.origin);
    const visitor = await browser.newVisitor();
    page = visitor.page;
    await furnished.signIn(visitor.context, "manager");
    path = `/orgs/${furnished.orgId}/data/import-export`;
    await page.goto(path);
  });
  afterAll(async () => {
    await browser?.close();
    await furnished?.stop();
  });
  afterEach(() => expect(browser.complaints).toEqual([]));

  /** As the keyboard does it: the button has the focus and is pressed, and the system's own dialog gives the files. */
  async function choose(...files: readonly ReturnType<typeof csv>[]): Promise<void> {
    const opened = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose files" }).focus();
    await page.keyboard.press("Enter");
    await (await opened).setFiles([...files]);
  }

  async function download(name: string): Promise<{ readonly file: Download; readonly text: string }> {
    const begun = page.waitForEvent("download");
    await page.getByRole("button", { name, exact: true }).focus();
    await page.keyboard.press("Enter");
    const file = await begun;
    return { file, text: await readFile(await file.path(), "utf8") };
  }

  test("sees each fault at its cell, and downloads the file with the faults marked", async () => {
    await choose(TEAMS, player("Mid", "Sweden"));
    await page.getByText("1 fault has to be mended").waitFor();
    const row = page.getByRole("row").filter({ hasText: "players.csv, line 2" });
    await row.getByText("Sweden").waitFor();
    expect(await page.getByRole("button", { name: /^Create/ }).count()).toBe(0);
    const { file, text } = await download("Download with faults marked");
    expect(file.suggestedFilename()).toBe("players.csv");
    expect(text).toMatch(/j-1,Tide,Mid,j-team,Sweden,"nationality: /);
  });

  test("replaces the file by a mended one, and then by one that is right", async () => {
    await choose(player("AWPer", "SE"));
    await page.getByRole("row").filter({ hasText: "AWPer" }).waitFor();
    await page.getByText("1 fault has to be mended").waitFor();
    await choose(player("Mid", "SE"));
    const apply = page.getByRole("button", { name: "Create 3" });
    await apply.waitFor();
    await apply.focus();
    await page.keyboard.press("Enter");
    await page.getByText("Imported", { exact: true }).waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toMatch(/^Imported/);
    const { key } = await makeKey(furnished.server, furnished.orgId);
    const { body } = await call(furnished.server, "GET", "/players?externalId=import:j-1", { key });
    expect(body.data).toMatchObject([{ ign: "Tide", role: "Mid", nationality: "SE" }]);
  });

  test("is told when the data has changed meanwhile, and sees the new preview", async () => {
    await page.getByRole("button", { name: "Import more" }).click();
    await choose(csv("players.csv", "externalId,ign", "j-1,Tidal"));
    await page.getByRole("button", { name: "Change 1" }).waitFor();
    const { key } = await makeKey(furnished.server, furnished.orgId);
    const { body } = await call(furnished.server, "GET", "/players?externalId=import:j-1", { key });
    const id: string = body.data[0].id;
    await call(furnished.server, "PATCH", `/players/${id}`, { key, body: { ign: "Undertow" } });
    await page.getByRole("button", { name: "Change 1" }).click();
    await page.getByText("the data has changed since the preview").waitFor();
    await page.getByRole("row").filter({ hasText: "Undertow" }).waitFor();
    await page.getByRole("button", { name: "Change 1" }).click();
    await page.getByText("Imported", { exact: true }).waitFor();
  });

  test("is asked before the files that are being sent are left", async () => {
    await page.getByRole("button", { name: "Import more" }).click();
    await choose(csv("players.csv", "externalId,ign,realName", "j-1,Tidal,Ada Tidal"));
    const apply = page.getByRole("button", { name: "Change 1" });
    await apply.waitFor();
    const isSent = Promise.withResolvers<void>();
    await page.route("**/import", async (route) => {
      await isSent.promise;
      await route.continue();
    });
    await apply.click();
    await page.getByText("Sending the files").first().waitFor();
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Teams" }).click();
    const question = page.getByRole("dialog", { name: "Leave while the files are on their way?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    isSent.resolve();
    await page.getByText("Imported", { exact: true }).waitFor();
    await page.unroute("**/import");
  });

  test("drops a file anywhere on the page, and says what is in one whose name does not", async () => {
    await page.getByRole("button", { name: "Import more" }).click();
    const data = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(["externalId,name,game\\nd-1,Dropped,CS2\\n"], "Sheet 1.csv", { type: "text/csv" }));
      return data;
    })()`);
    await page.dispatchEvent("h1", "drop", { dataTransfer: data });
    await page.getByLabel("What Sheet 1.csv holds").selectOption("Teams");
    await page.getByRole("button", { name: "Create 1" }).waitFor();
    await page.getByRole("button", { name: "Start over" }).click();
    expect(await page.getByRole("button", { name: "Create 1" }).count()).toBe(0);
  });

  test("takes everything out as one archive, as JSON and kind by kind", async () => {
    const archive = await download("All as CSV");
    expect(archive.file.suggestedFilename()).toMatch(/^lineup-.*\.zip$/);
    expect(archive.text.startsWith("PK")).toBe(true);
    const json = JSON.parse((await download("All as JSON")).text);
    expect(json.players.map(({ ign }: { ign: string }) => ign)).toContain("Tidal");
    const players = await download("Download players as CSV");
    expect([players.file.suggestedFilename(), players.text.includes("Tidal")]).toEqual(["players.csv", true]);
    const example = await download("Download an example of teams as CSV");
    expect(example.text).toContain("example-team,Northlight");
  });

  test("works by touch on a phone", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(path);
    await choose(csv("teams.csv", "externalId,name,game", "j-team,Journey Two,LoL"));
    await page.getByText("Journey Two").first().waitFor();
    await page.getByRole("button", { name: "Change 1" }).click();
    await page.getByText("Imported", { exact: true }).waitFor();
  });
});
