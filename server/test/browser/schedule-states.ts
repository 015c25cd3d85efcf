/** The schedule, as managers and viewers see it. */
import type { Page } from "playwright-core";
import type { FurnishedServer } from "./furnished-server.ts";
import { type PageState, pressToOpen } from "./page-state.ts";

const PAGE = "/orgs/$orgId/data/schedule";
const HOUR_MS = 3_600_000;
/** Far from what the sample has. */
const CLASH_DAY = "2031-05-14";
const CLASH_AT = Date.UTC(2031, 4, 14, 15);

const WAITING = /waits? for (its|their) result/;

/** Where the page is short, and what is before it is seen. */
const NOTHING_THEN = "?view=agenda&date=2040-01-01";

type EventBody = Readonly<Record<string, unknown>>;

async function addEvents(page: Page, { server, orgId }: FurnishedServer, events: readonly EventBody[]): Promise<void> {
  for (const data of events) {
    const headers = { origin: server.origin };
    const answer = await page.request.post(`/internal/orgs/${orgId}/schedule`, { data, headers });
    if (!answer.ok()) throw new Error(await answer.text());
  }
}

async function findTeam(page: Page, { orgId }: FurnishedServer): Promise<string> {
  const answer = await page.request.get(`/internal/orgs/${orgId}/teams`);
  const { items } = (await answer.json()) as { items: readonly { id: string }[] };
  return items[0]?.id ?? "";
}

async function addClash(page: Page, furnished: FurnishedServer): Promise<void> {
  const teamId = await findTeam(page, furnished);
  await addEvents(page, furnished, [
    { kind: "scrim", title: "Scrim vs Copper Foxes", teamId, startsAt: CLASH_AT, endsAt: CLASH_AT + 3 * HOUR_MS },
    {
      kind: "match",
      title: "Cup final: Northwind vs Harbor Lights",
      teamId,
      startsAt: CLASH_AT + 2 * HOUR_MS,
      endsAt: CLASH_AT + 4 * HOUR_MS,
      timezone: "Asia/Seoul",
    },
  ]);
  await page.reload();
  await page.getByText(/clash/i).first().waitFor();
}

async function addWaiting(page: Page, furnished: FurnishedServer): Promise<void> {
  const startsAt = Date.now() - 5 * HOUR_MS;
  const teamId = await findTeam(page, furnished);
  const match = { kind: "match", title: "Group stage: Northwind vs Polar Kites", opponent: "Polar Kites", bestOf: 3 };
  await addEvents(page, furnished, [{ ...match, teamId, startsAt, endsAt: startsAt + 2 * HOUR_MS }]);
  // Of the notices the one that comes for it, which clashes may be ahead of.
  const notice = page.getByRole("alert").filter({ hasText: WAITING });
  await notice.getByRole("button", { name: "Show", exact: true }).click();
}

/** Two thousand, a third of them in the month that is shown. */
function listMany(now: number): object[] {
  const kinds = ["match", "scrim", "practice", "event"];
  const statuses = ["scheduled", "scheduled", "scheduled", "completed", "postponed", "cancelled", "live"];
  // From noon to the evening, whatever the time is.
  const noon = Math.floor(now / (24 * HOUR_MS)) * 24 * HOUR_MS + 12 * HOUR_MS;
  return Array.from({ length: 2000 }, (_, index) => {
    const startsAt =
      noon + (index % 3 === 0 ? (index % 30) - 10 : (index % 600) - 300) * 24 * HOUR_MS + (index % 9) * HOUR_MS;
    return {
      id: `event_${String(index).padStart(26, "0")}`,
      kind: kinds[index % 4],
      title: `${kinds[index % 4]} number ${index} of a long season against an opponent`,
      teamId: null,
      game: "LoL",
      status: statuses[index % 7],
      startsAt,
      endsAt: index % 5 === 0 ? null : startsAt + 2 * HOUR_MS,
      previousStartsAt: null,
      timezone: null,
      opponent: null,
      competition: "The season",
      stage: null,
      bestOf: null,
      location: null,
      streamUrl: null,
      result: null,
      externalIds: {},
      createdAt: now,
      updatedAt: now,
    };
  });
}

async function showMany(page: Page): Promise<void> {
  const items = listMany(Date.now());
  await page.route(/\/internal\/.*\/schedule\?/, (route) => route.fulfill({ json: { items, nextCursor: null } }));
  await page.reload();
  await page
    .getByText(/number \d+ of/)
    .first()
    .waitFor();
}

async function openFirst(page: Page): Promise<void> {
  await page
    .getByRole("button", { name: /Northwind vs/ })
    .first()
    .click();
  await page.getByRole("dialog").getByText("Created").first().waitFor();
}

async function openAndAsk(page: Page, name: string): Promise<void> {
  await page
    .getByRole("button", { name: /^Velocity Cup: Northwind vs/ })
    .first()
    .click();
  await page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
  await page.getByRole("dialog").nth(1).waitFor();
}

async function makeCalendarLink(page: Page): Promise<void> {
  await pressToOpen("Subscribe")(page);
  await page.getByLabel("Name").fill("Match days");
  await page.getByLabel("Ends of contracts").check();
  await page.getByRole("button", { name: "Make the link" }).click();
  await page.getByRole("button", { name: "Done" }).waitFor();
}

