/** What Teams keeps in its address. Inactive teams are shown when they are asked for. */
import { GAMES, type Game } from "@lineup/api/roles";
import type { Team } from "@lineup/api/teams";
import { dropUnset, readChoice, readText } from "../compliance/search-values.ts";

export const TEAM_STATUS_FILTERS = ["inactive", "all"] as const;
export type TeamStatusFilter = (typeof TEAM_STATUS_FILTERS)[number];

export interface TeamsSearch {
  readonly q?: string;
  readonly game?: Game;
  /** Active ones alone, where nothing is said. */
  readonly status?: TeamStatusFilter;
}

export function readTeamsSearch(search: Readonly<Record<string, unknown>>): TeamsSearch {
  return dropUnset({
    q: readText(search.q),
    game: readChoice(search.game, GAMES),
    status: readChoice(search.status, TEAM_STATUS_FILTERS),
  });
}

const collator = new Intl.Collator("en", { sensitivity: "base", numeric: true });

/** By name; inactive ones after all others. */
export function filterTeams(teams: readonly Team[], { q = "", game, status = "active" }: SearchedTeams): Team[] {
  const words = q.toLowerCase().split(/\s+/);
  return teams
    .filter((team) => game === undefined || team.game === game)
    .filter((team) => status === "all" || team.status === status)
    .filter((team) => words.every((word) => mentions(team, word)))
    .toSorted((a, b) => Number(isInactive(a)) - Number(isInactive(b)) || compareTeams(a, b));
}

export type SearchedTeams = Omit<TeamsSearch, "status"> & { readonly status?: TeamStatusFilter | "active" };

export function compareTeams(a: Pick<Team, "name" | "id">, b: Pick<Team, "name" | "id">): number {
  return collator.compare(a.name, b.name) || (a.id < b.id ? -1 : 1);
}

function isInactive({ status }: Team): boolean {
  return status === "inactive";
}

function mentions({ name, tag, region, id }: Team, word: string): boolean {
  return [name, tag ?? "", region ?? "", id].some((text) => text.toLowerCase().includes(word));
}
