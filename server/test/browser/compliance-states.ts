/** Keys, requests and the audit log, as those see them who may. */
import type { Page } from "playwright-core";
import type { KeyName } from "./furnished-keys.ts";
import type { FurnishedServer } from "./furnished-server.ts";
import { type PageState, pressToOpen } from "./page-state.ts";

const ofKey =
  (name: KeyName) =>
  ({ keys }: FurnishedServer) => ({ keyId: keys[name].id });
const KEY_PAGE = "/orgs/$orgId/compliance/keys/$keyId";

/** With its top at that of the window: how far a click scrolls depends on how many requests are listed above. */
async function openUse(page: Page, name: string): Promise<void> {
  await page.getByRole("tab", { name }).click();
  await page.getByRole("region", { name: "Use it" }).evaluate((it) => it.scrollIntoView());
}

export const COMPLIANCE_STATES: readonly PageState[] = [
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
  {
    name: "key-use-code",
    page: KEY_PAGE,
    as: "owner",
    ids: ofKey("active"),
    open: (page) => openUse(page, "TypeScript"),
  },
  {
    name: "key-use-assistant",
    page: KEY_PAGE,
    as: "owner",
    ids: ofKey("active"),
    open: (page) => openUse(page, "Assistant"),
  },
  { name: "key-edit", page: KEY_PAGE, as: "owner", ids: ofKey("active"), open: pressToOpen("Edit") },
  { name: "key-rotate", page: KEY_PAGE, as: "owner", ids: ofKey("active"), open: pressToOpen("Rotate") },
  { name: "key-revoke", page: KEY_PAGE, as: "owner", ids: ofKey("active"), open: pressToOpen("Revoke") },
  { name: "requests", page: "/orgs/$orgId/compliance/requests", as: "owner" },
  { name: "requests-filtered", page: "/orgs/$orgId/compliance/requests", as: "owner", rest: "?status=5xx&method=GET" },
  { name: "requests-empty", page: "/orgs/$orgId/compliance/requests", as: "founder", isEmpty: true },
  {
    name: "requests-opened",
    page: "/orgs/$orgId/compliance/requests",
    as: "compliance",
    rest: "?status=5xx",
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
