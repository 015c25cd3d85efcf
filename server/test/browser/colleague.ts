/** One of several people who change the same records, each in a browser of their own: what they were told, and what the server was asked for. */
import type { Page, Response } from "playwright-core";
import type { UserRow } from "../../src/identity/users.ts";

/** Runs in the page: remembers every message that comes up, by its role. */
const NOTE_MESSAGES = `window.toldMessages = [];
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) for (const node of addedNodes) {
    if (!(node instanceof Element)) continue;
    const found = [...node.querySelectorAll(".mantine-Notification-root")];
    if (node.matches(".mantine-Notification-root")) found.push(node);
    for (const one of found) window.toldMessages.push({ role: one.getAttribute("role"), text: one.textContent });
  }
}).observe(document, { childList: true, subtree: true });`;

export interface Message {
  readonly role: "status" | "alert";
  readonly text: string;
}

/** A write, as it was answered. */
export interface AnsweredWrite {
  readonly status: number;
  readonly requestId: string;
}

export interface ShownConflict {
  /** By the field's name: as it was seen, as it is now, as this person wants it. */
  readonly fields: ReadonlyMap<string, readonly [seen: string, theirs: string, yours: string]>;
  readonly isMineSaved: boolean;
}

const QUIET_MS = 150;

export class Colleague {
  readonly page: Page;
  readonly user: UserRow;
  readonly writes: AnsweredWrite[] = [];
  readonly conflicts: ShownConflict[] = [];
  #underWay = 0;

  private constructor(page: Page, user: UserRow) {
    this.page = page;
    this.user = user;
    page.on("request", (request) => {
      if (isWrite(request)) this.#underWay += 1;
    });
    page.on("requestfailed", (request) => {
      if (isWrite(request)) this.#underWay -= 1;
    });
    page.on("response", (response) => void this.#note(response));
  }

  static async open(page: Page, user: UserRow): Promise<Colleague> {
    await page.addInitScript({ content: NOTE_MESSAGES });
    return new Colleague(page, user);
  }

  async #note(response: Response): Promise<void> {
    if (!isWrite(response.request())) return;
    // Who has closed the page meanwhile asks for none of it.
    const requestId = await response.headerValue("x-request-id").catch(() => null);
    this.writes.push({ status: response.status(), requestId: requestId ?? "" });
    this.#underWay -= 1;
  }

  /** Begins anew, such as on another page. */
  forget(): void {
    this.writes.length = 0;
    this.conflicts.length = 0;
  }

  async listMessages(): Promise<readonly Message[]> {
    return (await this.page.evaluate("window.toldMessages")) as readonly Message[];
  }

  get #conflictDialog() {
    return this.page.getByRole("dialog", { name: "Somebody else changed this meanwhile" });
  }

  /** Waits until every write is answered and each conflict is decided, as `decide` says. */
  async settle(decide: () => boolean): Promise<void> {
    for (let quiet = 0; quiet < 2; ) {
      if (await this.#conflictDialog.isVisible()) {
        await this.#decideConflict(decide());
        quiet = 0;
      } else quiet = this.#underWay > 0 || this.#isUntold() ? 0 : quiet + 1;
      await this.page.waitForTimeout(QUIET_MS);
    }
  }

  /** Whether a refusal has come that the person knows nothing of yet. */
  #isUntold(): boolean {
    return this.conflicts.length < this.writes.filter(({ status }) => status === 409).length;
  }

  async #decideConflict(isMineSaved: boolean): Promise<void> {
    const dialog = this.#conflictDialog;
    const fields = new Map<string, readonly [string, string, string]>();
    for (const row of (await dialog.getByRole("row").all()).slice(1)) {
      const name = (await row.getByRole("rowheader").textContent()) ?? "";
      const [seen = "", theirs = "", yours = ""] = await row.getByRole("cell").allTextContents();
      fields.set(name, [seen, theirs, yours]);
    }
    this.conflicts.push({ fields, isMineSaved });
    const conflicts = this.writes.filter(({ status }) => status === 409).length;
    await dialog.getByRole("button", { name: isMineSaved ? "Save mine" : "Keep theirs", exact: true }).click();
    await this.page.waitForTimeout(QUIET_MS);
    while (this.#underWay > 0) await this.page.waitForTimeout(QUIET_MS);
    // Changed once more meanwhile: the dialog stays, and compares anew.
    if (this.writes.filter(({ status }) => status === 409).length === conflicts) {
      await dialog.waitFor({ state: "hidden" });
    }
  }
}

function isWrite(request: { method(): string; url(): string }): boolean {
  return request.method() !== "GET" && request.url().includes("/internal/");
}
