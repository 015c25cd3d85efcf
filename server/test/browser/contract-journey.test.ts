/** What a manager does with contracts, in a browser; and what the API shows of it. */
import type { Contract } from "@lineup/api/contracts";
import type { Player } from "@lineup/api/players";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { canStart } from "../services/provided-services.ts";
import { WatchedBrowser } from "./browser.ts";
import { type FurnishedServer, startFurnishedServer } from "./furnished-server.ts";
import { settle } from "./page-state.ts";
import { undoLast } from "./page-steps.ts";

describe.skipIf(!canStart("chromium"))("contracts, as a manager keeps them", () => {
  let furnished: FurnishedServer;
  let browser: WatchedBrowser;
  let page: Page;

  beforeAll(async () => {
    furnished = await startFurnishedServer();
    browser = await WatchedBrowser.open(furnished.server.origin);
  });
  afterAll(async () => {
    await browser?.close();
    await furnished?.stop();
  });
  afterEach(async () => {
    await page.context().close();
    expect(browser.takeComplaints()).toEqual([]);
  });

  async function enter(zone: string): Promise<void> {
    const visitor = await browser.newVisitor({ zone });
    page = visitor.page;
    await furnished.signIn(visitor.context, "manager");
    await open("contracts");
  }

  async function open(rest: string): Promise<void> {
    await page.goto(`/orgs/${furnished.orgId}/data/${rest}`);
    await settle(page);
  }

  async function ask<T>(path: string, data?: object): Promise<T> {
    const method = data === undefined ? "GET" : "POST";
    const headers = { origin: furnished.server.origin };
    const url = `/internal/orgs/${furnished.orgId}${path}`;
    const answer = await page.request.fetch(url, { method, headers, ...(data !== undefined && { data }) });
    expect(answer.ok(), await answer.text()).toBe(true);
    return (await answer.json()) as T;
  }

  const addPlayer = (ign: string, more: object = {}) => ask<Player>("/players", { ign, role: "Coach", ...more });
  const addContract = ({ id: playerId }: Player, startDate: number, endDate: number) =>
    ask<Contract>("/contracts", { playerId, status: "active", startDate, endDate });
  const factOf = (name: string): Locator =>
    page.locator("dt", { hasText: new RegExp(`^${name}$`) }).locator("xpath=following-sibling::dd");

  test.each(["America/Los_Angeles", "Pacific/Auckland"])(
    "days are those that a file or the API has, also in %s",
    async (zone) => {
      await enter(zone);
      const player = await addPlayer(`In ${zone}`, { joinDate: Date.UTC(2026, 6, 31) });
      const { id } = await addContract(player, Date.UTC(2026, 6, 31), Date.UTC(2027, 6, 31));
      await open(`players/${player.id}`);
      await page.getByText("31 Jul 2026 – 31 Jul 2027").waitFor();
      expect(await factOf("Joined").textContent()).toContain("31 Jul 2026");
      await open(`contracts?open=${id}`);
      expect(await factOf("Starts").textContent()).toBe("31 Jul 2026");
      expect(await factOf("Ends").textContent()).toBe("31 Jul 2027");
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      const [starts, ends] = [page.getByLabel("Starts"), page.getByLabel(/^Ends/)];
      expect([await starts.inputValue(), await ends.inputValue()]).toEqual(["2026-07-31", "2027-07-31"]);
      await starts.fill("2026-08-01");
      await page.getByLabel("Signed").fill("2026-07-30");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Contract changed.").waitFor();
      expect(await ask<Contract>(`/contracts/${id}`)).toMatchObject({
        startDate: Date.UTC(2026, 7, 1),
        endDate: Date.UTC(2027, 6, 31),
        signedAt: Date.UTC(2026, 6, 30),
      });
    },
  );

  test("what has not begun cannot be terminated, nor anything before it began", async () => {
    await enter("Europe/Berlin");
    const player = await addPlayer("Begun");
    const year = new Date().getUTCFullYear();
    const later = await addContract(player, Date.UTC(year + 2, 0, 1), Date.UTC(year + 3, 0, 1));
    const begun = await addContract(player, Date.UTC(2026, 2, 1), Date.UTC(year + 2, 0, 1));
    await open(`contracts?open=${later.id}`);
    await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Terminate" }).count()).toBe(0);
    await open(`contracts?open=${begun.id}`);
    await page.getByRole("button", { name: "Terminate" }).click();
    const dialog = page.getByRole("dialog", { name: "Terminate the contract of Begun" });
    await dialog.getByLabel("Terminated on").fill("2026-02-28");
    await dialog.getByRole("button", { name: "Terminate", exact: true }).click();
    await dialog.getByText("The contract begins on 1 Mar 2026. Choose that day or a later one.").waitFor();
    await dialog.getByLabel("Terminated on").fill("2026-03-01");
    await dialog.getByRole("button", { name: "Terminate", exact: true }).click();
    await page.getByText("Contract terminated.").waitFor();
    await page.getByRole("dialog", { name: "Contract of Begun" }).locator(":focus").waitFor();
  });

  test("what somebody else changed since is not taken back, and why is said", async () => {
    await enter("Europe/Berlin");
    const player = await addPlayer("Changed");
    const { id } = await addContract(player, Date.UTC(2026, 0, 1), Date.UTC(2027, 6, 31));
    await open(`contracts?open=${id}`);
    await page.getByRole("button", { name: "Terminate" }).click();
    await page.getByRole("dialog").last().getByRole("button", { name: "Terminate", exact: true }).click();
    await page.getByText("Contract terminated.").waitFor();
    const { updatedAt } = await ask<Contract>(`/contracts/${id}`);
    const path = `/internal/orgs/${furnished.orgId}/contracts/${id}`;
    const headers = { origin: furnished.server.origin };
    const changed = await page.request.patch(path, { headers, data: { noticePeriodDays: 14, updatedAt } });
    expect(changed.ok(), await changed.text()).toBe(true);
    browser.expectRefusal(409, path);
    await undoLast(page);
    await page.getByRole("alert").getByText("Somebody has changed this since; it stays as they left it.").waitFor();
    expect(await ask<Contract>(`/contracts/${id}`)).toMatchObject({ status: "terminated", noticePeriodDays: 14 });
  });

  test("a renewal that is a draft is told on the contract that it renews, and before another is made", async () => {
    await enter("Europe/Berlin");
    const player = await addPlayer("Renewed");
    const { id } = await addContract(player, Date.UTC(2026, 0, 1), Date.UTC(2027, 6, 31));
    await open(`contracts?open=${id}`);
    const dialog = page.getByRole("dialog", { name: "Renew the contract of Renewed" });
    await page.getByRole("button", { name: "Renew", exact: true }).click();
    await dialog.getByText("The new one starts on 31 Jul 2027.").waitFor();
    expect(await dialog.getByRole("alert").count()).toBe(0);
    await dialog.getByRole("button", { name: "Renew", exact: true }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Draft from 31 Jul 2027" }).waitFor();
    await page.getByRole("button", { name: "Renew", exact: true }).click();
    await dialog.getByText("There is a next contract already: Draft from 31 Jul 2027.").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Draft from 31 Jul 2027" }).click();
    await expect.poll(() => factOf("Status").textContent()).toBe("Draft");
  });

  test("what was typed is not lost by the browser's way back without a question, and not asked about once saved", async () => {
    await enter("Europe/Berlin");
    const player = await addPlayer("Typed");
    const { id } = await addContract(player, Date.UTC(2026, 0, 1), Date.UTC(2027, 6, 31));
    await open("contracts?q=Typed&view=table");
    await page.getByRole("button", { name: "Typed" }).click();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Edit the contract of Typed" });
    await dialog.getByLabel(/^Ends/).fill("2027-08-31");
    await page.evaluate("history.back()");
    const asks = page.getByRole("dialog", { name: "Leave without saving?" });
    await asks.getByRole("button", { name: "Cancel" }).click();
    await asks.waitFor({ state: "hidden" });
    expect(await dialog.getByLabel(/^Ends/).inputValue()).toBe("2027-08-31");
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await dialog.waitFor({ state: "hidden" });
    expect((await ask<Contract>(`/contracts/${id}`)).endDate).toBe(Date.UTC(2027, 8, 1) - 1);
    await page.evaluate("history.back()");
    await page.getByRole("dialog", { name: "Contract of Typed" }).waitFor({ state: "hidden" });
    expect(await asks.count()).toBe(0);
  });
});
