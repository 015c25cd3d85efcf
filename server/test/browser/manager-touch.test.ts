/** By thumb on a phone: everything is tapped. What others drag is done by menus and dialogs. */
import type { Locator, Page } from "playwright-core";
import { type Means, tellManagerDay } from "./manager-steps.ts";

function makeThumb(page: Page): Means {
  const press = (control: Locator) => control.tap();
  const pressInMenu: Means["pressInMenu"] = async (button, item) => {
    await press(button);
    await press(page.getByRole("menuitem", { name: item, exact: true }));
  };
  const chooseFiles: Means["chooseFiles"] = async (button, files) => {
    const chooser = page.waitForEvent("filechooser");
    await press(button);
    await (await chooser).setFiles([...files]);
  };
  /** The device's own list opens, and gives what was chosen. */
  const choose: Means["choose"] = async (field, choice) => {
    await press(field);
    await field.selectOption({ label: choice });
  };
  const write: Means["write"] = async (field, text) => {
    await press(field);
    await field.fill(text);
  };

  return {
    async goTo(name) {
      await press(page.getByRole("button", { name: "Open navigation" }));
      await press(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true }));
      await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
    },
    press,
    choose,
    pick: (group, choice) => press(group.getByText(choice, { exact: true })),
    write,
    writeTime: write,
    pressInMenu,
    chooseFiles,
    bringMended: chooseFiles,
    async carryPlayer(ign, team) {
      await pressInMenu(page.getByRole("button", { name: `Actions for ${ign}` }), "Move to…");
      const asks = page.getByRole("dialog", { name: `Move ${ign}` });
      await choose(asks.getByLabel("Team", { exact: true }), `${team} (CS2)`);
    },
    async beginEvent(day, time) {
      await press(page.getByRole("button", { name: "New event" }));
      await write(page.getByRole("dialog", { name: "New event" }).getByLabel("Starts"), `${day}T${time}`);
    },
    async carryEvent(title, from, to) {
      const event = page.getByRole("button", { name: title });
      await press(page.getByText("Month", { exact: true }));
      await press(page.getByRole("button", { name: "Next month" }));
      await press(event);
      await press(page.getByRole("button", { name: "Move…" }));
      const asks = page.getByRole("dialog", { name: `Move ${title}` });
      const starts = asks.getByLabel("Starts");
      await write(starts, (await starts.inputValue()).replace(from, to));
      await press(asks.getByRole("button", { name: "Move", exact: true }));
      await press(page.getByRole("dialog", { name: title }).getByRole("button", { name: "Close" }));
    },
    carryProspect: (ign, stage) =>
      pressInMenu(
        page.getByRole("button", { name: `Actions for ${ign}` }),
        stage === "Signed" ? "Sign…" : `Move to ${stage}`,
      ),
  };
}

tellManagerDay("the day of a manager, by thumb", { size: "phone", isMobile: true }, makeThumb);
