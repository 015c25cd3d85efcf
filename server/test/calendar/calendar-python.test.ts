/** The same moments, and texts, as another implementation reads them: python3-icalendar of Debian's packages. */
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { ManualClock } from "../manual-clock.ts";
import { tryToInstall } from "../services/installing.ts";
import type { TestServer } from "../test-server.ts";
import { fetchCalendar, makeClub, startCalendarServer } from "./subscriber.ts";
import { CHANGES_OF_CLOCKS, ZONES } from "./zone-times.ts";

/** Debian's own; another that comes first in the path does not see its packages. */
const PYTHON = "/usr/bin/python3";

const READER = `
import json, sys
from zoneinfo import ZoneInfo
from icalendar import Calendar
calendar = Calendar.from_ical(sys.stdin.buffer.read())
entries = []
for one in calendar.walk("VEVENT"):
    start = one.decoded("DTSTART")
    shown = {zone: start.astimezone(ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M") for zone in sys.argv[1:]} if hasattr(start, "hour") else str(start)
    entries.append({"uid": str(one["UID"]), "sequence": int(one["SEQUENCE"]), "summary": str(one["SUMMARY"]), "location": str(one.get("LOCATION", "")),
        "status": str(one["STATUS"]), "shown": shown, "seconds": (one.decoded("DTEND") - start).total_seconds()})
print(json.dumps({"errors": [str(error) for one in calendar.walk() for error in one.errors], "entries": entries}))
`;

let missing: string | undefined;
let server: TestServer;

beforeAll(async () => {
  if (!hasReader()) missing = await tryToInstall("python3-icalendar");
  if (missing === undefined && !hasReader()) missing = "it cannot be loaded";
  server = await startCalendarServer({ clock: new ManualClock(Date.UTC(2026, 9, 1)) });
});
afterAll(() => server?.stop());

function hasReader(): boolean {
  return spawnSync(PYTHON, ["-c", "import icalendar"]).status === 0;
}

function requireReader(context: TestContext): void {
  if (missing !== undefined) context.skip(`python3-icalendar is not here: ${missing}.`);
}

interface Read {
  readonly errors: readonly string[];
  readonly entries: readonly Readonly<Record<string, unknown>>[];
}

async function readInPython(link: string): Promise<Read> {
  const { text } = await fetchCalendar(server, link);
  const { stdout, stderr, status } = spawnSync(PYTHON, ["-c", READER, ...ZONES], { input: text, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

describe("python3-icalendar", () => {
  it("shows what the clocks show in four time zones, over both changes of each", async (context) => {
    requireReader(context);
    const club = await makeClub(server);
    for (const { title, startsAt } of CHANGES_OF_CLOCKS) {
      await club.createEvent({ kind: "match", title, startsAt, endsAt: startsAt + 3 * 3_600_000 });
    }
    const { errors, entries } = await readInPython((await club.make()).link);
    expect(errors).toEqual([]);
    expect(entries.map(({ summary, shown, seconds }) => [summary, shown, seconds])).toEqual(
      CHANGES_OF_CLOCKS.map(({ title, there }) => [title, there, 3 * 3_600]),
    );
  });

  it("reads texts, states and days as they were meant", async (context) => {
    requireReader(context);
    const club = await makeClub(server);
    // A backslash before an n it takes for a line break, however it is escaped; ical.js does not.
    const title = 'a,b;c\\d "e" 👩‍👩‍👧‍👦🇸🇪 ünïcödé 日本語 '.repeat(4).trim();
    const startsAt = Date.UTC(2026, 11, 1);
    const made = await club.createEvent({ kind: "match", title, location: title, startsAt });
    await club.change("cancelEvent", made.id);
    const path = { orgId: club.orgId };
    const player = await club.owner.do("createPlayer", { path, body: { ign: "Vex", role: "Coach" } });
    const endDate = Date.UTC(2027, 5, 30, 21, 59);
    const contract = { playerId: player.id, status: "active", startDate: startsAt, endDate };
    await club.owner.do("createContract", { path, body: contract });
    const { errors, entries } = await readInPython((await club.make({ contractEnds: true })).link);
    expect(errors).toEqual([]);
    expect(entries).toMatchObject([
      { uid: `${made.id}@lineup`, sequence: 1, summary: `Cancelled: ${title}`, location: title, status: "CANCELLED" },
      { summary: "Contract of Vex ends", shown: "2027-06-30", seconds: 86_400, status: "CONFIRMED" },
    ]);
  });
});
