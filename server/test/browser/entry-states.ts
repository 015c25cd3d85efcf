/** The pages for those who are not in yet, and what can go wrong on them. */
import type { Page } from "playwright-core";
import { makeToken, PASSWORD, PEOPLE } from "./furnished-people.ts";
import type { FurnishedServer } from "./furnished-server.ts";
import type { PageState } from "./page-state.ts";

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

const inviteTo =
  (email: string) =>
  async ({ server, orgId, people }: FurnishedServer) =>
    `#${await makeToken(server.store, { kind: "invitation", orgId, email, role: "compliance", by: people.owner })}`;

export const ENTRY_STATES: readonly PageState[] = [
  { name: "sign-in", page: "/sign-in" },
  {
    name: "sign-in-fields-missing",
    page: "/sign-in",
    open: (page) => page.getByRole("button", { name: "Sign in" }).click(),
  },
  {
    name: "sign-in-refused",
    page: "/sign-in",
    refusal: [401, "/internal/session"],
    async open(page) {
      await signIn(page, PEOPLE.owner.email, "not the password");
      await page.getByRole("alert").waitFor();
    },
  },
  {
    name: "sign-in-second-factor",
    page: "/sign-in",
    async open(page) {
      await signIn(page, PEOPLE.careful.email, PASSWORD);
      await page.getByLabel("Code from the app").waitFor();
    },
  },
  { name: "forgot", page: "/forgot" },
  { name: "setup-done", page: "/setup" },
  { name: "link-empty", page: "/link" },
  {
    name: "link-bad",
    page: "/link",
    rest: `#${"x".repeat(43)}`,
    refusal: [404, "/internal/links/describe"],
  },
  {
    name: "link-sign-in",
    page: "/link",
    rest: async ({ server, people }) => `#${await makeToken(server.store, { kind: "sign-in", user: people.viewer })}`,
  },
  { name: "link-invitation-new", page: "/link", rest: inviteTo("new@northwind.example") },
  { name: "link-invitation-known", page: "/link", rest: inviteTo(PEOPLE.newcomer.email) },
  { name: "link-invitation-accept", page: "/link", as: "newcomer", rest: inviteTo(PEOPLE.newcomer.email) },
  { name: "link-invitation-other", page: "/link", as: "viewer", rest: inviteTo("new@northwind.example") },
  {
    name: "link-reset",
    page: "/link",
    rest: async ({ server, people }) =>
      `#${await makeToken(server.store, { kind: "password-reset", user: people.viewer })}`,
  },
];
