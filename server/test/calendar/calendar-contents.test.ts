import { CALENDAR_PAST_DAYS } from "@lineup/api/dashboard/calendar-links";
import { DAY_MS } from "@lineup/api/tiers";
import type ICAL from "ical.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Importer } from "../dashboard/importer.ts";
import { sendText } from "../dashboard/random-season.ts";
import { ManualClock } from "../manual-clock.ts";
import type { TestServer } from "../test-server.ts";
import { type Club, fetchCalendar, makeClub, readEntries, requireEntries, startCalendarServer } from "./subscriber.ts";

const NOW = Date.UTC(2026, 10, 18, 12);
const HOUR_MS = 3_600_000;
const clock = new ManualClock(NOW);
let server: TestServer;
let club: Club;
let teamId: string;

beforeAll(async () => {
  server = await startCalendarServer({ clock });
  club = await makeClub(server);
  ({ id: teamId } = await makeTeam("Northlight"));
});
afterAll(() => server?.stop());

function makeTeam(name: string) {
  return club.owner.do("createTeam", { path: { orgId: club.orgId }, body: { name, game: "LoL" } });
}

async function makePlayer(ign: string, more: object = {}) {
  const made = { ign, role: "Coach", ...more };
  return club.owner.do("createPlayer", { path: { orgId: club.orgId }, body: made });
}

async function makeContract(playerId: string, endDate: number | null, more: object = {}) {
  const body = { playerId, status: "active", startDate: NOW - DAY_MS, endDate, ...more };
  return club.owner.do("createContract", { path: { orgId: club.orgId }, body });
}

function makeMatch(more: object = {}) {
  const sides = { teamId, opponent: "Harbor Nine", competition: "Winter League", bestOf: 3, game: "LoL" };
  return club.createEvent({ kind: "match", title: "Week 2", ...sides, startsAt: NOW + 6 * HOUR_MS, ...more });
}

/** As a calendar program of somebody's has it now. */
async function entryOf(id: string): Promise<ICAL.Event | undefined> {
  const { link, id: calendarId } = await club.make();
  const entries = await requireEntries(server, link);
  await club.owner.do("takeBackCalendarLink", { path: { orgId: club.orgId, calendarId } });
  return entries.get(`${id}@lineup`);
}

async function requireEntry(id: string): Promise<ICAL.Event> {
  const entry = await entryOf(id);
  if (entry === undefined) throw new Error(`${id} is not in the calendar.`);
  return entry;
}

function textOf(entry: ICAL.Event, name: string): unknown {
  return entry.component.getFirstPropertyValue(name);
}

function statusOf(entry: ICAL.Event) {
  return [textOf(entry, "status"), textOf(entry, "transp"), entry.summary];
}

