/** A season of the sample: matches, scrims and practices, past and to come, and the odd one out of every kind. */
import { makeDraw, type SampleCalendar, type SampleRow, teamKey } from "./sample-people.ts";

const OPPONENTS = [
  "Harbor Lights",
  "Copper Foxes",
  "Glacier Union",
  "Red Lantern Club",
  "Saltmarsh Seven",
  "Night Orchard",
  "Polar Kites",
  "Ironwood Assembly",
  "Tidal Nine",
  "Velvet Comets",
];

interface Season {
  readonly team: string;
  readonly competition: string;
  readonly bestOf: number;
  /** A day of the week of the season, as days after its Monday; the hour is UTC. */
  readonly match: readonly [day: number, hour: number];
  readonly timezone: string;
}

const SEASONS = {
  rift: { team: "rift", competition: "Northern Rift League", bestOf: 3, match: [5, 17], timezone: "Europe/Berlin" },
  spike: { team: "spike", competition: "Spike Circuit Europe", bestOf: 3, match: [3, 18], timezone: "Europe/Paris" },
  defuse: { team: "defuse", competition: "Frostline Series", bestOf: 3, match: [6, 15], timezone: "Europe/Stockholm" },
  velocity: { team: "velocity", competition: "Velocity Cup", bestOf: 5, match: [4, 19], timezone: "Europe/London" },
} satisfies Readonly<Record<string, Season>>;

const WEEKS_PAST = 7;
const WEEKS_TO_COME = 5;

export function makeSchedule(calendar: SampleCalendar): SampleRow[] {
  const draw = makeDraw(97);
  const weekly = Object.values(SEASONS).flatMap((season) => {
    const weeks = Array.from({ length: WEEKS_PAST + WEEKS_TO_COME }, (_, index) => index - WEEKS_PAST);
    return weeks.flatMap((week) => makeWeek(calendar, season, week, draw));
  });
  const entries = [...weekly, ...makeSpecial(calendar)];
  return entries
    .toSorted((a, b) => Number(a.startsAt) - Number(b.startsAt))
    .map((entry, index) => ({ externalId: `entry-${String(index + 1).padStart(3, "0")}`, ...entry }));
}

/** Weeks are counted from today, which belongs to none of them: whatever is in one is over, or still to come. */
function makeWeek(calendar: SampleCalendar, season: Season, week: number, draw: () => number): SampleRow[] {
  const isOver = week < 0;
  const day = (offset: number) => (isOver ? week * 7 + offset : week * 7 + 1 + offset);
  const [matchDay, matchHour] = season.match;
  const status = isOver ? "completed" : "scheduled";
  const number = week + WEEKS_PAST + 1;
  const opponentOf = (shift: number) => OPPONENTS[(number * 3 + matchDay + shift) % OPPONENTS.length] ?? "";
  const match = makeMatch(season, opponentOf(0), {
    status,
    startsAt: calendar.at(day(matchDay), matchHour),
    endsAt: calendar.at(day(matchDay), matchHour + 2, 30),
    stage: number > WEEKS_PAST + 3 ? "Playoffs" : `Week ${number}`,
    result: isOver ? makeResult(season.bestOf, draw) : null,
  });
  const practiceDay = day((matchDay + 1) % 7);
  return [
    number % 4 === 0 ? { ...match, location: "Gothenburg Studio" } : match,
    makeScrim(calendar, season, opponentOf(4), status, day((matchDay + 3) % 7)),
    {
      kind: "practice",
      title: week % 2 === 0 ? "Team practice and review" : "Team practice",
      team: teamKey(season.team),
      status,
      startsAt: calendar.at(practiceDay, 10),
      endsAt: calendar.at(practiceDay, 14),
      timezone: season.timezone,
      location: "Malmö training house",
    },
  ];
}

function makeMatch({ team, competition, bestOf, timezone }: Season, opponent: string, more: SampleRow): SampleRow {
  return {
    kind: "match",
    title: `${competition}: Northwind vs ${opponent}`,
    team: teamKey(team),
    timezone,
    opponent,
    competition,
    bestOf,
    location: "Online",
    streamUrl: `https://live.example.com/${team}`,
    ...more,
  };
}

function makeScrim(
  calendar: SampleCalendar,
  { team, timezone }: Season,
  opponent: string,
  status: string,
  day: number,
): SampleRow {
  return {
    kind: "scrim",
    title: `Scrim vs ${opponent}`,
    team: teamKey(team),
    status,
    startsAt: calendar.at(day, 13, 30),
    endsAt: calendar.at(day, 16, 30),
    timezone,
    opponent,
    location: "Online",
  };
}

function makeResult(bestOf: number, draw: () => number): SampleRow {
  const needed = (bestOf + 1) / 2;
  const other = Math.floor(draw() * needed);
  return draw() < 0.6 ? { own: needed, opponent: other } : { own: other, opponent: needed };
}

function makeSpecial(calendar: SampleCalendar): SampleRow[] {
  const { rift, spike, defuse } = SEASONS;
  const startsAt = calendar.minutesFromNow(-40);
  const postponed = {
    status: "postponed",
    previousStartsAt: calendar.at(-3, 18),
    startsAt: calendar.at(9, 18),
    endsAt: calendar.at(9, 20, 30),
    stage: "Week 7",
  };
  const makeEvent = (title: string, status: string, location: string, startsAt: number, endsAt: number) => {
    return { kind: "event", title, status, startsAt, endsAt, timezone: "Europe/Stockholm", location };
  };
  const bootcamp = makeEvent("Summer bootcamp", "scheduled", "Visby", calendar.at(24, 8), calendar.at(31, 16));
  return [
    makeMatch(rift, "Copper Foxes", { status: "live", startsAt, stage: "Tiebreaker", bestOf: 1 }),
    makeMatch(spike, "Polar Kites", postponed),
    makeScrim(calendar, defuse, "Tidal Nine", "cancelled", 4),
    makeEvent("Media day", "scheduled", "Malmö training house", calendar.at(12, 8), calendar.at(12, 15)),
    { ...bootcamp, team: teamKey("defuse") },
    makeEvent("Season opening with partners", "completed", "Malmö", calendar.at(-52, 16), calendar.at(-52, 20)),
  ];
}
