/** How a large store is shared out among its organizations. */

export interface WantedGrowth {
  readonly players: number;
  readonly organizations: number;
  readonly keys: number;
  readonly logRows: number;
}

export const LISTED_PLAYERS = 200;
const LARGE_PLAYERS = 10_000;
/**
 * The keys of the first organization, which can carry a load alone: in a minute a server has the load for some 22 s, of up to 62,000 requests a second
 * on the quickest machine seen, and a key admits 1,000.
 */
export const HOT_KEYS = 1_500;

/** How many players each organization has. */
export function sharePlayers({ players, organizations }: Pick<WantedGrowth, "players" | "organizations">): number[] {
  const small = Math.ceil(organizations / 2);
  const others = organizations - small - 1;
  const rest = players - small * LISTED_PLAYERS - LARGE_PLAYERS;
  // Where there are few players, all organizations share them alike.
  if (others < 1 || rest < others) {
    const each = Math.floor(players / organizations);
    return Array.from({ length: organizations }, (_, index) =>
      index === 0 ? players - each * (organizations - 1) : each,
    );
  }
  const each = Math.floor(rest / others);
  return Array.from({ length: organizations }, (_, index) => {
    if (index === 1) return LARGE_PLAYERS;
    if (index === 0 || index > others + 1) return LISTED_PLAYERS;
    return index === 2 ? rest - each * (others - 1) : each;
  });
}

/** The first has those that carry the load, and the others share the rest. */
export function shareKeys({ keys, organizations }: Pick<WantedGrowth, "keys" | "organizations">): number[] {
  const hot = Math.max(HOT_KEYS, Math.floor(keys / 4));
  const rest = keys - hot;
  return Array.from({ length: organizations }, (_, index) => {
    if (index === 0) return hot;
    return Math.floor(rest / (organizations - 1)) + Number(index <= rest % (organizations - 1));
  });
}
