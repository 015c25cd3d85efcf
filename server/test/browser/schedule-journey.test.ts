/** A manager's schedule in a real browser: by mouse, by keyboard and by thumb, and with somebody else at the same entry. */
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { canStart } from "../services/provided-services.ts";
import { SIZES, WatchedBrowser } from "./browser.ts";
import { type FurnishedServer, startFurnishedServer } from "./furnished-server.ts";
import { settle } from "./page-state.ts";
import { undoLast } from "./page-steps.ts";
import { aboveFoot, boxOf, dragByFinger, dragFrom, dragTo, nextFrame } from "./pointer.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Runs in the page: a timer as long as the calendar's, which was set before it and so is over first. */
const LONG_PRESS = "new Promise((over) => setTimeout(over, 350))";
/** Below what is on a day already. */
const FOOT_OF_DAY = aboveFoot(12);
/** A Wednesday, in a month that nothing else is in. */
const DAY = "2031-05-14";
/** Six in the evening in Berlin, where the browser is. */
const STARTS_AT = Date.UTC(2031, 4, 14, 16);
const MONTH = "?view=month&date=2031-05-14";
const WEEK = "?view=week&date=2031-05-14";

interface Entry {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly startsAt: number;
  readonly endsAt: number | null;
  readonly previousStartsAt: number | null;
  readonly result: unknown;
  readonly updatedAt: number;
}

