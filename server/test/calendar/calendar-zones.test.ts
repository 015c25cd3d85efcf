import type ICAL from "ical.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ManualClock } from "../manual-clock.ts";
import type { TestServer } from "../test-server.ts";
import { fetchCalendar, makeClub, readEntries, startCalendarServer } from "./subscriber.ts";
import { CHANGES_OF_CLOCKS, ZONES } from "./zone-times.ts";

const OWN_ZONE = process.env.TZ;
const clock = new ManualClock(Date.UTC(2026, 9, 1));
const titles = new Map<string, string>();
let server: TestServer;
let link: string;

beforeAll(async () => {
  server = await startCalendarServer({ clock });
  const club = await makeClub(server);
  for (const { title, startsAt } of CHANGES_OF_CLOCKS) {
    const { id } = await club.createEvent({ kind: "match", title, startsAt, endsAt: startsAt + 3 * 3_600_000 });
    titles.set(`${id}@lineup`, title);
  }
  ({ link } = await club.make());
});
afterAll(async () => {
  putBackZone();
  await server?.stop();
});

function putBackZone(): void {
  if (OWN_ZONE === undefined) delete process.env.TZ;
  else process.env.TZ = OWN_ZONE;
}

/** As a program on a machine in that zone shows it: by the machine's own idea of local time. */
function localTimeOf({ startDate }: ICAL.Event): string {
  const at = startDate.toJSDate();
  const two = (part: number) => String(part).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

describe.each(ZONES)("in %s, over both changes of the clock,", (zone) => {
  it("programs show what the clocks there show, wherever the server stands", async () => {
    // The server runs in this process, and so stands in the zone as well.
    process.env.TZ = zone;
    try {
      const entries = readEntries((await fetchCalendar(server, link)).text);
      const shown = [...entries.values()].map((entry) => [titles.get(entry.uid), localTimeOf(entry)]);
      expect(shown).toEqual(CHANGES_OF_CLOCKS.map(({ title, there }) => [title, there[zone]]));
      const lengths = [...entries.values()].map(({ duration }) => duration.toSeconds());
      expect(lengths).toEqual(CHANGES_OF_CLOCKS.map(() => 3 * 3_600));
    } finally {
      putBackZone();
    }
  });
});