describe("an event", () => {
  it("says what it is, in words that people know it by", async () => {
    const { id, createdAt } = await makeMatch({
      stage: "Week 2",
      location: "Hall 3, Berlin",
      streamUrl: "https://example.com/live?a=1,2;b",
      endsAt: NOW + 9 * HOUR_MS,
    });
    const entry = await requireEntry(id);
    expect(entry.summary).toBe("Northlight vs. Harbor Nine (Winter League, Bo3)");
    expect(entry.description.split("\n")).toEqual([
      "Week 2",
      "Match · LoL · Northlight",
      "Winter League, Week 2",
      "Best of 3",
    ]);
    expect([entry.location, textOf(entry, "url")]).toEqual(["Hall 3, Berlin", "https://example.com/live?a=1%2C2%3Bb"]);
    expect([entry.startDate.toJSDate().getTime(), entry.endDate.toJSDate().getTime()]).toEqual([
      NOW + 6 * HOUR_MS,
      NOW + 9 * HOUR_MS,
    ]);
    expect(String(textOf(entry, "created"))).toBe(String(textOf(entry, "dtstamp")));
    expect(Date.parse(String(textOf(entry, "last-modified")))).toBe(Math.floor(createdAt / 1_000) * 1_000);
    expect(statusOf(entry).slice(0, 2)).toEqual(["CONFIRMED", "OPAQUE"]);
  });

  it("says no title again that it is called by", async () => {
    const sides = "Northlight vs. Harbor Nine";
    for (const about of [{}, { competition: null, bestOf: null }]) {
      const entry = await requireEntry((await makeMatch({ title: sides, ...about })).id);
      expect([entry.summary.startsWith(sides), entry.description]).toEqual([true, expect.stringMatching(/^Match · /)]);
    }
  });

  it("without a team and an opponent goes by its title; a scrim says that it is one", async () => {
    const [practice, scrim] = [
      await club.createEvent({ kind: "practice", title: "VOD review", startsAt: NOW, teamId }),
      await makeMatch({ kind: "scrim", competition: null, bestOf: null }),
    ];
    expect((await requireEntry(practice.id)).summary).toBe("VOD review");
    expect((await requireEntry(scrim.id)).summary).toBe("Scrim: Northlight vs. Harbor Nine");
  });

  it("whose end is open is shown for two hours, and says so", async () => {
    const { id } = await makeMatch();
    const entry = await requireEntry(id);
    expect(entry.endDate.toJSDate().getTime() - entry.startDate.toJSDate().getTime()).toBe(2 * HOUR_MS);
    expect(entry.description).toContain("Its end is open; two hours are shown.");
  });

  it("that was postponed or cancelled is shown as such, and blocks nobody's time", async () => {
    const { id } = await makeMatch();
    await club.change("postponeEvent", id);
    const name = "Northlight vs. Harbor Nine (Winter League, Bo3)";
    expect(statusOf(await requireEntry(id))).toEqual(["TENTATIVE", "TRANSPARENT", `Postponed: ${name}`]);
    await club.change("cancelEvent", id);
    expect(statusOf(await requireEntry(id))).toEqual(["CANCELLED", "TRANSPARENT", `Cancelled: ${name}`]);
  });

  it("that is over shows its result", async () => {
    const { id } = await makeMatch({ startsAt: NOW - 3 * HOUR_MS });
    await club.change("completeEvent", id, { result: { own: 2, opponent: 1 } });
    const entry = await requireEntry(id);
    expect(statusOf(entry)).toEqual(["CONFIRMED", "OPAQUE", "Northlight 2–1 Harbor Nine (Winter League, Bo3)"]);
    expect(entry.description).toContain("Result: 2–1");
  });

  it("that was moved keeps its UID, with a higher SEQUENCE and the new time", async () => {
    const { id } = await makeMatch();
    const before = await requireEntry(id);
    clock.advance(90_000);
    await club.change("moveEvent", id, { startsAt: NOW + 30 * HOUR_MS });
    const after = await requireEntry(id);
    expect(after.uid).toBe(before.uid);
    expect(after.sequence).toBeGreaterThan(before.sequence);
    expect(after.startDate.toJSDate().getTime()).toBe(NOW + 30 * HOUR_MS);
    expect(after.description).toContain("Moved. Before, it was to start 2026-11-18 18:00 UTC.");
    expect(String(textOf(after, "dtstamp"))).not.toBe(String(textOf(before, "dtstamp")));
  });

  it("has a higher SEQUENCE after every change, also of several in one second, and the same without one", async () => {
    const { id } = await makeMatch();
    const seen = [(await requireEntry(id)).sequence];
    for (const bestOf of [5, 1, 3]) {
      await club.change("updateEvent", id, { bestOf });
      seen.push((await requireEntry(id)).sequence);
    }
    clock.advance(5_000);
    await club.change("cancelEvent", id);
    seen.push((await requireEntry(id)).sequence);
    expect(seen).toEqual([...new Set(seen)].toSorted((one, other) => one - other));
    clock.advance(5_000);
    await makeTeam("Another");
    expect((await requireEntry(id)).sequence).toBe(seen.at(-1));
  });

  it("has a higher SEQUENCE when its team is renamed, also when it has another team since", async () => {
    const team = await makeTeam("Old name");
    const { id } = await makeMatch({ teamId: team.id });
    const seen = [await requireEntry(id)];
    const path = { orgId: club.orgId, recordId: team.id };
    await club.owner.do("updateTeam", { path, body: { name: "New name", updatedAt: team.updatedAt } });
    seen.push(await requireEntry(id));
    expect(seen[1]?.summary).toContain("New name");
    await club.change("updateEvent", id, { teamId });
    seen.push(await requireEntry(id));
    const sequences = seen.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b));
  });

  it("has no lower SEQUENCE when a team that was renamed is deleted", async () => {
    const { id } = await makeMatch();
    const made = await makeTeam("A mistake");
    const path = { orgId: club.orgId, recordId: made.id };
    const { updatedAt } = await club.owner.do("updateTeam", {
      path,
      body: { name: "Another mistake", updatedAt: made.updatedAt },
    });
    const { sequence } = await requireEntry(id);
    await club.owner.do("deleteTeam", { path, body: { updatedAt } });
    expect((await requireEntry(id)).sequence).toBe(sequence);
  });

  it("that an import has changed keeps its UID too, with a higher SEQUENCE", async () => {
    const { id } = await makeMatch();
    const before = await requireEntry(id);
    const importer = new Importer(club.owner, club.orgId);
    const rows = `externalId,title,startsAt\n${id},Imported,2026-12-24T18:00:00Z\n`;
    const files = [sendText("schedule.csv", rows)];
    const { fingerprint } = await importer.preview(files);
    expect((await importer.apply(files, fingerprint)).status).toBe(200);
    const after = await requireEntry(id);
    expect(after.startDate.toJSDate().toISOString()).toBe("2026-12-24T18:00:00.000Z");
    expect(after.sequence).toBeGreaterThan(before.sequence);
  });

  it("that was deleted is gone", async () => {
    const { id, updatedAt } = await makeMatch();
    expect(await entryOf(id)).toBeDefined();
    await club.owner.do("deleteEvent", { path: { orgId: club.orgId, recordId: id }, body: { updatedAt } });
    expect(await entryOf(id)).toBeUndefined();
  });

  it("stays for ninety days", async () => {
    const edge = clock.wallMs() - CALENDAR_PAST_DAYS * DAY_MS;
    const [kept, gone] = [await makeMatch({ startsAt: edge }), await makeMatch({ startsAt: edge - 1 })];
    expect(await entryOf(kept.id)).toBeDefined();
    expect(await entryOf(gone.id)).toBeUndefined();
  });

  it("far beyond the years that a calendar knows does no harm", async () => {
    const [long, never] = [
      await makeMatch({ endsAt: 8_640_000_000_000_000 }),
      await makeMatch({ startsAt: 8_640_000_000_000_000 }),
    ];
    expect((await requireEntry(long.id)).endDate.year).toBe(9999);
    expect(await entryOf(never.id)).toBeUndefined();
  });
});

