/** The prospects of the sample, in every stage of the pipeline. All of them are invented. */
import type { SampleCalendar } from "./sample-calendar.ts";
import { personKey, type SampleRow, teamKey } from "./sample-people.ts";

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
  [
    "Nyxhollow",
    "Emma Thorsen",
    "NO",
    "spike",
    "Duelist",
    "identified",
    7.5,
    "Opening duels stand out. Watch two more officials.",
  ],
  ["Graylag", "Piotr Zielonka", "PL", "defuse", "AWPer", "identified", null, null],
  ["Minnowed", "Arnau Serra", "ES", "rift", "Support", "identified", 6, "Small champion pool, large map sense."],
  ["Redshift", "Karl Winther", "DK", "velocity", "Player", "identified", 6.5, null],
  ["Sidereal", "Hanna Lahti", "FI", "spike", "Sentinel", "identified", null, null],
  ["Tinderbox", "", "DE", "defuse", null, "identified", 5.5, "Real name not known yet."],
  [
    "Ashgrove",
    "Callum Reid",
    "GB",
    "rift",
    "Jungle",
    "contacted",
    8,
    "Answered within the hour.\nWants to finish school first.",
  ],
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
  [
    "Lowtide",
    "Ivo Marinov",
    "BG",
    "defuse",
    "Support",
    "signed",
    7,
    "Signed elsewhere in the group, joins next season.",
  ],
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
