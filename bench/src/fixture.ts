/** What the measured servers hold: organizations of their own for reads, for large lists, for writes, for refusals and for the mix. */
import type { Store } from "@lineup/server/store/store";
import { type FilledOrganization, makeFilledOrganization, type WantedOrganization } from "./fill-organization.ts";

/** `club` is read, `large` has 10,000 players, `written` is written to, `limited` runs out of requests, `mixed` and `manyWritten` are many. */
export const PLACES = ["club", "large", "written", "manyWritten", "limited", "mixed"] as const;
export type Place = (typeof PLACES)[number];

export const CLUB_PLAYERS = 200;
export const LARGE_PLAYERS = 10_000;
export const SCHEDULE_ENTRIES = 500;
export const CONTRACTS = 200;
export const MIXED_ORGANIZATIONS = 10;
export const WRITTEN_ORGANIZATIONS = 32;
const MIXED_KEYS = 1_000;
const LIMITED_KEYS = 16;

export interface WantedFixture {
  readonly places: readonly Place[];
  /** How many keys it takes so that no window ever refuses: of what is read, and of what is written. */
  readonly readingKeys: number;
  readonly writingKeys: number;
}

/** An organization, with what the load has to know of it. */
export interface FixtureOrganization extends Omit<FilledOrganization, "players"> {
  readonly playerIds: readonly string[];
}

export type Fixture = Readonly<Record<Place, readonly FixtureOrganization[]>>;

export async function fillStore(store: Store, wanted: WantedFixture): Promise<Fixture> {
  const { readingKeys, writingKeys } = wanted;
  const sizes: Readonly<Record<Place, Omit<WantedOrganization, "name">>> = {
    club: { players: CLUB_PLAYERS, keys: readingKeys, scheduleEntries: SCHEDULE_ENTRIES, contracts: CONTRACTS },
    large: { players: LARGE_PLAYERS, keys: readingKeys },
    written: { players: CLUB_PLAYERS, keys: writingKeys },
    manyWritten: { players: CLUB_PLAYERS, keys: Math.ceil(writingKeys / WRITTEN_ORGANIZATIONS) },
    limited: { players: 1, keys: LIMITED_KEYS },
    mixed: { players: CLUB_PLAYERS, keys: MIXED_KEYS / MIXED_ORGANIZATIONS },
  };
  const counts: Partial<Record<Place, number>> = { mixed: MIXED_ORGANIZATIONS, manyWritten: WRITTEN_ORGANIZATIONS };
  const filled = Object.fromEntries(PLACES.map((place) => [place, []])) as unknown as Record<
    Place,
    FixtureOrganization[]
  >;
  for (const place of PLACES) {
    const count = wanted.places.includes(place) ? (counts[place] ?? 1) : 0;
    for (let index = 0; index < count; index++) {
      const name = `Northern Lights ${place} ${index + 1}`;
      const { players, ...org } = await makeFilledOrganization(store, { ...sizes[place], name });
      filled[place].push({ ...org, playerIds: players.map(({ id }) => id) });
    }
  }
  return filled;
}
