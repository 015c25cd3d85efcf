/** Tables of an organization as large as one likes: teams of every game with players, substitutes and staff, and in proportion everything else. */
import { GAMES, ROLES_BY_GAME } from "@lineup/api/roles";
import type { ImportTables } from "../../src/transfer/import-source.ts";

const DAY_MS = 86_400_000;
const STAGES = ["identified", "contacted", "trial", "offered", "rejected"];
const PRIORITIES = ["low", "medium", "high"];
const KINDS = ["match", "scrim", "practice", "event"];

export interface LargeCounts {
  readonly players: number;
  readonly teams: number;
  readonly events: number;
  readonly prospects: number;
  readonly contracts: number;
}

/** For 10,000 players: 60 teams, 2,000 events, 500 prospects, 3,000 contracts. */
export function countsFor(players: number): LargeCounts {
  return {
    players,
    teams: Math.max(8, Math.ceil(players / 167)),
    events: Math.ceil(players / 5),
    prospects: Math.ceil(players / 20),
    contracts: Math.ceil(players * 0.3),
  };
}

const range = (length: number) => Array.from({ length }, (_, index) => index);
const numbered = (word: string, index: number) => `${word}${String(index).padStart(5, "0")}`;
const pick = <T>(from: readonly T[], index: number): T => from[index % from.length] as T;

export function makeLargeTables({ players, teams, events, prospects, contracts }: LargeCounts, now: number) {
  /** Teams of a game stand side by side. */
  const gameOf = (team: number) => pick(GAMES, Math.floor((team * GAMES.length) / teams));
  const teamOf = (player: number) => player % teams;
  /** One in ten has no team. */
  const isLoose = (player: number) => player % 10 === 9;
  const tables: ImportTables = {
    teams: range(teams).map((index) => ({
      externalId: numbered("team-", index),
      name: numbered("Team ", index),
      game: gameOf(index),
    })),
    players: range(players).map((index) => ({
      externalId: numbered("player-", index),
      ign: numbered("Ace", index),
      realName: `${pick(["Ada", "Bo", "Cleo", "Dag", "Eir"], index)} ${numbered("Person", index)}`,
      role: isLoose(index) ? "Player" : pick(ROLES_BY_GAME[gameOf(teamOf(index))], Math.floor(index / teams)),
      team: isLoose(index) ? null : numbered("team-", teamOf(index)),
      status: pick(["active", "active", "benched"], index),
      nationality: pick(["SE", "DE", "FR", null], index),
      joinDate: now - (100 + (index % 900)) * DAY_MS,
      stats: { games: index % 200, winRate: `${40 + (index % 30)}%` },
    })),
    schedule: range(events).map((index) => ({
      externalId: numbered("entry-", index),
      title: numbered("Fixture ", index),
      kind: pick(KINDS, index),
      team: numbered("team-", index % teams),
      opponent: pick(["Harbor Lights", "Copper Foxes", null], index),
      // A year around today.
      startsAt: now + Math.round((index / events - 0.5) * 365) * DAY_MS + (index % 12) * 3_600_000,
      status: index < events / 2 ? "completed" : "scheduled",
    })),
    prospects: range(prospects).map((index) => ({
      externalId: numbered("prospect-", index),
      ign: numbered("Hope", index),
      game: pick(GAMES, index),
      stage: pick(STAGES, index),
      priority: pick(PRIORITIES, index),
      rating: index % 11,
      assignedTo: pick(["Mara Lindqvist", "Oskar Falk", null], index),
    })),
    contracts: range(contracts).map((index) => ({
      externalId: numbered("contract-", index),
      player: numbered("player-", index % players),
      team: isLoose(index % players) ? null : numbered("team-", teamOf(index % players)),
      status: pick(["active", "active", "active", "draft", "pending"], index),
      startDate: now - (index % 400) * DAY_MS,
      endDate: now + (1 + (index % 500)) * DAY_MS,
      noticePeriodDays: pick([30, 60, null], index),
    })),
  };
  return tables;
}
