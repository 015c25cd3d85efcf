/**
 * Two managers change the same player, and the same board, at the same moments. Whatever is told as saved stands in the audit log, and whatever
 * does not was shown to its writer beside what stands there instead; at the end of each round both see what the server has.
 */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { drillCount, SEED } from "../drill-count.ts";
import { canStart } from "../services/provided-services.ts";
import { Random } from "../stale/random.ts";
import { WatchedBrowser } from "./browser.ts";
import { type AnsweredWrite, Colleague } from "./colleague.ts";
import type { PersonName } from "./furnished-people.ts";
import { dragFrom } from "./pointer.ts";
import { type StaffedServer, startStaffedServer } from "./staffed-server.ts";

const ROUNDS = drillCount("two-people", 2, 20);
const PLAYERS = 8;
/** Long enough for one to see what the other did, now and then. */
const PAUSE_MS = 1_300;

const TABLES = {
  teams: ["Blue", "Red"].map((name) => ({ externalId: name, name, game: "Other" })),
  players: Array.from({ length: PLAYERS }, (_, index) => ({
    externalId: `player-${index}`,
    ign: `Ace${index}`,
    role: "Player",
    team: index % 2 === 0 ? "Blue" : "Red",
  })),
};

interface Entry {
  readonly actor: string | null;
  readonly requestId: string;
  readonly target: string;
  readonly changes: Readonly<Record<string, readonly [before: unknown, after: unknown]>>;
}

