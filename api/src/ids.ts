/** Identifiers: `player_…` is a UUIDv7 in TypeID's base32, behind its kind. */

/** The kinds of what is no record of an organization; records have their resource's (`endpoints.ts`). */
export const OTHER_KINDS = ["org", "key", "req", "user", "link", "change", "webhook", "ping", "calendar"] as const;

/** The first base32 digit carries three bits only, so it never exceeds 7. */
export const ID_SUFFIX = "[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}";

const patterns = new Map<string, RegExp>();

/** `kind` is one of ours, never a client's text. */
export function idPattern(kind: string): RegExp {
  const known = patterns.get(kind);
  if (known !== undefined) return known;
  const pattern = new RegExp(`^${kind}_${ID_SUFFIX}$`);
  patterns.set(kind, pattern);
  return pattern;
}

/** Whether the text has the shape of an id of this kind; says nothing about whether anybody holds it. */
export function isIdOf(kind: string, text: string): boolean {
  return idPattern(kind).test(text);
}
