/**
 * Case-insensitive search that means the same on every database: names are folded by JavaScript when they are written,
 * what is searched for is folded the same way, and the database only looks for one in the other.
 */
import { type RawBuilder, sql } from "kysely";

/** What is no character: SQLite looks for all of them alike, and PostgreSQL for each by itself. */
const NO_CHARACTERS = /[\uFFFE\uFFFF]/g;

const PLAIN = /^[\x20-\x7e]*$/;

/** Lower then upper case brings together what either alone keeps apart, such as ß, ẞ and SS, or σ and ς. */
export function foldCase(text: string): string {
  // The rest changes nothing in it.
  if (PLAIN.test(text)) return text.toUpperCase();
  return text.normalize("NFC").toLowerCase().toUpperCase().normalize("NFC").replaceAll(NO_CHARACTERS, "\uFFFD");
}

/** What is stored to be searched. Names hold no line breaks, so a match never spans two of them. */
export function searchTextOf(...names: readonly (string | null)[]): string {
  return names.map((name) => foldCase(name ?? "")).join("\n");
}

export function searchMatches(column: string, wanted: string): RawBuilder<boolean> {
  const pattern = `%${foldCase(wanted).replaceAll(/[\\%_]/g, "\\$&")}%`;
  // Joined to nothing, so that SQLite does not plan anew for each pattern (`sqlite-compiler.ts`).
  return sql<boolean>`${sql.ref(column)} like ('' || ${pattern}) escape '\\'`;
}
