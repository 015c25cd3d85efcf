/** By mouse, as most do it: what can be dragged is dragged. */
import type { Locator, Page } from "playwright-core";
import type { SeasonFile } from "./manager-season.ts";
import { type Means, tellManagerDay } from "./manager-steps.ts";
import { goTo } from "./page-steps.ts";
import { boxOf, dragTo } from "./pointer.ts";

function makeMouse(page: Page): Means {
  const press = (control: Locator) => control.click();

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
      dragTo(
        page,
        page.getByRole("button", { name: `Drag ${ign}` }),
        page.getByRole("region", { name: team }).locator('[data-section="starters"]'),
      ),
    async beginEvent(day) {
      await press(page.getByRole("button", { name: "Next month" }));
      const { width, height } = await boxOf(dayOf(page, day));
      // Below what is on that day already.
      await dayOf(page, day).click({ position: { x: width / 2, y: height - 8 } });
    },
    carryEvent: (title, from, to) => dragTo(page, dayOf(page, from).getByText(title), dayOf(page, to)),
    carryProspect: (ign, stage) =>
      dragTo(
        page,
        page.getByRole("listitem").filter({ hasText: ign }).getByRole("button", { name: ign, exact: true }),
        page.locator(`[data-stage="${stage.toLowerCase()}"]`),
      ),
  };
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
