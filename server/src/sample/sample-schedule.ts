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

const SEASONS: readonly Season[] = [
  { team: "rift", competition: "Northern Rift League", bestOf: 3, match: [5, 17], timezone: "Europe/Berlin" },
  { team: "spike", competition: "Spike Circuit Europe", bestOf: 3, match: [3, 18], timezone: "Europe/Paris" },
  { team: "defuse", competition: "Frostline Series", bestOf: 3, match: [6, 15], timezone: "Europe/Stockholm" },
  { team: "velocity", competition: "Velocity Cup", bestOf: 5, match: [4, 19], timezone: "Europe/London" },
];

const WEEKS_PAST = 7;
const WEEKS_TO_COME = 5;

export function makeSchedule(calendar: SampleCalendar): SampleRow[] {
  const draw = makeDraw(97);
  const weekly = SEASONS.flatMap((season) => {
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
  const day = (offset: number) => (week < 0 ? week * 7 + offset : week * 7 + 1 + offset);
  const isOver = week < 0;
  const [matchDay, matchHour] = season.match;
  const status = isOver ? "completed" : "scheduled";
  const number = week + WEEKS_PAST + 1;
  const opponentOf = (shift: number) => OPPONENTS[(number * 3 + matchDay + shift) % OPPONENTS.length] ?? "";
  const common = { team: teamKey(season.team), timezone: season.timezone, status };
  const opponent = opponentOf(0);
  const scrimOpponent = opponentOf(4);
  return [
    {
      ...common,
      kind: "match",
      title: `${season.competition}: Northwind vs ${opponent}`,
      startsAt: calendar.at(day(matchDay), matchHour),
      endsAt: calendar.at(day(matchDay), matchHour + 2, 30),
      opponent,
      competition: season.competition,
      stage: number > WEEKS_PAST + 3 ? "Playoffs" : `Week ${number}`,
      bestOf: season.bestOf,
      location: number % 4 === 0 ? "Gothenburg Studio" : "Online",
      streamUrl: `https://live.example.com/${season.team}`,
      result: isOver ? makeResult(season.bestOf, draw) : null,
    },
    {
      ...common,
      kind: "scrim",
      title: `Scrim vs ${scrimOpponent}`,
      startsAt: calendar.at(day((matchDay + 3) % 7), 13, 30),
      endsAt: calendar.at(day((matchDay + 3) % 7), 16, 30),
      opponent: scrimOpponent,
      location: "Online",
    },
    {
      ...common,
      kind: "practice",
      title: week % 2 === 0 ? "Team practice and review" : "Team practice",
      startsAt: calendar.at(day((matchDay + 1) % 7), 10),
      endsAt: calendar.at(day((matchDay + 1) % 7), 14),
      location: "Malmö training house",
    },
  ];
}

function makeResult(bestOf: number, draw: () => number): SampleRow {
  const needed = (bestOf + 1) / 2;
  const other = Math.floor(draw() * needed);
  return draw() < 0.6 ? { own: needed, opponent: other } : { own: other, opponent: needed };
}

function makeSpecial(calendar: SampleCalendar): SampleRow[] {
  return [
    {
      kind: "match",
      title: "Northern Rift League: Northwind vs Copper Foxes",
      team: teamKey("rift"),
      status: "live",
      startsAt: calendar.minutesFromNow(-40),
      timezone: "Europe/Berlin",
      opponent: "Copper Foxes",
      competition: "Northern Rift League",
      stage: "Tiebreaker",
      bestOf: 1,
      location: "Online",
      streamUrl: "https://live.example.com/rift",
    },
    {
      kind: "match",
      title: "Spike Circuit Europe: Northwind vs Polar Kites",
      team: teamKey("spike"),
      status: "postponed",
      previousStartsAt: calendar.at(-3, 18),
      startsAt: calendar.at(9, 18),
      endsAt: calendar.at(9, 20, 30),
      timezone: "Europe/Paris",
      opponent: "Polar Kites",
      competition: "Spike Circuit Europe",
      stage: "Week 7",
      bestOf: 3,
      location: "Online",
      streamUrl: "https://live.example.com/spike",
    },
    {
      kind: "scrim",
      title: "Scrim vs Tidal Nine",
      team: teamKey("defuse"),
      status: "cancelled",
      startsAt: calendar.at(4, 13, 30),
      endsAt: calendar.at(4, 16, 30),
      timezone: "Europe/Stockholm",
      opponent: "Tidal Nine",
      location: "Online",
    },
    {
      kind: "event",
      title: "Media day",
      status: "scheduled",
      startsAt: calendar.at(12, 8),
      endsAt: calendar.at(12, 15),
      timezone: "Europe/Stockholm",
      location: "Malmö training house",
    },
    {
      kind: "event",
      title: "Summer bootcamp",
      team: teamKey("defuse"),
      status: "scheduled",
      startsAt: calendar.at(24, 8),
      endsAt: calendar.at(31, 16),
      timezone: "Europe/Stockholm",
      location: "Visby",
    },
    {
      kind: "event",
      title: "Season opening with partners",
      status: "completed",
      startsAt: calendar.at(-52, 16),
      endsAt: calendar.at(-52, 20),
      timezone: "Europe/Stockholm",
      location: "Malmö",
    },
  ];
}
