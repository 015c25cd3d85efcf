/** The prefixes of every identifier Lineup makes: `player_…` is a UUIDv7 in TypeID's base32, behind its kind. */
export const ID_PREFIXES = [
  "player",
  "team",
  "assignment",
  "event",
  "prospect",
  "contract",
  "org",
  "key",
  "req",
  "user",
  "link",
] as const;

export type IdPrefix = (typeof ID_PREFIXES)[number];

/** The first base32 digit carries three bits only, so it never exceeds 7. */
export const ID_SUFFIX = "[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}";

const PATTERNS = Object.fromEntries(
  ID_PREFIXES.map((prefix) => [prefix, new RegExp(`^${prefix}_${ID_SUFFIX}$`)]),
) as Record<IdPrefix, RegExp>;

export function idPattern(prefix: IdPrefix): RegExp {
  return PATTERNS[prefix];
}

/** Whether the text has the shape of an id of this kind; says nothing about whether anybody holds it. */
export function isIdOf(prefix: IdPrefix, text: string): boolean {
  return PATTERNS[prefix].test(text);
}
