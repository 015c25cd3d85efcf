/** How long a page takes, as told by the page itself. */
import type { Page } from "playwright-core";

/** Runs in the page: from a press on a link of the navigation to the frame in which the first row is there. */
const timeNavigation = (link: string, row: string) => `new Promise((tell, fail) => {
  const link = [...document.querySelectorAll("nav a")].find((one) => one.textContent.trim() === ${JSON.stringify(link)});
  const began = performance.now();
  const look = () => {
    if (document.querySelector(${JSON.stringify(row)}) !== null) tell(performance.now() - began);
    else if (performance.now() - began > 60_000) fail(new Error(${JSON.stringify(`${link} shows no row.`)}));
    else requestAnimationFrame(look);
  };
  link.click();
  requestAnimationFrame(look);
})`;

/** Goes to a page by its link; returns after how many milliseconds it shows the first of its rows. */
export async function timeFirstRow(page: Page, link: string, row: string): Promise<number> {
  return Math.round((await page.evaluate(timeNavigation(link, row))) as number);
}

/** Runs in the page: whatever scrolls under a point, and how far. */
const findScroller = (x: number, y: number) => `(() => {
  const scrolls = (one) => /auto|scroll/.test(getComputedStyle(one).overflowY) && one.scrollHeight > one.clientHeight + 1;
  const one = document.elementsFromPoint(${x}, ${y}).find(scrolls) ?? document.scrollingElement;
  return { downPx: one.scrollHeight - one.clientHeight };
})()`;

const findBoardWidth = `(() => {
  const scrolls = (one) => one.scrollWidth > one.clientWidth + 50 && getComputedStyle(one).overflowX === "auto";
  const one = [...document.querySelectorAll("main section")].find(scrolls);
  return one === undefined ? 0 : one.scrollWidth - one.clientWidth;
})()`;

const NEXT_FRAME = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))";
const SLOW_STEPS = 25;
const SLOW_PX = 600;
const FAST_STEPS = 25;

/** Turns the wheel to the end and back, slowly and then quickly, and sideways where that scrolls. Returns the longest task. */
export function scrollThrough(page: Page): Promise<number> {
  return findLongestTask(page, () => turnWheel(page));
}

export async function turnWheel(page: Page): Promise<void> {
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  const at = { x: Math.round(width * 0.45), y: Math.round(height * 0.75) };
  await page.mouse.move(at.x, at.y);
  const turn = async (x: number, y: number) => {
    await page.mouse.wheel(x, y);
    await page.evaluate(NEXT_FRAME);
  };
  const { downPx } = (await page.evaluate(findScroller(at.x, at.y))) as { downPx: number };
  const sidePx = (await page.evaluate(findBoardWidth)) as number;
  for (let step = 0; step < Math.min(SLOW_STEPS, Math.ceil(downPx / SLOW_PX)); step++) await turn(0, SLOW_PX);
  for (const sign of [1, -1]) {
    for (let step = 0; step < FAST_STEPS; step++) await turn(0, (sign * downPx) / FAST_STEPS);
    for (let step = 0; step < FAST_STEPS && sidePx > 0; step++) await turn((sign * sidePx) / FAST_STEPS, 0);
  }
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds that the thread itself has worked. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/**
 * The longest task that holds up the page while `work` goes on, in milliseconds of its thread's own work: on a machine that others use too, the
 * clock on the wall says little.
 */
export async function findLongestTask(page: Page, work: () => Promise<void>): Promise<number> {
  const browser = page.context().browser();
  if (browser === null) throw new Error("The page is in no browser.");
  await browser.startTracing(page, { categories: ["toplevel"] });
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const mains = new Set(traceEvents.filter(({ args }) => args?.name === "CrRendererMain").map(threadOf));
  const tasks = traceEvents.filter((event) => mains.has(threadOf(event)) && event.name.endsWith("RunTask"));
  if (tasks.length === 0) throw new Error("The trace holds no task.");
  return Math.round(tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur), 0) / 1_000);
}