describe("what was asked for", () => {
  it("is what is shown: kinds, and one team or all", async () => {
    const other = await makeTeam("Southwind");
    const made = {
      match: await makeMatch(),
      practice: await makeMatch({ kind: "practice" }),
      theirs: await makeMatch({ teamId: other.id }),
      everybodys: await makeMatch({ teamId: null, kind: "event" }),
    };
    const shownBy = async (wanted: object) => {
      const entries = await requireEntries(server, (await club.make(wanted)).link);
      return Object.entries(made)
        .filter(([, { id }]) => entries.has(`${id}@lineup`))
        .map(([name]) => name);
    };
    expect(await shownBy({})).toEqual(["match", "practice", "theirs", "everybodys"]);
    expect(await shownBy({ kinds: ["match"] })).toEqual(["match", "theirs"]);
    expect(await shownBy({ teamId })).toEqual(["match", "practice"]);
    expect(await shownBy({ kinds: ["practice", "event"], teamId: other.id })).toEqual([]);
    expect(await shownBy({ kinds: [], contractEnds: true })).toEqual([]);
  });

  it("bears the name that its member gave it, whatever is in it", async () => {
    const name = 'Ours; "mine", \\n — 🎮';
    const { text } = await fetchCalendar(server, (await club.make({ name })).link);
    expect(text.replaceAll("\r\n ", "")).toContain('X-WR-CALNAME:Ours\\; "mine"\\, \\\\n — 🎮\r\n');
  });
});

