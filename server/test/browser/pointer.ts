/** Mouse and finger as a hand moves them: they take hold of what stands still, and look for where it goes once they hold it. */
import type { BrowserContext, Locator, Page } from "playwright-core";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** A place on an element. */
export type Spot = (box: Box) => Point;

export const MIDDLE: Spot = ({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 });

/** So far below its upper edge, or in the middle of what is lower than that. */
export const below =
  (px: number): Spot =>
  ({ x, y, width, height }) => ({ x: x + width / 2, y: y + Math.min(px, height / 2) });

/** So far above its lower edge. */
export const aboveFoot =
  (px: number): Spot =>
  ({ x, y, width, height }) => ({ x: x + width / 2, y: y + height - px });

/** Where something stands just now. */
export async function boxOf(control: Locator): Promise<Box> {
  const box = await control.boundingBox();
  if (box === null) throw new Error(`${control} is not on the page.`);
  return box;
}

/** Far enough that it is no click. */
const NUDGE_PX = 12;
const STEPS = 8;
/** Runs in the page. */
const NEXT_FRAME = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))";

export async function nextFrame(page: Page): Promise<void> {
  await page.evaluate(NEXT_FRAME);
}

/** From where the mouse is to a point, and lets go once the page has drawn what is under it. */
export async function dragFrom(page: Page, from: Point, findEnd: () => Promise<Point>): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + NUDGE_PX, from.y + NUDGE_PX, { steps: 3 });
  const to = await findEnd();
  await page.mouse.move(to.x, to.y, { steps: STEPS });
  await nextFrame(page);
  await page.mouse.up();
}

/** An element, by its middle, to a spot of another one. */
export async function dragTo(page: Page, what: Locator, to: Locator, spot = MIDDLE): Promise<void> {
  await to.scrollIntoViewIfNeeded();
  // Waits until it is in sight, stands still and lies under nothing else.
  await what.hover();
  await dragFrom(page, MIDDLE(await boxOf(what)), async () => spot(await boxOf(to)));
}

export interface TouchDrag {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly what: Locator;
  readonly to: Locator;
  readonly spot: Spot;
  /** Comes once the finger has rested long enough to hold what it is on; before, it would scroll. */
  readonly whenHeld: () => Promise<unknown>;
}

/** The same by a finger. */
export async function dragByFinger({ page, context, what, to, spot, whenHeld }: TouchDrag): Promise<void> {
  const session = await context.newCDPSession(page);
  const touch = (type: string, ...touchPoints: readonly Point[]) =>
    session.send("Input.dispatchTouchEvent", { type, touchPoints } as never);
  await to.scrollIntoViewIfNeeded();
  await what.scrollIntoViewIfNeeded();
  const from = MIDDLE(await boxOf(what));
  await touch("touchStart", from);
  await whenHeld();
  const end = spot(await boxOf(to));
  for (const part of [0.25, 0.5, 0.75, 1]) {
    await touch("touchMove", { x: from.x + (end.x - from.x) * part, y: from.y + (end.y - from.y) * part });
    await nextFrame(page);
  }
  await touch("touchEnd");
}
