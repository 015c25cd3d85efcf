/** The teams and people of the sample organization. All of them are invented. */
import type { Game } from "@lineup/api/roles";
import { DAY_MS, HOUR_MS } from "@lineup/api/tiers";

const MINUTE_MS = HOUR_MS / 60;

/** Moments of the sample, all relative to the moment it is made, on full hours as calendars have them. */
export function makeCalendar(now: number) {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const fiveMinutes = 5 * MINUTE_MS;
  return {
    /** A time of day (UTC), so many days from today; before today where negative. */
    at: (days: number, hour = 0, minute = 0) => today + days * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS,
    /** So many minutes from now, on a multiple of five. */
    minutesFromNow: (minutes: number) => Math.floor((now + minutes * MINUTE_MS) / fiveMinutes) * fiveMinutes,
  };
}
export type SampleCalendar = ReturnType<typeof makeCalendar>;

/** Numbers that look drawn and are the same every time: from 0 up to, not including, 1. */
export function makeDraw(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type SampleRow = Readonly<Record<string, unknown>>;

export interface SamplePerson {
  readonly ign: string;
  readonly realName: string;
  readonly nationality: string;
  readonly team: string | null;
  readonly role: string;
  /** How many days ago they joined the organization. */
  readonly joined: number;
  readonly status?: "benched" | "inactive";
  readonly isCaptain?: boolean;
  /** Where they were before, oldest first: team, role, from and to in days ago. */
  readonly before?: readonly (readonly [team: string, role: string, from: number, to: number])[];
}

export const SAMPLE_TEAMS = [
  { key: "rift", name: "Northwind Rift", tag: "NWR", game: "LoL", division: "main", region: "Europe" },
  { key: "spike", name: "Northwind Spike", tag: "NWS", game: "Valorant", division: "main", region: "Europe" },
  { key: "defuse", name: "Northwind Defuse", tag: "NWD", game: "CS2", division: "academy", region: "Nordics" },
  { key: "velocity", name: "Northwind Velocity", tag: "NWV", game: "Other", division: "other", region: "Europe" },
] as const satisfies readonly { key: string; game: Game; [field: string]: string }[];

type Person = readonly [ign: string, realName: string, nationality: string, role: string, joined: number];

function person([ign, realName, nationality, role, joined]: Person, team: string | null, more = {}): SamplePerson {
  return { ign, realName, nationality, team, role, joined, ...more };
}

const rift: readonly SamplePerson[] = [
  person(["Farrow", "Elias Nordahl", "SE", "Top", 820], "rift"),
  person(["Quillon", "Matteo Ferrandi", "IT", "Jungle", 410], "rift", { isCaptain: true }),
  person(["Brineleaf", "Jonas Aakre", "NO", "Mid", 640], "rift", { before: [["rift", "Substitute", 640, 300]] }),
  person(["Tessera", "Lina Kowalczyk", "PL", "ADC", 275], "rift"),
  person(["Oxbow", "Hugo Lemaire", "FR", "Support", 505], "rift"),
  person(["Palewick", "Andris Kalnins", "LV", "Substitute", 190], "rift"),
  person(["Nettle", "Sara Vanhanen", "FI", "Substitute", 95], "rift", { status: "benched" }),
  person(["Hallam", "Peter Hallam Voss", "DK", "Coach", 900], "rift", { before: [["rift", "Analyst", 900, 520]] }),
  person(["Marginal", "Ines Carvalho", "PT", "Analyst", 330], "rift"),
];

const spike: readonly SamplePerson[] = [
  person(["Cinderfox", "Noah Brandt", "DE", "Duelist", 360], "spike"),
  person(["Sunder", "Kaan Yildirim", "TR", "Initiator", 455], "spike"),
  person(["Gloam", "Freya Lindqvist", "SE", "Controller", 250], "spike"),
  person(["Ramparts", "Tomas Dvorsky", "CZ", "Sentinel", 610], "spike"),
  person(["Vantage", "Oliver Ashdown", "GB", "IGL", 710], "spike", {
    isCaptain: true,
    before: [["spike", "Flex", 710, 365]],
  }),
  person(["Driftwood", "Ayoub Benali", "BE", "Flex", 40], "spike"),
  person(["Halcyon", "Marta Ruiz", "ES", "Substitute", 150], "spike", { before: [["spike", "Initiator", 150, 6]] }),
  person(["Kestrelle", "Amelie Roche", "FR", "Substitute", 300], "spike", {
    status: "inactive",
    before: [["spike", "Duelist", 300, 120]],
  }),
  person(["Lectern", "Ruben Hartog", "NL", "Coach", 480], "spike"),
  person(["Parallax", "Yuki Tanemura", "JP", "Analyst", 210], "spike"),
];

const defuse: readonly SamplePerson[] = [
  person(["Boxcar", "Aleksi Rantala", "FI", "Entry Fragger", 400], "defuse"),
  person(["Longshadow", "Viktor Sandell", "SE", "AWPer", 520], "defuse"),
  person(["Sleet", "Emil Krogh", "DK", "Rifler", 290], "defuse"),
  person(["Tallow", "Mikkel Ostby", "NO", "Support", 365], "defuse"),
  person(["Undertow", "Arturs Ozols", "LV", "Lurker", 180], "defuse", { before: [["defuse", "Rifler", 180, 3]] }),
  person(["Foreman", "Gustav Ek", "SE", "IGL", 700], "defuse", {
    isCaptain: true,
    before: [["defuse", "Rifler", 700, 430]],
  }),
  person(["Pinecone", "Liam Cassidy", "IE", "Substitute", 75], "defuse", { status: "benched" }),
  person(["Barograph", "Henrik Solberg", "NO", "Coach", 560], "defuse"),
  person(["Isobar", "Chloe Marchetti", "CH", "Analyst", 130], "defuse"),
];

const velocity: readonly SamplePerson[] = [
  person(["Throttle", "Daniel Okafor", "GB", "Captain", 450], "velocity", { isCaptain: true }),
  person(["Camber", "Luca Steiner", "AT", "Player", 320], "velocity"),
  person(["Slipstream", "Zoe Papadakis", "GR", "Player", 240], "velocity"),
  person(["Apexa", "Nina Horvat", "HR", "Player", 20], "velocity"),
  person(["Understeer", "Joao Meireles", "PT", "Substitute", 110], "velocity"),
  person(["Pitwall", "Karin Oberg", "SE", "Coach", 380], "velocity"),
  person(["Logbook", "Stefan Ionescu", "RO", "Manager", 660], "velocity"),
];

/** Without a team: between teams, or working for all of them. */
const others: readonly SamplePerson[] = [
  person(["Wayfarer", "Isak Bergstrand", "SE", "Player", 760], null, {
    status: "inactive",
    before: [["defuse", "Entry Fragger", 760, 410]],
  }),
  person(["Marrow", "Tobias Reuter", "DE", "Player", 540], null, { before: [["rift", "ADC", 540, 280]] }),
  person(["Cartouche", "Leila Haddad", "FR", "Analyst", 85], null, { before: [["spike", "Analyst", 85, 9]] }),
  person(["Sextant", "Bram de Wit", "NL", "Manager", 980], null),
  person(["Ondine", "Maja Wisniewska", "PL", "Player", 12], null),
];

export const SAMPLE_PEOPLE: readonly SamplePerson[] = [...rift, ...spike, ...defuse, ...velocity, ...others];

export function personKey(person: Pick<SamplePerson, "ign">): string {
  return `person-${person.ign.toLowerCase()}`;
}

export function teamKey(team: string): string {
  return `team-${team}`;
}

export function makeTeams(): SampleRow[] {
  return SAMPLE_TEAMS.map(({ key, ...team }) => ({
    externalId: teamKey(key),
    ...team,
    logoUrl: `https://assets.example.com/northwind/${key}.png`,
    status: "active",
  }));
}

export function makePlayers(calendar: SampleCalendar, contractStatusOf: (person: SamplePerson) => string): SampleRow[] {
  const draw = makeDraw(41);
  return SAMPLE_PEOPLE.map((person, index) => ({
    externalId: personKey(person),
    ign: person.ign,
    realName: person.realName,
    role: person.role,
    team: person.team === null ? null : teamKey(person.team),
    contractStatus: contractStatusOf(person),
    joinDate: calendar.at(-person.joined, 9),
    status: person.status ?? "active",
    nationality: person.nationality,
    imageUrl: index % 4 === 3 ? null : `https://assets.example.com/portraits/${person.ign.toLowerCase()}.jpg`,
    stats: isStaff(person) ? null : makeStats(person, draw),
    externalIds: index % 3 === 0 ? { trackfeed: `tf-${1_000 + index * 7}` } : null,
  }));
}

export function isStaff(person: SamplePerson): boolean {
  return ["Coach", "Analyst", "Manager"].includes(person.role);
}

function makeStats({ team }: SamplePerson, draw: () => number): SampleRow {
  const tenths = (from: number, to: number) => Math.round((from + draw() * (to - from)) * 10) / 10;
  const maps = 20 + Math.floor(draw() * 140);
  const winRate = `${42 + Math.floor(draw() * 24)}%`;
  if (team === "rift") return { games: maps, winRate, kda: tenths(2, 6), csPerMinute: tenths(5, 9.5) };
  if (team === "spike") return { maps, winRate, acs: Math.round(tenths(160, 270)), kda: tenths(0.8, 1.6) };
  if (team === "defuse") return { maps, winRate, rating: tenths(0.8, 1.4), adr: tenths(60, 92) };
  return { races: maps, podiums: Math.floor(maps * tenths(0.1, 0.6)) };
}

/** Everybody's assignments: the ones before, and the one that is open. */
export function makeRoster(calendar: SampleCalendar): SampleRow[] {
  return SAMPLE_PEOPLE.flatMap((person) => {
    const past = (person.before ?? []).map(([team, role, from, to], index) => ({
      externalId: `roster-${person.ign.toLowerCase()}-${index + 1}`,
      player: personKey(person),
      team: teamKey(team),
      role,
      joinedAt: calendar.at(-from, 9),
      leftAt: calendar.at(-to, 17),
    }));
    if (person.team === null) return past;
    const since = person.before?.at(-1)?.[3];
    const open = {
      externalId: `roster-${person.ign.toLowerCase()}-${past.length + 1}`,
      player: personKey(person),
      team: teamKey(person.team),
      role: person.role,
      // Who is benched or away does not start, whatever the role.
      isStarter: person.status === undefined ? null : false,
      isCaptain: person.isCaptain ?? false,
      joinedAt: since === undefined ? calendar.at(-person.joined, 9) : calendar.at(-since, 17),
      leftAt: null,
    };
    return [...past, open];
  });
}
