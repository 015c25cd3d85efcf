/**
 * A believable organization for somebody who looks at Lineup for the first time: every state of everything, with dates
 * around the moment it is made. It comes in through the importer that users have, and is the same every time but for its dates.
 */
import { DAY_MS } from "@lineup/api/tiers";
import { commandOrigin } from "../store/audit-entry.ts";
import type { Store } from "../store/store.ts";
import { importInto } from "../transfer/import.ts";
import type { ImportTables } from "../transfer/import-source.ts";
import type { ImportSummary } from "../transfer/tables.ts";
import {
  isStaff,
  makeCalendar,
  makePlayers,
  makeRoster,
  makeTeams,
  personKey,
  SAMPLE_PEOPLE,
  type SampleCalendar,
  type SamplePerson,
  type SampleRow,
  teamKey,
} from "./sample-people.ts";
import { makeSchedule } from "./sample-schedule.ts";

export function sampleTables(now: number) {
  const calendar = makeCalendar(now);
  return {
    teams: makeTeams(),
    players: makePlayers(calendar, contractStatusOf),
    roster: makeRoster(calendar),
    contracts: makeContracts(calendar),
    schedule: makeSchedule(calendar),
    prospects: makeProspects(calendar),
  };
}

/** How many days ago prospects were looked at: so each has been in its stage for a while, and has a history. */
const PROSPECT_ROUNDS = [38, 16, 5];

export async function loadSample(store: Store, orgId: string, now: number): Promise<ImportSummary> {
  const tables = sampleTables(now);
  const load = (some: ImportTables, at: number) =>
    importInto(store, orgId, { tables: some }, { origin: commandOrigin("sample"), now: () => at });
  for (const { prospects, at } of listProspectRounds(now)) await load({ teams: tables.teams, prospects }, at);
  return load(tables, now);
}

/** The prospects as they were at each earlier look, oldest first. */
export function listProspectRounds(now: number): { readonly prospects: SampleRow[]; readonly at: number }[] {
  const { prospects } = sampleTables(now);
  return PROSPECT_ROUNDS.map((days, round) => ({
    prospects: prospects.map((row, index) => ({ ...row, player: null, stage: stageAt(row, index, round) })),
    at: now - days * DAY_MS,
  }));
}

/** Most had come one or two stages less far; some have waited where they are since then. */
function stageAt({ stage }: SampleRow, index: number, round: number): Stage {
  const path: readonly Stage[] =
    stage === "rejected"
      ? ["contacted", "trial", "rejected"]
      : ["identified", "contacted", "trial", "offered", "signed"];
  const last = path.indexOf(stage as Stage);
  const missing = Math.max(0, 2 - round - (index % 3));
  return path[Math.max(0, last - missing)] ?? "identified";
}

interface ContractPlan {
  readonly status: "draft" | "pending" | "active" | "expired" | "terminated";
  readonly kind?: "trial" | "loan";
  /** In days from today; null for an open end. */
  readonly ends: number | null;
  readonly autoRenew?: boolean;
  /** In days from today, of a draft or pending one. */
  readonly starts?: number;
  /** In days ago, of a terminated one. */
  readonly terminated?: number;
}

/** How the contracts of those end who are not listed: active, at one of these days. */
const USUAL_ENDS = [3, 6, 11, 19, 27, 34, 45, 57, 63, 72, 88, 104, 130, 158, 185, 212, 240, 275, 300, 330, 352, 364];

