/** Made-up records of a club, alike enough to real ones in size and variety. The same number always makes the same record. */
import type { Player } from "@lineup/api/players";
import { type Game, ROLES_BY_GAME } from "@lineup/api/roles";
import type { ScheduleEntry } from "@lineup/api/schedule";
import { DAY_MS } from "@lineup/api/tiers";
import { makeId } from "@lineup/server/store/ids";
import { searchTextOf } from "@lineup/server/store/search-text";

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
    Array.from({ length: TEAMS_PER_GAME }, (_, index) => ({
      id: makeId("team"),
      name: `Northern Lights ${game} ${index + 1}`,
      tag: `NL${index + 1}`,
      game,
      division: index === 0 ? "main" : "academy",
      region: "EU",
      logo_url: null,
      status: "active",
      player_count: 0,
      search_text: searchTextOf(`Northern Lights ${game} ${index + 1}`, `NL${index + 1}`),
      external_ids: "{}",
      created_at: now,
      updated_at: now,
    })),
  );
}

export function makePlayer(index: number, teams: readonly Team[], now: number): Player & { readonly teamId: string } {
  const team = pick(teams, index);
  return {
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
    createdAt: now,
    updatedAt: now,
  };
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
  return {
    id: makeId("event"),
    kind: pick(["match", "scrim", "practice", "match"], index),
    title: `Northern Lights vs. ${pick(HANDLES, index)} ${index}`,
    teamId: team.id,
    game: team.game,
    status: isAhead ? "scheduled" : "completed",
    startsAt: Math.round(startsAt),
    endsAt: index % 3 === 0 ? Math.round(startsAt) + DAY_MS / 8 : null,
    previousStartsAt: null,
    timezone: "Europe/Copenhagen",
    opponent: pick(HANDLES, index + 3),
    competition: "Nordic Championship",
    stage: "Group stage",
    bestOf: 3,
    location: null,
    streamUrl: "https://stream.example.org/northern-lights",
    result: isAhead ? null : { own: 2, opponent: index % 2 },
    externalIds: {},
    createdAt: now,
    updatedAt: now,
  };
}

/** One in five ends within 30 days, each half a day off, so that no count of days changes while the bench runs. */
export function makeContract(index: number, player: { readonly id: string; readonly teamId: string }, now: number) {
  const isEnding = index % CURRENT_ONE_IN === 0;
  const daysLeft = isEnding ? (index / CURRENT_ONE_IN) % 29 : 60 + (index % 500);
  return {
    id: makeId("contract"),
    player_id: player.id,
    team_id: player.teamId,
    kind: "player",
    status: "active",
    start_date: JOINED_AT,
    end_date: now + daysLeft * DAY_MS + DAY_MS / 2,
    signed_at: JOINED_AT,
    terminated_at: null,
    auto_renew: index % 2,
    notice_period_days: 30,
    external_ids: "{}",
    created_at: now,
    updated_at: now,
  };
}

function pick<T>(values: readonly T[], index: number): T {
  return values[index % values.length] as T;
}
