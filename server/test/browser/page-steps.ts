/** What people do on the pages, step by step, as several journeys need it. */
import type { Page } from "playwright-core";
import { readPrintedLink, type ServedLineup } from "./served-lineup.ts";

export const KEY_SHAPE = /^lineup_live_\w{38}$/;

/** Follows the printed link and confirms it. Returns the organization's id, from the address. */
export async function enterByPrintedLink(page: Page, lineup: ServedLineup): Promise<string> {
  await page.goto(readPrintedLink(lineup));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  return /\/orgs\/(org_\w+)/.exec(page.url())?.[1] ?? "";
}

export async function signInWithPassword(page: Page, email: string, password: string): Promise<void> {
  await page.goto("/sign-in");
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

export async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true }).click();
  await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
}

/** Takes back what was done last, by the button that is offered for it. */
export async function undoLast(page: Page): Promise<void> {
  await page
    .getByRole("button", { name: /^Undo: / })
    .last()
    .click();
}

/** What a box of the page shows to copy. */
export async function readBox(page: Page, label: string): Promise<string> {
  const text = await page.getByLabel(label, { exact: true }).locator("code").textContent();
  return (text ?? "").trim();
}

export async function createKey(page: Page, name: string, preset: string): Promise<string> {
  await goTo(page, "API Keys");
  await page.getByRole("link", { name: "Create key" }).click();
  await page.getByLabel("Name").fill(name);
  await page.getByRole("radio", { name: new RegExp(`^${preset}`) }).click();
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("heading", { level: 1, name: "Your new key" }).waitFor();
  return readBox(page, "Key");
}

/** From the page that shows a new key to the key's own. */
export async function storeKey(page: Page): Promise<void> {
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("link", { name: "Go to the key" }).click();
}

/** On a key's page. Returns the successor. */
export async function rotateKey(page: Page, overlap: string): Promise<string> {
  await page.getByRole("button", { name: "Rotate", exact: true }).click();
  await page.getByRole("radio", { name: overlap }).check();
  await page.getByRole("button", { name: "Make the new key" }).click();
  await page.getByRole("heading", { level: 1, name: "The new key" }).waitFor();
  return readBox(page, "Key");
}

/** Invites somebody as the page's owner. Returns the link. */
export async function inviteMember(page: Page, email: string, role: string): Promise<string> {
  await goTo(page, "Members");
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Email address").fill(email);
  await dialog.getByRole("radio", { name: role }).check();
  await dialog.getByRole("button", { name: "Make the invitation" }).click();
  const link = await readBox(page, "Link");
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "hidden" });
  return link;
}

/** The dashboard's own API, asked from the page with the page's cookies. */
export async function askInside(
  page: Page,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly code: string | undefined }> {
  const init = JSON.stringify({
    method,
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  const url = JSON.stringify(`/internal${path}`);
  const script = `fetch(${url}, ${init}).then(async (answer) => ({ status: answer.status, body: await answer.json() }))`;
  const answer = (await page.evaluate(script)) as { status: number; body: { error?: { code: string } } };
  return { status: answer.status, code: answer.body.error?.code };
}