const PLANS: Readonly<Record<string, readonly ContractPlan[]>> = {
  Nettle: [{ status: "active", kind: "trial", ends: 9 }],
  Pinecone: [{ status: "active", kind: "trial", ends: 16 }],
  Halcyon: [{ status: "active", kind: "loan", ends: 41 }],
  Undertow: [{ status: "active", kind: "loan", ends: 79 }],
  Driftwood: [{ status: "active", ends: 325 }],
  Apexa: [
    { status: "expired", kind: "trial", ends: -2 },
    { status: "pending", ends: 363 },
  ],
  Understeer: [{ status: "draft", ends: 290 }],
  Palewick: [
    { status: "expired", ends: -20 },
    { status: "pending", starts: -2, ends: 345 },
  ],
  Kestrelle: [{ status: "terminated", ends: 150, terminated: 14 }],
  Marrow: [{ status: "terminated", ends: 60, terminated: 280 }],
  Wayfarer: [{ status: "expired", ends: -410 }],
  // Stored as active although its end has passed, as nobody has looked at it since.
  Camber: [{ status: "active", ends: -1 }],
  Logbook: [{ status: "active", ends: null }],
  Sextant: [{ status: "active", ends: null, autoRenew: true }],
  Cartouche: [{ status: "draft", ends: 200 }],
  Ondine: [],
};

function listPlanned(): (ContractPlan & { readonly person: SamplePerson })[] {
  let next = 0;
  return SAMPLE_PEOPLE.flatMap((person) => {
    const plans = PLANS[person.ign] ?? [
      { status: "active" as const, ends: USUAL_ENDS[next++ % USUAL_ENDS.length] ?? null, autoRenew: next % 5 === 0 },
    ];
    return plans.map((plan) => ({ ...plan, person }));
  });
}

/** What the person's last contract makes of them, as staff would have recorded it. */
export function contractStatusOf(person: SamplePerson): string {
  const last = listPlanned().findLast((contract) => contract.person === person);
  if (last === undefined) return "unsigned";
  if (last.status === "draft" || last.status === "pending") return "in_negotiation";
  return last.status;
}

export function makeContracts(calendar: SampleCalendar): SampleRow[] {
  return listPlanned().map(({ person, status, kind, starts: planned = 7, ends, autoRenew, terminated }, index) => {
    const isComing = status === "draft" || status === "pending";
    const length = kind === "trial" ? 60 : 365;
    const starts = isComing ? planned : Math.max(-person.joined, ends === null ? -person.joined : ends - length * 2);
    const last = person.team ?? person.before?.at(-1)?.[0];
    return {
      externalId: `contract-${2_001 + index}`,
      player: personKey(person),
      team: last === undefined ? null : teamKey(last),
      kind: kind ?? (isStaff(person) ? "staff" : "player"),
      status,
      startDate: calendar.at(starts),
      endDate: ends === null ? null : calendar.at(ends, 22),
      signedAt: isComing ? null : calendar.at(starts - 6, 14),
      terminatedAt: terminated === undefined ? null : calendar.at(-terminated, 11),
      autoRenew: autoRenew ?? false,
      noticePeriodDays: kind === "trial" ? 7 : [30, 60, 90][index % 3],
    };
  });
}

type Stage = "identified" | "contacted" | "trial" | "offered" | "signed" | "rejected";
type Prospect = readonly [
  ign: string,
  realName: string,
  nationality: string,
  team: "rift" | "spike" | "defuse" | "velocity",
  role: string | null,
  stage: Stage,
  rating: number | null,
  notes: string | null,
];

const GAMES = { rift: "LoL", spike: "Valorant", defuse: "CS2", velocity: "Other" } as const;
const SCOUTS = ["Mara Lindqvist", "Oskar Falk", "Ines Carvalho"];
const SOURCES = ["Ladder", "Recommendation", "Open tryout", "Tournament", "Agency"];
const CLUBS = ["Lumen Five", "Harbor Lights Academy", "Tidal Nine", "Brickyard", null, "Nordhavn Esport", null];
const TAGS = [["aim"], ["macro", "shotcaller"], ["ladder", "young"], [], ["english", "relocates"]];

