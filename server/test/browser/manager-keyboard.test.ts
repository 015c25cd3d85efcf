/** By keyboard alone: every control is reached by Tab, arrow keys or a shortcut of the dashboard, and no mouse is there. */
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { type Means, tellManagerDay } from "./manager-steps.ts";

const PRESSES_MAX = 150;
/** Runs in the page: what has the focus, in words a person would use. */
const FOCUSED = `(() => {
  const { activeElement: it } = document;
  return (it?.getAttribute("aria-label") ?? it?.labels?.[0]?.textContent ?? it?.textContent ?? "").trim().slice(0, 60);
})()`;

function makeKeyboard(page: Page): Means {
  const { keyboard } = page;

  /** Presses a key until this has the focus. */
  async function goOn(key: string, control: Locator): Promise<void> {
    await control.waitFor({ state: "attached" });
    const passed: string[] = [];
    while ((await control.and(page.locator(":focus")).count()) === 0) {
      passed.push(await page.evaluate(FOCUSED));
      if (passed.length > PRESSES_MAX)
        throw new Error(`${key} does not lead to ${control}, but to:\n${passed.join("\n")}`);
      await keyboard.press(key);
    }
  }
  const tabTo = (control: Locator) => goOn("Tab", control);
  const press = async (control: Locator) => {
    await tabTo(control);
    await keyboard.press("Enter");
  };
  const chooseFiles: Means["chooseFiles"] = async (button, files) => {
    // Before the way to it: the browser has to be told that somebody else chooses.
    const chooser = page.waitForEvent("filechooser");
    await tabTo(button);
    await keyboard.press("Enter");
    await (await chooser).setFiles([...files]);
  };
  const writeTime: Means["writeTime"] = async (field, time) => {
    await tabTo(field);
    await keyboard.type(await listTyped(page, time));
    expect(await field.inputValue()).toBe(time);
  };

  return {
    async goTo(name) {
      await keyboard.press("Control+k");
      await page.getByRole("combobox", { name: /^Find a person/ }).waitFor();
      await keyboard.type(name);
      await page.getByRole("option", { name }).first().waitFor();
      await keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name, exact: true }).and(page.locator(":focus")).waitFor();
    },
    press,
    async choose(field, choice) {
      await tabTo(field);
      await keyboard.type(choice);
      expect(await field.locator("option:checked").textContent()).toBe(choice);
    },
    async pick(group, choice) {
      await tabTo(group.locator("input:checked"));
      await goOn("ArrowRight", group.getByRole("radio", { name: choice }));
    },
    async write(field, text) {
      await tabTo(field);
      await keyboard.press("Control+a");
      await keyboard.type(text);
    },
    writeTime,
    async pressInMenu(button, item) {
      await press(button);
      await goOn("ArrowDown", page.getByRole("menuitem", { name: item, exact: true }));
      await keyboard.press("Enter");
    },
    chooseFiles,
    bringMended: chooseFiles,
    async carryPlayer(ign, team) {
      await tabTo(page.getByRole("button", { name: `Drag ${ign}` }));
      await keyboard.press("Space");
      const said = page.getByRole("status");
      await said.filter({ hasText: new RegExp(`^(Picked up ${ign}|Over )`) }).waitFor();
      await keyboard.press("ArrowLeft");
      await said.filter({ hasText: `Over ${team}, Starters.` }).waitFor();
      await keyboard.press("Space");
    },
    async beginEvent(day, time) {
      await press(page.getByRole("button", { name: "New event" }));
      await writeTime(page.getByRole("dialog", { name: "New event" }).getByLabel("Starts"), `${day}T${time}`);
    },
    async carryEvent(title, from, to) {
      await writeTime(page.getByLabel("Go to day"), from);
      const event = page.getByRole("button", { name: new RegExp(title) });
      await press(event);
      await press(page.getByRole("button", { name: "Move…" }));
      const starts = page.getByRole("dialog", { name: `Move ${title}` }).getByLabel("Starts");
      await starts.waitFor();
      await writeTime(starts, (await starts.inputValue()).replace(from, to));
      await keyboard.press("Enter");
      await starts.waitFor({ state: "hidden" });
      await press(page.getByRole("dialog", { name: title }).getByRole("button", { name: "Close" }));
    },
    async carryProspect(ign, stage) {
      const card = page.getByRole("button", { name: ign, exact: true });
      await tabTo(card);
      await keyboard.press("Shift+ArrowRight");
      if (stage === "Signed") return;
      await page
        .locator(`[data-stage="${stage.toLowerCase()}"]`)
        .getByRole("button", { name: ign, exact: true })
        .waitFor();
    },
  };
}

/** What the parts of 2020-05-05T05:05 become when the arrow key goes up in them. */
const PROBED: Readonly<Record<string, string>> = {
  "2021-05-05T05:05": "year",
  "2020-06-05T05:05": "month",
  "2020-05-06T05:05": "day",
  "2020-05-05T06:05": "hour",
  "2020-05-05T05:06": "minute",
  "2020-05-05T17:05": "half",
};

/** In which order a browser's fields have the parts of a time, which its own language decides and no page can ask for. */
async function readParts(page: Page): Promise<ReadonlySet<string>> {
  const beside = await page.context().newPage();
  await beside.setContent('<input type="datetime-local" value="2020-05-05T05:05">');
  await beside.keyboard.press("Tab");
  const parts = new Set<string>();
  for (const _ of Object.keys(PROBED)) {
    await beside.keyboard.press("ArrowUp");
    parts.add(PROBED[await beside.locator("input").inputValue()] ?? "");
    await beside.keyboard.press("ArrowDown");
    await beside.keyboard.press("ArrowRight");
  }
  await beside.close();
  return parts;
}

/** The keys that write a day, or a day and a time, into the browser's field. */
async function listTyped(page: Page, time: string): Promise<string> {
  const [year = "", month = "", day = "", hour, minute = ""] = time.split(/\D/);
  const parts = await readParts(page);
  const date: Readonly<Record<string, string>> = { year, month, day };
  const typed = [...parts].map((part) => date[part] ?? "").join("");
  if (hour === undefined) return typed;
  if (!parts.has("half")) return typed + hour + minute;
  return `${typed}${String(Number(hour) % 12 || 12).padStart(2, "0")}${minute}${Number(hour) < 12 ? "A" : "P"}`;
}

tellManagerDay("the day of a manager, by keyboard alone", {}, makeKeyboard);
