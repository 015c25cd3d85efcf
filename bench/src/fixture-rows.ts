/** Made-up records of a club, alike enough to real ones in size and variety. The same number always makes the same record. */
import { contractResource } from "@lineup/api/contracts";
import { type Player, playerResource } from "@lineup/api/players";
import { fillIn } from "@lineup/api/resource";
import { type Game, ROLES_BY_GAME } from "@lineup/api/roles";
import { type ScheduleEntry, scheduleResource } from "@lineup/api/schedule";
import { teamResource } from "@lineup/api/teams";
import { DAY_MS } from "@lineup/api/tiers";
import { makeId } from "@lineup/server/store/ids";
import { rowOf } from "@lineup/server/store/record-rows";

const GAMES = ["LoL", "Valorant", "CS2", "Other"] as const satisfies readonly Game[];
const TEAMS_PER_GAME = 5;
const FIRST_NAMES = ["Lukas", "Søren", "Mateusz", "Jae-won", "Émilie", "Ana", "Rasmus", "Yūki", "Oliver", "Chloé"];
const LAST_NAMES = ["Andersen", "Kowalski", "Park", "García", "Lindström", "Dubois", "Novák", "Tanaka", "Silva"];
const HANDLES = ["Vex", "Nightfall", "kestrel", "Zephyr", "Mirage", "oblique", "Tundra", "Sable", "Quartz", "drift"];
const NATIONALITIES = ["DK", "PL", "KR", "FR", "SE", "BR", "CZ", "JP", "DE", "US"];
const JOINED_AT = Date.UTC(2024, 0, 15, 12);
/** Of this many schedule entries one is still to come, and of contracts one is about to end; the rest is history. */
const CURRENT_ONE_IN = 5;

export interface Team {
  readonly id: string;
  readonly game: Game;
}

export function makeTeams(now: number) {
  return GAMES.flatMap((game) =>
    Array.from({ length: TEAMS_PER_GAME }, (_, index) => {
      const name = `Northern Lights ${game} ${index + 1}`;
      const division = index === 0 ? "main" : "academy";
      const team = { id: makeId("team"), name, tag: `NL${index + 1}`, game, division, region: "EU" };
      return rowOf(teamResource, fillIn(teamResource, team, now));
    }),
  );
}

export function makePlayer(index: number, teams: readonly Team[], now: number): Player & { readonly teamId: string } {
  const team = pick(teams, index);
  const player = {
    id: makeId("player"),
    ign: `${pick(HANDLES, index)}${index}`,
    realName: `${pick(FIRST_NAMES, index * 7)} ${pick(LAST_NAMES, index * 5)}`,
    role: pick(ROLES_BY_GAME[team.game], Math.floor(index / teams.length)),
    teamId: team.id,
    contractStatus: index % 9 === 0 ? "in_negotiation" : "active",
    joinDate: JOINED_AT + (index % 600) * DAY_MS,
    status: index % 11 === 0 ? "benched" : "active",
    nationality: pick(NATIONALITIES, index * 3),
    imageUrl: imageUrlOf(index),
    stats: { kda: 2 + (index % 40) / 10, winRate: 0.4 + (index % 25) / 100, matches: 40 + index, rank: "Challenger" },
    externalIds: { stats_site: `p-${100_000 + index}` },
  };
  return { ...fillIn(playerResource, player, now), teamId: team.id };
}

/** The same for the player of that number in every organization, and no other's. */
export function imageUrlOf(index: number): string {
  return `https://img.example.org/players/${1000 + index}.webp`;
}

/** One in five lies days ahead, so that none begins or ends while the bench runs. */
export function makeScheduleEntry(index: number, teams: readonly Team[], now: number): ScheduleEntry {
  const team = pick(teams, index);
  const isAhead = index % CURRENT_ONE_IN === 0;
  const startsAt = now + (isAhead ? 2 + index : -2 - index) * (DAY_MS / 10) + (isAhead ? DAY_MS : -DAY_MS);
  const entry = {
    id: makeId("event"),
    kind: pick(["match", "scrim", "practice", "match"], index),
    title: `Northern Lights vs. ${pick(HANDLES, index)} ${index}`,
    teamId: team.id,
    game: team.game,
    status: isAhead ? "scheduled" : "completed",
    startsAt: Math.round(startsAt),
    endsAt: index % 3 === 0 ? Math.round(startsAt) + DAY_MS / 8 : null,
    timezone: "Europe/Copenhagen",
    opponent: pick(HANDLES, index + 3),
    competition: "Nordic Championship",
    stage: "Group stage",
    bestOf: 3,
    streamUrl: "https://stream.example.org/northern-lights",
    result: isAhead ? null : { own: 2, opponent: index % 2 },
  };
  return fillIn(scheduleResource, entry, now);
}

/** One in five ends within 30 days, each half a day off, so that no count of days changes while the bench runs. */
export function makeContract(index: number, player: { readonly id: string; readonly teamId: string }, now: number) {
  const isEnding = index % CURRENT_ONE_IN === 0;
  const daysLeft = isEnding ? (index / CURRENT_ONE_IN) % 29 : 60 + (index % 500);
  const contract = {
    id: makeId("contract"),
    playerId: player.id,
    teamId: player.teamId,
    status: "active",
    startDate: JOINED_AT,
    endDate: now + daysLeft * DAY_MS + DAY_MS / 2,
    signedAt: JOINED_AT,
    autoRenew: index % 2 === 1,
    noticePeriodDays: 30,
  };
  return rowOf(contractResource, fillIn(contractResource, contract, now));
}

function pick<T>(values: readonly T[], index: number): T {
  return values[index % values.length] as T;
}
