/** What the roster has in its address: which teams are shown, and as of which day. */
import { GAMES, type Game } from "@lineup/api/roles";
import { dropUnset, readChoice, readText } from "../compliance/search-values.ts";
import { readDayNumber } from "./roster-days.ts";

export interface RosterSearch {
  /** Of those without a team. */
  readonly q?: string;
  readonly game?: Game;
  readonly team?: string;
  /** Such as 2026-03-01; today, where nothing is said. */
  readonly day?: string;
}

export type RosterSearchChange = { readonly [K in keyof RosterSearch]?: RosterSearch[K] | undefined };

export function readRosterSearch(search: Readonly<Record<string, unknown>>): RosterSearch {
  const day = readText(search.day);
  return dropUnset({
    q: readText(search.q),
    game: readChoice(search.game, GAMES),
    team: readText(search.team),
    day: day === undefined || readDayNumber(day) === undefined ? undefined : day,
  });
}
