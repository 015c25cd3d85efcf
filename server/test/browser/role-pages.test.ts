/** Every role on every page of data: who may write finds the controls for it, who may not finds none, and the server refuses what is sent all the same. */
import { DATA_ACTIONS } from "@lineup/api/dashboard/data";
import { ERASURE_ACTIONS } from "@lineup/api/dashboard/erasure";
import { allows, ROLES, type Role } from "@lineup/api/dashboard/members";
import { TRANSFER_ACTIONS } from "@lineup/api/dashboard/transfer";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { canStart } from "../services/provided-services.ts";
import { WatchedBrowser } from "./browser.ts";
import { countsFor, makeLargeTables } from "./large-organization.ts";
import { settle } from "./page-state.ts";
import { askInside } from "./page-steps.ts";
import { type StaffedServer, startStaffedServer } from "./staffed-server.ts";

const FEW = 24;

interface DataPage {
  readonly path: string;
  /** Stands in the address: an id of this table. */
  readonly opens?: "players" | "schedule" | "prospects" | "contracts";
  /** What is there for those who may write, and for nobody else. */
  readonly writes: readonly RegExp[];
  /** What is there for owners alone. */
  readonly erases?: RegExp;
}

const PAGES: Readonly<Record<string, DataPage>> = {
  roster: { path: "roster", writes: [/^Drag Ace/, /^Actions for Ace/] },
  players: { path: "players", writes: [/^Add player$/, /^Select/] },
  player: { path: "players/ID", opens: "players", writes: [/^Edit/, /^Delete$/], erases: /^Erase/ },
  teams: { path: "teams", writes: [/^New team$/, /^Actions for Team/] },
  schedule: { path: "schedule?view=agenda", writes: [/^New event$/] },
  event: { path: "schedule?view=agenda&open=ID", opens: "schedule", writes: [/^New event$/, /^Edit$/, /^Delete$/] },
  prospects: { path: "prospects", writes: [/^Add prospect$/, /^Actions for Hope/] },
  prospect: { path: "prospects?open=ID", opens: "prospects", writes: [/^Edit$/, /^Delete$/] },
  contracts: { path: "contracts", writes: [/^Add contract$/] },
  contract: { path: "contracts?open=ID", opens: "contracts", writes: [/^Edit$/, /^Terminate/, /^Delete$/] },
  transfer: { path: "import-export", writes: [/[Cc]hoose|[Ii]mport/] },
};

/** What nobody who only looks should come upon, on whatever page. */
const WRITING =
  /^(Drag|Actions for|Select|Add|New|Edit|Delete|Erase|Move|Sign|Renew|Terminate|Postpone|Cancel the|Enter result|Bench|Undo|Import)\b/;

/** Runs in the page: the names of all that can be pressed or filled in, outside of the frame. */
const LIST_CONTROLS = `[...new Set([...document.querySelectorAll(
  ":is(main, [role=dialog]) :is(button, a, input, select, textarea, [role=button])"
)].map((one) => (one.getAttribute("aria-label") ?? one.getAttribute("title") ?? one.textContent).trim()))].filter(Boolean)`;

describe.skipIf(!canStart("chromium"))("what each role finds on the pages of data", () => {
  let staffed: StaffedServer;
  let browser: WatchedBrowser;
  const pages = new Map<Role, Page>();
  const ids: Partial<Record<NonNullable<DataPage["opens"]>, string>> = {};

  beforeAll(async () => {
    staffed = await startStaffedServer(makeLargeTables(countsFor(FEW), Date.now()));
    browser = await WatchedBrowser.open(staffed.server.origin);
    const org = staffed.server.store.org(staffed.orgId);
    ids.players = (await org.selectFrom("players").select("players.id").executeTakeFirstOrThrow()).id;
    ids.prospects = (await org.selectFrom("prospects").select("prospects.id").executeTakeFirstOrThrow()).id;
    ids.contracts = (await org.selectFrom("contracts").select("contracts.id").executeTakeFirstOrThrow()).id;
    const events = org
      .selectFrom("schedule_entries")
      .select("schedule_entries.id")
      .where("schedule_entries.status", "=", "scheduled");
    ids.schedule = (await events.executeTakeFirstOrThrow()).id;
    for (const role of ROLES) {
      const { context, page } = await browser.newVisitor();
      await staffed.signIn(context, role);
      pages.set(role, page);
    }
  });
  afterAll(async () => {
    await browser?.close();
    await staffed?.stop();
  });
  afterEach(() => expect(browser.takeComplaints()).toEqual([]));

  const pageOf = (role: Role) => pages.get(role) as Page;

  async function listControls(role: Role, { path, opens }: DataPage): Promise<string[]> {
    const page = pageOf(role);
    await page.goto(`/orgs/${staffed.orgId}/data/${path.replace("ID", ids[opens ?? "players"] ?? "")}`);
    await settle(page);
    return (await page.evaluate(LIST_CONTROLS)) as string[];
  }

  describe.each(Object.entries(PAGES))("%s", (_, one) => {
    test.each(ROLES)("as the table of roles says, for the role %s", async (role) => {
      let controls: string[] = [];
      const has = (name: RegExp) => controls.some((control) => name.test(control));
      const findMissing = async () => {
        controls = await listControls(role, one);
        return allows(role, "data:manage") ? one.writes.filter((name) => !has(name)) : [];
      };
      // Some come a moment after the page does.
      await expect.poll(findMissing).toEqual([]);
      const found = one.writes.map((name) => [name, has(name)]);
      expect([role, controls, found]).toEqual([
        role,
        controls,
        one.writes.map((name) => [name, allows(role, "data:manage")]),
      ]);
      if (!allows(role, "data:manage")) expect(controls.filter((control) => WRITING.test(control))).toEqual([]);
      if (one.erases !== undefined) expect([role, has(one.erases)]).toEqual([role, allows(role, "data:erase")]);
      if (!allows(role, "data:erase")) expect(controls.filter((control) => /^Erase/.test(control))).toEqual([]);
    });
  });

  const ACTIONS = [...DATA_ACTIONS, ...TRANSFER_ACTIONS, ...ERASURE_ACTIONS].filter(
    ({ access }) => access === "data:manage" || access === "data:erase",
  );

  test.each(ROLES)("what the role %s may not do is refused when it is sent all the same", async (role) => {
    const page = pageOf(role);
    await page.goto(`/orgs/${staffed.orgId}/data/players`);
    const refused = ACTIONS.filter(({ access }) => !allows(role, access as "data:manage" | "data:erase"));
    for (const { name, method, path } of refused) {
      const filled = path.replace("{orgId}", staffed.orgId).replace("{recordId}", ids.players ?? "");
      browser.expectRefusals(403, `/internal${filled}`);
      const { status } = await askInside(page, method, filled, method === "GET" ? undefined : {});
      expect([role, name, status]).toEqual([role, name, 403]);
    }
    expect(refused.length === 0).toBe(role === "owner");
  });
});
