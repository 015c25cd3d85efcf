/** A manager's schedule in a real browser: by mouse, by keyboard and by thumb, and with somebody else at the same entry. */
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { canStart } from "../services/provided-services.ts";
import { WatchedBrowser } from "./browser.ts";
import { type FurnishedServer, startFurnishedServer } from "./furnished-server.ts";
import { settle } from "./page-state.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
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

  async function drag(what: Locator, to: Locator, on: Page = page): Promise<void> {
    const [from, target] = [await what.boundingBox(), await to.boundingBox()];
    if (from === null || target === null) throw new Error("There is nothing to drag, or nowhere to drop it.");
    await on.mouse.move(from.x + 12, from.y + 10);
    await on.mouse.down();
    await on.mouse.move(from.x + 30, from.y + 20, { steps: 4 });
    await on.mouse.move(target.x + target.width / 2, target.y + target.height - 12, { steps: 8 });
    await on.mouse.up();
  }

  async function dragBy(x: number, y: number, byX: number, byY: number): Promise<void> {
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + byX / 2, y + byY / 2, { steps: 6 });
    await page.mouse.move(x + byX, y + byY, { steps: 6 });
    await page.mouse.up();
  }

  const cell = (day: string): Locator => page.locator(`[role="cell"][data-date="${day}"]`);

  test("drags an entry to another day, keeps its time and length, and takes it back", async () => {
    const entry = await add("Dragged scrim");
    await visit(MONTH);
    await drag(chip("Dragged scrim"), cell("2031-05-20"));
    await page.getByText(/^Moved to Tue,? 20 May 2031, 18:00 to 20:00/).waitFor();
    const moved = await read(entry);
    expect(moved.startsAt - entry.startsAt).toBe(6 * DAY_MS);
    expect(moved).toMatchObject({ endsAt: moved.startsAt + 2 * HOUR_MS, previousStartsAt: entry.startsAt });
    await page.getByRole("button", { name: "Undo" }).click();
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
    await drag(chip("Refused scrim"), cell("2031-05-21"));
    await page.getByText("The hall is taken.").waitFor();
    await page.unroute(/\/move$/);
    await cell(DAY).getByText("Refused scrim").waitFor();
    expect(await cell("2031-05-21").getByText("Refused scrim").count()).toBe(0);
    expect((await read(entry)).startsAt).toBe(entry.startsAt);
  });

  test("drags to another hour in the week, and the lower edge to another end", async () => {
    const entry = await add("Weekly scrim");
    await visit(WEEK);
    await chip("Weekly scrim").scrollIntoViewIfNeeded();
    const box = await chip("Weekly scrim").boundingBox();
    if (box === null) throw new Error("The entry is not shown.");
    await dragBy(box.x + 20, box.y + 12, 0, -box.height);
    await page.getByText(/^Moved to Wed,? 14 May 2031, 16:00 to 18:00/).waitFor();
    expect(await read(entry)).toMatchObject({ startsAt: STARTS_AT - 2 * HOUR_MS, endsAt: STARTS_AT });

    const moved = await chip("Weekly scrim").boundingBox();
    if (moved === null) throw new Error("The entry is not shown.");
    await chip("Weekly scrim").hover();
    await dragBy(moved.x + moved.width / 2, moved.y + moved.height - 1, 0, moved.height / 2);
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
    await page.getByRole("button", { name: "Undo" }).last().click();
    await page.getByText("Taken back.").waitFor();
    expect(await read(entry)).toMatchObject({ status: "scheduled" });
    await page.keyboard.press("Escape");
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
        await drag(chip("Steady scrim"), cell(date));
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
    const from = await chip("Thumbed scrim", visitor.page).boundingBox();
    const to = await visitor.page.locator('[role="cell"][data-date="2031-06-12"]').boundingBox();
    if (from === null || to === null) throw new Error("The entry is not shown.");
    const touch = await visitor.context.newCDPSession(visitor.page);
    const point = (x: number, y: number) => [{ x, y }];
    const start = { x: from.x + from.width / 2, y: from.y + 10 };
    const end = { x: to.x + to.width / 2, y: to.y + to.height - 15 };
    await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: point(start.x, start.y) });
    await visitor.page.waitForTimeout(600);
    for (let step = 1; step <= 6; step += 1) {
      const x = start.x + ((end.x - start.x) * step) / 6;
      const y = start.y + ((end.y - start.y) * step) / 6;
      await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: point(x, y) });
    }
    await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await visitor.page.getByText(/^Moved to Thu,? 12 Jun 2031/).waitFor();
    expect((await read(entry)).startsAt).toBe(entry.startsAt - DAY_MS);
    await visitor.context.close();
  });
});