describe("the end of a contract", () => {
  const ends = async (wanted: object = {}) => {
    const { link } = await club.make({ kinds: [], contractEnds: true, ...wanted });
    return requireEntries(server, link);
  };

  it.each([
    ["as a file has it", Date.UTC(2027, 5, 30)],
    ["as the pages have it", Date.UTC(2027, 6, 1) - 1],
  ])("is a day in UTC, %s, and blocks nobody's time", async (_from, endDate) => {
    const { id: playerId } = await makePlayer("Vex", { teamId });
    const { id } = await makeContract(playerId, endDate, { autoRenew: true, noticePeriodDays: 30 });
    const entry = (await ends()).get(`${id}@lineup`);
    if (entry === undefined) throw new Error("The contract is not in the calendar.");
    expect([entry.summary, entry.startDate.isDate, entry.startDate.toString(), entry.endDate.toString()]).toEqual([
      "Contract of Vex ends",
      true,
      "2027-06-30",
      "2027-07-01",
    ]);
    expect(entry.description).toBe("Player contract · Northlight\nRenews itself.\nNotice: 30 days.");
    expect(textOf(entry, "transp")).toBe("TRANSPARENT");
  });

  it("is shown to those alone who asked for it, of contracts that run, of the team asked for", async () => {
    const { id: playerId } = await makePlayer("Nox", { teamId });
    const { id: elsewhereId } = await makePlayer("Rix");
    const endDate = NOW + 200 * DAY_MS;
    const running = await makeContract(playerId, endDate);
    const draft = await makeContract(playerId, endDate, { status: "draft" });
    const open = await makeContract(playerId, null);
    const elsewhere = await makeContract(elsewhereId, endDate);
    const shown = (entries: ReadonlyMap<string, unknown>) =>
      [running, draft, open, elsewhere].map(({ id }) => entries.has(`${id}@lineup`));
    expect(shown(await ends())).toEqual([true, false, false, true]);
    expect(shown(await ends({ teamId }))).toEqual([true, false, false, false]);
    expect(shown(await ends({ contractEnds: false, kinds: ["match"] }))).toEqual([false, false, false, false]);
  });

  it("moves with a higher SEQUENCE, and goes when the contract is terminated", async () => {
    const { orgId, owner } = club;
    const { id: playerId } = await makePlayer("Kai");
    const contract = await makeContract(playerId, NOW + 50 * DAY_MS);
    const uid = `${contract.id}@lineup`;
    const path = { orgId, recordId: contract.id };
    const before = (await ends()).get(uid);
    const body = { endDate: NOW + 400 * DAY_MS, updatedAt: contract.updatedAt };
    const extended = await owner.do("updateContract", { path, body });
    const after = (await ends()).get(uid);
    expect(after?.sequence).toBeGreaterThan(before?.sequence ?? Number.NaN);
    expect(after?.startDate.toString()).toBe(new Date(NOW + 400 * DAY_MS).toISOString().slice(0, 10));
    await owner.do("terminateContract", { path, body: { updatedAt: extended.updatedAt } });
    expect((await ends()).has(uid)).toBe(false);
  });

  it("has a higher SEQUENCE when its player is renamed or plays for another team", async () => {
    const player = await makePlayer("Ori");
    const { id } = await makeContract(player.id, NOW + 60 * DAY_MS);
    const { link } = await club.make({ kinds: [], contractEnds: true });
    const readEnd = async () => (await requireEntries(server, link)).get(`${id}@lineup`);
    const seen = [await readEnd()];
    const path = { orgId: club.orgId, recordId: player.id };
    const signed = await club.owner.do("getPlayer", { path });
    const body = { ign: "Oriel", updatedAt: signed.updatedAt };
    const { updatedAt } = await club.owner.do("updatePlayer", { path, body });
    seen.push(await readEnd());
    await club.owner.do("movePlayer", { path, body: { teamId, role: "Coach", updatedAt } });
    seen.push(await readEnd());
    expect(seen.map((entry) => entry?.summary)).toEqual([
      expect.stringContaining("Ori"),
      expect.stringContaining("Oriel"),
      expect.stringContaining("Oriel"),
    ]);
    expect(seen[2]?.description).toContain("Northlight");
    const sequences = seen.map((entry) => entry?.sequence ?? Number.NaN);
    expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b));
  });

  it("of a person who is erased is gone, and so is their name", async () => {
    const { id: playerId } = await makePlayer("Zephyrine");
    await makeContract(playerId, NOW + 100 * DAY_MS);
    const { link } = await club.make({ kinds: [], contractEnds: true });
    expect((await fetchCalendar(server, link)).text).toContain("Zephyrine");
    await club.owner.do("erasePerson", { path: { orgId: club.orgId, recordId: playerId } });
    const { status, text } = await fetchCalendar(server, link);
    expect(status).toBe(200);
    expect(text).not.toContain("Zephyrine");
  });
});