const PROSPECTS: readonly Prospect[] = [
  ["Nyxhollow", "Emma Thorsen", "NO", "spike", "Duelist", "identified", 7.5, "Opening duels stand out."],
  ["Graylag", "Piotr Zielonka", "PL", "defuse", "AWPer", "identified", null, null],
  ["Minnowed", "Arnau Serra", "ES", "rift", "Support", "identified", 6, "Small champion pool, large map sense."],
  ["Redshift", "Karl Winther", "DK", "velocity", "Player", "identified", 6.5, null],
  ["Sidereal", "Hanna Lahti", "FI", "spike", "Sentinel", "identified", null, null],
  ["Tinderbox", "", "DE", "defuse", null, "identified", 5.5, "Real name not known yet."],
  ["Ashgrove", "Callum Reid", "GB", "rift", "Jungle", "contacted", 8, "Quick to answer.\nFinishes school first."],
  ["Plinth", "Nikos Galanis", "GR", "velocity", "Player", "contacted", 6.5, null],
  ["Corvine", "Anna Petrauskas", "LT", "spike", "Initiator", "contacted", 7, "Speaks three languages."],
  ["Stonemill", "Jakub Novotny", "CZ", "defuse", "Rifler", "contacted", 7.5, null],
  ["Wintergreen", "Leo Bertrand", "FR", "rift", "Top", "contacted", null, "Agent asked to be called first."],
  ["Halfmoon", "Selin Aydin", "TR", "spike", "Controller", "trial", 8, "Second week of trial. Calm in late rounds."],
  ["Gantry", "Rasmus Holt", "SE", "defuse", "Entry Fragger", "trial", 7, null],
  ["Bellwether", "Joana Pinto", "PT", "rift", "Mid", "trial", 8.5, "Coach wants a third week; school holidays help."],
  ["Kerbstone", "Matej Kovac", "SI", "velocity", "Player", "trial", 6, null],
  ["Oriel", "Simon Aubry", "CH", "rift", "ADC", "offered", 9, "Offer sent; answer expected this week."],
  ["Thornfield", "Eva Morgan", "IE", "spike", "IGL", "offered", 8.5, "Asked for a release clause."],
  ["Palisade", "Toms Berzins", "LV", "defuse", "Lurker", "offered", 7.5, null],
  ["Driftwood", "Ayoub Benali", "BE", "spike", "Flex", "signed", 8.5, "Signed after a strong trial."],
  ["Apexa", "Nina Horvat", "HR", "velocity", "Player", "signed", 8, "Signed; paperwork with the manager."],
  ["Lowtide", "Ivo Marinov", "BG", "defuse", "Support", "signed", 7, "Signed; joins next season."],
  ["Quarrel", "Max Dorn", "AT", "defuse", "IGL", "rejected", 5, "Team fit."],
  ["Saffron", "Dina Okonjo", "GB", "rift", "Support", "rejected", 6.5, "Chose another offer."],
  ["Outrider", "Bence Szabo", "HU", "velocity", "Captain", "rejected", 5.5, null],
  ["Vellum", "Clara Nyberg", "SE", "spike", "Duelist", "rejected", 6, "Ask again next year."],
];

const SIGNED_PLAYERS = new Set(["Driftwood", "Apexa"]);
const UNTOUCHED: ReadonlySet<Stage> = new Set(["identified"]);

export function makeProspects(calendar: SampleCalendar): SampleRow[] {
  return PROSPECTS.map(([ign, realName, nationality, team, role, stage, rating, notes], index) => {
    const club = CLUBS[index % CLUBS.length] ?? null;
    return {
      externalId: `prospect-${ign.toLowerCase()}`,
      ign,
      realName,
      game: GAMES[team],
      role,
      stage,
      priority: rating === null ? "low" : rating >= 8 ? "high" : "medium",
      rating,
      currentTeam: club,
      nationality,
      region: index % 3 === 0 ? "Nordics" : "Europe",
      source: SOURCES[index % SOURCES.length],
      assignedTo: SCOUTS[index % SCOUTS.length],
      notes,
      targetTeam: teamKey(team),
      player: SIGNED_PLAYERS.has(ign) ? personKey({ ign }) : null,
      contractEndDate: club === null ? null : calendar.at(60 + index * 11, 22),
      lastContactAt: UNTOUCHED.has(stage) ? null : calendar.at(-(1 + ((index * 5) % 40)), 14),
      tags: TAGS[index % TAGS.length],
    };
  });
}
