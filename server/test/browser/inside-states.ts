/** The pages inside, as those see them who are signed in. */
import type { Page } from "playwright-core";
import type { KeyName } from "./furnished-keys.ts";
import { PASSWORD } from "./furnished-people.ts";
import type { FurnishedServer } from "./furnished-server.ts";
import type { PageState } from "./page-state.ts";

const ofKey =
  (name: KeyName) =>
  ({ keys }: FurnishedServer) => ({ keyId: keys[name].id });
const press = (name: string) => (page: Page) => page.getByRole("button", { name, exact: true }).click();

const KEY_PAGE = "/orgs/$orgId/compliance/keys/$keyId";

const COMPLIANCE_STATES: readonly PageState[] = [
  { name: "keys", page: "/orgs/$orgId/compliance/keys", as: "owner" },
  { name: "keys-empty", page: "/orgs/$orgId/compliance/keys", as: "founder", isEmpty: true },
  { name: "keys-nothing-found", page: "/orgs/$orgId/compliance/keys", as: "owner", rest: "?q=nobody" },
  { name: "key-new", page: "/orgs/$orgId/compliance/keys/new", as: "owner" },
  {
    name: "key-new-faults",
    page: "/orgs/$orgId/compliance/keys/new",
    as: "owner",
    async open(page) {
      await page.getByRole("radio", { name: "On a date" }).check();
      await page.getByRole("button", { name: "Create key" }).click();
      await page.getByText("Give the key a name.").waitFor();
    },
  },
  {
    name: "key-new-never",
    page: "/orgs/$orgId/compliance/keys/new",
    as: "owner",
    open: (page) => page.getByRole("radio", { name: "Never" }).check(),
  },
  {
    name: "key-made",
    page: "/orgs/$orgId/compliance/keys/new",
    as: "owner",
    async open(page) {
      await page.getByLabel("Name").fill("Press kit");
      await page.getByRole("radio", { name: /^Read-only analytics/ }).click();
      await page.getByRole("button", { name: "Create key" }).click();
      await page.getByText("Waiting for the first request…").waitFor();
    },
  },
  { name: "key", page: KEY_PAGE, as: "owner", ids: ofKey("active") },
  { name: "key-unused-permissions", page: KEY_PAGE, as: "compliance", ids: ofKey("unused") },
  { name: "key-expires-soon", page: KEY_PAGE, as: "owner", ids: ofKey("soon") },
  { name: "key-rotating", page: KEY_PAGE, as: "owner", ids: ofKey("rotating") },
  { name: "key-never-used", page: KEY_PAGE, as: "owner", ids: ofKey("fresh") },
  { name: "key-revoked", page: KEY_PAGE, as: "owner", ids: ofKey("revoked") },
  {
    name: "key-missing",
    page: KEY_PAGE,
    as: "owner",
    ids: () => ({ keyId: "key_00000000000000000000000000" }),
    refusal: [404, ({ orgId }) => `/internal/orgs/${orgId}/keys/key_00000000000000000000000000`],
  },
  {
    name: "key-table",
    page: KEY_PAGE,
    as: "owner",
    ids: ofKey("active"),
    rest: "?span=7d",
    open: (page) => page.getByRole("radiogroup", { name: "View" }).getByText("Table").click(),
  },
  { name: "key-edit", page: KEY_PAGE, as: "owner", ids: ofKey("active"), open: press("Edit") },
  { name: "key-rotate", page: KEY_PAGE, as: "owner", ids: ofKey("active"), open: press("Rotate") },
  { name: "key-revoke", page: KEY_PAGE, as: "owner", ids: ofKey("active"), open: press("Revoke") },
  { name: "requests", page: "/orgs/$orgId/compliance/requests", as: "owner" },
  { name: "requests-filtered", page: "/orgs/$orgId/compliance/requests", as: "owner", rest: "?status=4xx&method=GET" },
  { name: "requests-empty", page: "/orgs/$orgId/compliance/requests", as: "founder", isEmpty: true },
  {
    name: "requests-opened",
    page: "/orgs/$orgId/compliance/requests",
    as: "compliance",
    rest: "?status=4xx",
    async open(page) {
      await page.getByRole("rowheader").first().getByRole("link").click();
      await page.getByRole("dialog", { name: "Request" }).waitFor();
    },
  },
  { name: "audit", page: "/orgs/$orgId/compliance/audit", as: "owner" },
  {
    name: "audit-opened",
    page: "/orgs/$orgId/compliance/audit",
    as: "compliance",
    rest: "?action=key.updated",
    open: (page) =>
      page
        .getByRole("button", { name: /^Details:/ })
        .first()
        .click(),
  },
  { name: "audit-nothing-found", page: "/orgs/$orgId/compliance/audit", as: "owner", rest: "?target=nothing" },
];

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
      await page.getByRole("combobox", { name: "Find a page, a key, an action" }).fill("s");
    },
  },
  { name: "shortcuts", page: "/orgs/$orgId", as: "owner", open: (page) => page.keyboard.press("Shift+?") },
  { name: "user-menu", page: "/orgs/$orgId", as: "owner", open: press("Account of Kim Larsen") },
  {
    name: "switcher",
    page: "/orgs/$orgId",
    as: "owner",
    open: press("Switch organization: Northwind Esports"),
  },
  { name: "navigation", page: "/orgs/$orgId", as: "owner", isOfPhone: true, open: press("Open navigation") },
];

const SETTINGS_STATES: readonly PageState[] = [
  { name: "organization", page: "/orgs/$orgId/settings/organization", as: "owner" },
  { name: "organization-viewer", page: "/orgs/$orgId/settings/organization", as: "viewer" },
  { name: "members", page: "/orgs/$orgId/settings/members", as: "owner" },
  { name: "members-compliance", page: "/orgs/$orgId/settings/members", as: "compliance" },
  { name: "members-invite", page: "/orgs/$orgId/settings/members", as: "owner", open: press("Invite") },
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
  { name: "operator-create", page: "/operator/organizations", as: "operator", open: press("Create organization") },
  {
    name: "operator-tier",
    page: "/operator/organizations",
    as: "operator",
    open: (page) =>
      page
        .getByRole("row", { name: /^Northwind/ })
        .getByRole("button", { name: /^Set tier/ })
        .click(),
  },
];

export const INSIDE_STATES: readonly PageState[] = [...FRAME_STATES, ...COMPLIANCE_STATES, ...SETTINGS_STATES];
