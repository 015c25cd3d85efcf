/** The three ways to the first owner, and the operator's page. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { canStart } from "../services/provided-services.ts";
import { WatchedBrowser } from "./browser.ts";
import { goTo, signInWithPassword } from "./page-steps.ts";
import { type ServedLineup, serveLineup } from "./served-lineup.ts";

const EMAIL = "kim@northwind.example";
const PASSWORD = "a row of plain words";

describe.skipIf(!canStart("chromium"))("the first owner", () => {
  let folder: string;
  let passwordFile: string;
  const opened: { lineup: ServedLineup; browser: WatchedBrowser }[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "lineup-getting-in-"));
    passwordFile = join(folder, "password");
    await writeFile(passwordFile, `${PASSWORD}\n`, { mode: 0o600 });
  });
  afterEach(async () => {
    for (const { browser, lineup } of opened.splice(0)) {
      const { complaints } = browser;
      await browser.close();
      await lineup.stop();
      expect(complaints).toEqual([]);
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function serveAndOpen(settings: Readonly<Record<string, string>> = {}) {
    const lineup = await serveLineup([], settings);
    const browser = await WatchedBrowser.open(lineup.origin);
    opened.push({ lineup, browser });
    return { lineup, browser, page: (await browser.newVisitor()).page };
  }

  test("is made on the set-up page, with the token that ends the log and lies in a file, once", async () => {
    const { lineup, browser, page } = await serveAndOpen();
    const token = (await readFile(join(lineup.dataDir, "setup-token"), "utf8")).trim();
    await expect.poll(() => JSON.parse(lineup.lastLogLine()).token).toBe(token);
    await page.goto("/");
    await page.getByRole("heading", { level: 1, name: "Set up Lineup" }).waitFor();
    await page.getByText("the last line that the server wrote to its log").waitFor();
    await page.getByText("setup-token").waitFor();
    await page.getByLabel("Organization’s name").fill("Northwind");
    await page.getByLabel("Your name").fill("Kim Larsen");
    await page.getByLabel("Email address").fill(EMAIL);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    const typed = page.getByRole("textbox", { name: "Set-up token" });
    const make = page.getByRole("button", { name: "Make the first owner" });
    browser.expectRefusal(401, "/internal/setup");
    await typed.fill("x".repeat(token.length));
    await make.click();
    await page
      .getByText(/This is not the token\. It is the last line/)
      .first()
      .waitFor();
    await typed.fill(token);
    await make.click();
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await page.getByRole("heading", { name: "Get started" }).waitFor();
    await expect(readFile(join(lineup.dataDir, "setup-token"))).rejects.toThrow("ENOENT");
    const { page: second } = await browser.newVisitor();
    await second.goto("/setup");
    await second.getByRole("heading", { level: 1, name: "Lineup is set up already" }).waitFor();
  });

  test("is made of the settings, and signs in with the password of the file", async () => {
    const settings = { LINEUP_ADMIN_EMAIL: EMAIL, LINEUP_ADMIN_PASSWORD_FILE: passwordFile };
    const { page, lineup } = await serveAndOpen(settings);
    expect(lineup.banner).not.toContain("token");
    await signInWithPassword(page, EMAIL, PASSWORD);
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await goTo(page, "Members");
    await page.getByRole("row").filter({ hasText: EMAIL }).getByText("Owner").waitFor();
  });

  test("is made by the command, as an operator who sees all organizations and sets tiers", async () => {
    const { page, lineup } = await serveAndOpen();
    await lineup.run("user", "create", "--email", EMAIL, "--operator", "--password-file", passwordFile);
    await lineup.run("org", "create", "--name", "Tidewater");
    await signInWithPassword(page, EMAIL, PASSWORD);
    await page.getByRole("link", { name: "All organizations" }).click();
    const row = page.getByRole("row").filter({ hasText: "Tidewater" });
    await row.getByText("Free").waitFor();
    await row.getByRole("button", { name: /^Set tier/ }).click();
    await page.getByRole("dialog").getByRole("radio", { name: "Pro" }).check();
    await page.getByRole("dialog").getByRole("button", { name: "Set tier" }).click();
    await row.getByText("Pro").waitFor();
    expect(JSON.parse(await lineup.run("org", "list", "--json"))).toContainEqual(
      expect.objectContaining({ name: "Tidewater", tier: "Pro" }),
    );
  });
});
