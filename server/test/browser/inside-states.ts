/** The frame, Home, settings and the account, as those see them who are signed in. */
import { PASSWORD } from "./furnished-people.ts";
import { type PageState, pressToOpen } from "./page-state.ts";

const FRAME_STATES: readonly PageState[] = [
  { name: "home", page: "/orgs/$orgId", as: "owner" },
  { name: "home-viewer", page: "/orgs/$orgId", as: "viewer" },
  { name: "home-empty", page: "/orgs/$orgId", as: "founder", isEmpty: true },
  { name: "no-organization", page: "/", as: "newcomer" },
  { name: "not-found", page: "not found", as: "owner" },
  { name: "not-found-outside", page: "not found" },
  { name: "forbidden", page: "/orgs/$orgId/compliance/keys", as: "viewer" },
  { name: "foreign", page: "/orgs/$orgId", as: "founder" },
  {
    name: "palette",
    page: "/orgs/$orgId",
    as: "owner",
    async open(page) {
      await page.keyboard.press("Control+K");
      await page.getByRole("combobox", { name: "Find a person, a team, an event, a page" }).fill("s");
    },
  },
  {
    name: "shortcuts",
    page: "/orgs/$orgId",
    as: "owner",
    async open(page) {
      await page.keyboard.press("Shift+?");
      await page.getByRole("dialog").waitFor();
    },
  },
  { name: "user-menu", page: "/orgs/$orgId", as: "owner", open: pressToOpen("Account of Kim Larsen", "menu") },
  {
    name: "switcher",
    page: "/orgs/$orgId",
    as: "owner",
    open: pressToOpen("Switch organization: Northwind Esports", "menu"),
  },
  { name: "navigation", page: "/orgs/$orgId", as: "owner", isOfPhone: true, open: pressToOpen("Open navigation") },
];

const SETTINGS_STATES: readonly PageState[] = [
  { name: "organization", page: "/orgs/$orgId/settings/organization", as: "owner" },
  { name: "organization-viewer", page: "/orgs/$orgId/settings/organization", as: "viewer" },
  { name: "members", page: "/orgs/$orgId/settings/members", as: "owner" },
  { name: "members-compliance", page: "/orgs/$orgId/settings/members", as: "compliance" },
  { name: "members-invite", page: "/orgs/$orgId/settings/members", as: "owner", open: pressToOpen("Invite") },
  {
    name: "members-invited",
    page: "/orgs/$orgId/settings/members",
    as: "owner",
    async open(page) {
      await page.getByRole("button", { name: "Invite", exact: true }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Email address").fill("rui@northwind.example");
      await dialog.getByRole("button", { name: "Make the invitation" }).click();
      await dialog.getByRole("button", { name: "Done" }).waitFor();
    },
  },
  {
    name: "members-role",
    page: "/orgs/$orgId/settings/members",
    as: "owner",
    async open(page) {
      await page.getByRole("button", { name: "Actions for Mei Tanaka" }).click();
      await page.getByRole("menuitem", { name: "Change role" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  { name: "profile", page: "/account/profile", as: "owner" },
  { name: "security", page: "/account/security", as: "owner" },
  { name: "security-on", page: "/account/security", as: "careful" },
  {
    name: "security-setup",
    page: "/account/security",
    as: "viewer",
    async open(page) {
      await page.getByRole("button", { name: "Turn on" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Current password").fill(PASSWORD);
      await dialog.getByRole("button", { name: "Continue" }).click();
      await dialog.getByText("3. Enter the app’s code").waitFor();
    },
  },
  { name: "sessions", page: "/account/sessions", as: "owner" },
  { name: "appearance", page: "/account/appearance", as: "owner" },
  { name: "operator", page: "/operator/organizations", as: "operator" },
  { name: "operator-forbidden", page: "/operator/organizations", as: "owner" },
  {
    name: "operator-create",
    page: "/operator/organizations",
    as: "operator",
    open: pressToOpen("Create organization"),
  },
  {
    name: "operator-tier",
    page: "/operator/organizations",
    as: "operator",
    async open(page) {
      await page
        .getByRole("row", { name: /^Northwind/ })
        .getByRole("button", { name: /^Set tier/ })
        .click();
      await page.getByRole("dialog").waitFor();
    },
  },
];

export const INSIDE_STATES: readonly PageState[] = [...FRAME_STATES, ...SETTINGS_STATES];
