/** From an invitation to the door: what an invited member may and may not do, in the pages and past them. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { canStart } from "../services/provided-services.ts";
import { WatchedBrowser } from "./browser.ts";
import { askInside, enterByPrintedLink, goTo, inviteMember, readBox, signInWithPassword } from "./page-steps.ts";
import { type ServedLineup, serveLineup } from "./served-lineup.ts";

const EMAIL = "rui@northwind.example";
const FIRST_PASSWORD = "a row of plain words";
const SECOND_PASSWORD = "another row of words";
const KEY_BODY = { name: "Mine", permissions: ["players:read"], expiresAt: null };

describe.skipIf(!canStart("chromium"))("an invited member", () => {
  let lineup: ServedLineup;
  let browser: WatchedBrowser;
  let orgId: string;
  let owner: Page;
  let member: Page;

  beforeAll(async () => {
    lineup = await serveLineup(["--demo"]);
    browser = await WatchedBrowser.open(lineup.origin);
    ({ page: owner } = await browser.newVisitor());
    ({ page: member } = await browser.newVisitor());
    orgId = await enterByPrintedLink(owner, lineup);
  });
  afterAll(async () => {
    await browser?.close();
    await lineup?.stop();
  });
  afterEach(() => expect(browser.complaints).toEqual([]));

  /** With the member's own cookies, from a page of the dashboard. */
  async function expectRefused(method: string, path: string, body?: unknown): Promise<void> {
    browser.expectRefusal(403, `/internal${path}`);
    expect([method, path, await askInside(member, method, path, body)]).toEqual([
      method,
      path,
      { status: 403, code: "FORBIDDEN" },
    ]);
  }

  test("makes an account with the link that the owner was given, which works once", async () => {
    const link = await inviteMember(owner, EMAIL, "Viewer");
    await owner.getByRole("table", { name: "Open invitations" }).getByText(EMAIL).waitFor();
    await member.goto(link);
    await member.getByRole("heading", { name: "Join Northwind Esports" }).waitFor();
    await member.getByLabel("Your name").fill("Rui Costa");
    await member.getByLabel("Password", { exact: true }).fill(FIRST_PASSWORD);
    await member.getByRole("button", { name: "Make my account and join" }).click();
    await member.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    const { page: second, context } = await browser.newVisitor();
    browser.expectRefusals(404, "/internal/links/describe");
    await second.goto(link);
    await second.getByRole("heading", { name: "This link does not work" }).waitFor();
    await context.close();
  });

  test("is shown no page that the role does not open, and refused what it does not allow", async () => {
    const navigation = member.getByRole("navigation", { name: "Main" });
    expect(await navigation.getByRole("link").allTextContents()).toEqual([
      "Home",
      "Roster",
      "Players",
      "Teams",
      "Schedule",
      "Prospects",
      "Contracts",
      "Import & export",
      "Organization",
    ]);
    for (const page of [
      "compliance/keys",
      "compliance/keys/new",
      "compliance/webhooks",
      "compliance/webhooks/new",
      "compliance/requests",
      "compliance/audit",
    ]) {
      await member.goto(`/orgs/${orgId}/${page}`);
      await member.getByRole("heading", { name: "Your role does not open this page" }).waitFor();
    }
    const org = `/orgs/${orgId}`;
    await expectRefused("GET", `${org}/keys`);
    await expectRefused("POST", `${org}/keys`, KEY_BODY);
    await expectRefused("GET", `${org}/webhooks`);
    await expectRefused("POST", `${org}/webhooks`, { url: "https://hooks.example.com" });
    await expectRefused("GET", `${org}/requests`);
    await expectRefused("GET", `${org}/audit`);
    await expectRefused("POST", `${org}/audit/export`, {});
    await expectRefused("GET", `${org}/members`);
    await expectRefused("POST", `${org}/invitations`, { email: "friend@example.org", role: "owner" });
    await expectRefused("PATCH", org, { name: "Mine" });
    await expectRefused("GET", "/operator/organizations");
  });

  test("may do what a new role allows from the next step on, and no more than it", async () => {
    await owner.reload();
    await owner.getByRole("button", { name: "Actions for Rui Costa" }).click();
    await owner.getByRole("menuitem", { name: "Change role" }).click();
    const dialog = owner.getByRole("dialog", { name: "Change the role of Rui Costa" });
    await dialog.getByRole("radio", { name: "Compliance" }).check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await owner.getByText("Role changed.").waitFor();

    await member.goto(`/orgs/${orgId}/compliance/keys`);
    await member.getByRole("heading", { level: 1, name: "API Keys" }).waitFor();
    expect(await askInside(member, "POST", `/orgs/${orgId}/keys`, KEY_BODY)).toMatchObject({ status: 200 });
    await expectRefused("POST", `/orgs/${orgId}/invitations`, { email: "friend@example.org", role: "owner" });
    await expectRefused("PATCH", `/orgs/${orgId}`, { name: "Mine" });
  });

  test("chooses a new password with a link from the owner, which ends all their sessions", async () => {
    await owner.getByRole("button", { name: "Actions for Rui Costa" }).click();
    await owner.getByRole("menuitem", { name: "Make a reset link" }).click();
    await owner.getByRole("button", { name: "Make the link" }).click();
    const link = await readBox(owner, "Link");
    await owner.getByRole("dialog").getByRole("button", { name: "Done" }).click();

    // The page of keys looks for news now and then, and would be refused once the session has ended.
    await member.goto("about:blank");
    const { page: elsewhere, context } = await browser.newVisitor();
    await elsewhere.goto(link);
    await elsewhere.getByLabel("New password").fill(SECOND_PASSWORD);
    await elsewhere.getByRole("button", { name: "Set the password" }).click();
    await elsewhere.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await member.goto(`/orgs/${orgId}`);
    await member.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();

    browser.expectRefusal(401, "/internal/session");
    await signInWithPassword(elsewhere, EMAIL, FIRST_PASSWORD);
    await elsewhere.getByText(/The email address or the password is not right/).waitFor();
    await signInWithPassword(elsewhere, EMAIL, SECOND_PASSWORD);
    await elsewhere.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await signInWithPassword(member, EMAIL, SECOND_PASSWORD);
    await member.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await context.close();
  });

  test("signs out everywhere from one device", async () => {
    const { page: elsewhere } = await browser.newVisitor();
    await signInWithPassword(elsewhere, EMAIL, SECOND_PASSWORD);
    await elsewhere.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await member.goto("about:blank");
    await elsewhere.goto("/account/sessions");
    await elsewhere.getByRole("button", { name: "Sign out everywhere" }).click();
    await elsewhere.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
    await elsewhere.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await member.goto(`/orgs/${orgId}`);
    await member.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  });

  test("whose session ends elsewhere is told so, and comes back to the page", async () => {
    const { page: left, context } = await browser.newVisitor();
    await signInWithPassword(left, EMAIL, SECOND_PASSWORD);
    await left.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await goTo(left, "Players");
    await context.clearCookies();
    await left.getByText("Your session has ended.").waitFor();
    await left.getByLabel("Email address").fill(EMAIL);
    await left.getByLabel("Password", { exact: true }).fill(SECOND_PASSWORD);
    await left.getByRole("button", { name: "Sign in" }).click();
    await left.getByRole("heading", { level: 1, name: "Players" }).waitFor();
    await context.close();
    // All that the page asked for before it knew was refused: how many that are, and when the browser says so, is not certain.
    expect(browser.takeComplaints().filter((complaint) => !complaint.includes("401"))).toEqual([]);
  });

  test("has left a trace of every step in the audit log", async () => {
    await goTo(owner, "Audit");
    for (const sentence of [
      `invited ${EMAIL}`,
      "joined the organization",
      "changed the role of Rui Costa",
      "created the key Mine",
      "made a link to reset the password of Rui Costa",
      "chose a new password with a link",
      "signed out everywhere",
    ]) {
      await owner.getByRole("row").filter({ hasText: sentence }).first().waitFor();
    }
  });
});