async function openOwnLinks(page: Page): Promise<void> {
  await makeCalendarLink(page);
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await pressToOpen("Subscribe")(page);
  await page.getByRole("button", { name: "Take back Match days" }).first().waitFor();
}

export const SCHEDULE_STATES: readonly PageState[] = [
  { name: "schedule-month", page: PAGE, as: "manager", rest: "?view=month" },
  { name: "schedule-week", page: PAGE, as: "manager", rest: "?view=week" },
  { name: "schedule-agenda", page: PAGE, as: "manager", rest: "?view=agenda" },
  { name: "schedule-viewer", page: PAGE, as: "viewer" },
  { name: "schedule-empty", page: PAGE, as: "founder", isEmpty: true },
  { name: "schedule-nothing", page: PAGE, as: "manager", rest: "?view=agenda&date=2040-01-01&kind=match" },
  { name: "schedule-opened", page: PAGE, as: "manager", rest: "?view=agenda", open: openFirst },
  { name: "schedule-opened-viewer", page: PAGE, as: "viewer", rest: "?view=agenda", open: openFirst },
  { name: "schedule-missing", page: PAGE, as: "viewer", rest: "?view=agenda&open=event_00000000000000000000000000" },
  { name: "schedule-create", page: PAGE, as: "manager", rest: "?view=agenda", open: pressToOpen("New event") },
  {
    name: "schedule-create-faults",
    page: PAGE,
    as: "manager",
    rest: "?view=agenda",
    async open(page) {
      await pressToOpen("New event")(page);
      await page.getByRole("button", { name: "More details" }).click();
      await page.getByLabel("Stream").fill("live.example.com");
      await page.getByRole("button", { name: "Add event" }).click();
      await page.getByText("Give it a title, or an opponent to name it after.").waitFor();
    },
  },
  { name: "schedule-move", page: PAGE, as: "manager", rest: "?view=agenda", open: (page) => openAndAsk(page, "Move…") },
  { name: "schedule-edit", page: PAGE, as: "manager", rest: "?view=agenda", open: (page) => openAndAsk(page, "Edit") },
  {
    name: "schedule-delete",
    page: PAGE,
    as: "manager",
    rest: "?view=agenda",
    open: (page) => openAndAsk(page, "Delete"),
  },
  {
    name: "schedule-result",
    page: PAGE,
    as: "manager",
    rest: "?view=agenda",
    async open(page, furnished) {
      await addWaiting(page, furnished);
      await page
        .getByRole("button", { name: /^Enter result of Group stage/ })
        .first()
        .click();
      await page.getByRole("button", { name: "Save the result 2–1" }).waitFor();
    },
  },
  {
    name: "schedule-clash",
    page: PAGE,
    as: "manager",
    rest: `?view=week&date=${CLASH_DAY}`,
    async open(page, furnished) {
      await addClash(page, furnished);
      await page.getByRole("button", { name: "Show", exact: true }).first().click();
    },
  },
  {
    name: "schedule-clash-opened",
    page: PAGE,
    as: "manager",
    rest: `?view=agenda&date=${CLASH_DAY}`,
    async open(page, furnished) {
      await addClash(page, furnished);
      await page
        .getByRole("button", { name: /^Cup final/ })
        .first()
        .click();
      await page.getByRole("dialog").getByText("Created").first().waitFor();
    },
  },
  { name: "schedule-subscribe", page: PAGE, as: "viewer", rest: NOTHING_THEN, open: pressToOpen("Subscribe") },
  {
    name: "schedule-subscribe-faults",
    page: PAGE,
    as: "viewer",
    rest: NOTHING_THEN,
    async open(page) {
      await pressToOpen("Subscribe")(page);
      await page.getByLabel("Name").fill("");
      for (const kind of ["Matches", "Scrims", "Practices", "Events"]) await page.getByLabel(kind).uncheck();
      await page.getByRole("button", { name: "Make the link" }).click();
      await page.getByText("Choose at least one.").waitFor();
    },
  },
  { name: "schedule-subscribed", page: PAGE, as: "manager", rest: NOTHING_THEN, open: makeCalendarLink },
  { name: "schedule-own-links", page: PAGE, as: "manager", rest: NOTHING_THEN, open: openOwnLinks },
  {
    name: "schedule-take-back",
    page: PAGE,
    as: "manager",
    rest: NOTHING_THEN,
    async open(page) {
      await openOwnLinks(page);
      await page.getByRole("button", { name: "Take back Match days" }).first().click();
      await page.getByRole("dialog", { name: "Take back Match days?" }).waitFor();
    },
  },
  {
    name: "schedule-all-links",
    page: "/orgs/$orgId/settings/organization",
    as: "owner",
    async open(page, { server, orgId }) {
      const wanted = { name: "Northwind", teamId: null, kinds: ["match"], contractEnds: true };
      const headers = { origin: server.origin };
      await page.request.post(`/internal/orgs/${orgId}/calendar-links`, { data: wanted, headers });
      await page.reload();
      await page.getByRole("button", { name: "Take back Northwind" }).first().waitFor();
    },
  },
  { name: "schedule-full-month", page: PAGE, as: "manager", rest: "?view=month", open: showMany },
  { name: "schedule-full-week", page: PAGE, as: "manager", rest: "?view=week", open: showMany },
  { name: "schedule-full-agenda", page: PAGE, as: "viewer", rest: "?view=agenda", open: showMany },
];
