/** What the measured server holds: one Enterprise organization, its teams and players, and enough keys for the load. */
import { PERMISSIONS } from "@lineup/api/permissions";
import type { Player } from "@lineup/api/players";
import { type Game, ROLES_BY_GAME } from "@lineup/api/roles";
import { hashKey, makeKey, shownPrefixOf } from "@lineup/server/access/key-format";
import { createOrganization } from "@lineup/server/access/organizations";
import { insertPlayer } from "@lineup/server/resources/players/player-store";
import { followPlayer } from "@lineup/server/resources/roster/assignment-store";
import { makeId } from "@lineup/server/store/ids";
import type { OrgStore } from "@lineup/server/store/org-store";
import { searchTextOf } from "@lineup/server/store/search-text";
import type { Store } from "@lineup/server/store/store";
import { commandOrigin } from "../../server/src/store/origin.ts";

export interface WantedFixture {
  readonly playerCount: number;
  readonly keyCount: number;
}

export interface Fixture {
  readonly keys: readonly string[];
  readonly playerIds: readonly string[];
  /** A team that plays LoL. */
  readonly teamId: string;
}

const GAMES = ["LoL", "Valorant", "CS2", "Other"] as const satisfies readonly Game[];
const TEAMS_PER_GAME = 5;
const ROWS_PER_STATEMENT = 500;
const FIRST_NAMES = ["Lukas", "Søren", "Mateusz", "Jae-won", "Émilie", "Ana", "Rasmus", "Yūki", "Oliver", "Chloé"];
const LAST_NAMES = ["Andersen", "Kowalski", "Park", "García", "Lindström", "Dubois", "Novák", "Tanaka", "Silva"];
const HANDLES = ["Vex", "Nightfall", "kestrel", "Zephyr", "Mirage", "oblique", "Tundra", "Sable", "Quartz", "drift"];
const NATIONALITIES = ["DK", "PL", "KR", "FR", "SE", "BR", "CZ", "JP", "DE", "US"];
const JOINED_AT = Date.UTC(2024, 0, 15, 12);

export async function fillStore(store: Store, wanted: WantedFixture): Promise<Fixture> {
  const { id: orgId } = await createOrganization(
    store,
    { name: "Northern Lights Esports", tier: "Enterprise" },
    commandOrigin("bench"),
  );
  const keys = await insertKeys(store, orgId, wanted.keyCount);
  return store.writeOrg(orgId, commandOrigin("bench"), async (org) => {
    const teams = await insertTeams(org);
    const players = Array.from({ length: wanted.playerCount }, (_, index) => makePlayer(index, teams));
    for (const player of players) {
      await insertPlayer(org, player);
      await followPlayer(org, undefined, player, player.createdAt);
    }
    return { keys, playerIds: players.map(({ id }) => id), teamId: teams[0]?.id ?? "" };
  });
}

/** Thousands of keys in one transaction, where making each the usual way would take one transaction a key. */
async function insertKeys(store: Store, orgId: string, count: number): Promise<string[]> {
  const now = Date.now();
  const keys = Array.from({ length: count }, makeKey);
  const rows = keys.map((key, index) => ({
    id: makeId("key"),
    org_id: orgId,
    name: `Integration ${index + 1}`,
    hash: hashKey(key),
    shown_prefix: shownPrefixOf(key),
    permissions: JSON.stringify(PERMISSIONS),
    expires_at: null,
    revoked_at: null,
    successor_id: null,
    created_by: "bench",
    created_at: now,
    updated_at: now,
  }));
  await store.writeAccess(commandOrigin("bench"), async (operator) => {
    for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
      const some = rows.slice(from, from + ROWS_PER_STATEMENT);
      await operator.insertInto("api_keys").values(some).execute();
    }
  });
  return keys;
}

interface Team {
  readonly id: string;
  readonly game: Game;
}

async function insertTeams(org: OrgStore): Promise<Team[]> {
  const now = Date.now();
  const teams = GAMES.flatMap((game) =>
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
  await org.insertInto("teams", teams).execute();
  return teams;
}

function makePlayer(index: number, teams: readonly Team[]): Player {
  const team = pick(teams, index);
  const createdAt = Date.now();
  return {
    id: makeId("player"),
    ign: `${pick(HANDLES, index)}${index}`,
    realName: `${pick(FIRST_NAMES, index * 7)} ${pick(LAST_NAMES, index * 5)}`,
    role: pick(ROLES_BY_GAME[team.game], Math.floor(index / teams.length)),
    teamId: team.id,
    contractStatus: index % 9 === 0 ? "in_negotiation" : "active",
    joinDate: JOINED_AT + index * 86_400_000,
    status: index % 11 === 0 ? "benched" : "active",
    nationality: pick(NATIONALITIES, index * 3),
    imageUrl: `https://img.example.org/players/${1000 + index}.webp`,
    stats: { kda: 2 + (index % 40) / 10, winRate: 0.4 + (index % 25) / 100, matches: 40 + index, rank: "Challenger" },
    externalIds: { stats_site: `p-${100_000 + index}` },
    createdAt,
    updatedAt: createdAt,
  };
}

function pick<T>(values: readonly T[], index: number): T {
  return values[index % values.length] as T;
}