describe("the format", () => {
  const ODD = [
    "a,b;c\\d\\n:e\"f'",
    "BEGIN:VEVENT",
    "👩‍👩‍👧‍👦🇸🇪 𝔘𝔫𝔦 ünïcödé 日本語 العربية".repeat(4),
    "x".repeat(200),
    "\u2028 \u202E \uFEFF~",
  ];

  it("gives every text back as it was written, however odd", async () => {
    const made = await Promise.all(
      ODD.map((title) => club.createEvent({ kind: "practice", title, location: title, startsAt: NOW + DAY_MS })),
    );
    const entries = await requireEntries(server, (await club.make({ kinds: ["practice"] })).link);
    for (const { id, title, location } of made) {
      const entry = entries.get(`${id}@lineup`);
      expect([entry?.summary, entry?.location]).toEqual([title, location]);
    }
  });

  it("has lines of at most 75 bytes that end as they should, and no character in two of them", async () => {
    const { text } = await fetchCalendar(server, (await club.make({ contractEnds: true })).link);
    const lines = text.split("\r\n");
    expect(lines.slice(0, 2)).toEqual(["BEGIN:VCALENDAR", "VERSION:2.0"]);
    expect(lines.slice(-3)).toEqual(["END:VEVENT", "END:VCALENDAR", ""]);
    expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    expect(lines.filter((line) => Buffer.byteLength(line) > 75 || !line.isWellFormed())).toEqual([]);
    expect(lines.filter((line) => line === "BEGIN:VEVENT")).toHaveLength(readEntries(text).size);
    expect(text).not.toMatch(/DT(?:START|END):\d{8}T\d{6}\r/);
  });

  it("is the same, byte for byte, from a server that was started again", async () => {
    const { link } = await club.make({ contractEnds: true });
    const before = await fetchCalendar(server, link);
    await server.running.stop();
    const again = await startCalendarServer({ clock, dataDir: server.dataDir });
    try {
      expect((await fetchCalendar(again, link)).text).toBe(before.text);
    } finally {
      await again.stop();
    }
  });
});
