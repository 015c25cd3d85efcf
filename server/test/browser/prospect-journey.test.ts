/** A prospect's way to a contract in a real browser: by mouse, by keys, by menu; undone, refused, signed; then the contract's own. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { canStart } from "../services/provided-services.ts";
import { call, makeKey } from "../test-server.ts";
import { WatchedBrowser } from "./browser.ts";
import { type FurnishedServer, startFurnishedServer } from "./furnished-server.ts";
import { goTo, undoLast } from "./page-steps.ts";
import { below, dragTo } from "./pointer.ts";

type Row = Readonly<Record<string, unknown>>;

describe.skipIf(!canStart("chromium"))("somebody who signs prospects", () => {
  let furnished: FurnishedServer;
  let browser: WatchedBrowser;
  let page: Page;
  let key: string;

  beforeAll(async () => {
    furnished = await startFurnishedServer();
    browser = await WatchedBrowser.open(furnished.server.origin);
    const visitor = await browser.newVisitor();
    page = visitor.page;
    await furnished.signIn(visitor.context, "manager");
    ({ key } = await makeKey(furnished.server, furnished.orgId));
    await page.goto(`/orgs/${furnished.orgId}`);
    await goTo(page, "Prospects");
  });
  afterAll(async () => {
    await browser?.close();
    await furnished?.stop();
  });
  afterEach(() => expect(browser.complaints).toEqual([]));

  async function list(path: string): Promise<readonly Row[]> {
    const { status, body } = await call(furnished.server, "GET", path, { key });
    expect(status).toBe(200);
    return (body as { readonly data: readonly Row[] }).data;
  }
  const find = async (ign: string) => (await list("/prospects")).find((prospect) => prospect.ign === ign);
  const column = (stage: string) => page.locator(`[data-stage="${stage}"]`);
  const cardIn = (stage: string, ign: string) => column(stage).getByRole("button", { name: ign, exact: true });
  const dialog = () => page.getByRole("dialog").last();
  const say = (text: string) => page.getByRole("status").filter({ hasText: text }).first().waitFor();

  const dragCard = (ign: string, stage: string) =>
    dragTo(page, page.getByRole("button", { name: ign, exact: true }), column(stage), below(120));

  test("drags a card to another stage, and takes it back", async () => {
    await dragCard("Halfmoon", "offered");
    await cardIn("offered", "Halfmoon").waitFor();
    await say("Halfmoon moved to Offered.");
    await expect.poll(async () => (await find("Halfmoon"))?.stage).toBe("offered");
    await undoLast(page);
    await cardIn("trial", "Halfmoon").waitFor();
    await expect.poll(async () => (await find("Halfmoon"))?.stage).toBe("trial");
  });

  test("moves a card by keys alone, twice in a row, and it still has the focus", async () => {
    await page.getByRole("button", { name: "Nyxhollow", exact: true }).focus();
    await page.keyboard.press("Shift+ArrowRight");
    await cardIn("contacted", "Nyxhollow").waitFor();
    await page.keyboard.press("Shift+ArrowRight");
    await cardIn("trial", "Nyxhollow").waitFor();
    await expect.poll(async () => (await find("Nyxhollow"))?.stage).toBe("trial");
    await expect.poll(() => page.evaluate("document.activeElement?.textContent")).toBe("Nyxhollow");
    await page.keyboard.press("ArrowDown");
    expect(await page.evaluate("document.activeElement?.textContent")).not.toBe("Nyxhollow");
  });

  test("moves a card by its menu", async () => {
    await page.getByRole("button", { name: "Actions for Quarrel" }).click();
    await page.getByRole("menuitem", { name: "Move to Identified" }).click();
    await cardIn("identified", "Quarrel").waitFor();
    await expect.poll(async () => (await find("Quarrel"))?.stage).toBe("identified");
  });

  test("sees a refused move go back, and why", async () => {
    const id = String((await find("Graylag"))?.id);
    const path = `/internal/orgs/${furnished.orgId}/prospects/${id}`;
    const error = { code: "VALIDATION_ERROR", message: "Not today.", details: [] };
    browser.expectRefusal(400, path);
    await page.route(`**${path}`, (route) =>
      route.fulfill({ status: 400, json: { error, requestId: "req_01jb8v6k3ze5xr9m4q7w2t5n8d" } }),
    );
    await dragCard("Graylag", "trial");
    const alert = page.getByRole("alert").filter({ hasText: "Not today." });
    await alert.waitFor();
    await cardIn("identified", "Graylag").waitFor();
    await page.unroute(`**${path}`);
    await alert.getByRole("button", { name: "Close" }).click();
    expect((await find("Graylag"))?.stage).toBe("identified");
  });

  test("sees two quick moves that are both refused go back to where the card was", async () => {
    const path = `/internal/orgs/${furnished.orgId}/prospects/${(await find("Graylag"))?.id}`;
    const error = { code: "VALIDATION_ERROR", message: "Not today either.", details: [] };
    browser.expectRefusals(400, path);
    const told = Promise.withResolvers<void>();
    await page.route(`**${path}`, async (route) => {
      await told.promise;
      await route.fulfill({ status: 400, json: { error, requestId: "req_01jb8v6k3ze5xr9m4q7w2t5n8d" } });
    });
    await page.getByRole("button", { name: "Graylag", exact: true }).focus();
    for (const stage of ["contacted", "trial"]) {
      await page.keyboard.press("Shift+ArrowRight");
      await cardIn(stage, "Graylag").waitFor();
    }
    told.resolve();
    await cardIn("identified", "Graylag").waitFor();
    const alert = page.getByRole("alert").filter({ hasText: error.message });
    await alert.getByRole("button", { name: "Close" }).click();
    await page.unroute(`**${path}`);
  });

  test("meets what somebody else wrote, and chooses", async () => {
    const { id } = (await find("Oriel")) ?? {};
    await page.getByRole("button", { name: "Oriel", exact: true }).click();
    await dialog().getByRole("button", { name: "Edit" }).click();
    await dialog().getByLabel("Region").fill("Alps");
    await call(furnished.server, "PATCH", `/prospects/${id}`, { key, body: { source: "A friend" } });
    browser.expectRefusal(409, `/internal/orgs/${furnished.orgId}/prospects/${id}`);
    await dialog().getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog", { name: "Somebody else changed this meanwhile" }).waitFor();
    await dialog().getByRole("button", { name: "Save mine" }).click();
    await say("Prospect changed.");
    expect(await find("Oriel")).toMatchObject({ region: "Alps", source: "A friend" });
    await page.keyboard.press("Escape");
  });

  test("signs whom they drop on the last stage, with team, role and contract", async () => {
    await dragCard("Thornfield", "signed");
    await page.getByRole("dialog", { name: "Sign Thornfield" }).waitFor();
    await dialog().getByLabel("Role").selectOption("IGL");
    const [joins, starts, ends] = [/^Joins on/, /^Starts/, /^Ends/].map((label) => dialog().getByLabel(label));
    await joins?.fill("2028-07-02");
    expect(await starts?.inputValue()).toBe("2028-07-02");
    await starts?.fill("2028-06-01");
    await joins?.fill("2028-07-01");
    expect(await starts?.inputValue()).toBe("2028-06-01");
    await ends?.fill("2028-06-30");
    await dialog().getByRole("button", { name: "Sign", exact: true }).click();
    await dialog().getByText("The end lies before the day of joining.").waitFor();
    const today = new Date().toISOString().slice(0, 10);
    for (const field of [joins, starts]) await field?.fill(today);
    await dialog().getByLabel("Notice, in days").fill("30");
    await dialog().getByRole("button", { name: "Sign", exact: true }).click();
    await say("Thornfield is a player now.");
    await cardIn("signed", "Thornfield").waitFor();
    const { playerId } = (await find("Thornfield")) ?? {};
    const contracts = (await list("/contracts")).filter((contract) => contract.playerId === playerId);
    expect(contracts).toMatchObject([{ status: "active", noticePeriodDays: 30, playerIgn: "Thornfield" }]);
    const players = await list("/players");
    expect(players.find(({ id }) => id === playerId)).toMatchObject({ role: "IGL", contractStatus: "active" });
  });

  test("only sets the stage of another", async () => {
    await dragCard("Palisade", "signed");
    await dialog().getByRole("button", { name: "Only set the stage" }).click();
    await cardIn("signed", "Palisade").waitFor();
    await expect.poll(async () => await find("Palisade")).toMatchObject({ stage: "signed", playerId: null });
  });

  async function openContract(ign: string): Promise<void> {
    await page.getByLabel("Search contracts").fill(ign);
    await page
      .getByRole("button", { name: new RegExp(`contract of ${ign}`) })
      .first()
      .click();
    await page.getByRole("dialog", { name: `Contract of ${ign}` }).waitFor();
  }

  test("renews a contract that ends soon, after which nothing is to be decided", async () => {
    await goTo(page, "Contracts");
    const toDecide = page.getByRole("button", { name: /^Need a decision: / });
    const before = Number((await toDecide.textContent())?.split(": ")[1]);
    await openContract("Farrow");
    await dialog().getByRole("button", { name: "Renew" }).click();
    await dialog().getByLabel("Status of the new one").selectOption("active");
    await dialog().getByRole("button", { name: "Renew", exact: true }).click();
    await say("Contract renewed.");
    await expect.poll(() => toDecide.textContent()).toBe(`Need a decision: ${before - 1}`);
    const ofFarrow = (await list("/contracts")).filter((contract) => contract.playerIgn === "Farrow");
    expect(ofFarrow).toHaveLength(2);
    expect(ofFarrow[1]).toMatchObject({ status: "active", startDate: ofFarrow[0]?.endDate });
    await page.keyboard.press("Escape");
  });

  test("terminates one, takes it back, and signs another", async () => {
    await openContract("Slipstream");
    await dialog().getByRole("button", { name: "Terminate" }).click();
    await dialog().getByRole("button", { name: "Terminate", exact: true }).click();
    await say("Contract terminated.");
    // What was pressed is gone; what opened it is not, and keeps the focus.
    await page.getByRole("dialog", { name: "Contract of Slipstream" }).locator(":focus").waitFor();
    const statusOf = async (ign: string) => (await list("/contracts")).findLast((one) => one.playerIgn === ign)?.status;
    expect(await statusOf("Slipstream")).toBe("terminated");
    await undoLast(page);
    await expect.poll(() => statusOf("Slipstream")).toBe("active");
    await page.keyboard.press("Escape");
    await openContract("Understeer");
    await dialog().getByRole("button", { name: "Sign" }).click();
    await dialog().getByRole("button", { name: "Sign", exact: true }).click();
    await say("Contract signed.");
    await page.getByRole("dialog", { name: "Contract of Understeer" }).locator(":focus").waitFor();
    expect(await statusOf("Understeer")).toBe("active");
  });

  test("notes the ids that others know a contract and a prospect by", async () => {
    await page.keyboard.press("Escape");
    const note = async (id: string) => {
      await dialog().getByRole("button", { name: "Change external ids" }).click();
      await dialog().getByLabel("System 1").fill("scouting");
      await dialog().getByLabel("Id there 1").fill(id);
      await dialog().getByRole("button", { name: "Save" }).click();
      await say("External ids saved.");
    };
    await openContract("Understeer");
    await note("c-1");
    expect(await list("/contracts?externalId=scouting:c-1")).toMatchObject([{ playerIgn: "Understeer" }]);
    await page.keyboard.press("Escape");
    await goTo(page, "Prospects");
    await page.getByRole("button", { name: "Palisade", exact: true }).click();
    await note("p-1");
    expect(await list("/prospects?externalId=scouting:p-1")).toMatchObject([{ ign: "Palisade" }]);
  });
});
