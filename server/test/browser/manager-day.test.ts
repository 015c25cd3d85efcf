/** By mouse, as most do it: what can be dragged is dragged. */
import type { Locator, Page } from "playwright-core";
import type { SeasonFile } from "./manager-season.ts";
import { type Means, tellManagerDay } from "./manager-steps.ts";
import { goTo } from "./page-steps.ts";

const STEPS = 5;

function makeMouse(page: Page): Means {
  const press = (control: Locator) => control.click();

  /** From the middle of one to the middle of the other, by way of something between, as a hand does. */
  async function drag(from: Locator, to: Locator): Promise<void> {
    // Where the first of them is, is known once the second is in sight too.
    await to.scrollIntoViewIfNeeded();
    const [start, end] = [await middleOf(from), await middleOf(to)];
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(end.x, end.y, { steps: STEPS });
    await page.mouse.up();
  }

  return {
    goTo: (name) => goTo(page, name),
    press,
    async choose(field, choice) {
      await field.selectOption({ label: choice });
    },
    pick: (group, choice) => group.getByText(choice, { exact: true }).click(),
    write: (field, text) => field.fill(text),
    writeTime: (field, time) => field.fill(time),
    async pressInMenu(button, item) {
      await press(button);
      await press(page.getByRole("menuitem", { name: item, exact: true }));
    },
    async chooseFiles(button, files) {
      const chooser = page.waitForEvent("filechooser");
      await press(button);
      await (await chooser).setFiles([...files]);
    },
    async bringMended(_, files) {
      await dropFiles(page, files);
    },
    carryPlayer: (ign, team) =>
      drag(
        page.getByRole("button", { name: `Drag ${ign}` }),
        page.getByRole("region", { name: team }).locator('[data-section="starters"]'),
      ),
    async beginEvent(day) {
      await press(page.getByRole("button", { name: "Next month" }));
      const { x, y, width, height } = await boxOf(dayOf(page, day));
      // Below what is on that day already.
      await page.mouse.click(x + width / 2, y + height - 8);
    },
    carryEvent: (title, from, to) => drag(dayOf(page, from).getByText(title), dayOf(page, to)),
    carryProspect: (ign, stage) =>
      drag(
        page.getByRole("listitem").filter({ hasText: ign }).getByRole("button", { name: ign, exact: true }),
        page.locator(`[data-stage="${stage.toLowerCase()}"]`),
      ),
  };
}

async function boxOf(control: Locator) {
  await control.scrollIntoViewIfNeeded();
  const box = await control.boundingBox();
  if (box === null) throw new Error(`${control} is not on the page.`);
  return box;
}

async function middleOf(control: Locator): Promise<{ readonly x: number; readonly y: number }> {
  const { x, y, width, height } = await boxOf(control);
  return { x: x + width / 2, y: y + height / 2 };
}

/** A day of the calendar's month. */
function dayOf(page: Page, day: string): Locator {
  return page.locator(`[data-date="${day}"]`);
}

async function dropFiles(page: Page, files: readonly SeasonFile[]): Promise<void> {
  const named = files.map(({ name, mimeType, buffer }) => ({ name, type: mimeType, text: buffer.toString() }));
  const held = await page.evaluateHandle(`(() => {
    const held = new DataTransfer();
    for (const { name, type, text } of ${JSON.stringify(named)}) held.items.add(new File([text], name, { type }));
    return held;
  })()`);
  await page.dispatchEvent("main", "drop", { dataTransfer: held });
}

tellManagerDay("the day of a manager, by mouse", {}, makeMouse);