describe.skipIf(!canStart("chromium"))("two managers at once", () => {
  const random = new Random(SEED);
  let staffed: StaffedServer;
  let browser: WatchedBrowser;
  let both: readonly [Colleague, Colleague];

  beforeAll(async () => {
    staffed = await startStaffedServer(TABLES);
    browser = await WatchedBrowser.open(staffed.server.origin);
    both = [await enter("manager"), await enter("careful")];
  });
  afterAll(async () => {
    await browser?.close();
    await staffed?.stop();
  });
  // Conflicts are what this is about.
  afterEach(() => expect(browser.takeComplaints().filter((one) => !one.includes("status of 409"))).toEqual([]));

  async function enter(name: PersonName): Promise<Colleague> {
    const { context, page } = await browser.newVisitor();
    await staffed.signIn(context, name);
    return Colleague.open(page, staffed.people[name]);
  }

  const org = () => staffed.server.store.org(staffed.orgId);

  async function listEntries(after: number): Promise<Entry[]> {
    const rows = org().selectFrom("audit").selectAll().where("audit.seq", ">", after).orderBy("audit.seq");
    return (await rows.execute()).map(({ actor_id, request_id, target_id, changes }) => ({
      actor: actor_id,
      requestId: request_id ?? "",
      target: target_id,
      changes: JSON.parse(changes ?? "{}") as Entry["changes"],
    }));
  }

  const pause = () => new Promise((over) => setTimeout(over, random.chance(0.5) ? 0 : random.next() * PAUSE_MS));

  /** All that both have asked for since then was told to them as it is in the log. */
  async function checkTold(round: number, entries: readonly Entry[], since: readonly (readonly AnsweredWrite[])[]) {
    const saved = new Set<string>();
    for (const [index, one] of both.entries()) {
      const writes = one.writes.slice(since[index]?.length);
      for (const { status, requestId } of writes) {
        const actors = entries.filter((entry) => entry.requestId === requestId).map(({ actor }) => actor);
        expect([round, status, actors.filter((actor) => actor !== one.user.id)]).toEqual([round, status, []]);
        if (status === 200) saved.add(requestId);
        else expect([round, status, actors]).toEqual([round, 409, []]);
      }
      const [saves = 0, refusals = 0] = [200, 409].map((wanted) => countWrites(one, wanted));
      expect([round, one.conflicts.length]).toEqual([round, refusals]);
      // The last that is done takes the place of the one before: not every one is seen, but none that was not done.
      const countTold = async () => (await one.listMessages()).filter(({ role }) => role === "status").length;
      if (writes.some(({ status }) => status === 200)) await expect.poll(countTold).toBeGreaterThan(0);
      expect(await countTold()).toBeLessThanOrEqual(saves);
    }
    expect([round, entries.filter(({ requestId }) => !saved.has(requestId))]).toEqual([round, []]);
  }

  async function clearMessages(page: Page): Promise<void> {
    await page.evaluate(`document.querySelectorAll(".mantine-Notification-closeButton").forEach((one) => one.click())`);
    await page.locator(".mantine-Notification-root").first().waitFor({ state: "hidden" });
  }

  const countWrites = ({ writes }: Colleague, wanted: number) =>
    writes.filter(({ status }) => status === wanted).length;

  const snapshot = async () => {
    const { count: seq } = await org().readAuditEnd();
    return { seq, writes: both.map(({ writes }) => [...writes]) };
  };

  /** What is edited of a player, by the name that the page has for it. */
  const FIELDS = { ign: "In-game name", realName: "Real name", imageUrl: "Portrait" } as const;
  type Field = keyof typeof FIELDS;
  type Values = Readonly<Record<Field, string>>;
  const NOTHING = "None";

  /** Of the one that is open, nothing. */
  async function readShown(page: Page, open?: Field): Promise<Values> {
    const texts = Object.entries(FIELDS).map(async ([field, name]) => {
      if (field === open) return [field, ""];
      const text = await page.getByTitle(`Edit: ${name}`, { exact: true }).textContent();
      return [field, text === NOTHING ? "" : text];
    });
    return Object.fromEntries(await Promise.all(texts)) as Values;
  }

  async function readStored(id: string): Promise<Values> {
    const { ign, real_name, image_url } = await org()
      .selectFrom("players")
      .selectAll()
      .where("players.id", "=", id)
      .executeTakeFirstOrThrow();
    return { ign, realName: real_name, imageUrl: image_url ?? "" };
  }

  test(`${ROUNDS} rounds on one player's page lose nothing`, async () => {
    const { id } = await org().selectFrom("players").select("players.id").limit(1).executeTakeFirstOrThrow();
    for (const { page } of both) await page.goto(`/orgs/${staffed.orgId}/data/players/${id}`);
    let conflicts = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const [before, stored] = [await snapshot(), await readStored(id)];
      const plans = both.map((one, index) => {
        const field = random.pick(Object.keys(FIELDS) as Field[]);
        const value = field === "imageUrl" ? `https://img.example/${round}-${index}` : `V${round}-${index}`;
        const known = one.conflicts.length;
        // Just before it was opened and just after: what others write may come between.
        const seen: Values[] = [];
        const open = async () => {
          seen.push(await readShown(one.page));
          await one.page.getByTitle(`Edit: ${FIELDS[field]}`, { exact: true }).click();
          const box = one.page.getByRole("textbox", { name: FIELDS[field] });
          const own = await box.inputValue();
          seen.push({ ...(await readShown(one.page, field)), [field]: own });
          await box.fill(value);
        };
        const save = () => one.page.getByRole("textbox", { name: FIELDS[field] }).press("Enter");
        return { one, field, value, known, steps: [open, save], seen };
      });
      // Each opens before they save; beyond that, in any order.
      const order = random.pick([
        [0, 0, 1, 1],
        [1, 1, 0, 0],
        [0, 1, 0, 1],
        [0, 1, 1, 0],
        [1, 0, 0, 1],
        [1, 0, 1, 0],
      ]);
      for (const index of order) {
        await pause();
        const step = plans[index]?.steps.shift();
        // Not waited for: the other may save before the answer is here.
        await step?.();
      }
      await Promise.all(both.map((one) => one.settle(() => random.chance(0.5))));
      const entries = await listEntries(before.seq);
      await checkTold(round, entries, before.writes);
      let state: Record<string, unknown> = { ...stored };
      // The roster shows the name too, and is told of along with it.
      for (const { actor, changes } of entries.filter(({ target }) => target === id)) {
        const plan = plans.find(({ one }) => one.user.id === actor);
        if (plan === undefined) throw new Error("Somebody else has changed the player.");
        const { one, field, value, known, seen } = plan;
        const shown = one.conflicts.slice(known).at(-1)?.fields;
        // Nobody writes over what they have not seen: on the page, or in the comparison.
        if (shown === undefined) expect([round, seen]).toEqual([round, expect.arrayContaining([state])]);
        else
          expect([round, [...shown.values()].map(([, theirs]) => theirs)]).toEqual([
            round,
            expect.arrayContaining([state[field] || "nothing"]),
          ]);
        expect([round, changes[field]?.[1]]).toEqual([round, value]);
        state = { ...state, [field]: value };
      }
      expect([round, await readStored(id)]).toEqual([round, state]);
      for (const { page } of both) {
        await expect.poll(() => readShown(page), { message: `round ${round}` }).toEqual(state);
        await clearMessages(page);
      }
      conflicts += plans.filter(({ one, known }) => one.conflicts.length > known).length;
    }
    console.log(`${ROUNDS} rounds on a player, ${conflicts} conflicts`);
    expect(conflicts).toBeGreaterThan(0);
  });

  const MOVES = [
    "Bench",
    "Activate",
    "Make substitute",
    "Make starter",
    "Make captain",
    "No longer captain",
    "Take out of the team",
  ];

  /** One thing done on the board by somebody who does not look twice. What has meanwhile gone from under the pointer is not done. */
  async function actOnBoard({ page }: Colleague, ign: string): Promise<void> {
    if (random.chance(0.4)) return dragToTeam(page, ign, random.pick(["Blue", "Red"]));
    const wanted = random.next();
    const hasty = { timeout: 3_000 };
    try {
      await page.getByRole("button", { name: `Actions for ${ign}`, exact: true }).click(hasty);
      const items = page.getByRole("menuitem");
      await items.first().waitFor(hasty);
      const offered = (await items.allTextContents()).filter((text) => MOVES.includes(text));
      const name = offered[Math.floor(wanted * offered.length)] ?? "";
      await items.filter({ hasText: new RegExp(`^${name}$`) }).click(hasty);
    } catch {
      await page.keyboard.press("Escape");
    }
  }

  async function dragToTeam(page: Page, ign: string, team: string): Promise<void> {
    const from = await page.getByRole("button", { name: `Drag ${ign}`, exact: true }).boundingBox();
    const to = await page
      .getByRole("region", { name: team })
      .getByRole("heading", { name: /^Starters/ })
      .boundingBox();
    if (from === null || to === null) return;
    await dragFrom(page, { x: from.x + 8, y: from.y + 8 }, async () => ({ x: to.x + 20, y: to.y + 8 }));
  }

  /** Runs in the page: everybody on the board, and where. */
  const READ_BOARD = `Object.fromEntries([...document.querySelectorAll("main [data-card]")].map((card) => [
    card.getAttribute("data-card"),
    [
      card.closest("section").querySelector("h2").textContent,
      card.closest("[data-section]")?.getAttribute("data-section") ?? null,
      /Benched/.test(card.textContent),
      /Captain/.test(card.textContent),
    ],
  ]))`;

  async function readRoster(): Promise<Record<string, unknown>> {
    const players = await org().selectFrom("players").selectAll().execute();
    const open = await org().selectFrom("assignments").selectAll().where("assignments.left_at", "is", null).execute();
    const names = new Map((await org().selectFrom("teams").selectAll().execute()).map(({ id, name }) => [id, name]));
    return Object.fromEntries(
      players.map(({ id, status }) => {
        const one = open.find(({ player_id }) => player_id === id);
        const section = one && (one.is_starter === 1 ? "starters" : "substitutes");
        const team = one === undefined ? "Without a team" : names.get(one.team_id);
        return [id, [team, section ?? null, status === "benched", one?.is_captain === 1]];
      }),
    );
  }

  test(`${ROUNDS} rounds on one board lose nothing`, async () => {
    for (const { page } of both) {
      await page.goto(`/orgs/${staffed.orgId}/data/roster`);
      await page.locator("main [data-card]").first().waitFor();
    }
    for (const one of both) one.forget();
    const igns = (await org().selectFrom("players").select("players.ign").execute()).map(({ ign }) => ign);
    let conflicts = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const before = await snapshot();
      const known = both.map((one) => one.conflicts.length);
      // Often the same card.
      const chosen = random.chance(0.7) ? [random.pick(igns)] : igns;
      const act = async (one: Colleague) => {
        for (let times = random.between(1, 2); times > 0; times--) {
          await pause();
          await actOnBoard(one, random.pick(chosen));
        }
      };
      await Promise.all(both.map(act));
      await Promise.all(both.map((one) => one.settle(() => random.chance(0.5))));
      await checkTold(round, await listEntries(before.seq), before.writes);
      const roster = await readRoster();
      for (const { page } of both) {
        await expect.poll(() => page.evaluate(READ_BOARD), { message: `round ${round}` }).toEqual(roster);
        await clearMessages(page);
      }
      conflicts += both.filter((one, index) => one.conflicts.length > (known[index] ?? 0)).length;
    }
    console.log(`${ROUNDS} rounds on a board, ${conflicts} conflicts`);
  });
});
