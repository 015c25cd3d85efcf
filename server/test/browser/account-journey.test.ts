/** The second factor, from its set-up to the recovery code that lets one in without the phone. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { canStart } from "../services/provided-services.ts";
import { WatchedBrowser } from "./browser.ts";
import { enterByPrintedLink, readBox, signInWithPassword } from "./page-steps.ts";
import { type ServedLineup, serveLineup } from "./served-lineup.ts";
import { makeTotp, TOTP_STEP_MS } from "./totp.ts";

const PASSWORD = "a row of plain words";

describe.skipIf(!canStart("chromium"))("somebody careful with their account", () => {
  let lineup: ServedLineup;
  let browser: WatchedBrowser;
  let page: Page;
  let email = "";
  let secret = "";
  let recoveryCodes: string[] = [];

  beforeAll(async () => {
    lineup = await serveLineup(["--demo"]);
    browser = await WatchedBrowser.open(lineup.origin);
    ({ page } = await browser.newVisitor());
    await enterByPrintedLink(page, lineup);
  });
  afterAll(async () => {
    await browser?.close();
    await lineup?.stop();
  });
  afterEach(() => expect(browser.complaints).toEqual([]));

  test("came by a link and sets a password", async () => {
    await page.goto("/account/profile");
    email = await page.getByRole("textbox", { name: "Email address" }).inputValue();
    await page.goto("/account/security");
    await page.getByText("You came in by a link and have no password yet.").waitFor();
    await page.getByLabel("New password").fill(PASSWORD);
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByText("Password set.").waitFor();
  });

  test("turns on the second factor with the app's code, and is given recovery codes", async () => {
    await page.getByRole("button", { name: "Turn on" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Current password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Continue" }).click();
    secret = await readBox(page, "Or type this secret into the app");
    recoveryCodes = await dialog.getByRole("list", { name: "Recovery codes" }).getByRole("listitem").allTextContents();
    expect(recoveryCodes).toHaveLength(10);
    await dialog.getByLabel("I have kept the recovery codes").check();
    await dialog.getByLabel("Six digits from the app").fill(makeTotp(secret));
    await dialog.getByRole("button", { name: "Turn on" }).click();
    await page.getByText("The second factor is on.").waitFor();
  });

  test("is asked for a code on a new device, where the password alone opens nothing", async () => {
    const { page: elsewhere, context } = await browser.newVisitor();
    await signInWithPassword(elsewhere, email, PASSWORD);
    const field = elsewhere.getByLabel("Code from the app");
    await field.waitFor();
    const beside = await context.newPage();
    await beside.goto("/account/security");
    await beside.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await beside.close();

    browser.expectRefusal(401, "/internal/session/second-factor");
    await field.fill("000000" === makeTotp(secret) ? "000001" : "000000");
    await elsewhere.getByRole("button", { name: "Continue" }).click();
    await elsewhere.getByText(/That code is not right/).waitFor();
    // The code that turned it on works no second time; a phone whose clock is a little ahead shows the next one already.
    await field.fill(makeTotp(secret, Date.now() + TOTP_STEP_MS));
    await elsewhere.getByRole("button", { name: "Continue" }).click();
    await elsewhere.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await context.close();
  });

  test("is let in by a recovery code, each once", async () => {
    const [code = ""] = recoveryCodes;
    const { page: first } = await browser.newVisitor();
    await enterRecoveryCode(first, code);
    await first.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    const { page: second } = await browser.newVisitor();
    browser.expectRefusal(401, "/internal/session/second-factor");
    await enterRecoveryCode(second, code);
    await second.getByText(/That code is not right, or was used already/).waitFor();
  });

  async function enterRecoveryCode(at: Page, code: string): Promise<void> {
    await signInWithPassword(at, email, PASSWORD);
    await at.getByRole("button", { name: "Use a recovery code instead" }).click();
    await at.getByLabel("Recovery code").fill(code);
    await at.getByRole("button", { name: "Continue" }).click();
  }
});