describe.skipIf(!canStart("chromium"))("somebody who keeps the schedule", () => {
  let furnished: FurnishedServer;
  let browser: WatchedBrowser;
  let page: Page;

  beforeAll(async () => {
    furnished = await startFurnishedServer();
    browser = await WatchedBrowser.open(furnished.server.origin);
    const visitor = await browser.newVisitor();
    page = visitor.page;
    // Tall enough for a whole month.
    await page.setViewportSize({ width: 1280, height: 1300 });
    await furnished.signIn(visitor.context, "manager");
  });
  afterAll(async () => {
    await browser?.close();
    await furnished?.stop();
  });
  afterEach(() => expect(browser.complaints).toEqual([]));

  const path = () => `/orgs/${furnished.orgId}/data/schedule`;
  const headers = () => ({ origin: furnished.server.origin });
  const chip = (title: string, within: Page = page): Locator => within.getByRole("button", { name: new RegExp(title) });

  async function add(title: string, more: object = {}): Promise<Entry> {
    const startsAt = STARTS_AT;
    const data = { title, kind: "scrim", startsAt, endsAt: startsAt + 2 * HOUR_MS, ...more };
    const answer = await page.request.post(`/internal/orgs/${furnished.orgId}/schedule`, { data, headers: headers() });
    return (await answer.json()) as Entry;
  }

  async function read({ id }: Entry): Promise<Entry> {
    return (await (await page.request.get(`/internal/orgs/${furnished.orgId}/schedule/${id}`)).json()) as Entry;
  }

  async function visit(search: string, on: Page = page): Promise<void> {
    await on.goto(`${path()}${search}`);
    await settle(on);
  }

  const dragToDay = (title: string, day: string) => dragTo(page, chip(title), cell(day), FOOT_OF_DAY);

  /** Up or down, from a height of it. */
  async function dragBy(what: Locator, findHeight: (height: number) => number, byHeights: number): Promise<void> {
    await what.hover();
    const { x, y, width, height } = await boxOf(what);
    const from = { x: x + width / 2, y: y + findHeight(height) };
    await dragFrom(page, from, async () => ({ x: from.x, y: from.y + byHeights * height }));
  }

  const cell = (day: string): Locator => page.locator(`[role="cell"][data-date="${day}"]`);

  test("drags an entry to another day, keeps its time and length, and takes it back", async () => {
    const entry = await add("Dragged scrim");
    await visit(MONTH);
    await dragToDay("Dragged scrim", "2031-05-20");
    await page.getByText(/^Moved to Tue,? 20 May 2031, 18:00 to 20:00/).waitFor();
    const moved = await read(entry);
    expect(moved.startsAt - entry.startsAt).toBe(6 * DAY_MS);
    expect(moved).toMatchObject({ endsAt: moved.startsAt + 2 * HOUR_MS, previousStartsAt: entry.startsAt });
    await undoLast(page);
    await page.getByText("Taken back.").waitFor();
    const { startsAt, endsAt, previousStartsAt } = entry;
    expect(await read(entry)).toMatchObject({ startsAt, endsAt, previousStartsAt });
    await cell(DAY).getByText("Dragged scrim").waitFor();
  });

  test("a move that is refused stands where it stood, and says why", async () => {
    const entry = await add("Refused scrim");
    await visit(MONTH);
    await page.route(/\/move$/, (route) =>
      route.fulfill({
        status: 400,
        json: { error: { code: "VALIDATION_ERROR", message: "The hall is taken.", details: [] }, requestId: "req_1" },
      }),
    );
    browser.expectRefusal(400, `/internal/orgs/${furnished.orgId}/schedule/${entry.id}/move`);
    await dragToDay("Refused scrim", "2031-05-21");
    await page.getByText("The hall is taken.").waitFor();
    await page.unroute(/\/move$/);
    await cell(DAY).getByText("Refused scrim").waitFor();
    expect(await cell("2031-05-21").getByText("Refused scrim").count()).toBe(0);
    expect((await read(entry)).startsAt).toBe(entry.startsAt);
  });

  test("drags to another hour in the week, and the lower edge to another end", async () => {
    const entry = await add("Weekly scrim");
    await visit(WEEK);
    await dragBy(chip("Weekly scrim"), () => 12, -1);
    await page.getByText(/^Moved to Wed,? 14 May 2031, 16:00 to 18:00/).waitFor();
    expect(await read(entry)).toMatchObject({ startsAt: STARTS_AT - 2 * HOUR_MS, endsAt: STARTS_AT });

    await dragBy(chip("Weekly scrim"), (height) => height - 1, 0.5);
    await page.getByText("It now lasts 3 h.").waitFor();
    expect(await read(entry)).toMatchObject({ startsAt: STARTS_AT - 2 * HOUR_MS, endsAt: STARTS_AT + HOUR_MS });
  });

  test("clicks a free spot, types who plays, and has a match", async () => {
    await visit(MONTH);
    await cell("2031-05-28").click({ position: { x: 20, y: 80 } });
    const dialog = page.getByRole("dialog", { name: "New event" });
    await dialog.getByLabel("Opponent").fill("Polar Kites");
    await dialog.getByLabel("Team").selectOption({ index: 1 });
    await dialog.getByLabel("Best of").selectOption("3");
    await dialog.getByRole("button", { name: "Add event" }).click();
    await page.getByText(/– Polar Kites was added\.$/).waitFor();
    await cell("2031-05-28")
      .getByText(/Polar Kites/)
      .waitFor();
  });

  test("proposes the day that is looked at for a new event", async () => {
    await visit("?view=month&date=2031-06-13");
    await page.getByRole("button", { name: "New event" }).click();
    const dialog = page.getByRole("dialog", { name: "New event" });
    expect(await dialog.getByLabel("Starts").first().inputValue()).toContain("2031-06-13");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "hidden" });
  });

  test("by keyboard alone: opens an entry, moves it, postpones it, takes that back", async () => {
    const entry = await add("Typed scrim", { startsAt: STARTS_AT + DAY_MS, endsAt: STARTS_AT + DAY_MS + HOUR_MS });
    await visit(MONTH);
    await chip("Typed scrim").focus();
    await page.keyboard.press("Enter");
    const panel = page.getByRole("dialog", { name: "Typed scrim" });
    await panel.getByRole("button", { name: "Move…" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Move Typed scrim" });
    await dialog.getByLabel("Starts").fill("2031-05-16T10:30");
    await page.keyboard.press("Enter");
    await page.getByText(/^Moved to Fri,? 16 May 2031, 10:30 to 11:30/).waitFor();
    expect(await read(entry)).toMatchObject({
      startsAt: Date.UTC(2031, 4, 16, 8, 30),
      previousStartsAt: entry.startsAt,
    });
    await panel.getByRole("button", { name: "Postpone" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Postponed.").waitFor();
    expect(await read(entry)).toMatchObject({ status: "postponed" });
    // The button is gone; the focus is not.
    await expect.poll(() => panel.evaluate((it) => it.contains(it.ownerDocument.activeElement))).toBe(true);
    await undoLast(page);
    await page.getByText("Taken back.").waitFor();
    expect(await read(entry)).toMatchObject({ status: "scheduled" });
    await page.keyboard.press("Escape");
  });

  test("types date and time in one go, and takes a double click for one", async () => {
    const entry = await add("Doubled scrim");
    await visit(MONTH);
    await chip("Doubled scrim").click();
    const panel = page.getByRole("dialog", { name: "Doubled scrim" });
    await panel.getByRole("button", { name: "Move…" }).click();
    const dialog = page.getByRole("dialog", { name: "Move Doubled scrim" });
    await dialog.getByLabel("Starts").focus();
    await page.keyboard.type("050520311130AM");
    expect(await dialog.getByLabel("Starts").inputValue()).toBe("2031-05-05T11:30");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    let asked = 0;
    page.on("request", (request) => (asked += request.url().endsWith("/postpone") ? 1 : 0));
    await panel.getByRole("button", { name: "Postpone" }).dblclick();
    await page.getByText("Postponed.").waitFor();
    expect(asked).toBe(1);
    expect(await read(entry)).toMatchObject({ status: "postponed" });
    await page.keyboard.press("Escape");
  });

  test("Escape closes what lies on top, and nothing beneath it", async () => {
    await add("Covered scrim");
    await visit(MONTH);
    await chip("Covered scrim").click();
    const panel = page.getByRole("dialog", { name: "Covered scrim", exact: true });
    await panel.getByRole("button", { name: "Move…" }).click();
    const dialog = page.getByRole("dialog", { name: "Move Covered scrim" });
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("combobox", { name: /^Find a person/ });
    await palette.waitFor();
    await page.keyboard.press("Escape");
    await palette.waitFor({ state: "hidden" });
    expect(await panel.isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "hidden" });
  });

  test("what was typed in a form is lost by no Escape and no click beside it", async () => {
    await visit(MONTH);
    const dialog = page.getByRole("dialog", { name: "New event" });
    const open = () => page.getByRole("button", { name: "New event" }).click();
    const clickBeside = () => page.mouse.click(5, 5);
    await open();
    await dialog.waitFor();
    await clickBeside();
    await dialog.waitFor({ state: "hidden" });
    await open();
    await dialog.getByLabel("Opponent").fill("Polar Kites");
    await page.keyboard.press("Escape");
    await clickBeside();
    await page.keyboard.press("Control+k");
    await nextFrame(page);
    expect(await dialog.getByLabel("Opponent").inputValue()).toBe("Polar Kites");
    expect(await page.getByRole("dialog").count()).toBe(1);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "hidden" });
  });

  test("a match that is over gets its result in two clicks", async () => {
    const startsAt = Date.now() - 5 * HOUR_MS;
    const match = { kind: "match", opponent: "Harbor Lights", bestOf: 3, startsAt, endsAt: startsAt + HOUR_MS };
    const entry = await add("Played match", match);
    await visit("?view=month");
    await chip("Played match").click();
    await page.getByRole("button", { name: "Save the result 2–1" }).click();
    await page.getByText("Completed with 2–1.").waitFor();
    expect(await read(entry)).toMatchObject({ status: "completed", result: { own: 2, opponent: 1 } });
  });

  test("the focus stays at a match whose button goes with the result that it asked for", async () => {
    const startsAt = Date.now() - HOUR_MS;
    await add("Evening match", { kind: "match", opponent: "Harbor Lights", bestOf: 1, startsAt, endsAt: null });
    await visit("?view=agenda");
    await page.getByRole("button", { name: "Enter result of Evening match" }).last().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Save the result 1–0" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain("Evening match");
  });

  test("the agenda says of what began before its first day until when it goes on", async () => {
    const startsAt = STARTS_AT - 2 * DAY_MS;
    await add("Boot camp", { kind: "event", startsAt, endsAt: STARTS_AT + DAY_MS, timezone: "Asia/Seoul" });
    await visit("?view=agenda&date=2031-05-14");
    const row = page.getByRole("listitem").filter({ hasText: "Boot camp" });
    await row.getByText("until 15 May, 18:00", { exact: true }).waitFor();
    await row.getByText("until 16 May, 01:00 GMT+9", { exact: true }).waitFor();
    await visit("?view=agenda&date=2031-05-12");
    await row.getByText("18:00–18:00", { exact: true }).waitFor();
  });

  test("what somebody else has changed meanwhile is not written over: both are shown", async () => {
    const entry = await add("Shared scrim", { startsAt: STARTS_AT + 10 * DAY_MS, endsAt: null });
    await visit(MONTH);
    await chip("Shared scrim").click();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Edit Shared scrim" });
    await dialog.getByLabel("Title").fill("My scrim");
    const theirs = { title: "Their scrim", updatedAt: entry.updatedAt };
    const url = `/internal/orgs/${furnished.orgId}/schedule/${entry.id}`;
    expect((await page.request.patch(url, { data: theirs, headers: headers() })).ok()).toBe(true);
    browser.expectRefusal(409, url);
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    const conflict = page.getByRole("dialog", { name: "Somebody else changed this meanwhile" });
    await conflict.getByText("Their scrim").waitFor();
    await conflict.getByText("My scrim").waitFor();
    expect((await read(entry)).title).toBe("Their scrim");
    await conflict.getByRole("button", { name: "Save mine" }).click();
    await expect.poll(async () => (await read(entry)).title).toBe("My scrim");
  });

  test("no drop is lost while others change what is shown beside it", async () => {
    const other = await add("Noisy scrim", { startsAt: Date.UTC(2031, 6, 2, 16), endsAt: null });
    const entry = await add("Steady scrim", { startsAt: Date.UTC(2031, 6, 10, 16), endsAt: null });
    await visit("?view=month&date=2031-07-10");
    let isOver = false;
    const changing = (async () => {
      for (let count = 0; !isOver; count += 1) {
        const data = { location: `Hall ${count}`, updatedAt: (await read(other)).updatedAt };
        const url = `/internal/orgs/${furnished.orgId}/schedule/${other.id}`;
        await page.request.patch(url, { data, headers: headers() });
      }
    })();
    try {
      for (const day of ["15", "22", "8", "17", "24", "9", "18", "25"]) {
        const date = `2031-07-${day.padStart(2, "0")}`;
        await dragToDay("Steady scrim", date);
        await cell(date).getByText("Steady scrim").waitFor();
        await expect.poll(async () => new Date((await read(entry)).startsAt).getUTCDate()).toBe(Number(day));
      }
    } finally {
      isOver = true;
      await changing;
    }
  });

  test("by thumb: a long press and a drag move an entry of the month", async () => {
    const entry = await add("Thumbed scrim", {
      startsAt: STARTS_AT + 30 * DAY_MS,
      endsAt: STARTS_AT + 30 * DAY_MS + HOUR_MS,
    });
    const visitor = await browser.newVisitor({ size: "phone" });
    await furnished.signIn(visitor.context, "manager");
    await visit("?view=month&date=2031-06-13", visitor.page);
    await dragByFinger({
      ...visitor,
      what: chip("Thumbed scrim", visitor.page),
      to: visitor.page.locator('[role="cell"][data-date="2031-06-12"]'),
      spot: FOOT_OF_DAY,
      whenHeld: () => visitor.page.evaluate(LONG_PRESS),
    });
    await visitor.page.getByText(/^Moved to Thu,? 12 Jun 2031/).waitFor();
    expect((await read(entry)).startsAt).toBe(entry.startsAt - DAY_MS);
    await visitor.context.close();
  });

  test("on a phone, the week opens at the day that is looked at", async () => {
    const visitor = await browser.newVisitor({ size: "phone" });
    await furnished.signIn(visitor.context, "viewer");
    await visit("?view=week&date=2031-05-16", visitor.page);
    const { x, width } = await boxOf(visitor.page.getByRole("columnheader", { name: /16/ }));
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(SIZES.phone.width);
    const hour = visitor.page.locator("[data-time='12:00:00']", { hasText: "12:00" });
    const before = await boxOf(hour);
    expect(x).toBeGreaterThanOrEqual(before.x + before.width - 1);
    await visitor.page.evaluate(`document.querySelector("[data-view=week]").scrollLeft = 100`);
    await expect.poll(async () => (await boxOf(hour)).x).toBeCloseTo(before.x, 0);
    await visitor.context.close();
  });

  test("a week opens at what was on today, also in the night", async () => {
    const startsAt = (await page.evaluate("new Date().setHours(0, 10)")) as number;
    await add("Night owls", { startsAt, endsAt: startsAt + 60_000 });
    await visit("?view=week");
    const seen = await boxOf(page.locator("[data-view=week] [style*=overflow]"));
    expect((await boxOf(chip("Night owls"))).y).toBeGreaterThanOrEqual(seen.y);
  });

  test("a calendar takes the width that there is, a list of people does not", async () => {
    const visitor = await browser.newVisitor();
    await furnished.signIn(visitor.context, "viewer");
    await visitor.page.setViewportSize({ width: 2560, height: 1300 });
    await visit(MONTH, visitor.page);
    expect((await boxOf(visitor.page.getByRole("table"))).width).toBeGreaterThan(2_000);
    await visitor.page.goto(`/orgs/${furnished.orgId}/data/players`);
    await settle(visitor.page);
    expect((await boxOf(visitor.page.getByRole("table"))).width).toBeLessThan(1_240);
    await visitor.context.close();
  });

  test("on paper there is the whole week, dark on light, and nothing to press", async () => {
    const visitor = await browser.newVisitor({ scheme: "dark" });
    await furnished.signIn(visitor.context, "manager");
    await visit(WEEK, visitor.page);
    await visitor.page.emulateMedia({ media: "print" });
    for (const part of ["banner", "navigation"] as const)
      expect(await visitor.page.getByRole(part).count(), part).toBe(0);
    expect(await visitor.page.getByRole("button", { name: "New event" }).count()).toBe(0);
    const frames = `[...document.querySelectorAll("[data-view] [style*=overflow]")]`;
    expect(await visitor.page.evaluate(`${frames}.length`)).toBeGreaterThan(0);
    expect(await visitor.page.evaluate(`${frames}.filter((it) => it.scrollHeight > it.clientHeight + 1).length`)).toBe(
      0,
    );
    const schemeAt = (moment: string) =>
      visitor.page.evaluate(
        `dispatchEvent(new Event("${moment}")) && document.documentElement.dataset.mantineColorScheme`,
      );
    expect([await schemeAt("beforeprint"), await schemeAt("afterprint")]).toEqual(["light", "dark"]);
    // On the screen still, as a page is when its printing begins.
    await visitor.page.emulateMedia({ media: "screen" });
    await visitor.page.setViewportSize({ width: 1_280, height: 500 });
    await visitor.page.goto(`/orgs/${furnished.orgId}/data/players`);
    await settle(visitor.page);
    const table = visitor.page.getByRole("table");
    const all = Number(await table.getAttribute("aria-rowcount"));
    const countRows = () => table.getByRole("row").count();
    expect(await countRows()).toBeLessThan(all);
    await schemeAt("beforeprint");
    expect(await countRows()).toBe(all);
    await visitor.context.close();
  });
});
